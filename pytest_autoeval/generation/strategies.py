"""The Hypothesis strategy of a grammar: the counts and slots of drawing, with Hypothesis making the choices."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from hypothesis import strategies as st

from pytest_autoeval.generation.choices import Choices, Chooser
from pytest_autoeval.generation.counting import Derivation
from pytest_autoeval.generation.drawing import DrawingOptions, FormulaSpace, formula_space
from pytest_autoeval.generation.errors import DrawingError
from pytest_autoeval.generation.growth import Allowed, Filled, Growth, Outcome
from pytest_autoeval.languages import Formula, Vocabulary

Option = TypeVar("Option")
Wishes = list[int]
Draw = Callable[[st.SearchStrategy[Any]], Any]


def formulas(
    grammar: str | Path,
    max_operators: int = 8,
    min_operators: int = 0,
    vocabulary: Vocabulary | str | None = None,
    language: str | None = None,
    **options: Any,
) -> st.SearchStrategy[Formula]:
    """A strategy for the formulas of a grammar whose size lies between the two bounds, both included.

    It shrinks to few operators, then to few names, then to the first names of the vocabulary; among productions of the
    same size, to the one that stands first in the file. Other arguments are those of
    :func:`pytest_autoeval.generation.sample_formulas`, and so are the errors.
    """
    space = formula_space(grammar, vocabulary, language, DrawingOptions(**options))
    allowed = frozenset(
        Outcome(size, state) for size in range(max(min_operators, 0), max_operators + 1) for state in space.states(size)
    )
    if not allowed:
        raise DrawingError(f"{space.name} has no formulas of size {min_operators} to {max_operators}")
    drawn = _Grown(space, Growth(space.counts, max_operators)).formulas(allowed)
    return drawn.filter(lambda formula: not space.is_excluded(formula)) if options.get("exclude") else drawn


class _Part(NamedTuple):
    """A subformula's derivation, what its slots wish to be filled with, and what it has become."""

    derivation: Derivation
    slots: list[Wishes]
    outcome: Outcome


class _Grown:
    """The strategies of a grammar's formulas and of their parts."""

    def __init__(self, space: FormulaSpace, growth: Growth) -> None:
        self._space = space
        self._growth = growth
        # The size wished and the place of the template: one strategy, so that Hypothesis may take both away at once.
        self._head = cache(lambda places: st.tuples(_up_to(growth.largest), _up_to(places - 1)))
        self._parts = cache(self._part)

    def formulas(self, allowed: Allowed) -> st.SearchStrategy[Formula]:
        """The formulas with these outcomes."""
        whole = self._parts(self._space.counts.grammar.start, allowed)
        return whole.map(lambda part: self._space.filler.fill(part.derivation, map(_chooser, part.slots)))

    def _part(self, rule: str, allowed: Allowed) -> st.SearchStrategy[_Part]:
        growth, bounds = self._growth, self._space.filler.bounds
        head = self._head(len(growth.templates(rule, allowed)))

        @st.composite
        def subformula(draw: Draw) -> _Part:
            wish, place = draw(head)
            wished = growth.wished(rule, allowed, wish)
            sized = growth.templates(rule, wished)[place]
            derivation = [sized]
            slots = [[draw(_up_to(bound)) for bound in bounds(kind)] for kind in sized.template.slots]
            filled = Filled()
            for hole, called in enumerate(sized.template.calls):
                part = draw(self._parts(called, growth.inside(sized, hole, filled, wished)))
                derivation += part.derivation
                slots += part.slots
                filled = growth.add(sized, hole, filled, part.outcome) or filled
            return _Part(derivation, slots, growth.outcome(sized, filled))

        return subformula()


def _chooser(wishes: Wishes) -> Chooser:
    """Chooses the options at the places wished for, or the last one where there are not so many."""
    places = iter(wishes)

    def choose(choices: Choices[Option]) -> Option:
        return choices.options[min(next(places, 0), len(choices.options) - 1)]

    return choose


@cache
def _up_to(bound: int) -> st.SearchStrategy[int]:
    return st.integers(0, bound)
