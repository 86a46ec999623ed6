"""The command `correlate`: do models with a higher pass rate score higher on another benchmark?"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_autoeval.command_line import parser_of
from pytest_autoeval.errors import AutoevalError, did_you_mean
from pytest_autoeval.given_file import read_given
from pytest_autoeval.judging.items import by_suite, item_of, side_by_side, trials
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.merging import read_suites
from pytest_autoeval.statistics.correlation import (
    FEWEST,
    Correlation,
    PredictivePower,
    pearson,
    predictive_power,
    spearman,
)
from pytest_autoeval.text import aligned, count, one_line, p_text, percent, printed, shorten_start

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry

#: For each benchmark, the score of each model that has one, in the order of the file.
Scores = Mapping[str, Mapping[str, float]]

_HEADINGS = ("models", "Pearson r (p)", "Spearman ρ (p)", "predictive power")
_LONGEST_NAME = 60


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_command("correlate", main)


class CorrelateError(AutoevalError):
    """Scores cannot be read, or cannot be compared with results; the message says where."""


def read_scores(path: Path, model_column: str = "model", benchmarks: Sequence[str] = ()) -> Scores:
    """The scores of a CSV file. Its first line names the columns: one of models, the others of benchmarks.

    ``benchmarks`` are the columns to read, by default all. An empty cell is no score. Raises :class:`CorrelateError`.
    """
    (heading, columns), *lines = _lines(path)
    place = f"{path}:{heading}"
    models = _column(columns, model_column, place)
    wanted = list(dict.fromkeys(benchmarks)) or [name for name in columns if name not in ("", model_column)]
    if not wanted:
        raise CorrelateError(f"{place}: beside {model_column!r} there is no column of scores")
    places = {name: _column(columns, name, place) for name in wanted}
    scores: dict[str, dict[str, float]] = {name: {} for name in wanted}
    first: dict[str, int] = {}
    for number, cells in lines:
        place = f"{path}:{number}"
        if len(cells) != len(columns):
            raise CorrelateError(f"{place}: {len(cells)} cells, and the first line names {len(columns)} columns")
        model = cells[models]
        if (before := first.setdefault(model, number)) != number:
            raise CorrelateError(f"{place}: {model!r} is in line {before} too; keep one of them")
        for name, index in places.items():
            if cell := cells[index]:
                scores[name][model] = _number(cell, f"{place}, column {name!r}")
    return scores


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    try:
        text = read_given(path).decode("utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        lines = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader if any(map(str.strip, cells))]
    except OSError as error:
        raise CorrelateError(f"{path}: scores cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise CorrelateError(f"{path}: this is not a CSV file in UTF-8: {error}") from None
    if not lines:
        raise CorrelateError(f"{path}: the file is empty; its first line names the columns")
    return lines


def _column(columns: Sequence[str], name: str, place: str) -> int:
    if name in columns:
        return columns.index(name)
    known = ", ".join(map(repr, columns))
    raise CorrelateError(f"{place}: there is no column {name!r}, only {known}.{did_you_mean(name, columns)}")


def _number(cell: str, place: str) -> float:
    with suppress(ValueError):
        if math.isfinite(value := float(cell)):
            return value
    raise CorrelateError(f"{place}: {cell!r} is not a number; leave the cell empty if a model has no score")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreComparison:
    """A suite and a benchmark; ``suite`` is None for the mean over ``suites`` that all its models ran.

    ``models`` have a pass rate and a score: name, rate, score. ``power`` is None with too few models.
    """

    benchmark: str
    suite: str | None
    suites: tuple[str, ...]
    models: tuple[tuple[str, float, float], ...]
    no_score: tuple[str, ...]
    no_results: tuple[str, ...]
    pearson: Correlation
    spearman: Correlation
    power: PredictivePower | None
    notes: tuple[str, ...] = ()


def compare_scores(samples: Iterable[Sample], scores: Scores) -> Iterator[ScoreComparison]:
    """Compares each suite, and the mean over the suites that all scored models ran, with each benchmark; without
    errors.
    """
    tested = by_suite(sample for sample in samples if sample.kind != OutcomeKind.ERROR)
    groups = side_by_side(sorted(tested, key=lambda suite: (suite.name, suite.model, suite.number)))
    # Exact rates, so that equal means are equal.
    rates = [{suite.model: Fraction(*trials(tested[suite])) for suite in group} for group in groups]
    known = sorted({suite.model for suite in tested})
    for benchmark, scored in scores.items():
        compared = partial(_comparison, benchmark, scored)
        if len(groups) > 1:
            both = [model for model in known if model in scored]
            is_shared = [all(model in of_models for model in both) for of_models in rates]
            shared = [of_models for of_models, all_ran in zip(rates, is_shared, strict=True) if all_ran]
            names = [(group[0].name, all_ran) for group, all_ran in zip(groups, is_shared, strict=True)]
            sums = {model: sum(of_models[model] for of_models in shared) for model in both if shared}
            means = {model: total * Fraction(1, len(shared)) for model, total in sums.items()}
            left_out = ", ".join(name for name, all_ran in names if not all_ran)
            notes = [f"left out, because not every model with a score ran it: {left_out}"] if left_out else []
            yield compared(means, known, None, tuple(name for name, all_ran in names if all_ran), notes)
        for group, of_models in zip(groups, rates, strict=True):
            asked = {frozenset(map(item_of, tested[suite])) for suite in group if suite.model in scored}
            notes = ["the models were not asked the same formulas"] if len(asked) > 1 else []
            name = group[0].name
            yield compared(of_models, sorted(of_models), name, (name,), notes)


def _comparison(  # noqa: PLR0913, PLR0917 (a benchmark, and a suite or several)
    benchmark: str,
    scores: Mapping[str, float],
    rates: Mapping[str, Fraction],
    known: Sequence[str],
    suite: str | None,
    suites: tuple[str, ...],
    notes: Sequence[str],
) -> ScoreComparison:
    models = tuple((model, float(rate), scores[model]) for model, rate in rates.items() if model in scores)
    here, there = [rate for _, rate, _ in models], [score for _, _, score in models]
    if len(here) < FEWEST:
        both = f"{count(len(here), 'model')} with both a pass rate and a score"
        notes = [*notes, f"{both}: too few to compare, {FEWEST} are needed"]
    return ScoreComparison(
        benchmark=benchmark,
        suite=suite,
        suites=suites,
        models=models,
        no_score=tuple(model for model in known if model not in scores),
        no_results=tuple(model for model in scores if model not in known),
        pearson=pearson(here, there),
        spearman=spearman(here, there),
        power=predictive_power(here, there) if len(models) >= FEWEST else None,
        notes=tuple(notes),
    )


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit code. Raises :class:`AutoevalError` for a user's mistake."""
    args = parser_of(__file__, {"span": _span}).parse_args(arguments)
    scores = read_scores(args.scores, args.model_column, args.benchmark or ())
    samples = [sample for suite in read_suites(args.files) for sample in suite.counted]
    compared = list(compare_scores(_chosen(samples, args), scores))
    if not any(comparison.models for comparison in compared):
        here = sorted({model for comparison in compared for model in comparison.no_score})
        there = sorted({model for comparison in compared for model in comparison.no_results})
        sides = f"results are of {_named(here) or 'none'}, scores of {_named(there) or 'none'}"
        raise CorrelateError(f"{args.scores}: no model has both results and a score: {sides}")
    if args.json:
        sys.stdout.write(
            json.dumps([_as_json(comparison) for comparison in compared], ensure_ascii=True, indent=2) + "\n"
        )
    else:
        printed(_report(compared))
    return 0


