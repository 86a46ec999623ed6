"""`python -m pytest_autoeval correlate`: do models that score higher here score higher on another benchmark?"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from pytest_autoeval.errors import AutoevalError, did_you_mean
from pytest_autoeval.reporting.correlation.comparison import ScoreComparison, compare_scores
from pytest_autoeval.reporting.correlation.scores import read_scores
from pytest_autoeval.reporting.merging import merge
from pytest_autoeval.reporting.row import Row, counted
from pytest_autoeval.reporting.text import aligned, count, one_line, p_text, percent, printed, shorten_start
from pytest_autoeval.statistics.correlation import Correlation

_EXAMPLES = """\
examples:
  python -m pytest_autoeval correlate results/*.jsonl --scores scores.csv
      scores.csv: a line that names the columns (model,human_eval,bbh), then one line for each model
  python -m pytest_autoeval correlate all.jsonl --scores scores.csv --suite test_first_order.py --operators 0:7
      only formulas of at most six operators, as in the other benchmark

predictive power: of two models that differ here, how often the better one is the better one there too; a pair that is
equal there counts half. Few models prove little, whatever the p-value: read it together with their number.
"""
_HEADINGS = ("models", "Pearson r (p)", "Spearman ρ (p)", "predictive power")
_LONGEST_NAME = 60


class CorrelateError(AutoevalError):
    """Results and scores cannot be set side by side as asked."""


def main(arguments: list[str]) -> int:
    """Runs the command; returns its exit code. Raises :class:`AutoevalError` for what the caller can mend."""
    asked = _parser().parse_args(arguments)
    scores = read_scores(asked.scores, asked.model_column, asked.benchmark or ())
    merged = merge(asked.files)
    for note in merged.notes:
        sys.stderr.write(f"note: {one_line(note)}\n")
    compared = compare_scores(_chosen(counted(merged.rows), asked), scores)
    _check(compared, asked.scores)
    if asked.json:
        sys.stdout.write(json.dumps([_as_json(one) for one in compared], ensure_ascii=True, indent=2) + "\n")
    else:
        printed(_report(compared))
    return 0


def _chosen(rows: Sequence[Row], asked: argparse.Namespace) -> list[Row]:
    """The rows of the suites and sizes that were asked for; raises :class:`CorrelateError` where there are none."""
    suites = sorted({row.suite for row in rows})
    for wanted in asked.suite or ():
        if not any(wanted in suite for suite in suites):
            parts = [part for suite in suites for part in re.findall(r"[^\W_]+", suite)]
            known = ", ".join(map(one_line, suites))
            raise CorrelateError(
                f"--suite: no suite has {wanted!r} in its name, of {known}.{did_you_mean(wanted, parts)}"
            )
    chosen = [row for row in rows if not asked.suite or any(wanted in row.suite for wanted in asked.suite)]
    if asked.operators is not None:
        first, end = asked.operators
        chosen = [row for row in chosen if first <= row.operators < end]
        if not chosen:
            raise CorrelateError("--operators: no result has such a size; 0:7 are 0, 1, … 6")
    if not chosen:
        raise CorrelateError("there are no results to compare: all are kept counterexamples, which count in no rate")
    return chosen


def _check(compared: Sequence[ScoreComparison], file: Path) -> None:
    if any(one.models for one in compared):
        return
    here = sorted({model for one in compared for model in one.unscored})
    there = sorted({model for one in compared for model in one.untested})
    if not there or not here:
        raise CorrelateError(f"{file}: nothing to compare: no model has a score, or all samples ended in an error")
    near = did_you_mean(here[0], there)
    sides = f"results are of {_named(here)}, scores of {_named(there)}"
    raise CorrelateError(f"{file}: no model has both results and a score: {sides}.{near}")


def _report(compared: Iterable[ScoreComparison]) -> Iterator[str]:
    for number, (benchmark, group) in enumerate(groupby(compared, key=lambda one: one.benchmark)):
        found = list(group)
        if number:
            yield ""
        yield f"against {one_line(benchmark)}"
        yield from (f"  {line}" for line in aligned([("", *_HEADINGS), *map(_cells, found)]))
        yield from (f"  {line}" for line in _remarks(found))


def _cells(one: ScoreComparison) -> tuple[str, ...]:
    power = "–" if one.power is None or one.power.probability is None else f"{percent(one.power.probability)} %"
    pairs = f" of {one.power.pairs}" if one.power is not None and one.power.pairs else ""
    return (_label(one), str(len(one.models)), _coefficient(one.pearson), _coefficient(one.spearman), power + pairs)


def _coefficient(found: Correlation) -> str:
    return "–" if found.coefficient is None else f"{found.coefficient:.2f} ({p_text(found.p_value)})"


def _remarks(found: Sequence[ScoreComparison]) -> Iterator[str]:
    """What to mind, and who is missing: first in all suites, then in one."""
    if unscored := sorted({model for one in found for model in one.unscored}):
        yield f"no score for {_named(unscored)}"
    nowhere = set.intersection(*(set(one.untested) for one in found))
    if nowhere:
        yield f"no results of {_named(sorted(nowhere))}"
    for one in found:
        untested = [model for model in one.untested if model not in nowhere]
        missing = [f"no results of {_named(untested)}"] if untested else []
        yield from (f"{_label(one)}: {line}" for line in (*map(one_line, one.notes), *missing))


def _label(one: ScoreComparison) -> str:
    if one.suite is None:
        return f"mean of {count(len(one.suites), 'suite')}"
    return shorten_start(one_line(one.suite), _LONGEST_NAME)


def _named(models: Iterable[str]) -> str:
    return ", ".join(map(one_line, models))


def _as_json(one: ScoreComparison) -> dict[str, Any]:
    power = one.power
    return {
        "benchmark": one.benchmark,
        "suite": one.suite,
        "suites": list(one.suites),
        "models": [{"model": model, "rate": rate, "score": score} for model, rate, score in one.models],
        "no_score": list(one.unscored),
        "no_results": list(one.untested),
        "pearson": {"coefficient": one.pearson.coefficient, "p_value": one.pearson.p_value},
        "spearman": {"coefficient": one.spearman.coefficient, "p_value": one.spearman.p_value},
        "predictive_power": power
        and {
            "probability": power.probability,
            "pairs": power.pairs,
            "agreeing": power.agreeing,
            "opposed": power.opposed,
            "tied_there": power.tied,
            "tied_here": power.skipped,
        },
        "notes": list(one.notes),
    }


def _span(text: str) -> tuple[int, float]:
    """``0:7``, the end left out as in Python; either end may be missing. A number alone is one size."""
    first, colon, end = text.partition(":")
    try:
        start = int(first or 0)
        stop = (int(end) if end else float("inf")) if colon else start + 1
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor a span such as 0:7") from None
    if not start < stop:
        raise argparse.ArgumentTypeError(f"{text!r} holds no size; 0:7 are 0, 1, … 6")
    return start, stop


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pytest_autoeval correlate",
        description="Sets the pass rates of several models beside their scores on other benchmarks: Pearson's and "
        "Spearman's correlation with p-values, and the predictive power, for each suite and for all together.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="RESULTS.jsonl", help="results of several models, in one file or many")
    add("--scores", type=Path, required=True, metavar="SCORES.csv", help="a column of models, and columns of scores")
    add("--model-column", default="model", metavar="NAME", help="the column of models (default: %(default)s)")
    add("--benchmark", action="append", metavar="NAME", help="a column of scores; repeatable; default: all the others")
    add("--suite", action="append", metavar="TEXT", help="only suites with this in their name; repeatable")
    add("--operators", type=_span, metavar="A:B", help="only formulas of these sizes, the end left out")
    add("--json", action="store_true", help="print JSON, with each model's rate and score")
    return parser
