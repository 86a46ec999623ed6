"""The gates of a suite's figures: its horizon, and how far the answers to each sentence agree.

Each figure has a gate that requires a value, and one that compares it with the baseline's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, inf, nextafter
from statistics import NormalDist
from typing import Literal, TypeAlias

from pytest_autoeval.reporting.agreement import (
    SentenceMeanings,
    largest_class,
    mean_agreement,
    possibly_largest_class,
)
from pytest_autoeval.reporting.horizons import chance_of, horizon_name, horizon_text
from pytest_autoeval.reporting.items import trials
from pytest_autoeval.reporting.judging.baseline import BaselineGate
from pytest_autoeval.reporting.judging.gates import INTERVAL_ERROR, Gate, GateVerdict, Rule, worst
from pytest_autoeval.reporting.names import named
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.text import (
    confidence_text,
    count,
    drop_text,
    percent,
    rate_text,
    signed_points,
    threshold_text,
)
from pytest_autoeval.statistics.agreement import Agreement
from pytest_autoeval.statistics.drops import Decision, confidence_of, judge_drop
from pytest_autoeval.statistics.horizon import FEWEST_FORMULAS, Curve, Horizon
from pytest_autoeval.statistics.horizon_drop import HorizonDrop, Pair, judge_horizon_drop
from pytest_autoeval.statistics.multiplicity import bonferroni
from pytest_autoeval.statistics.paired import PairedTest, paired_test

#: Sorts the formulas of rows by meaning, with the verifier.
MeaningsOf: TypeAlias = Callable[[Iterable[Row]], Sequence[SentenceMeanings]]
#: A verdict with the sentence about it.
_Judged: TypeAlias = tuple[GateVerdict, str]
_CANNOT = "so that the suite cannot pass"
_NO_CURVE = f"no horizon can be fitted: that needs at least {FEWEST_FORMULAS} formulas of at least three sizes"
_ASKED_OTHERWISE = "sentences have other repeats or paraphrases than in the baseline, and fewer answers agree more"
_UNLIKE = "{} left out, with errors or equal paraphrases in only one of the runs"
_ONE_ANSWER = "no sentence has several answers to compare; --autoeval-repeats or --autoeval-paraphrases asks for more"


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureGate:
    """The judged horizon or agreement of one suite and model.

    The gate ``horizon`` requires at each level (of ``asked``) a horizon of at least that size, the gate ``agreement``
    that the share of answers in the largest class is at least ``asked``. A gate over a drop compares with the baseline:
    ``drop`` is the drop in question, a fraction of the horizon or a difference of shares, None if it is not judged;
    ``test`` is the result, None if nothing could be compared. ``reason`` is a sentence: the measurement and the
    decision.
    """

    kind: Literal["horizon", "horizon drop", "agreement", "agreement drop"]
    suite: str
    model: str
    verdict: GateVerdict
    reason: str
    asked: Mapping[float, float] | float | None = None
    drop: float | None = None
    test: HorizonDrop | PairedTest | None = None

    @property
    def name(self) -> str:
        """The suite with its model, as in headings."""
        return named(self.suite, self.model)


def judge_horizon(gate: Gate, asked: Mapping[float, float], curve: Curve | None, unit: str) -> FigureGate:
    """Judges the horizon of a suite by the rule of its threshold gate, against the sizes ``asked`` at each level.

    The rule ``point`` compares the horizon with the size, the rule ``interval`` its interval. Beyond the drawn
    sizes nothing is known. By the rule ``point``, a model that may be guessing at all sizes fails. ``unit`` is what
    the sizes count.
    """

    def judged() -> _Judged:
        if curve is None:
            return "inconclusive", _NO_CURVE
        levels = [_level(curve, level, size, gate, unit) for level, size in asked.items()]
        verdict = worst(decided for decided, _ in levels)
        return verdict, "; ".join(text for decided, text in levels if decided == verdict)

    return _required(gate, "horizon", asked, judged)


def judge_agreement(gate: Gate, asked: float, sentences: Sequence[SentenceMeanings]) -> FigureGate:
    """Judges the agreement of a suite by the rule of its threshold gate."""

    def judged() -> _Judged:
        found = mean_agreement(sentences)
        if found is None:
            return "inconclusive", f"agreement: {_ONE_ANSWER}"
        share, wanted = found.share, f"the required {threshold_text(asked)}"
        ends = share.interval(gate.confidence) if gate.rule == "interval" else None
        low, high = (share.lower, share.upper) if ends is None else (ends.low, ends.high)
        shown = f"agreement: {rate_text(share)} of the answers to {count(found.sentences, 'sentence')} are in the "
        shown += "largest class"
        if ends is not None and gate.confidence != 1.0 - INTERVAL_ERROR:
            interval = f"{percent(ends.low)}–{percent(ends.high)} %"
            shown += f" ({confidence_text(gate.confidence)}, shared with the suite's other gates: {interval})"
        if decided := _beside(shown, (low, high), asked, wanted, gate.rule):
            return decided
        if gate.rule == "point":
            return "failed", f"{shown} is below {wanted}: undecided formulas count as different"
        return "inconclusive", f"{shown}: {wanted} lies within the interval"

    return _required(gate, "agreement", asked, judged)


def _required(
    gate: Gate,
    kind: Literal["horizon", "agreement"],
    asked: Mapping[float, float] | float,
    judged: Callable[[], _Judged],
) -> FigureGate:
    """The gate over a required figure. It is not judged for the same reasons as the pass rate."""
    verdict, reason = _obstacle(gate, kind) or judged()
    return FigureGate(kind=kind, suite=gate.suite, model=gate.model, verdict=verdict, reason=reason, asked=asked)


def _obstacle(gate: Gate, figure: str) -> _Judged | None:
    if gate.interrupted:
        return gate.verdict, f"{figure}: interrupted, {_CANNOT}"
    if gate.errors:
        return "failed", f"{figure}: {gate.errors} of {count(gate.samples, 'sample')} ended in an error, {_CANNOT}"
    if gate.stopped_early is not None:
        return "inconclusive", f"{figure}: not judged, because the suite was stopped early"
    return ("reported", f"{figure}: part {gate.part}; `report` judges all parts together") if gate.part else None


def _beside(shown: str, ends: tuple[float, float], asked: float, wanted: str, rule: Rule) -> _Judged | None:
    """The verdict on a figure between two ends; None if the value ``asked`` lies between them."""
    whole = ": the whole interval" if rule == "interval" else ""
    if ends[0] >= asked:
        return "passed", f"{shown}{whole} meets {wanted}"
    return ("failed", f"{shown}{whole} is below {wanted}") if ends[1] < asked else None


def _level(curve: Curve, level: float, size: float, gate: Gate, unit: str) -> _Judged:
    """The verdict on the horizon at one level, and a sentence about it."""
    horizon, rule = curve.horizon(level), gate.rule
    shown, wanted = f"{horizon_name(horizon)}: {horizon_text(horizon, unit, size)}", f"the required {size:g}"
    if not horizon.known and (rule == "interval" or horizon.bound != "below"):
        return "inconclusive", f"{shown}, so {wanted} cannot be judged; more formulas are needed"
    ends = _interval(horizon, gate.confidence) if rule == "interval" else _point(horizon)
    if ends[1] < size and horizon.value is None:
        return "failed", f"{shown}; at least {size:g} is required"
    if decided := _beside(shown, ends, size, wanted, rule):
        return decided
    if not horizon.least <= size <= horizon.largest:
        drawn = f"only sizes from {horizon.least:g} to {horizon.largest:g} were drawn"
        return "inconclusive", f"{shown}: {drawn}, so {wanted} cannot be judged"
    needed = _needed(horizon, size, curve.formulas)
    more = "more formulas are needed" if needed is None else f"about {count(needed, 'formula')} would decide"
    return "inconclusive", f"{shown}: {wanted} lies within the interval; {more}"


def _point(horizon: Horizon) -> tuple[float, float]:
    """The range of sizes that contains the horizon: the horizon itself, or everything beyond the drawn sizes."""
    if horizon.value is not None:
        return horizon.value, horizon.value
    return (horizon.largest, inf) if horizon.bound == "above" else (-inf, nextafter(horizon.least, -inf))


def _interval(horizon: Horizon, confidence: float) -> tuple[float, float]:
    """The interval with open ends. Below the smallest size it reaches down without limit.

    With more confidence than 95 %, its ends lie further from the horizon, as those of a normal distribution do.
    """
    high = inf if horizon.high is None else horizon.high
    low = -inf if horizon.low is None else horizon.low
    under = horizon.bound == "below" and high == horizon.least
    if confidence > 1.0 - INTERVAL_ERROR:
        middle = horizon.value
        if middle is None:
            middle = horizon.largest if horizon.bound == "above" else horizon.least
        wider = NormalDist().inv_cdf(0.5 + confidence / 2) / NormalDist().inv_cdf(1.0 - INTERVAL_ERROR / 2)
        low, high = middle - wider * (middle - low), middle + wider * (high - middle)
    return low, nextafter(high, -inf) if under else high


def _needed(horizon: Horizon, size: float, formulas: int) -> int | None:
    """Roughly how many formulas would decide: an interval narrows with the square root of their number."""
    if horizon.value is None or horizon.value == size:
        return None
    end = horizon.low if horizon.value > size else horizon.high
    return None if end is None else ceil(formulas * ((horizon.value - end) / (horizon.value - size)) ** 2)


def _fallen(
    against: BaselineGate,
    figure: Literal["horizon", "agreement"],
    drop: float | None,
    judged: _Judged,
    test: HorizonDrop | PairedTest | None = None,
) -> FigureGate:
    """The gate over a drop of a figure below the baseline's."""
    verdict, reason = judged
    return FigureGate(
        kind="horizon drop" if figure == "horizon" else "agreement drop",
        suite=against.suite,
        model=against.model,
        verdict=verdict,
        reason=f"{figure} against the baseline: {reason}",
        drop=drop,
        test=test,
    )


