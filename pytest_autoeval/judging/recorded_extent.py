"""How much of a suite ran, as its record says."""

from __future__ import annotations

from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.record.lines import SuiteRecord

#: The extent of a suite that was planned and has no line: it counts as interrupted.
NEVER_STARTED = Extent(interrupted=True, missing="the run ended before all suites ran")


def extent_of(
    suite: SuiteRecord,
    *,
    gate: str = "point",
    threshold: float | None = None,
    unjudgeable: bool = False,
    missing: str = "",
) -> Extent:
    """How a suite of a results file ended.

    ``gate`` and ``threshold`` are those that it is judged by now. ``unjudgeable``: its file shows that samples are
    missing, and ``missing`` says which parts, if that is known.
    """
    end, ran = suite.end, len(suite.regular)
    stop = None if end is None else end.stopped
    # A decision of an older release holds only for the rule that it was made by.
    held = True
    if stop is not None:
        same_rule = stop.gate == gate and threshold in (None, suite.asked.threshold)
        # With another number of samples, the decision was about other ones.
        held = bool(stop.look or same_rule) and stop.ran == ran
    if end is None or not held or unjudgeable:
        # Of parts the number of samples of the whole is known.
        planned = None if suite.run.shard is None else suite.asked.planned
        return Extent(planned=planned, interrupted=True, missing=missing)
    match end.ended:
        case "nothing drawn":
            return Extent(nothing=end.why)
        case "limit reached":
            return Extent(planned=suite.asked.planned, interrupted=True, spent=end.why)
    if stop is None:
        return Extent(planned=ran)
    return Extent(planned=stop.planned, stopped_early=stop)
