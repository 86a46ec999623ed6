"""The gates of a suite's horizon: does it reach the required size, and did it fall below the baseline's?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil, inf, nextafter
from typing import Literal

from pytest_autoeval.reporting.horizons import chance_of, horizon_name, horizon_text
from pytest_autoeval.reporting.items import trials
from pytest_autoeval.reporting.judging.baseline import BaselineGate
from pytest_autoeval.reporting.judging.gates import Gate, GateVerdict, Rule, worst
from pytest_autoeval.reporting.names import named
from pytest_autoeval.reporting.text import count, p_text, signed_points, threshold_text
from pytest_autoeval.statistics.horizon import FEWEST_FORMULAS, Curve, Horizon
from pytest_autoeval.statistics.horizon_drop import HorizonDrop, Pair, judge_horizon_drop

_CANNOT = "so that the suite cannot pass"
_NO_CURVE = f"no horizon can be fitted: that needs at least {FEWEST_FORMULAS} formulas of at least three sizes"


@dataclass(frozen=True, slots=True, kw_only=True)
class HorizonGate:
    """The judged horizon of one suite and model.

    The gate ``horizon`` requires at each level (of ``asked``) a horizon of at least that size. The gate ``horizon
    drop`` has the ``drop`` in question, a fraction of the horizon, and the result ``found``, None if nothing could be
    compared. ``reason`` is one sentence: the measurement and the decision.
    """

    kind: Literal["horizon", "horizon drop"]
    suite: str
    model: str
    verdict: GateVerdict
    reason: str
    asked: Mapping[float, float] = field(default_factory=dict)
    drop: float | None = None
    found: HorizonDrop | None = None

    @property
    def name(self) -> str:
        """The suite with its model, as in headings."""
        return named(self.suite, self.model)


def judge_horizon(gate: Gate, asked: Mapping[float, float], curve: Curve | None, unit: str) -> HorizonGate:
    """Judges the horizon of a suite by the rule of its threshold gate, against the sizes ``asked`` at each level.

    The rule ``point`` compares the horizon with the size, the rule ``interval`` its 95 % interval. Beyond the drawn
    sizes nothing is known. ``unit`` is what the sizes count.
    """
    verdict, reason = obstacle(gate, "horizon")
    if not reason and curve is None:
        verdict, reason = "inconclusive", _NO_CURVE
    elif not reason and curve is not None:
        judged = [_level(curve, level, size, gate.rule, unit) for level, size in asked.items()]
        verdict = worst(decided for decided, _ in judged)
        reason = "; ".join(text for decided, text in judged if decided == verdict)
    return HorizonGate(kind="horizon", suite=gate.suite, model=gate.model, verdict=verdict, reason=reason, asked=asked)


def obstacle(gate: Gate, figure: str) -> tuple[GateVerdict, str]:
    """Why a figure of a suite is not judged: the same reasons as for its pass rate; empty without one."""
    if gate.interrupted:
        return gate.verdict, f"{figure}: interrupted, {_CANNOT}"
    if gate.errors:
        return "failed", f"{figure}: {gate.errors} of {count(gate.samples, 'sample')} ended in an error, {_CANNOT}"
    if gate.stopped_early is not None:
        return "inconclusive", f"{figure}: not judged, because the suite was stopped early"
    return "reported", f"{figure}: part {gate.part}; `report` judges all parts together" if gate.part else ""


def _level(curve: Curve, level: float, size: float, rule: Rule, unit: str) -> tuple[GateVerdict, str]:
    """The verdict on the horizon at one level, and a sentence about it."""
    horizon = curve.horizon(level)
    shown = f"{horizon_name(horizon)}: {horizon_text(horizon, unit, size)}"
    if not horizon.known:
        return "inconclusive", f"{shown}, so the required {size:g} cannot be judged; more formulas are needed"
    low, high = _interval(horizon) if rule == "interval" else _point(horizon)
    whole = ": the whole interval" if rule == "interval" else ""
    if low >= size:
        return "passed", f"{shown}{whole} meets the required {size:g}"
    if high < size:
        if horizon.value is None:
            return "failed", f"{shown}; at least {size:g} is required"
        return "failed", f"{shown}{whole} is below the required {size:g}"
    if not horizon.least <= size <= horizon.largest:
        drawn = f"only sizes from {horizon.least:g} to {horizon.largest:g} were drawn"
        return "inconclusive", f"{shown}: {drawn}, so the required {size:g} cannot be judged"
    needed = _needed(horizon, size, curve.formulas)
    more = "more formulas are needed" if needed is None else f"about {count(needed, 'formula')} would decide"
    return "inconclusive", f"{shown}: the required {size:g} lies within the interval; {more}"


def _point(horizon: Horizon) -> tuple[float, float]:
    """The range of sizes that contains the horizon: the horizon itself, or everything beyond the drawn sizes."""
    if horizon.value is not None:
        return horizon.value, horizon.value
    return (horizon.largest, inf) if horizon.bound == "above" else (-inf, nextafter(horizon.least, -inf))


def _interval(horizon: Horizon) -> tuple[float, float]:
    """The 95 % interval with open ends. Below the smallest size it reaches down without limit."""
    high = inf if horizon.high is None else horizon.high
    under = horizon.bound == "below" and high == horizon.least
    return -inf if horizon.low is None else horizon.low, nextafter(high, -inf) if under else high


def _needed(horizon: Horizon, size: float, formulas: int) -> int | None:
    """Roughly how many formulas would decide: an interval narrows with the square root of their number."""
    if horizon.value is None or horizon.value == size:
        return None
    end = horizon.low if horizon.value > size else horizon.high
    return None if end is None else ceil(formulas * ((horizon.value - end) / (horizon.value - size)) ** 2)


def judge_fall(against: BaselineGate, unit: str) -> HorizonGate | None:
    """Judges how far the horizon at 50 % fell below the baseline's; None if no such drop is tested."""
    drop = against.rules.horizon
    if drop is None:
        return None
    result = None
    verdict: GateVerdict
    if against.interrupted:
        verdict, reason = "interrupted", f"interrupted, {_CANNOT}"
    elif against.test is None or against.doubt:
        verdict, reason = "inconclusive", f"not judged: {against.doubt or against.conclusion}"
    else:
        listed = [pair for pair in against.compared.pairs if pair.here[0].operators >= 0]
        pairs = tuple((pair.here[0].operators, trials(pair.there), trials(pair.here)) for pair in listed)
        chance = chance_of(pair.here for pair in listed)
        result = _fall(pairs, drop, against.rules.alpha / against.suites, chance)
        if result is None:
            verdict, reason = "inconclusive", _NO_CURVE
        else:
            verdict, reason = result.decision, f"{_why(result, drop, len(pairs))}; {_measured(result, unit)}"
    return HorizonGate(
        kind="horizon drop",
        suite=against.suite,
        model=against.model,
        verdict=verdict,
        reason=f"horizon against the baseline: {reason}",
        drop=drop,
        found=result,
    )