def judge_fall(against: BaselineGate, unit: str) -> FigureGate | None:
    """Judges how far the horizon at 50 % fell below the baseline's; None if no such drop is tested."""
    drop = against.rules.horizon
    if drop is None:
        return None
    if against.interrupted:
        return _fallen(against, "horizon", drop, ("interrupted", f"interrupted, {_CANNOT}"))
    if against.test is None or against.doubt:
        return _fallen(against, "horizon", drop, ("inconclusive", f"not judged: {against.doubt or against.conclusion}"))
    listed = [pair for pair in against.compared.pairs if pair.here[0].operators >= 0]
    pairs = tuple((pair.here[0].operators, trials(pair.there), trials(pair.here)) for pair in listed)
    found = _fall(pairs, drop, against.rules.alpha / against.tests, chance_of(pair.here for pair in listed))
    if found is None:
        return _fallen(against, "horizon", drop, ("inconclusive", _NO_CURVE))
    judged = found.decision, f"{_why(found, drop, len(pairs))}; {_measured_fall(found, unit, against)}"
    return _fallen(against, "horizon", drop, judged, found)


@lru_cache(maxsize=64)
def _fall(pairs: tuple[Pair, ...], drop: float, alpha: float, chance: float) -> HorizonDrop | None:
    """The test of a drop of the horizon on the pairs; None if there are too few. Items and reports both call it."""
    return judge_horizon_drop(pairs, drop=drop, alpha=alpha, chance=chance)


