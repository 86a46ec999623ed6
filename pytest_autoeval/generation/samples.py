"""Draws samples, which are formulas with their identity, and keeps the drawn formulas for the next suite."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock
from types import NoneType
from typing import Any

from msgspec import Struct

from pytest_autoeval.errors import check_type
from pytest_autoeval.generation.drawing import (
    MOST_OUTSIDE_IN_A_ROW,
    DistinctFormulas,
    DrawingOptions,
    FormulaSpace,
    formula_space,
)
from pytest_autoeval.generation.drawing_errors import DrawingError, FewerFormulasWarning
from pytest_autoeval.generation.vocabularies import Names
from pytest_autoeval.languages import Formula, Vocabulary

#: How far from a size without formulas a message looks for sizes that have some.
_FARTHEST_HINT = 20
#: A formula of this size takes about a minute; the time grows with the square of the size.
LARGEST_SIZE = 2_000
#: Drawn formulas that are kept for the next suite: 20 to 50 MB. A run of more samples draws them again for each model.
_MOST_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class Sample:
    """One formula with its identity.

    Attributes:
        grammar: the name of the grammar or data set.
        language: the name of the language.
        vocabulary: the names that an answer may use.
        vocabulary_name: ``default``, ``english``, or ``custom-`` and a digest.
        operators: the formula size: the number of operators, without negations directly before a proposition or
            predicate; for regular expressions the depth.
        seed: the seed that it was drawn with.
        index: its number among the samples of this size, from 0.
        formula: the syntax tree.
    """

    grammar: str
    language: str
    vocabulary: Vocabulary
    vocabulary_name: str
    operators: int
    seed: int
    index: int
    formula: Formula

    @property
    def text(self) -> str:
        """The formula's canonical text."""
        return str(self.formula)


class FormulaList(list[Formula]):
    """Distinct formulas of one size.

    Attributes:
        exhausted: whether fewer were found than requested.
        too_rare: whether fewer were found because formulas with these measures are too rare to draw.
        available: the number of all formulas of this size, if all were found; otherwise None.
    """

    exhausted: bool = False
    too_rare: bool = False
    available: int | None = None


def sample_formulas(  # noqa: PLR0913 - each is one thing to say of a corpus
    grammar: str | Path,
    operators: int,
    count: int,
    seed: int = 0,
    vocabulary: Vocabulary | Names | None = None,
    *,
    language: str | None = None,
    warn: bool = True,
    **options: Any,
) -> FormulaList:
    """Draws distinct formulas of one size, uniformly over the grammar's derivations of that size.

    Equal arguments give equal formulas, in every process and Python version. A larger ``count`` begins with the
    formulas of a smaller one.

    Args:
        grammar: the name of a shipped or registered grammar, or the path of a ``.lark`` file.
        operators: the formula size, an integer ≥ 0; for regular expressions the depth, an integer ≥ 1.
        count: the number of formulas, an integer ≥ 0.
        seed: the random seed, any integer.
        vocabulary: the names in the formulas, as in `autoeval`.
        language: the language of the grammar, if the file of the grammar does not name it.
        warn: whether to give a `FewerFormulasWarning` if there are fewer formulas.
        options: ``quantifiers``, ``variable_probability``, ``vacuous_quantifiers``, ``exclude`` and ``measures``, as
            in `autoeval`.

    Returns:
        A list of the formulas. If fewer exist, it has all of them, and its attribute ``exhausted`` is true. So it is
        if formulas within the bounds of ``measures`` are too rare to draw; then ``too_rare`` is true as well.

    Raises:
        AutoevalError: an argument cannot be used; the message says why.
    """
    check_type("seed", seed, int, error=DrawingError)
    check_type("language", language, str, NoneType, error=DrawingError)
    space = formula_space(grammar, vocabulary, language, DrawingOptions(**options))
    return _formulas_of_size(space, operators, count, seed, warn=warn)


def draw_samples(  # noqa: PLR0913, PLR0917 - the same as for `sample_formulas`
    grammar: str | Path,
    sizes: Iterable[int],
    count: int,
    seed: int = 0,
    vocabulary: Vocabulary | Names | None = None,
    options: DrawingOptions | None = None,
    *,
    language: str | None = None,
    warn: bool = True,
) -> list[Sample]:
    """``count`` samples of each size, drawn as by `sample_formulas`."""
    space = formula_space(grammar, vocabulary, language, options)
    sizes = list(sizes)
    check_sizes(sizes)
    samples = []
    for size in sizes:
        formulas = _formulas_of_size(space, size, count, seed, warn=warn)
        samples += [
            Sample(
                grammar=space.name,
                language=space.language.name,
                vocabulary=space.vocabulary,
                vocabulary_name=space.vocabulary_name,
                operators=size,
                seed=seed,
                index=index,
                formula=formula,
            )
            for index, formula in enumerate(formulas)
        ]
    return samples


