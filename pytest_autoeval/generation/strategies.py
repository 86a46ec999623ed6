"""The Hypothesis strategy of a grammar: the same counts and slots as for drawing, with Hypothesis making the choices."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import strategies as st

from pytest_autoeval.generation.choices import Choices
from pytest_autoeval.generation.drawing import DrawingOptions, FormulaSpace, formula_space
from pytest_autoeval.generation.errors import DrawingError
from pytest_autoeval.languages import Formula, Vocabulary

Option = TypeVar("Option")


def formulas(
    grammar: str | Path,
    max_operators: int = 8,
    min_operators: int = 0,
    vocabulary: Vocabulary | str | None = None,
    language: str | None = None,
    **options: Any,
) -> st.SearchStrategy[Formula]:
    """A strategy for the formulas of a grammar whose size lies between the two bounds, both included.

    It shrinks to few operators, then to few names, then to the first names of the vocabulary; among productions of the same
    size, to the one that stands first in the file. Other arguments are those of
    :func:`pytest_autoeval.generation.sample_formulas`, and so are the errors.
    """
    space = formula_space(grammar, vocabulary, language, DrawingOptions(**options))
    sizes = [size for size in range(max(min_operators, 0), max_operators + 1) if size in space]
    if not sizes:
        raise DrawingError(f"{space.name} has no formulas of size {min_operators} to {max_operators}")
    drawn = _formulas(space, tuple(sizes))
    return drawn.filter(lambda formula: not space.is_excluded(formula)) if options.get("exclude") else drawn


@st.composite
def _formulas(draw: Callable[[st.SearchStrategy[int]], int], space: FormulaSpace, sizes: tuple[int, ...]) -> Formula:
    def choose(choices: Choices[Option]) -> Option:
        options = choices.options
        return options[draw(_index(len(options)))] if len(options) > 1 else options[0]

    return space.draw(sizes[draw(_index(len(sizes)))], choose)


@cache
def _index(bound: int) -> st.SearchStrategy[int]:
    return st.integers(0, bound - 1)