def _why(horizon_drop: HorizonDrop, drop: float, pairs: int) -> str:
    asked = f"a fall of {threshold_text(drop)}"
    if horizon_drop.decision == "failed":
        return f"significantly lower, and the fall may be {threshold_text(drop)} or more, so the suite fails"
    if horizon_drop.decision == "passed":
        return f"any fall is smaller than {threshold_text(drop)}"
    needs = "" if horizon_drop.needed is None else f"; about {count(horizon_drop.needed, 'formula')} would decide"
    return f"not significantly lower, but {count(pairs, 'formula')} cannot rule out {asked} or more{needs}"


def _measured_fall(drop: HorizonDrop, unit: str, against: BaselineGate) -> str:
    before, after = horizon_text(drop.before, unit), horizon_text(drop.after, unit)
    change = "" if drop.change is None else f": {signed_points(drop.change)} %"
    interval = f"{against.interval_text(drop.low, drop.high)} %"
    p = against.p_values(drop.p_value)
    return f"{horizon_name(drop.after)}: before {before}, now {after}{change} ({interval}; {p})"


def judge_agreement_fall(against: BaselineGate, meanings: MeaningsOf) -> FigureGate | None:
    """Compares the agreement with that of the baseline; None if no sentence has the same several answers in both."""
    rules, drop = against.rules, against.rules.agreement_drop
    compared = against.compared
    here, there = (
        {(one.item, one.sentence): one for one in meanings(rows)} for rows in (compared.here, compared.there)
    )
    both = [(there[item], one) for item, one in here.items() if item in there]
    is_alike = _asked(compared.here) == _asked(compared.there)
    several = [pair for pair in both if (max if is_alike else min)(len(one.attempts) for one in pair) > 1]
    # Fewer answers agree more: an error, or an equal paraphrase, leaves a sentence with fewer of them in one run.
    pairs = [pair for pair in several if not is_alike or _answered(pair[0]) == _answered(pair[1])]
    unlike = _UNLIKE.format(count(len(several) - len(pairs), "sentence")) if is_alike else _ASKED_OTHERWISE
    if not pairs and drop is None:
        return None
    verdict: GateVerdict = "reported"
    test = None
    if against.interrupted:
        verdict, reason = "interrupted", "interrupted, so that the gate cannot pass"
    elif compared.refusal:
        verdict, reason = "inconclusive", f"not compared: {compared.refusal}"
    elif not pairs:
        verdict, reason = "inconclusive", f"not compared: {unlike if several else _ONE_ANSWER}"
    else:
        shares = [(before.agreement(), after.agreement()) for before, after in pairs]
        trials = [(largest_class(before), largest_class(after)) for before, after in shares]
        test = paired_test(trials, against.confidence)
        reason = _measured(test, against) + (f"; {unlike}" if len(pairs) < len(several) else "")
        doubt = against.doubt if is_alike else _ASKED_OTHERWISE
        decisions = set() if drop is None or doubt else _decisions(shares, drop, rules.alpha, against.tests)
        if len(decisions) > 1:
            doubt = "the decision depends on formulas that may mean the same"
        if drop is not None and doubt:
            verdict, reason = "inconclusive", f"not judged: {doubt}; {reason}"
        elif drop is not None:
            [verdict] = decisions
            reason = f"{_DECISIONS[verdict].format(drop_text(drop))}; {reason}"
        elif doubt:
            reason += f"; {doubt}"
    return _fallen(against, "agreement", drop, (verdict, reason), test)


