"""Intervals of rates and of means over suites, and the gates on a threshold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np

from gate_rates.cells import Cell, Figures, Measure, Promise, Table, Value, percent
from pytest_autoeval.statistics.clusters import design_effect
from pytest_autoeval.statistics.look_levels import LOOKS, threshold_decision
from pytest_autoeval.statistics.multiplicity import holm
from pytest_autoeval.statistics.over_suites import mean_ranks, mean_rate
from pytest_autoeval.statistics.paired import two_sided_test
from pytest_autoeval.statistics.pass_rate import PassRate

_SIDE = Promise(0.025)
_SELDOM = Promise(0.05)


def threshold(
    runs: int,
    random: np.random.Generator,
    *,
    samples: int,
    rate: float,
    at: float,
    rule: str,
    looks: bool = False,
) -> Figures:
    """What a gate at the threshold ``at`` decides of independent samples that pass at a rate."""
    counts: Counter[str] = Counter()
    if looks:
        for passed in random.random((runs, samples)) < rate:
            counts[_at_looks(passed, at)] += 1
    else:
        for passes in random.binomial(samples, rate, runs).tolist():
            counts[_by_rule(PassRate(passes, 0, samples), at, rule)] += 1
    return {name: (counts[name], runs) for name in ("passed", "inconclusive", "failed")}


def _at_looks(passed: Any, at: float) -> str:
    """The decision of the first look that decides."""
    for look in range(1, LOOKS + 1):
        ran = len(passed) * look // LOOKS
        decision = threshold_decision(PassRate(int(passed[:ran].sum()), 0, ran), at, look)
        if decision != "inconclusive":
            return decision
    return "inconclusive"


@lru_cache(maxsize=100_000)
def _by_rule(measured: PassRate, at: float, rule: str) -> str:
    if rule == "point":
        return "passed" if measured.lower >= at else "failed"
    interval = measured.interval()
    if interval.low >= at:
        return "passed"
    return "failed" if interval.high < at else "inconclusive"


def clustered(
    runs: int,
    random: np.random.Generator,
    *,
    formulas: int,
    repeats: int = 1,
    rows: int = 1,
    correlation: float,
    rate: float,
) -> Figures:
    """How often the interval of a rate lies above the true rate, and below it.

    Each formula is tried ``repeats`` times, and ``rows`` formulas are one cluster. Two of its trials have results with
    this correlation. ``aware``: by the design effect of the clusters; ``naive``: as if all trials were independent.
    """
    counts: Counter[str] = Counter()
    size = rows * repeats
    for _ in range(runs):
        passed = correlated(random, (formulas // rows, size), correlation, rate).sum(axis=1)
        trials = [(int(one), size) for one in passed]
        total = int(passed.sum())
        for name, effect in (("aware", design_effect(trials)), ("naive", 1.0)):
            interval = PassRate(total, 0, formulas * repeats, effect).interval()
            counts[f"{name} above"] += interval.low > rate
            counts[f"{name} below"] += interval.high < rate
    return {
        name: (counts[name], runs)
        for name in ("aware above", "aware below", "naive above", "naive below")
    }


def correlated(
    random: np.random.Generator, shape: tuple[int, ...], correlation: float, rate: float
) -> Any:
    """Results that pass at a rate. Those of the same place but in the last axis have this correlation."""
    own = random.random(shape)
    if correlation:
        common = random.random((*shape[:-1], 1))
        own = np.where(random.random(shape) < sqrt(correlation), common, own)
    return own < rate


def mean_over_suites(
    runs: int,
    random: np.random.Generator,
    *,
    suites: int,
    formulas: int,
    rate: float,
    shared: int = 1,
    correlation: float = 0.0,
) -> Figures:
    """How often the interval of the mean over suites holds the true mean; ``shared`` suites have the same formulas."""
    counts: Counter[str] = Counter()
    names = [[(suite // shared, formula) for formula in range(formulas)] for suite in range(suites)]
    for _ in range(runs):
        passed = correlated(random, (suites // shared, formulas, shared), correlation, rate)
        rows = passed.transpose(0, 2, 1).reshape(suites, formulas).astype(int).tolist()
        trials = [[(one, 1) for one in row] for row in rows]
        counts["aware"] += _holds(mean_rate(trials, names), rate)
        counts["naive"] += _holds(mean_rate(trials), rate)
    return {name: (counts[name], runs) for name in ("aware", "naive")}


def mean_rank(
    runs: int,
    random: np.random.Generator,
    *,
    suites: int,
    formulas: int,
    shared: int = 1,
    correlation: float = 0.0,
) -> Figures:
    """How often the interval of a model's mean rank holds 1.5, if two models are equally good."""
    counts: Counter[str] = Counter()
    names = [[(suite // shared, formula) for formula in range(formulas)] for suite in range(suites)]
    for _ in range(runs):
        passed = correlated(random, (suites // shared, formulas, 2, shared), correlation, 0.85)
        rows = passed.transpose(0, 3, 1, 2).reshape(suites, formulas, 2).astype(float).tolist()
        counts["aware"] += _holds(mean_ranks(rows, names)[0], 1.5)
        counts["naive"] += _holds(mean_ranks(rows)[0], 1.5)
    return {name: (counts[name], runs) for name in ("aware", "naive")}


def _holds(mean: Any, truth: float) -> bool:
    return mean.low is None or mean.low - 1e-9 <= truth <= mean.high + 1e-9


def agreement_share(
    runs: int, random: np.random.Generator, *, sentences: int, answers: int, clear: float
) -> Figures:
    """How often the interval of the share in the largest class holds the mean share of such sentences.

    A share ``clear`` of the sentences is read in one way by 19 of 20 answers, the others in one way by half of them.
    """

    def largest(number: int) -> Any:
        single = np.where(random.random(number) < clear, 0.95, 0.5)
        first = random.binomial(answers, single)
        return np.maximum(first, answers - first)

    truth = float(largest(200_000).mean()) / answers
    held = 0
    for _ in range(runs):
        counts = [(int(one), answers) for one in largest(sentences)]
        rate = PassRate(
            sum(one for one, _ in counts), 0, sentences * answers, design_effect(counts)
        )
        held += rate.interval().low <= truth <= rate.interval().high
    return {"holds": (held, runs)}


def marked_models(runs: int, random: np.random.Generator, *, models: int, suites: int) -> Figures:
    """How often any of some equally good models is marked as worse: Holm's correction over all pairs."""
    marked = 0
    for _ in range(runs):
        p_values = []
        for _ in range(suites):
            passed = random.random((models, 60)) < random.choice([0.5, 0.99], size=60)
            for first, second in combinations(passed.astype(int).tolist(), 2):
                kinds = Counter(
                    ((one, 1), (other, 1)) for one, other in zip(first, second, strict=True)
                )
                p_values.append(_two_sided(tuple(sorted(kinds.items()))))
        marked += min(holm(p_values)) < 0.05
    return {"marked": (marked, runs)}


@lru_cache(maxsize=100_000)
def _two_sided(kinds: Sequence[tuple[Any, int]]) -> float:
    return two_sided_test([pair for pair, times in kinds for _ in range(times)])[1] or 1.0


MEASURES: dict[str, Measure] = {
    "threshold": threshold,
    "clustered": clustered,
    "mean_over_suites": mean_over_suites,
    "mean_rank": mean_rank,
    "agreement_share": agreement_share,
    "marked_models": marked_models,
}


# ---- the tables ----


def _thresholds() -> Table:
    rows: list[list[str | Value]] = []
    for samples in (50, 200, 1000):
        for rate in (0.80, 0.85, 0.90):
            cells = [
                Cell("threshold", {"samples": samples, "rate": rate, "at": 0.85, "rule": rule})
                for rule in ("point", "interval")
            ]
            side = _SIDE if rate == 0.85 else None
            rows.append(
                [
                    *(f"{samples:,}", percent(rate)),
                    *(Value(cells[0], "passed"), Value(cells[0], "failed")),
                    *(Value(cells[1], "passed", side), Value(cells[1], "inconclusive")),
                    Value(cells[1], "failed", side),
                ]
            )
    heads = [
        *("samples", "true rate", "`point`: passed", "failed"),
        *("`interval`: passed", "inconclusive", "failed"),
    ]
    title = "A threshold of 85 %; promised for `interval` at a true rate of 85 %: passed ≤ 2.5 %, failed ≤ 2.5 %"
    return Table(title, heads, rows)


def _at_threshold() -> Table:
    rows: list[list[str | Value]] = []
    for at in (0.5, 0.9, 0.95, 0.99):
        for samples in (20, 50, 100, 400):
            asked = {"samples": samples, "rate": at, "at": at, "rule": "interval"}
            cells = [Cell("threshold", asked), Cell("threshold", {**asked, "looks": True})]
            values = [Value(cell, name, _SIDE) for cell in cells for name in ("passed", "failed")]
            rows.append([percent(at), str(samples), *values])
    heads = [
        *("threshold and true rate", "samples", "passed (≤ 2.5 %)", "failed (≤ 2.5 %)"),
        *("with five looks: passed (≤ 2.5 %)", "failed (≤ 2.5 %)"),
    ]
    return Table("Rule `interval`, a model exactly at the threshold", heads, rows)


def _few_samples() -> Table:
    rows: list[list[str | Value]] = []
    for samples, rate, at in ((45, 0.95, 0.9), (45, 0.85, 0.9), (50, 0.9, 0.85), (50, 0.85, 0.85)):
        cell = Cell("threshold", {"samples": samples, "rate": rate, "at": at, "rule": "point"})
        rows.append(
            [percent(at), str(samples), percent(rate), Value(cell, "passed"), Value(cell, "failed")]
        )
    heads = ["threshold", "samples", "true rate", "passed", "failed"]
    return Table("Rule `point`: how often chance decides", heads, rows)


def _rates() -> Table:
    rows: list[list[str | Value]] = []
    kinds = (60, 1, 1), (60, 5, 1), (60, 1, 3), (200, 1, 10), (60, 5, 3)
    for formulas, repeats, size in kinds:
        for correlation in (0.0, 0.5, 1.0) if repeats * size > 1 else (0.0,):
            for rate in (0.7, 0.9):
                cell = Cell(
                    "clustered",
                    {
                        "formulas": formulas,
                        "repeats": repeats,
                        "rows": size,
                        "correlation": correlation,
                        "rate": rate,
                    },
                )
                rows.append(
                    [
                        *(str(formulas), str(repeats), str(size), str(correlation), percent(rate)),
                        *(Value(cell, "aware above", _SIDE), Value(cell, "aware below", _SIDE)),
                        *(Value(cell, "naive above"), Value(cell, "naive below")),
                    ]
                )
    heads = [
        *("formulas", "repeats", "rows of a document", "correlation", "true rate"),
        "interval above it (≤ 2.5 %)",
        "below it (≤ 2.5 %)",
        "as if independent: above it",
        "below it",
    ]
    return Table("The interval of a pass rate", heads, rows)


def _means() -> Table:
    holds = Promise(0.9, at_least=True)
    rows: list[list[str | Value]] = []
    for suites, shared in ((3, 1), (12, 1), (4, 4), (12, 12), (12, 4)):
        for formulas in (20, 60):
            for correlation in (0.0, 0.5, 1.0) if shared > 1 else (0.0,):
                asked = {
                    "suites": suites,
                    "formulas": formulas,
                    "shared": shared,
                    "correlation": correlation,
                }
                mean, rank = (
                    Cell("mean_over_suites", {**asked, "rate": 0.85}),
                    Cell("mean_rank", asked),
                )
                rows.append(
                    [
                        *(str(suites), str(shared), str(formulas), str(correlation)),
                        *(Value(mean, "aware", holds), Value(mean, "naive")),
                        *(Value(rank, "aware", holds), Value(rank, "naive")),
                    ]
                )
    heads = [
        *("suites", "suites with the same formulas", "formulas", "correlation"),
        "mean rate: held (≥ 90.0 %)",
        "as if independent",
        "mean rank: held (≥ 90.0 %)",
        "as if independent",
    ]
    return Table("The interval of a mean over suites; true rate 85 %", heads, rows)


def _others() -> Table:
    rows: list[list[str | Value]] = []
    for models, suites in ((2, 6), (3, 4)):
        cell = Cell("marked_models", {"models": models, "suites": suites})
        name = f"{models} equal models on {suites} suites: any pair is marked"
        rows.append([name, f"≤ {percent(0.05)}", Value(cell, "marked", _SELDOM)])
    held = Promise(0.95, at_least=True)
    for sentences, answers, clear in ((10, 3, 0.5), (30, 8, 0.5), (60, 3, 0.95), (60, 8, 0.0)):
        cell = Cell("agreement_share", {"sentences": sentences, "answers": answers, "clear": clear})
        name = f"agreement, {sentences} sentences with {answers} answers, {percent(clear)} clear: the interval holds it"
        rows.append([name, str(held), Value(cell, "holds", held)])
    return Table("Other promises", ["what", "promised", "measured"], rows)


TABLES = {
    "threshold": _thresholds,
    "at-threshold": _at_threshold,
    "few-samples": _few_samples,
    "rates": _rates,
    "means": _means,
    "others": _others,
}
