"""The command `correlate`: do models with a higher pass rate score higher on another benchmark, or on another suite?"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from pytest_autoeval.errors import AutoevalError, did_you_mean
from pytest_autoeval.features.correlation.correlate_arguments import correlate_parser
from pytest_autoeval.features.correlation.sizes import SizeComparison, compare_sizes
from pytest_autoeval.given_file import read_given
from pytest_autoeval.judging.item_groups import by_suite, grouped, item_of, side_by_side, trials
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.lines import Sample, SuiteRecord
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

#: For each benchmark, the score of each model that has one, in the order of the file.
Scores = Mapping[str, Mapping[str, float]]

_HEADINGS = ("models", "Pearson r (p)", "Spearman ρ (p)", "predictive power")
_LONGEST_NAME = 60
#: What the JSON has under the names of the attributes.
_JSON_KEYS = (
    *("benchmark", "suite", "suites", "data_set", "task"),
    *("no_score", "no_results", "notes"),
)


class CorrelateError(AutoevalError):
    """Scores cannot be read, or cannot be compared with results; the message says where."""


def read_scores(path: Path, model_column: str = "model", benchmarks: Sequence[str] = ()) -> Scores:
    """The scores of a CSV file. Its first line names the columns: one of models, the others of benchmarks.

    ``benchmarks`` are the columns to read, by default all. An empty cell is no score. Raises :class:`CorrelateError`.
    """
    (heading, columns), *lines = _lines(path)
    line_name = f"{path}:{heading}"
    models = _column(columns, model_column, line_name)
    chosen = list(dict.fromkeys(benchmarks))
    if not chosen:
        # A column without a name has no benchmark: programs write row numbers so.
        chosen = [name for name in columns if name not in ("", model_column)]
    if not chosen:
        raise CorrelateError(f"{line_name}: beside {model_column!r} there is no column of scores")
    indices = {name: _column(columns, name, line_name) for name in chosen}
    scores: dict[str, dict[str, float]] = {name: {} for name in chosen}
    line_of_model: dict[str, int] = {}
    for number, cells in lines:
        line_name = f"{path}:{number}"
        if len(cells) != len(columns):
            raise CorrelateError(
                f"{line_name}: {len(cells)} cells, and the first line names {len(columns)} columns"
            )
        model = cells[models]
        before = line_of_model.setdefault(model, number)
        # Which of two scores of a model counts cannot be known.
        if before != number:
            raise CorrelateError(
                f"{line_name}: {model!r} is in line {before} too; keep one of them"
            )
        for name, index in indices.items():
            cell = cells[index]
            if cell:
                scores[name][model] = _number(cell, f"{line_name}, column {name!r}")
    return scores


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    try:
        # Spreadsheets write a mark at the beginning of UTF-8.
        text = read_given(path).decode("utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        lines = []
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped):
                lines.append((reader.line_num, stripped))
    except OSError as error:
        raise CorrelateError(f"{path}: scores cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise CorrelateError(f"{path}: this is not a CSV file in UTF-8: {error}") from None
    if not lines:
        raise CorrelateError(f"{path}: the file is empty; its first line names the columns")
    return lines


def _column(columns: Sequence[str], name: str, line_name: str) -> int:
    if name in columns:
        return columns.index(name)
    listed = ", ".join(map(repr, columns))
    raise CorrelateError(
        f"{line_name}: there is no column {name!r}, only {listed}.{did_you_mean(name, columns)}"
    )


def _number(cell: str, cell_name: str) -> float:
    with suppress(ValueError):
        value = float(cell)
        # Python reads "nan" and "inf" too, by which nothing can be correlated.
        if math.isfinite(value):
            return value
    raise CorrelateError(
        f"{cell_name}: {cell!r} is not a number; leave the cell empty if a model has no score"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreComparison:
    """A suite and a benchmark; ``suite`` is None for the mean over ``suites`` that all its models ran.

    ``data_set`` and ``task`` are those of the suites; None for the mean over suites of all kinds. A round trip has an
    empty task. ``models`` have a pass rate and a score: name, rate, score. ``power`` is None with too few models.
    """

    benchmark: str
    suite: str | None
    suites: tuple[str, ...]
    data_set: str | None
    task: str | None
    models: tuple[tuple[str, float, float], ...]
    no_score: tuple[str, ...]
    no_results: tuple[str, ...]
    pearson: Correlation
    spearman: Correlation
    power: PredictivePower | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Group:
    """The suites of one name, one of each model, with the exact pass rates, so that equal means are equal."""

    suites: tuple[SuiteRecord, ...]
    rates: Mapping[str, Fraction]

    @property
    def name(self) -> str:
        return self.suites[0].name

    @property
    def kind(self) -> tuple[str, str]:
        """The data set and the task."""
        settings = self.suites[0].asked
        return settings.source, settings.task or ""


def compare_scores(samples: Iterable[Sample], scores: Scores) -> Iterator[ScoreComparison]:
    """Compares suites with each benchmark, without errors: the mean over all suites that all scored models ran, the
    same for the suites of one data set and task if there are several, and each suite.
    """
    # An error says nothing about the model.
    tested = by_suite(sample for sample in samples if sample.kind != OutcomeKind.ERROR)
    ordered = sorted(tested, key=lambda suite: (suite.name, suite.model, suite.number))
    groups = []
    for suites in side_by_side(ordered):
        rates = {suite.model: Fraction(*trials(tested[suite])) for suite in suites}
        groups.append(_Group(tuple(suites), rates))
    kinds = grouped(groups, lambda group: group.kind)
    for benchmark, scored in scores.items():
        if len(groups) > 1:
            yield _mean(benchmark, scored, groups, None)
        for kind, of_kind in sorted(kinds.items()):
            # One suite has a comparison of its own, and a kind that all suites share is their mean above.
            if 1 < len(of_kind) < len(groups):
                yield _mean(benchmark, scored, of_kind, kind)
        for group in groups:
            # Models without a score are not compared, so their formulas do not matter.
            suites_with_score = [suite for suite in group.suites if suite.model in scored]
            item_sets = {frozenset(map(item_of, tested[suite])) for suite in suites_with_score}
            notes = ["the models were not asked the same formulas"] if len(item_sets) > 1 else []
            about = _About(benchmark, group.name, (group.name,), group.kind)
            yield _comparison(about, scored, group.rates, sorted(group.rates), notes)


def _mean(
    benchmark: str,
    scored: Mapping[str, float],
    groups: Sequence[_Group],
    kind: tuple[str, str] | None,
) -> ScoreComparison:
    """The comparison of the mean over the suites that every model with a score ran."""
    models = sorted({model for group in groups for model in group.rates})
    scored_models = [model for model in models if model in scored]
    # A mean over different suites would compare how hard they are, and not the models.
    shared = [group for group in groups if group.rates.keys() >= set(scored_models)]
    # Fractions, so that equal means are tied: the order of a sum of floats would break the tie.
    means = {}
    for model in scored_models if shared else ():
        total = sum(group.rates[model] for group in shared)
        means[model] = total * Fraction(1, len(shared))
    left_out = ", ".join(group.name for group in groups if group not in shared)
    notes = []
    if left_out:
        notes.append(f"left out, because not every model with a score ran it: {left_out}")
    about = _About(benchmark, None, tuple(group.name for group in shared), kind)
    return _comparison(about, scored, means, models, notes)


class _About(NamedTuple):
    """What is compared: a suite, or the mean over several, of one kind if there is one."""

    benchmark: str
    suite: str | None
    suites: tuple[str, ...]
    kind: tuple[str, str] | None


def _comparison(
    about: _About,
    scores: Mapping[str, float],
    rates: Mapping[str, Fraction],
    all_models: Sequence[str],
    notes: Sequence[str],
) -> ScoreComparison:
    models = tuple(
        (model, float(rate), scores[model]) for model, rate in rates.items() if model in scores
    )
    model_rates = [rate for _, rate, _ in models]
    model_scores = [score for _, _, score in models]
    if len(model_rates) < FEWEST:
        extent = f"{count(len(model_rates), 'model')} with both a pass rate and a score"
        notes = [*notes, f"{extent}: too few to compare, {FEWEST} are needed"]
    return ScoreComparison(
        benchmark=about.benchmark,
        suite=about.suite,
        suites=about.suites,
        data_set=None if about.kind is None else about.kind[0],
        task=None if about.kind is None else about.kind[1],
        models=models,
        no_score=tuple(model for model in all_models if model not in scores),
        no_results=tuple(model for model in scores if model not in all_models),
        pearson=pearson(model_rates, model_scores),
        spearman=spearman(model_rates, model_scores),
        power=predictive_power(model_rates, model_scores) if len(models) >= FEWEST else None,
        notes=tuple(notes),
    )


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit code. Raises :class:`AutoevalError` for a user's mistake."""
    args = correlate_parser().parse_args(arguments)
    if args.scores is None and args.by_size is None:
        raise CorrelateError(
            "give the scores elsewhere, --scores SCORES.csv, or another suite, --by-size TEXT"
        )
    scores = None
    # The scores first: reading results takes longer, and a mistake in the scores should be said at once.
    if args.scores is not None:
        scores = read_scores(args.scores, args.model_column, args.benchmark or ())
    samples = [sample for suite in read_suites(args.files) for sample in suite.counted]
    compared: list[ScoreComparison] = []
    if scores is not None:
        compared += compare_scores(_chosen(samples, args), scores)
        _check_models(compared, args.scores)
    of_sizes = [] if args.by_size is None else _by_size(samples, args)
    if args.json:
        values = [*map(_as_json, compared), *map(_sizes_as_json, of_sizes)]
        sys.stdout.write(json.dumps(values, ensure_ascii=True, indent=2) + "\n")
    else:
        printed(_report(compared))
        printed(_sizes_report(of_sizes))
    return 0


