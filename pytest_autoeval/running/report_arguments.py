"""The arguments of `python -m pytest_autoeval report`, and their help."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_autoeval.command_line import command_parser
from pytest_autoeval.engine import option_values as read
from pytest_autoeval.engine.option_values import argument_of
from pytest_autoeval.engine.settings import OPTIONS, names_of
from pytest_autoeval.report.renderers.markdown import LIMIT, SHORTEST

_DESCRIPTION = (
    "Judges and reports results that --autoeval-results wrote, from one run or from several (shards, "
    "models). It prints the summary, or writes what is asked for: a page, Markdown, JSON, one file of"
    " results, figures."
)
_EXAMPLES = """\
examples:
  python -m pytest_autoeval report results.jsonl
      the summary that the run printed at its end
  python -m pytest_autoeval report shards/*.jsonl --html report.html --results all.jsonl --threshold 90%
      one page and one file from the results of several jobs; the threshold of a run overrides this one
  python -m pytest_autoeval report new.jsonl --baseline old.jsonl --fail-on drop:5%
      did the model get worse?
  python -m pytest_autoeval report results.jsonl --failures failures.jsonl
      the formulas that failed, as data: pytest --autoeval-dataset=failures.jsonl asks about them again
  python -m pytest_autoeval report results.jsonl --plots figures
      pass rates over measures of the formulas, and intervals of all suites, as SVG, PNG and CSV

  python -m pytest_autoeval report --history runs --html report.html --trends trends.csv
      the newest run, and when the pass rates of each suite and model fell

exit code: 0 passed, 1 a gate failed, 10 a gate is inconclusive, 2 wrong use or an interrupted run
"""


def read_limit(text: str) -> int:
    """A number of bytes, large enough for the verdict."""
    if (limit := read.count(text)) < SHORTEST:
        raise argparse.ArgumentTypeError(
            f"{text!r} bytes are too few for a verdict; give {SHORTEST} or more"
        )
    return limit


def report_parser() -> argparse.ArgumentParser:
    """The parser of the command."""
    parser = command_parser("report", _DESCRIPTION, _EXAMPLES)
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE.jsonl",
        help=(
            "results; a sample that is in two files counts once. With --history, by default the newest run"
        ),
    )
    parser.add_argument(
        "--history",
        nargs="+",
        type=Path,
        metavar="PATH",
        help=(
            "results of earlier runs: files, or folders with *.jsonl. The summary, the page and "
            "the Markdown also show pass rate and horizon over the runs, and when they fell"
        ),
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=0,
        help="print whole texts and rates by size",
    )
    what_to_make = parser.add_argument_group("what to make")
    what_to_make.add_argument(
        "--html",
        type=Path,
        metavar="PATH",
        help="a page to open in a browser",
    )
    what_to_make.add_argument(
        "--markdown",
        metavar="PATH",
        help="a summary in Markdown; `-` prints it",
    )
    what_to_make.add_argument(
        "--github-summary",
        nargs="?",
        const="",
        metavar="PATH",
        help="the same, by default to the summary of the GitHub job",
    )
    what_to_make.add_argument(
        "--summary",
        metavar="PATH",
        help="the whole analysis as one JSON object, for programs; `-` prints it",
    )
    what_to_make.add_argument(
        "--results",
        type=Path,
        metavar="PATH",
        help="all results in one file, in order",
    )
    what_to_make.add_argument(
        "--failures",
        type=Path,
        metavar="FILE.jsonl",
        help=(
            "the formulas that failed, each once, shrunk where shrinking found a simpler one: "
            "data for --autoeval-dataset"
        ),
    )
    what_to_make.add_argument(
        "--missed",
        type=Path,
        metavar="FILE",
        help=(
            "the items that no model passed in any repeat, as arguments: pytest @FILE asks about them alone"
        ),
    )
    what_to_make.add_argument(
        "--trends",
        metavar="PATH",
        help="pass rate and horizon of each run of --history as CSV; `-` prints it",
    )
    what_to_make.add_argument(
        "--csv",
        type=Path,
        metavar="DIR",
        help="all figures, all curves with every size, and all tables, as CSV files",
    )
    what_to_make.add_argument(
        "--plots",
        type=Path,
        metavar="DIR",
        help="figures for papers (SVG, PNG) and their tables (CSV)",
    )
    what_to_make.add_argument(
        "--title",
        default="pytest-autoeval",
        metavar="TEXT",
        help="the title of the page and the summary",
    )
    what_to_make.add_argument(
        "--markdown-limit",
        type=read_limit,
        metavar="BYTES",
        help="limit of the Markdown; counterexamples are left out first (default %(default)s)",
    )
    parser.set_defaults(markdown_limit=LIMIT)
    judge = parser.add_argument_group("how to judge (instead of as in the run)")
    for name in names_of(lambda option: option.judges):
        judge.add_argument(f"--{name.replace('_', '-')}", **argument_of(OPTIONS[name]))
    return parser
