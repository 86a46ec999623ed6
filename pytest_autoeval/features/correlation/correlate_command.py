"""The command `correlate`: do models with a higher pass rate score higher on another benchmark, or on another suite?"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from pytest_autoeval.features.correlation.correlate_arguments import correlate_parser
from pytest_autoeval.features.correlation.correlate_report import (
    named_in_line,
    score_json,
    score_lines,
    size_json,
    size_lines,
)
from pytest_autoeval.features.correlation.score_comparison import ScoreComparison, compare_scores
from pytest_autoeval.features.correlation.score_files import CorrelateError, read_scores
from pytest_autoeval.features.correlation.sizes import SizeComparison, compare_sizes
from pytest_autoeval.judging.item_groups import by_suite
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.merging import read_suites
from pytest_autoeval.text import printed


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
        compared += compare_scores(_chosen(samples, args.suite, args.operators), scores)
        _check_models(compared, args.scores)
    of_sizes = [] if args.by_size is None else _by_size(samples, args)
    if args.json:
        values = [*map(score_json, compared), *map(size_json, of_sizes)]
        sys.stdout.write(json.dumps(values, ensure_ascii=True, indent=2) + "\n")
    else:
        printed(score_lines(compared))
        printed(size_lines(of_sizes))
    return 0


def _check_models(compared: Sequence[ScoreComparison], scores: Path) -> None:
    """Raises :class:`CorrelateError` if no model has both results and a score."""
    if any(comparison.models for comparison in compared):
        return
    models = sorted({model for comparison in compared for model in comparison.no_score})
    models_with_scores = sorted(
        {model for comparison in compared for model in comparison.no_results}
    )
    with_results = named_in_line(models) or "none"
    with_scores = named_in_line(models_with_scores) or "none"
    sides = f"results are of {with_results}, scores of {with_scores}"
    raise CorrelateError(f"{scores}: no model has both results and a score: {sides}")


def _by_size(samples: Sequence[Sample], args: argparse.Namespace) -> list[SizeComparison]:
    """The chosen suites beside those that --by-size names, which --suite need not choose."""
    names = sorted({suite.name for suite in by_suite(samples)})
    if not any(args.by_size in name for name in names):
        raise CorrelateError(
            f"--by-size: no suite has {args.by_size!r} in its name, of {named_in_line(names)}"
        )
    suites = [*args.suite, args.by_size] if args.suite else []
    chosen = _chosen(samples, suites, args.operators)
    comparisons = list(compare_sizes(chosen, args.by_size))
    if not any(comparison.points for comparison in comparisons):
        raise CorrelateError(
            f"--by-size: no model ran both {args.by_size!r} and another suite at the same sizes"
        )
    return comparisons


def _chosen(
    samples: Sequence[Sample], texts: Sequence[str], sizes: tuple[float, float]
) -> list[Sample]:
    """The samples of the suites with one of the texts in their names, and of the sizes from the first to the second.

    Without a text, all suites. Raises :class:`CorrelateError` if there are none.
    """
    names = sorted({suite.name for suite in by_suite(samples)})
    for text in texts:
        if not any(text in name for name in names):
            raise CorrelateError(
                f"--suite: no suite has {text!r} in its name, of {named_in_line(names)}"
            )
    smallest, end = sizes
    selected = {name for name in names if not texts or any(text in name for text in texts)}
    of_suites = [sample for sample in samples if sample.suite.name in selected]
    chosen = [sample for sample in of_suites if smallest <= sample.size < end]
    if not chosen:
        raise CorrelateError(
            "there are no results to compare; is --operators too narrow? 0:7 are 0, 1, … 6"
        )
    return chosen
