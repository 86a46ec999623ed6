"""Notes on a run that only the process knows that asked the models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_autoeval.record.calls import total
from pytest_autoeval.report.spending import calls_of
from pytest_autoeval.text import count, dollars

if TYPE_CHECKING:
    from pytest_autoeval.engine.leader import Leader
    from pytest_autoeval.report.analysis import Analysis

#: USD. A smaller difference of two sums is rounding.
_LEAST = 1e-6


def notes_of_servers(leader: Leader, analysis: Analysis) -> Iterator[str]:
    """Lines about models that refuse a schema, and about the cost if the report does not have all calls."""
    for reason in leader.pool.refused_schemas().values():
        yield f"{reason}; its answers are text"
    # The calls of a batch that is not answered are not paid yet.
    if leader.pool.suspended:
        return
    # Also of equal paraphrases, which count in no rate.
    record, traffic = leader.record, leader.pool.traffic()
    asked = (call for sample in record.samples for call in sample.calls if call.asked)
    of_shrinking = [
        example.calls for example in record.counterexamples if example.calls is not None
    ]
    cut_off = [event.end.unfinished for event in record.judged if event.end.unfinished]
    calls = total([calls_of(asked), *of_shrinking, *cut_off])
    limited = any(gate.spent for gate in analysis.gates)
    costs_more = traffic.cost > (calls.cost or 0.0) + _LEAST
    if costs_more or (limited and traffic.attempts > calls.number):
        paid = f"{count(traffic.attempts, 'call')}, {dollars(traffic.cost)}"
        yield f"this run paid for {paid}, also for calls that failed and samples that were cut off"