def _check_models(compared: Sequence[ScoreComparison], scores: Path) -> None:
    """Raises :class:`CorrelateError` if no model has both results and a score."""
    if any(comparison.models for comparison in compared):
        return
    models = sorted({model for comparison in compared for model in comparison.no_score})
    models_with_scores = sorted(
        {model for comparison in compared for model in comparison.no_results}
    )
    with_results = _named(models) or "none"
    with_scores = _named(models_with_scores) or "none"
    sides = f"results are of {with_results}, scores of {with_scores}"
    raise CorrelateError(f"{scores}: no model has both results and a score: {sides}")


def _by_size(samples: Sequence[Sample], args: argparse.Namespace) -> list[SizeComparison]:
    """The chosen suites beside those that --by-size names, which --suite need not choose."""
    names = sorted({suite.name for suite in by_suite(samples)})
    if not any(args.by_size in name for name in names):
        raise CorrelateError(
            f"--by-size: no suite has {args.by_size!r} in its name, of {_named(names)}"
        )
    suites = [*args.suite, args.by_size] if args.suite else []
    chosen = _chosen(samples, argparse.Namespace(suite=suites, operators=args.operators))
    comparisons = list(compare_sizes(chosen, args.by_size))
    if not any(comparison.points for comparison in comparisons):
        raise CorrelateError(
            f"--by-size: no model ran both {args.by_size!r} and another suite at the same sizes"
        )
    return comparisons