def _answered(one: SentenceMeanings) -> Counter[tuple[int, int]]:
    return Counter((attempt.repeat, attempt.paraphrase) for attempt in one.attempts)


def _asked(rows: Iterable[Row]) -> set[tuple[int, int]]:
    """The repeats and paraphrases that a run asked for, also where they ended in errors."""
    return {(row.repeat, row.facts.get("paraphrase") or 0) for row in rows}


def _decisions(shares: Sequence[tuple[Agreement, Agreement]], drop: float, alpha: float, tests: int) -> set[Decision]:
    """The decisions for the greatest and for the smallest drop that undecided formulas leave possible."""
    found = set()
    for first, last in ((possibly_largest_class, largest_class), (largest_class, possibly_largest_class)):
        trials = [(first(before), last(after)) for before, after in shares]
        test = paired_test(trials, confidence_of(alpha / tests))
        adjusted = None if test.p_value is None else bonferroni(test.p_value, tests)
        found.add(judge_drop(test.interval.low, adjusted, drop=drop, alpha=alpha))
    return found


_DECISIONS: dict[str, str] = {
    "passed": "the data rule out a drop of {} or more",
    "failed": "significantly lower; the data cannot rule out a drop of {} or more",
    "inconclusive": "not significantly lower, but so few sentences cannot rule out a drop of {} or more",
}


def _measured(test: PairedTest, against: BaselineGate) -> str:
    interval = against.interval_text(test.interval.low, test.interval.high)
    change = f"{percent(test.before)} % before, {percent(test.after)} % now: {signed_points(test.difference)} points"
    p = "" if test.p_value is None else f"; {against.p_values(test.p_value)}"
    return f"{change} ({count(test.pairs, 'sentence')}; {interval}{p})"