@lru_cache(maxsize=64)
def _fall(pairs: tuple[Pair, ...], drop: float, alpha: float, chance: float) -> HorizonDrop | None:
    """The test of a drop of the horizon on the pairs; None if there are too few. Items and reports both call it."""
    return judge_horizon_drop(pairs, drop=drop, alpha=alpha, chance=chance)


def _why(horizon_drop: HorizonDrop, drop: float, pairs: int) -> str:
    asked = f"a fall of {threshold_text(drop)}"
    if horizon_drop.decision == "failed":
        return f"significantly lower, and the fall may be {threshold_text(drop)} or more, so the suite fails"
    if horizon_drop.decision == "passed" and horizon_drop.low > -drop:
        return f"any fall is smaller than {threshold_text(drop)}"
    if horizon_drop.decision == "passed":
        return f"not significantly lower; {asked} would have been found in 80 % of runs"
    needs = "" if horizon_drop.needed is None else f"; about {count(horizon_drop.needed, 'formula')} would"
    return f"not significantly lower, but {count(pairs, 'formula')} are too few to detect {asked}{needs}"


def _measured(drop: HorizonDrop, unit: str) -> str:
    before, after = horizon_text(drop.before, unit), horizon_text(drop.after, unit)
    change = "" if drop.change is None else f": {signed_points(drop.change)} %"
    interval = f"95 % interval {signed_points(drop.low)} to {signed_points(drop.high)} %"
    return f"{horizon_name(drop.after)}: before {before}, now {after}{change} ({interval}; p {p_text(drop.p_value)})"
