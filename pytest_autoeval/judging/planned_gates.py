"""What the gates of a planned suite can show, as sentences: the power of a run before anything is paid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from pytest_autoeval.judging.gates import Rule, Rules
from pytest_autoeval.judging.items import trials
from pytest_autoeval.judging.pairing import Comparison
from pytest_autoeval.statistics.power import (
    planned_exclusion,
    planned_pairs,
    planned_power,
    samples_to_decide,
    threshold_plan,
)
from pytest_autoeval.text import count, drop_text, percent, threshold_text

#: The share of runs in which a gate decides, for the rates and numbers that are shown.
_POWER = 0.8
#: How the sentences about drops are to be read.
ASSUMED_CHURN = (
    "A drop is found if the gate fails, and excluded if it passes. Answers are assumed to change by chance as often as "
    "the baseline's rate allows; steadier answers need fewer formulas."
)


def planned_gates(
    samples: int, threshold: float | None, compared: Comparison | None, rules: Rules, suites: int
) -> list[str]:
    """A sentence for each gate of a suite with one model.

    ``samples`` are those of the plan; ``compared`` are the planned samples with the baseline, if there is one, and
    ``suites`` is the number of suites of the run, for the correction.
    """
    before = None
    answered = [] if compared is None else [trials(pair.there) for pair in compared.pairs if pair.there]
    if answered:
        before = fmean(passed / total for passed, total in answered)
    sentences = [] if threshold is None else [_of_threshold(samples, threshold, rules.gate, before)]
    unlike = None if compared is None else compared.mismatch
    if unlike is not None:
        sentences.append(f"baseline: {unlike}")
    if compared is not None and rules.drop is not None and (unlike is None or before is not None):
        sentences.append(f"baseline: {_of_drop(compared, before, rules.drop, rules.suite_level(suites))}")
    return sentences


def _of_threshold(samples: int, threshold: float, rule: Rule, before: float | None) -> str:
    plan = threshold_plan(samples, threshold, interval=rule == "interval", power=_POWER)
    ends = [
        f"{verb} in {_share(_POWER)} of runs if the true rate is {percent(rate)} %"
        for verb, rate in (("passes", plan.passing_rate), ("fails", plan.failing_rate))
        if rate is not None
    ]
    if plan.passing_rate is None:
        needed = samples_to_decide(1.0, threshold)
        ends.append("cannot pass" + ("" if needed is None else f", which needs at least {count(needed, 'sample')}"))
    if before is not None:
        passes, fails = plan.chances(before)
        fails_too = f" and fails in {_share(fails)}" if rule == "interval" else ""
        ends.append(f"at the baseline's rate of {percent(before)} % it passes in {_share(passes)} of runs{fails_too}")
    return f"threshold {threshold_text(threshold)}, {count(samples, 'sample')}: {'; '.join(ends)}"


def _of_drop(compared: Comparison, before: float | None, drop: float, alpha: float) -> str:
    asked, pairs = f"a drop of {drop_text(drop)}", [pair for pair in compared.pairs if pair.there]
    if before is None:
        return f"not compared: {compared.obstacle}"
    if before < drop:
        return f"{asked} cannot occur, since the baseline's rate is {percent(before)} %"
    repeats = min(min(len(pair.here), len(pair.there)) for pair in pairs)
    found = planned_power(drop, before, len(pairs), repeats=repeats, alpha=alpha)
    excluded = planned_exclusion(drop, before, len(pairs), repeats=repeats, alpha=alpha)
    runs = f"{asked} is found in {_share(found)} of such runs, and excluded in {_share(excluded)} if nothing changed"
    if min(found, excluded) >= _POWER:
        return f"{runs} ({count(len(pairs), 'formula')})"
    needed = planned_pairs(drop, before, len(pairs), repeats=repeats, alpha=alpha)
    both = f"{_share(_POWER)} of both need about {count(needed, 'formula')}"
    return f"{runs}; {both}, and this plan has {len(pairs):,}"


def _share(chance: float) -> str:
    return f"{percent(chance, 0)} %"


def merged(gates: Sequence[tuple[str, Sequence[str]]]) -> Iterator[tuple[str, Sequence[str]]]:
    """The names of suites with equal sentences as one name, such as ``3 suites, the first: …``; with the sentences."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, sentences in gates:
        if sentences:
            alike.setdefault(tuple(sentences), []).append(name)
    for shown, names in alike.items():
        yield names[0] if len(names) == 1 else f"{count(len(names), 'suite')}, the first: {names[0]}", shown
