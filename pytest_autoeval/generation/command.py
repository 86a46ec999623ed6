"""The command `python -m pytest_autoeval generate`: a data set of formulas as JSON lines."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TextIO

from pytest_autoeval.command_line import command_parser
from pytest_autoeval.generation.drawing import DrawingOptions, prevalence
from pytest_autoeval.generation.errors import DrawingError, FewerFormulasWarning
from pytest_autoeval.generation.grammars import grammar_names
from pytest_autoeval.generation.samples import Sample, draw_samples
from pytest_autoeval.languages import language

_EXAMPLES = """\
examples:
  python -m pytest_autoeval generate propositional --operators 0:40 --count 50 --seed 1 --out propositional.jsonl
      50 distinct formulas of each of 0, 1, … 39 operators
  python -m pytest_autoeval generate first_order --vocabulary english --operators 6 --quantifiers 2:3
      to the terminal: 10 formulas of 6 operators, 2 or 3 of them quantifiers, with English names
  python -m pytest_autoeval generate regex --depth 1:41 --prevalence --out regex.jsonl
      regular expressions by the depth of their derivation, and the share of trivial ones on stderr
  python -m pytest_autoeval generate my_grammar.lark --language propositional --operators 3
      formulas of a grammar of your own
"""


def main(arguments: list[str]) -> int:
    """Runs the command; returns its exit code. Raises :class:`AutoevalError` for what the caller can mend."""
    asked = _parser().parse_args(arguments)
    options = DrawingOptions(
        quantifiers=asked.quantifiers,
        variable_probability=asked.variable_probability,
        vacuous_quantifiers=asked.vacuous_quantifiers,
        exclude=asked.exclude,
    )
    drawn: list[Sample] = []
    with nullcontext(sys.stdout) if asked.out == "-" else _opened(asked.out) as file:
        for size in asked.sizes:
            samples = _samples(asked, size, options)
            file.writelines(map(_line, samples))
            drawn.extend(samples)
    sizes = f"size {asked.sizes[0]}" if len(asked.sizes) == 1 else f"sizes {asked.sizes[0]} to {asked.sizes[-1]}"
    sys.stderr.write(f"{asked.grammar}: {len(drawn)} formulas, {sizes}\n")
    if asked.prevalence and drawn:
        shares = prevalence([sample.formula for sample in drawn], drawn[0].language)
        sys.stderr.write(", ".join(f"{name} {share:.1%}" for name, share in shares.items()) + "\n")
    return 0


def _samples(asked: argparse.Namespace, size: int, options: DrawingOptions) -> list[Sample]:
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", FewerFormulasWarning)
        samples = draw_samples(
            asked.grammar, [size], asked.count, asked.seed, asked.vocabulary, options, language=asked.language
        )
    for note in notes:
        sys.stderr.write(f"{note.message}\n")
    return samples


def _line(sample: Sample) -> str:
    record: dict[str, Any] = {
        "grammar": sample.grammar,
        "language": sample.language,
        "vocabulary": sample.vocabulary_name,
        "operators": sample.operators,
        "seed": sample.seed,
        "index": sample.index,
        "formula": sample.text,
        "measures": language(sample.language).measure(sample.formula),
    }
    return json.dumps(record, ensure_ascii=False) + "\n"


def _opened(path: str) -> TextIO:
    try:
        return Path(path).open("w", encoding="utf-8")
    except OSError as problem:
        raise DrawingError(f"--out: {problem}") from None


def _count(text: str) -> int:
    if not text.strip().isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer ≥ 1")
    return int(text)


def _span(text: str) -> range:
    """``3`` or ``0:40``, the end left out as in Python."""
    first, colon, end = text.partition(":")
    try:
        start = int(first or 0)
        sizes = range(start, int(end)) if colon else range(start, start + 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer or a range such as 0:40") from None
    if not sizes or start < 0:
        raise argparse.ArgumentTypeError(f"{text!r} contains no size; 0:40 means 0, 1, … 39")
    return sizes


def _bounds(text: str) -> tuple[int, int]:
    """``2`` or ``0:4``, the end included."""
    first, colon, last = text.partition(":")
    try:
        return int(first), int(last if colon else first)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer or a range such as 0:4") from None


def _parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "generate",
        "Draws distinct formulas of given sizes, uniformly over the derivations of a grammar. Writes one "
        "JSON object per line: grammar, language, vocabulary, operators, seed, index, formula, measures.",
        _EXAMPLES,
    )
    known = ", ".join(grammar_names())
    parser.add_argument("grammar", help=f"one of {known}, or the path of a .lark file")
    parser.add_argument(
        *("--operators", "--depth"),
        dest="sizes",
        type=_span,
        default=range(10),
        metavar="A:B",
        help="sizes A to B-1 (0:40 means 0, 1, … 39), or one size; for regex the size is the depth, elsewhere the "
        "number of operators; default 0:10",
    )
    parser.add_argument(
        "--count", type=_count, default=10, metavar="N", help="formulas of each size; default %(default)s"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="random seed; default 0")
    parser.add_argument("--out", default="-", metavar="FILE", help="file to write; default `-`, the terminal")
    parser.add_argument("--language", metavar="NAME", help="language of the grammar, if the file does not name it")
    parser.add_argument("--prevalence", action="store_true", help="print the share of trivial formulas on stderr")
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="KIND",
        help="leave out every formula that is a tautology, contradiction (logic), empty, universal (regex); repeatable",
    )
    _add_names(parser.add_argument_group("names in the formulas"))
    return parser


def _add_names(group: Any) -> None:
    add = group.add_argument
    add(
        "--vocabulary",
        metavar="NAME|FILE",
        help="`default`: synthetic names; `english`: English verbs and first names; or a .toml or .json file of names",
    )
    add("--quantifiers", type=_bounds, default=(0, 4), metavar="A:B", help="number of quantifiers, A to B; default 0:4")
    share = "probability that an argument is a variable; default 0.25"
    add("--variable-probability", type=float, default=0.25, metavar="P", help=share)
    add("--vacuous-quantifiers", action="store_true", help="allow quantified variables that the formula does not use")