def _chosen(samples: Sequence[Sample], args: argparse.Namespace) -> list[Sample]:
    """The samples of the selected suites and sizes; raises :class:`CorrelateError` if there are none."""
    names = sorted({suite.name for suite in by_suite(samples)})
    for wanted in args.suite:
        if not any(wanted in name for name in names):
            raise CorrelateError(f"--suite: no suite has {wanted!r} in its name, of {_named(names)}")
    first, end = args.operators
    selected = {name for name in names if not args.suite or any(wanted in name for wanted in args.suite)}
    chosen = [sample for sample in samples if sample.suite.name in selected and first <= sample.size < end]
    if not chosen:
        raise CorrelateError("there are no results to compare; is --operators too narrow? 0:7 are 0, 1, … 6")
    return chosen


def _report(compared: Iterable[ScoreComparison]) -> Iterator[str]:
    for number, (benchmark, group) in enumerate(groupby(compared, key=lambda comparison: comparison.benchmark)):
        comparisons = list(group)
        if number:
            yield ""
        yield f"against {one_line(benchmark)}"
        yield from (f"  {line}" for line in aligned([("", *_HEADINGS), *map(_cells, comparisons)]))
        yield from (f"  {line}" for line in _remarks(comparisons))


def _cells(comparison: ScoreComparison) -> tuple[str, ...]:
    power = comparison.power
    probability = "–" if power is None or power.probability is None else f"{percent(power.probability)} %"
    pairs = f" of {power.pairs}" if power is not None and power.pairs else ""
    coefficients = _coefficient(comparison.pearson), _coefficient(comparison.spearman)
    return (_label(comparison), str(len(comparison.models)), *coefficients, probability + pairs)


def _coefficient(correlation: Correlation) -> str:
    return "–" if correlation.coefficient is None else f"{correlation.coefficient:.2f} ({p_text(correlation.p_value)})"


def _remarks(comparisons: Sequence[ScoreComparison]) -> Iterator[str]:
    if no_score := sorted({model for comparison in comparisons for model in comparison.no_score}):
        yield f"no score for {_named(no_score)}"
    if nowhere := set.intersection(*(set(comparison.no_results) for comparison in comparisons)):
        yield f"no results of {_named(sorted(nowhere))}"
    for comparison in comparisons:
        yield from (f"{_label(comparison)}: {one_line(note)}" for note in comparison.notes)


def _label(comparison: ScoreComparison) -> str:
    if comparison.suite is None:
        return f"mean of {count(len(comparison.suites), 'suite')}"
    return shorten_start(one_line(comparison.suite), _LONGEST_NAME)


def _named(models: Iterable[str]) -> str:
    return ", ".join(map(one_line, models))


def _as_json(comparison: ScoreComparison) -> dict[str, Any]:
    power = comparison.power
    return {
        **{
            key: getattr(comparison, key) for key in ("benchmark", "suite", "suites", "no_score", "no_results", "notes")
        },
        "models": [{"model": model, "rate": rate, "score": score} for model, rate, score in comparison.models],
        "pearson": {"coefficient": comparison.pearson.coefficient, "p_value": comparison.pearson.p_value},
        "spearman": {"coefficient": comparison.spearman.coefficient, "p_value": comparison.spearman.p_value},
        "predictive_power": power
        and {
            **{key: getattr(power, key) for key in ("probability", "pairs", "agreeing", "opposed")},
            "tied_there": power.tied,
            "tied_here": power.skipped,
        },
    }


def _span(text: str) -> tuple[int, float]:
    """``0:7``, half-open as in Python; either end may be missing. A single number is one size."""
    first, colon, end = text.partition(":")
    try:
        start = int(first or 0)
        return start, (int(end) if end else float("inf")) if colon else start + 1
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor a range such as 0:7") from None
