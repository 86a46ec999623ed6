"""The command `python -m pytest_autoeval generate`: a data set of formulas as JSON lines."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pytest_autoeval.generation.ambiguity import ambiguity
from pytest_autoeval.generation.drawing import DrawingOptions, formula_space, prevalence
from pytest_autoeval.generation.drawing_errors import (
    DrawingError,
    FewerFormulasWarning,
    UnknownGrammarError,
)
from pytest_autoeval.generation.generate_arguments import generate_parser
from pytest_autoeval.generation.samples import Sample, check_sizes, draw_samples
from pytest_autoeval.languages import UnknownLanguageError, language
from pytest_autoeval.written_file import FORMULAS, target_of, write_file

_DEFAULT_SIZES = range(10)
#: Commands run no code of the user's.
_OF_CONFTEST = "What a conftest.py adds is known to pytest only."


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit code. Raises :class:`AutoevalError` for a user's mistake."""
    args = generate_parser().parse_args(arguments)
    sizes = _sizes(args)
    check_sizes([sizes[0], sizes[-1]])
    options = DrawingOptions(
        quantifiers=args.quantifiers,
        variable_probability=args.variable_probability,
        vacuous_quantifiers=args.vacuous_quantifiers,
        exclude=args.exclude,
        measures=dict(args.measure),
    )
    try:
        space = formula_space(args.grammar, args.vocabulary, args.language, options)
    except (UnknownGrammarError, UnknownLanguageError) as error:
        raise DrawingError(f"{error} {_OF_CONFTEST}") from None
    measure = space.language.size_measure
    if args.depth and measure != "depth":
        problem = f"--depth is the size of regular expressions; in {space.language.name} a size is the number of"
        raise DrawingError(
            f"{problem} {measure}: write --operators, and --measure depth=2:5 for these depths alone"
        )
    note = ambiguity(space)
    if note:
        sys.stderr.write(f"note: {note}\n")
    drawn: list[Sample] = []
    with _writing(args.out):
        # A file that cannot be written is refused before anything is drawn.
        if args.out != "-":
            target_of(Path(args.out), FORMULAS)
        for size in sizes:
            samples = _samples(args, size, options)
            # Size by size, so that a reader need not wait for the largest.
            if args.out == "-":
                sys.stdout.writelines(map(_line, samples))
            drawn.extend(samples)
        # At once, so that an error leaves an earlier file as it was.
        if args.out != "-":
            write_file(Path(args.out), map(_line, drawn), FORMULAS)
    drawn_sizes = [sample.operators for sample in drawn] or list(sizes)
    smallest = drawn_sizes[0]
    largest = drawn_sizes[-1]
    span = f"size {smallest}" if smallest == largest else f"sizes {smallest} to {largest}"
    sys.stderr.write(f"{args.grammar}: {len(drawn)} formulas, {span}\n")
    if args.prevalence and drawn:
        formulas = [sample.formula for sample in drawn]
        shares = prevalence(formulas, drawn[0].language)
        line = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
        # Beside the formulas, which may go to the standard output.
        sys.stderr.write(f"{line}\n")
    return 0


def _sizes(args: argparse.Namespace) -> range:
    if args.operators and args.depth:
        raise DrawingError("--operators and --depth both give the size; give only one")
    sizes: range = args.operators or args.depth or _DEFAULT_SIZES
    return sizes


def _samples(args: argparse.Namespace, size: int, options: DrawingOptions) -> list[Sample]:
    # A warning would show a line of this module; the user of a command needs its text alone.
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", FewerFormulasWarning)
        samples = draw_samples(
            args.grammar,
            [size],
            args.count,
            args.seed,
            args.vocabulary,
            options,
            language=args.language,
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


@contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        # A reader such as `head` has enough: that is no error of the file.
        raise
    except OSError as problem:
        raise DrawingError(f"--out: {path}: {problem.strerror}") from None
