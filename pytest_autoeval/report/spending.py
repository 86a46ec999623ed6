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
    sums: dict[str, Any] = {
        name: sum(getattr(entry, name) for entry in counted) for name in ("replayed", "repeated")
    }
    for name in ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cost"):
        numbers = [number for entry in counted if (number := getattr(entry, name)) is not None]
        sums[name] = sum(numbers[1:], numbers[0]) if numbers else None
    return sums


def spending(suite: SuiteRecord, shrinking: Iterable[Calls | None] = ()) -> dict[str, Calls]:
    """The calls of a suite by purpose, also for samples that do not count in rates.

    ``shrinking`` are the calls for each counterexample of a suite whose end is not known yet.
    """
    sample_calls = [call for sample in suite.regular for call in sample.calls]
    if suite.end is not None:
        shrinking = (example.calls for example in suite.end.counterexamples)
    calls_by_purpose = (
        calls_of(call for call in sample_calls if call.stage not in PURPOSES[1:-1]),
        *(
            calls_of(call for call in sample_calls if call.stage == stage)
            for stage in PURPOSES[1:-1]
        ),
        total(calls for calls in shrinking if calls is not None),
    )
    return {
        purpose: calls
        for purpose, calls in zip(PURPOSES, calls_by_purpose, strict=True)
        if calls.number
    }


def together(spent_by_suites: Iterable[Mapping[str, Calls]]) -> dict[str, Calls]:
    """The calls of several suites by purpose."""
    suites = list(spent_by_suites)
    by_purpose = {
        purpose: [calls[purpose] for calls in suites if purpose in calls] for purpose in PURPOSES
    }
    return {purpose: total(calls) for purpose, calls in by_purpose.items() if calls}
