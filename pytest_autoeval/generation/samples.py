"""Samples: formulas with their identity, and lists of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from pytest_autoeval.generation.drawing import DrawingOptions, FormulaSpace, formula_space
from pytest_autoeval.generation.errors import DrawingError, FewerFormulasWarning
from pytest_autoeval.generation.vocabularies import Names
from pytest_autoeval.languages import Formula, Vocabulary

_FARTHEST_HINT = 20


@dataclass(frozen=True, slots=True)
class Sample:
    """One formula with its identity: grammar, vocabulary, size, seed, index.

    ``operators`` is the size in the language's own measure (for ``regex``, the depth of the derivation).
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

    ``exhausted``: fewer were found than asked for. ``available``: how many there are, if all were drawn; else None.
    """

    exhausted: bool = False
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
    """Distinct formulas of exactly one size, uniform over the grammar's derivations of that size.

    The same arguments give the same formulas in every process and Python version, and a larger ``count`` begins with
    the formulas of a smaller one. Where fewer distinct ones exist, the list has all of them, says so (``exhausted``),
    and a :class:`FewerFormulasWarning` is given unless ``warn`` is false.

    Args:
        grammar: the name of a shipped or registered grammar, or the path of a ``.lark`` file.
        operators: the size, from 0, in the language's measure; for ``regex`` the depth of the derivation, from 1.
        count: how many, from 0.
        seed: any whole number.
        vocabulary: the names in the formulas, as in :func:`pytest_autoeval.autoeval`.
        language: the language's name, where the grammar file does not say it.
        warn: whether to warn where there are fewer formulas.
        options: those of :class:`DrawingOptions`.

    Raises:
        AutoevalError: the grammar, vocabulary, language or an option is unknown or wrong.
    """
    space = formula_space(grammar, vocabulary, language, DrawingOptions(**options))
    return _drawn(space, operators, count, seed, warn=warn)


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
    """So many samples of each size, as :func:`sample_formulas` draws them, with their identity."""
    space = formula_space(grammar, vocabulary, language, options)
    return [
        Sample(space.name, space.language.name, space.vocabulary, space.vocabulary_name, size, seed, index, formula)
        for size in sizes
        for index, formula in enumerate(_drawn(space, size, count, seed, warn=warn))
    ]


def sample_of(
    formula: Formula | str,
    grammar: str | Path,
    vocabulary: Vocabulary | Names | None = None,
    language: str | None = None,
) -> Sample:
    """A given formula as a sample, as if it had been drawn first; it need not be in the grammar.

    Its vocabulary has the names that it uses beside those of the grammar.
    Raises :class:`FormulaSyntaxError` for a text that is no formula of the grammar's language.
    """
    space = formula_space(grammar, vocabulary, language)
    tree = space.language.tree(formula)
    size = int(space.language.measure(tree)[space.language.size_measure])
    known = space.vocabulary.including(space.language.symbols(tree))
    return Sample(space.name, space.language.name, known, space.vocabulary_name, size, 0, 0, tree)


def _drawn(space: FormulaSpace, size: int, count: int, seed: int, *, warn: bool) -> FormulaList:
    if count < 0 or size < 0:
        raise DrawingError(f"{count} formulas of size {size}: give numbers from 0")
    stream = space.distinct(size, seed)
    found = FormulaList(islice(stream, count))
    if len(found) < count:
        found.exhausted = True
        found.available = len(found) if stream.complete else None
        if warn:
            warnings.warn(_fewer(space, size, count, found), FewerFormulasWarning, stacklevel=3)
    return found


def _fewer(space: FormulaSpace, size: int, count: int, found: FormulaList) -> str:
    unit = "depth" if space.language.size_measure == "depth" else "operators"
    if not found and size not in space:
        near = [near for near in range(max(size - _FARTHEST_HINT, 0), size + _FARTHEST_HINT) if near in space]
        near.sort(key=lambda other: abs(other - size))
        hint = f"; there are some of {' and '.join(map(str, sorted(near[:2])))}" if near else ""
        return f"{space.name} has no formulas of size {size} ({unit}){hint}"
    only = "has only" if found.available is not None else "yielded only"
    return f"{space.name} {only} {len(found)} distinct formulas of size {size} ({unit}); {count} were asked for"
