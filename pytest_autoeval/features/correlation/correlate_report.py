"""What the command `correlate` prints: tables, or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from pytest_autoeval.features.correlation.score_comparison import ScoreComparison
from pytest_autoeval.features.correlation.sizes import SizeComparison
from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.statistics.correlation import Correlation, PredictivePower
from pytest_autoeval.text import aligned, count, one_line, p_text, percent, shorten_start

_HEADINGS = ("models", "Pearson r (p)", "Spearman ρ (p)", "predictive power")
#: The columns of the name of a suite.
_LONGEST_NAME = 60
#: What the JSON has under the names of the attributes.
_JSON_KEYS = (
    "benchmark",
    "suite",
    "suites",
    "data_set",
    "task",
    "no_score",
    "no_results",
    "notes",
)


def named_in_line(names: Iterable[str]) -> str:
    """Names of models or suites in one line."""
    return ", ".join(map(one_line, names))


def score_lines(compared: Iterable[ScoreComparison]) -> Iterator[str]:
    """A table for each benchmark: a row for each suite and mean, and what was left out."""
    by_benchmark = groupby(compared, key=lambda comparison: comparison.benchmark)
    for number, (benchmark, group) in enumerate(by_benchmark):
        comparisons = list(group)
        if number:
            yield ""
        yield f"against {one_line(benchmark)}"
        table = aligned([("", *_HEADINGS), *map(_cells, comparisons)])
        yield from (f"  {line}" for line in (*table, *_remarks(comparisons)))


def _cells(comparison: ScoreComparison) -> tuple[str, ...]:
    power = comparison.power
    probability, pairs = "–", ""
    if power is not None and power.probability is not None:
        probability = f"{percent(power.probability)} %"
    if power is not None and power.pairs:
        pairs = f" of {power.pairs}"
    return (
        _label(comparison),
        str(len(comparison.models)),
        _coefficient(comparison.pearson),
        _coefficient(comparison.spearman),
        probability + pairs,
    )


def _coefficient(correlation: Correlation) -> str:
    if correlation.coefficient is None:
        return "–"
    return f"{correlation.coefficient:.2f} ({p_text(correlation.p_value)})"


def _remarks(comparisons: Sequence[ScoreComparison]) -> Iterator[str]:
    no_score = sorted({model for comparison in comparisons for model in comparison.no_score})
    if no_score:
        yield f"no score for {named_in_line(no_score)}"
    # A model with results in one suite is not missing, even if other suites lack it.
    nowhere = set.intersection(*(set(comparison.no_results) for comparison in comparisons))
    if nowhere:
        yield f"no results of {named_in_line(sorted(nowhere))}"
    for comparison in comparisons:
        yield from (f"{_label(comparison)}: {one_line(note)}" for note in comparison.notes)


def _label(comparison: ScoreComparison) -> str:
    label = comparison.suite
    if label is None:
        kind = ", ".join(filter(None, (comparison.data_set, comparison.task)))
        mean = f"mean of {count(len(comparison.suites), 'suite')}"
        label = f"{kind}: {mean}" if kind else mean
    return shorten_start(one_line(label), _LONGEST_NAME)


def score_json(comparison: ScoreComparison) -> dict[str, Any]:
    """A comparison with a benchmark, for JSON."""
    power = comparison.power
    return {
        **{key: getattr(comparison, key) for key in _JSON_KEYS},
        "models": [
            {"model": model, "rate": rate, "score": score}
            for model, rate, score in comparison.models
        ],
        **_coefficients(comparison),
        "predictive_power": None if power is None else _power_as_json(power),
    }


def _power_as_json(power: PredictivePower) -> dict[str, Any]:
    return {
        "probability": power.probability,
        "pairs": power.pairs,
        "agreeing": power.agreeing,
        "opposed": power.opposed,
        "tied_there": power.tied,
        "tied_here": power.skipped,
    }


def _coefficients(comparison: ScoreComparison | SizeComparison) -> dict[str, Any]:
    correlations = {"pearson": comparison.pearson, "spearman": comparison.spearman}
    return {
        name: {"coefficient": correlation.coefficient, "p_value": correlation.p_value}
        for name, correlation in correlations.items()
    }


def size_lines(compared: Sequence[SizeComparison]) -> Iterator[str]:
    """A table for each other suite: a row for each suite, for all models and for each."""
    for reference, comparisons in grouped(compared, lambda comparison: comparison.other).items():
        yield f"by size, against {shorten_start(one_line(reference), _LONGEST_NAME)}"
        rows = [("", "model", "points", "Pearson r (p)", "Spearman ρ (p)")]
        problems = []
        for comparison in comparisons:
            suite = shorten_start(one_line(comparison.suite), _LONGEST_NAME)
            if comparison.problem:
                problems.append(f"{suite} is left out: {comparison.problem}")
                continue
            rows.append(
                (
                    suite,
                    one_line(comparison.model or "all"),
                    str(len(comparison.points)),
                    _coefficient(comparison.pearson),
                    _coefficient(comparison.spearman),
                )
            )
        yield from (f"  {line}" for line in (*aligned(rows, left=2), *problems))


def size_json(comparison: SizeComparison) -> dict[str, Any]:
    """A comparison of two suites by size, for JSON."""
    return {
        "suite": comparison.suite,
        "other": comparison.other,
        "model": comparison.model,
        "points": [asdict(point) for point in comparison.points],
        "problem": comparison.problem,
        **_coefficients(comparison),
    }
