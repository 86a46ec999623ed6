"""The arguments of `python -m pytest_autoeval generate`, and their help."""

from __future__ import annotations

import argparse

from pytest_autoeval.command_line import command_parser
from pytest_autoeval.generation.drawing_errors import DrawingError
from pytest_autoeval.generation.grammars import grammar_names
from pytest_autoeval.generation.measure_bounds import bounds_in_text

_DESCRIPTION = (
    "Draws distinct formulas of given sizes, uniformly over the derivations of a grammar. Writes one "
    "JSON object per line: grammar, language, vocabulary, operators, seed, index, formula, measures."
)
_EXAMPLES = """\
examples:
  python -m pytest_autoeval generate propositional --operators 0:40 --count 50 --seed 1 --out propositional.jsonl
      50 distinct formulas of each of 0, 1, … 39 operators
  python -m pytest_autoeval generate first_order --vocabulary english --operators 6 --quantifiers 2:3
      to the terminal: 10 formulas of 6 operators, 2 or 3 of them quantifiers, with English names
  python -m pytest_autoeval generate regex --depth 1:41 --prevalence --out regex.jsonl
      regular expressions by the depth of their derivation, and the share of trivial ones on stderr
  python -m pytest_autoeval generate regex --depth 1:41 --measure states=1:7
      only regular expressions whose smallest automaton has at most 7 states
  python -m pytest_autoeval generate my_grammar.lark --language propositional --operators 3
      formulas of a grammar of your own
"""


def read_count(text: str) -> int:
    if not text.strip().isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer ≥ 1")
    return int(text)


def read_span(text: str) -> range:
    """``3`` or ``0:40``, half-open as in Python."""
    first, colon, end = text.partition(":")
    try:
        start = int(first or 0)
        sizes = range(start, int(end)) if colon else range(start, start + 1)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an integer or a range such as 0:40"
        ) from None
    if not sizes or start < 0:
        raise argparse.ArgumentTypeError(f"{text!r} contains no size; 0:40 means 0, 1, … 39")
    return sizes


def read_bounds(text: str) -> tuple[int, int]:
    """``2`` or ``0:4``, with the end included."""
    first, colon, last = text.partition(":")
    try:
        return int(first), int(last if colon else first)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an integer or a range such as 0:4"
        ) from None


def read_measure(text: str) -> tuple[str, tuple[float | None, float | None]]:
    """``states=7`` or ``states=1:7``, with the end included."""
    try:
        name, least, most = bounds_in_text(text)
    except DrawingError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
    return name, (least, most)


def generate_parser() -> argparse.ArgumentParser:
    """The parser of the command."""
    grammars = ", ".join(grammar_names())
    parser = command_parser("generate", _DESCRIPTION, _EXAMPLES)
    parser.add_argument(
        "grammar",
        help=f"one of {grammars}, or the path of a .lark file",
    )
    parser.add_argument(
        "--operators",
        type=read_span,
        metavar="A:B",
        help=(
            "sizes A to B-1, without B as in Python (0:40 means 0, 1, … 39), or one size; for "
            "regex the size is the depth, elsewhere the number of operators, without negations "
            "directly before a proposition or predicate; default 0:10"
        ),
    )
    parser.add_argument(
        "--depth",
        type=read_span,
        metavar="A:B",
        help=(
            "the sizes of regular expressions, written as for --operators; for the depth of other formulas, --measure"
        ),
    )
    parser.add_argument(
        "--measure",
        action="append",
        type=read_measure,
        default=[],
        metavar="NAME=A:B",
        help=(
            "only formulas with this measure from A to B, with B: depth=2:5, distinct_atoms=3, "
            "states=1:7; the field `measures` of a line has the names; repeatable"
        ),
    )
    parser.add_argument(
        "--count",
        type=read_count,
        default=10,
        metavar="N",
        help="formulas of each size; default %(default)s",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="S",
        help="random seed; default 0",
    )
    parser.add_argument(
        "--out",
        default="-",
        metavar="FILE",
        help="file to write; default `-`, the terminal",
    )
    parser.add_argument(
        "--language",
        metavar="NAME",
        help="language of the grammar, if the file does not name it",
    )
    parser.add_argument(
        "--prevalence",
        action="store_true",
        help="print the share of trivial formulas on stderr",
    )
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="KIND",
        help=(
            "leave out every formula that is a tautology, contradiction (logic), empty, universal"
            " (regex); repeatable; a round trip leaves all of them out"
        ),
    )
    names_in_the_formulas = parser.add_argument_group("names in the formulas")
    names_in_the_formulas.add_argument(
        "--vocabulary",
        metavar="NAME|FILE",
        help=(
            "`default`: synthetic names; `english`: English verbs and first names; or a .toml or .json file of names"
        ),
    )
    names_in_the_formulas.add_argument(
        "--quantifiers",
        type=read_bounds,
        default="0:4",
        metavar="A:B",
        help="number of quantifiers, A to B, with B (2:3 means 2 or 3); default 0:4",
    )
    names_in_the_formulas.add_argument(
        "--variable-probability",
        type=float,
        default=0.25,
        metavar="P",
        help="probability that an argument is a variable; default 0.25",
    )
    names_in_the_formulas.add_argument(
        "--vacuous-quantifiers",
        action="store_true",
        help="allow quantified variables that the formula does not use",
    )
    return parser
