"""The arguments of `python -m pytest_autoeval questions`, and their help."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_autoeval.command_line import command_parser

_DESCRIPTION = (
    "Asks the author about sentences that were read in several ways. For each such sentence it names "
    "a case that one reading allows and another does not, in plain English."
)
_EXAMPLES = """\
examples:
  python -m pytest_autoeval questions results.jsonl
      the questions, with the formulas that yes and no stand for
  python -m pytest_autoeval questions results.jsonl --csv requirements.answers.csv
      a list for the author: write yes or no into the column `answer`; beside requirements.md, the next run checks
      every formula against the answers
  python -m pytest_autoeval questions gpt.jsonl qwen.jsonl --markdown questions.md
      the questions on which two models differ, for an issue or a review
"""


def questions_parser() -> argparse.ArgumentParser:
    """The parser of the command."""
    parser = command_parser("questions", _DESCRIPTION, _EXAMPLES)
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE.jsonl",
        help="results of the task sentence_round_trip",
    )
    parser.add_argument(
        "--csv",
        type=Path,
        metavar="PATH",
        help=(
            "the questions as CSV; answers that are in the file are kept, and lead to the next questions"
        ),
    )
    parser.add_argument(
        "--markdown",
        type=Path,
        metavar="PATH",
        help="the questions as Markdown",
    )
    return parser
