"""The calls of suites, counted by their purpose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_autoeval.built_in import provided
from pytest_autoeval.record.calls import Call, Calls, sums_of, total
from pytest_autoeval.record.lines import SuiteRecord

#: Purposes that are stages of samples too: shipped wrappers.
_STAGES = provided("wrapper")
#: The purposes of calls: those for samples, also for those that a limit cut off; of wrappers; and for shrinking.
PURPOSES = ("samples", "unfinished samples", *_STAGES, "shrinking")


def calls_of(calls: Iterable[Call]) -> Calls:
    """Some calls, counted."""
    calls = list(calls)
    return Calls(number=len(calls), **sums_of(calls))


def spending(suite: SuiteRecord, shrinking: Iterable[Calls | None] = ()) -> dict[str, Calls]:
    """The calls of a suite by purpose, also for samples that do not count in rates.

    ``shrinking`` are the calls for each counterexample of a suite whose end is not known yet.
    """
    sample_calls = [call for sample in suite.regular for call in sample.calls]
    if suite.end is not None:
        shrinking = (example.calls for example in suite.end.counterexamples)
    calls_by_purpose: dict[str, list[Call]] = {purpose: [] for purpose in ("samples", *_STAGES)}
    for call in sample_calls:
        # The stages of a sample itself, such as the description, are not told apart here.
        purpose = call.stage if call.stage in _STAGES else "samples"
        calls_by_purpose[purpose].append(call)
    spent = {purpose: calls_of(calls) for purpose, calls in calls_by_purpose.items()}
    if suite.end is not None and suite.end.unfinished is not None:
        spent["unfinished samples"] = suite.end.unfinished
    spent["shrinking"] = total(calls for calls in shrinking if calls is not None)
    return {
        purpose: spent[purpose]
        for purpose in PURPOSES
        if purpose in spent and spent[purpose].number
    }


def together(spent_by_suites: Iterable[Mapping[str, Calls]]) -> dict[str, Calls]:
    """The calls of several suites by purpose."""
    suites = list(spent_by_suites)
    by_purpose = {}
    for purpose in PURPOSES:
        calls = [spent[purpose] for spent in suites if purpose in spent]
        if calls:
            by_purpose[purpose] = total(calls)
    return by_purpose