def _chosen(samples: Sequence[Sample], args: argparse.Namespace) -> list[Sample]:
    """The samples of the selected suites and sizes; raises :class:`CorrelateError` if there are none."""
    names = sorted({suite.name for suite in by_suite(samples)})
    for text in args.suite:
        if not any(text in name for name in names):
            raise CorrelateError(f"--suite: no suite has {text!r} in its name, of {_named(names)}")
    smallest, end = args.operators
    # Without --suite, all of them.
    selected = set(names)
    if args.suite:
        selected = {name for name in names if any(text in name for text in args.suite)}
    of_suites = [sample for sample in samples if sample.suite.name in selected]
    chosen = [sample for sample in of_suites if smallest <= sample.size < end]
    if not chosen:
        raise CorrelateError(
            "there are no results to compare; is --operators too narrow? 0:7 are 0, 1, … 6"
        )
    return chosen


def _report(compared: Iterable[ScoreComparison]) -> Iterator[str]:
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
        yield f"no score for {_named(no_score)}"
    # A model with results in one suite is not missing, even if other suites lack it.
    nowhere = set.intersection(*(set(comparison.no_results) for comparison in comparisons))
    if nowhere:
        yield f"no results of {_named(sorted(nowhere))}"
    for comparison in comparisons:
        yield from (f"{_label(comparison)}: {one_line(note)}" for note in comparison.notes)


def _label(comparison: ScoreComparison) -> str:
    label = comparison.suite
    if label is None:
        kind = ", ".join(filter(None, (comparison.data_set, comparison.task)))
        mean = f"mean of {count(len(comparison.suites), 'suite')}"
        label = f"{kind}: {mean}" if kind else mean
    return shorten_start(one_line(label), _LONGEST_NAME)


def _named(models: Iterable[str]) -> str:
    return ", ".join(map(one_line, models))


def _as_json(comparison: ScoreComparison) -> dict[str, Any]:
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


def _sizes_report(compared: Sequence[SizeComparison]) -> Iterator[str]:
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


def _sizes_as_json(comparison: SizeComparison) -> dict[str, Any]:
    return {
        "suite": comparison.suite,
        "other": comparison.other,
        "model": comparison.model,
        "points": [asdict(point) for point in comparison.points],
        "problem": comparison.problem,
        **_coefficients(comparison),
    }
