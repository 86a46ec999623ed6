"""The arguments of `python -m pytest_autoeval check`, and their help."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from pytest_autoeval.command_line import command_parser
from pytest_autoeval.datasets.checking import DEFAULT_SENTENCE_COUNT
from pytest_autoeval.engine import option_values

_DESCRIPTION = (
    "Checks data files (.csv, .tsv, .json, .jsonl) before any model is asked: which rows can be read,"
    " and which suites can use them with --autoeval-dataset. With --formulas it checks sentences as a"
    " whole: contradictions, repetitions and consequences among the formulas that a model wrote for "
    "them."
)
_EXAMPLES = """\
examples:
  python -m pytest_autoeval check folio.jsonl
      stories: rows and formulas that can be read, labels that follow from the formulas, sentences with candidates
  python -m pytest_autoeval check requirements.csv --strict
      in the continuous integration of a data set: exit code 1 if a row needs a correction
  python -m pytest_autoeval check my.jsonl -v --no-candidates
      everything about the rows, but no candidates (they take most of the time)
  python -m pytest_autoeval check results.jsonl
      the results of a run: how many of its round trips the judge's suites can use
  python -m pytest_autoeval check my.jsonl --json | jq '.files[].reported'
      each problem as JSON, with file, line, column and position in the formula
  python -m pytest_autoeval check requirements.md --formulas=run.jsonl
      sentences that contradict each other, repeat each other or follow from others, by the formulas of a run
  python -m pytest_autoeval check rules.csv --set
      the same, and rules that collide, by the formulas of the file itself

the status of a row:
  read       used as it is
  repaired   repaired, because only one meaning was possible; the results of a run show the repair
  reported   a part could not be read, or contradicts another part: that part is left out
  unused     a result without two formulas to judge, or with the formulas of an earlier row

exit code:
  0   the rows can be used
  1   no suite can use the rows; with --strict also: a row is reported, or a label or the premises are contradicted
  2   a file cannot be read at all
with --set or --formulas:
  0   the sentences can all hold together, none is always true, and no two rules collide
  1   a contradiction, a collision, a vacuous rule, or a sentence that is always or never true;
      with --strict also: a row is left out, or has no formula that can be read
  10  nothing was found, but one of these questions is undecided
Several files are checked together, as in a run: one may contradict another.
"""


def check_parser() -> argparse.ArgumentParser:
    """The parser of the command."""
    read_seconds = option_values.number(
        float, "a number of seconds above 0", lambda number: 0 < number < math.inf
    )
    most = DEFAULT_SENTENCE_COUNT
    parser = command_parser("check", _DESCRIPTION, _EXAMPLES)
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="sentences, formulas, traces, pairs or stories",
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="list everything, not only the first of each kind",
    )
    parser.add_argument(
        "--columns",
        type=option_values.columns,
        metavar="COLUMN=NAME,…",
        help="names of columns in the files: sentence=NL,formula=FOL",
    )
    parser.add_argument(
        "--candidates",
        type=option_values.count,
        metavar="N",
        help=f"make candidates for the first N sentences (the slow part; default: {most})",
    )
    parser.add_argument(
        "--no-candidates",
        dest="candidates",
        action="store_const",
        const=0,
        help="make none",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="S",
        help="draw other candidates (default: 0, as in a run)",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit code 1 if the data need a correction",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print everything as JSON",
    )
    the_whole_set_of_sentences = parser.add_argument_group("the whole set of sentences")
    the_whole_set_of_sentences.add_argument(
        "--set",
        action="store_true",
        help="examine the formulas of FILE itself as a set: no run, no model",
    )
    the_whole_set_of_sentences.add_argument(
        "--formulas",
        type=Path,
        metavar="RESULTS",
        help="results of a run with a formula for each sentence of FILE (task sentence_round_trip)",
    )
    the_whole_set_of_sentences.add_argument(
        "--model",
        metavar="NAME",
        help="the model whose formulas are used, if there are several",
    )
    the_whole_set_of_sentences.add_argument(
        "--timeout",
        type=read_seconds,
        metavar="SECONDS",
        help="time limit of one decision (default: that of the language)",
    )
    the_whole_set_of_sentences.add_argument(
        "--seconds",
        type=read_seconds,
        metavar="SECONDS",
        help="time limit of the whole check (default: 300)",
    )
    the_whole_set_of_sentences.add_argument(
        "--markdown",
        type=Path,
        metavar="PATH",
        help="the report as Markdown",
    )
    the_whole_set_of_sentences.add_argument(
        "--html",
        type=Path,
        metavar="PATH",
        help="the report as a page, with the results if there are any",
    )
    parser.set_defaults(candidates=DEFAULT_SENTENCE_COUNT)
    return parser