def sample_of(
    formula: Formula | str,
    grammar: str | Path,
    vocabulary: Vocabulary | Names | None = None,
    language: str | None = None,
) -> Sample:
    """A given formula as the first sample of its size; it need not be in the grammar.

    Its vocabulary has the names that it uses besides those of the grammar. Raises `FormulaSyntaxError` for a text that
    is not a formula of the grammar's language.
    """
    space = formula_space(grammar, vocabulary, language)
    tree = space.language.tree(formula)
    with_own_names = space.vocabulary.including(space.language.symbols(tree))
    tree, allowed_names = space.language.over(tree, with_own_names)
    size = int(space.language.measure(tree)[space.language.size_measure])
    return Sample(
        grammar=space.name,
        language=space.language.name,
        vocabulary=allowed_names,
        vocabulary_name=space.vocabulary_name,
        operators=size,
        seed=0,
        index=0,
        formula=tree,
    )


class _DrawnStream(Struct):
    """A stream of formulas, and those that were drawn from it so far, in order."""

    stream: DistinctFormulas
    formulas: list[Formula] = []


class KeptFormulas:
    """The formulas that were drawn last; thread-safe.

    The suites of several models have the same formulas, and a suite may draw its first ones alone, and then among all.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        #: By space, size and seed. The stream that was used last comes last.
        self._streams: dict[tuple[FormulaSpace, int, int], _DrawnStream] = {}

    def first(self, space: FormulaSpace, size: int, seed: int, count: int) -> _DrawnStream:
        """A stream of which at least ``count`` formulas were drawn, or all that it has."""
        with self._lock:
            key = space, size, seed
            # Taken out and put back, so that it is the newest. An error ends a stream: it is then not kept.
            drawn = self._streams.pop(key, None) or _DrawnStream(space.distinct(size, seed))
            lacking = max(count - len(drawn.formulas), 0)
            drawn.formulas.extend(islice(drawn.stream, lacking))
            self._streams[key] = drawn
            number = sum(len(kept.formulas) for kept in self._streams.values())
            # The newest stream goes too, if it is too large by itself.
            while number > _MOST_KEPT:
                oldest = next(iter(self._streams))
                number -= len(self._streams.pop(oldest).formulas)
            return drawn


_KEPT = KeptFormulas()


def check_sizes(sizes: Iterable[int]) -> None:
    """Refuses sizes whose formulas would take hours to draw. Raises :class:`DrawingError`."""
    largest = max(sizes, default=0)
    if largest > LARGEST_SIZE:
        raise DrawingError(
            f"size {largest:,} is too large to draw; the largest is {LARGEST_SIZE:,}"
        )


def _formulas_of_size(
    space: FormulaSpace, size: int, count: int, seed: int, *, warn: bool
) -> FormulaList:
    if not all(isinstance(number, int) and number >= 0 for number in (count, size)):
        raise DrawingError(f"count={count!r:.20}, operators={size!r:.20}: give integers ≥ 0")
    check_sizes([size])
    drawn = _KEPT.first(space, size, seed, count)
    # An earlier caller may have drawn more.
    formulas = FormulaList(drawn.formulas[:count])
    if len(formulas) < count:
        formulas.exhausted = True
        formulas.too_rare = drawn.stream.too_rare
        # Only a stream that saw all formulas knows their number.
        formulas.available = len(formulas) if drawn.stream.complete else None
        if warn:
            message = _message_of_fewer(space, size, count, formulas)
            # The warning points at the caller of the public function.
            warnings.warn(message, FewerFormulasWarning, stacklevel=3)
    return formulas


def _message_of_fewer(space: FormulaSpace, size: int, count: int, formulas: FormulaList) -> str:
    """Why there are fewer formulas than ``count``, and for a size without any, which sizes near it have some."""
    unit = "depth" if space.language.size_measure == "depth" else "operators"
    if not formulas and size not in space:
        text = f"{space.name} has no formulas of size {size} ({unit})"
        fewest_quantifiers, most_quantifiers = space.quantifiers
        if most_quantifiers:
            text += f" with {fewest_quantifiers} to {most_quantifiers} quantifiers"
        around = range(max(size - _FARTHEST_HINT, 0), size + _FARTHEST_HINT)
        possible = [candidate for candidate in around if candidate in space]
        possible.sort(key=lambda candidate: abs(candidate - size))
        if possible:
            nearest = " and ".join(map(str, sorted(possible[:2])))
            text += f"; the nearest sizes with formulas: {nearest}"
        return text
    # Without the whole space, nobody knows whether there are more.
    only = "has only" if formulas.available is not None else "yielded only"
    text = f"{space.name} {only} {len(formulas)} distinct formulas of size {size} ({unit})"
    if space.measured.bounds:
        text += f" with {space.measured}"
    if formulas.too_rare:
        text += f", and then {MOST_OUTSIDE_IN_A_ROW:,} others in a row: they are rare, or there are no more"
    return f"{text}; {count} were asked for"
