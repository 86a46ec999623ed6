"""The calls of suites, counted by their purpose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_autoeval.built_in import provided
from pytest_autoeval.record.calls import Call, Calls
from pytest_autoeval.record.lines import SuiteRecord

#: The purposes of calls: those for samples, those of shipped wrappers, which are stages too, and those for shrinking.
PURPOSES = ("samples", *provided("wrapper"), "shrinking")


def calls_of(calls: Iterable[Call]) -> Calls:
    """Some calls, counted."""
    calls = list(calls)
    return Calls(number=len(calls), **_sums(calls))


def total(counts: Iterable[Calls]) -> Calls:
    """The sum of some counts."""
    counts = list(counts)
    return Calls(number=sum(count.number for count in counts), **_sums(counts))


def _sums(counted: Sequence[Call] | Sequence[Calls]) -> dict[str, Any]:
    sums: dict[str, Any] = {}
    for name in ("replayed", "repeated"):
        sums[name] = sum(getattr(entry, name) for entry in counted)
    for name in ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cost"):
        values = [getattr(entry, name) for entry in counted]
        numbers = [number for number in values if number is not None]
        # None is not 0: a server may not say how many tokens it counted, and a call may have no known price.
        sums[name] = sum(numbers[1:], numbers[0]) if numbers else None
    return sums


def spending(suite: SuiteRecord, shrinking: Iterable[Calls | None] = ()) -> dict[str, Calls]:
    """The calls of a suite by purpose, also for samples that do not count in rates.

    ``shrinking`` are the calls for each counterexample of a suite whose end is not known yet.
    """
    sample_calls = [call for sample in suite.regular for call in sample.calls]
    if suite.end is not None:
        shrinking = (example.calls for example in suite.end.counterexamples)
    calls_by_purpose: dict[str, list[Call]] = {purpose: [] for purpose in PURPOSES[:-1]}
    for call in sample_calls:
        # The stages of a sample itself, such as the description, are not told apart here.
        purpose = call.stage if call.stage in PURPOSES[1:-1] else "samples"
        calls_by_purpose[purpose].append(call)
    spent = {purpose: calls_of(calls) for purpose, calls in calls_by_purpose.items()}
    spent["shrinking"] = total(calls for calls in shrinking if calls is not None)
    return {purpose: counted for purpose, counted in spent.items() if counted.number}


def together(spent_by_suites: Iterable[Mapping[str, Calls]]) -> dict[str, Calls]:
    """The calls of several suites by purpose."""
    suites = list(spent_by_suites)
    by_purpose = {}
    for purpose in PURPOSES:
        calls = [spent[purpose] for spent in suites if purpose in spent]
        if calls:
            by_purpose[purpose] = total(calls)
    return by_purpose
