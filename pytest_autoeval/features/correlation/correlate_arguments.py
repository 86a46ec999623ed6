"""The arguments of `python -m pytest_autoeval correlate`, and their help."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_autoeval.command_line import command_parser

_DESCRIPTION = (
    "Compares the pass rates of several models with their scores on other benchmarks: Pearson's and "
    "Spearman's correlation with p-values, and the predictive power, for each suite, for the suites "
    "of one data set and task, and for all together. With --by-size it compares two suites size by "
    "size, for each model and for all."
)
_EXAMPLES = """\
examples:
  python -m pytest_autoeval correlate results/*.jsonl --scores scores.csv
      scores.csv: a heading (model,human_eval,bbh), then a line for each model
  python -m pytest_autoeval correlate all.jsonl --scores scores.csv --suite test_first_order.py --operators 0:7
      only formulas of at most six operators, as in the other benchmark
  python -m pytest_autoeval correlate all.jsonl --by-size test_sentences.py
      do models fail on the same sizes of drawn formulas and of sentences? a point for each model and size

predictive power: the share of pairs of models in which the better one here is the better one on the benchmark too. A
pair with equal scores counts half. With few models even a small p-value proves little.
"""


def read_span(text: str) -> tuple[int, float]:
    """``0:7``, half-open as in Python; either end may be missing. A single number is one size."""
    begin, colon, end = text.partition(":")
    try:
        start = int(begin or 0)
        if not colon:
            return start, start + 1
        return start, int(end) if end else float("inf")
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a number nor a range such as 0:7"
        ) from None


def correlate_parser() -> argparse.ArgumentParser:
    """The parser of the command."""
    parser = command_parser("correlate", _DESCRIPTION, _EXAMPLES)
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="RESULTS.jsonl",
        help="results of several models, in one or more files",
    )
    parser.add_argument(
        "--scores",
        type=Path,
        metavar="SCORES.csv",
        help="a table with a column of models and columns of scores",
    )
    parser.add_argument(
        "--model-column",
        default="model",
        metavar="NAME",
        help="the column of models (default: %(default)s)",
    )
    parser.add_argument(
        "--benchmark",
        action="append",
        metavar="NAME",
        help="a column of scores; repeatable (default: all others)",
    )
    parser.add_argument(
        "--by-size",
        metavar="TEXT",
        help="compare the pass rates at each size with those of the suites with this in their name",
    )
    parser.add_argument(
        "--suite",
        action="append",
        default=[],
        metavar="TEXT",
        help="only suites with this in their name; repeatable",
    )
    parser.add_argument(
        "--operators",
        type=read_span,
        default="0:",
        metavar="A:B",
        help="only formulas of these sizes, without B",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print JSON, with each model's rate and score",
    )
    return parser
