"""The Hypothesis strategy of a grammar: the counts and slots of drawing, with choices by Hypothesis.

A derivation grows from the root within bounds, so that each subformula can be made smaller by itself. Hypothesis
shrinks by lowering and deleting choices and by replacing a larger part by a smaller one. So no choice may depend on
choices outside its subformula: a subformula has a *wish* for its size, which is an upper bound, and its final size is
known only when it is complete. The counts show at each step which choices can still be completed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from hypothesis import strategies as st

from pytest_autoeval.generation.counting import BindingScope, Choices, Chooser, Derivation, State
from pytest_autoeval.generation.drawing import DrawingOptions, FormulaSpace, formula_space
from pytest_autoeval.generation.drawing_errors import DrawingError
from pytest_autoeval.generation.templates import SizedTemplate
from pytest_autoeval.generation.vocabularies import Names
from pytest_autoeval.languages import Formula, Vocabulary

Option = TypeVar("Option")
Wishes = list[int]
Draw = Callable[[st.SearchStrategy[Any]], Any]


class SizedState(NamedTuple):
    """The size and state that a subformula can have."""

    size: int
    state: State


Allowed = frozenset[SizedState]


class Filled(NamedTuple):
    """The size and scope of the holes of a template that are filled so far."""

    size: int = 0
    scope: BindingScope = BindingScope()


class _Part(NamedTuple):
    """A subformula's derivation, the wishes for its slots, and its final size and state."""

    derivation: Derivation
    slots: list[Wishes]
    outcome: SizedState


class _Growth:
    """The strategies of a grammar's formulas with at most ``largest`` size, and the steps that lead to them.

    The steps are pure functions, so that each is computed once.
    """

    def __init__(self, space: FormulaSpace, largest: int) -> None:
        self._filler, self._counts, self._largest = space.filler, space.counts, largest
        self.wished = cache(self._wished)
        self.templates = cache(self._templates)
        self.inside = cache(self._inside)
        self._outcomes = cache(self._all_outcomes)
        # Wished size and template index are one strategy, so that Hypothesis may delete both at once.
        self._head = cache(lambda places: st.tuples(_up_to(largest), _up_to(places - 1)))
        self._parts = cache(self._part)

    def formulas(self, allowed: Allowed) -> st.SearchStrategy[Formula]:
        whole = self._parts(self._counts.grammar.start, allowed)
        return whole.map(lambda part: self._filler.fill(part.derivation, map(_chooser, part.slots)))

    def _part(self, rule: str, allowed: Allowed) -> st.SearchStrategy[_Part]:
        head = self._head(len(self.templates(rule, allowed)))

        @st.composite
        def subformula(draw: Draw) -> _Part:
            wish, place = draw(head)
            wished = self.wished(rule, allowed, wish)
            sized = self.templates(rule, wished)[place]
            derivation = [sized]
            slots = [
                [draw(_up_to(bound)) for bound in self._filler.bounds(kind)]
                for kind in sized.template.slots
            ]
            filled = Filled()
            for hole, called in enumerate(sized.template.calls):
                part = draw(self._parts(called, self.inside(sized, hole, filled, wished)))
                derivation += part.derivation
                slots += part.slots
                filled = self._add(sized, hole, filled, part.outcome) or filled
            return _Part(derivation, slots, self._outcome(sized, filled))

        return subformula()

    def _wished(self, rule: str, allowed: Allowed, wish: int) -> Allowed:
        """What is allowed and not larger than wished; more than a single atom if more is wished."""
        most = max(wish, min(outcome.size for outcome in allowed))
        least = min(outcome.size for outcome in self._outcomes(rule))
        larger = frozenset(outcome for outcome in allowed if least < outcome.size <= most)
        return larger or frozenset(outcome for outcome in allowed if outcome.size <= most)

    def _templates(self, rule: str, allowed: Allowed) -> tuple[SizedTemplate, ...]:
        """A template for each choice of an alternative of the rule, in the order of the file.

        If no template of an alternative is allowed, the one before it is used, or else the first after it.
        """
        feasible = [
            sized
            for sized in self._counts.grammar.rules[rule]
            if self._ends_well(sized, 0, Filled(), allowed)
        ]
        groups = self._counts.grammar.alternatives[rule]
        widest = max(map(len, groups))
        last, chosen = feasible[0], []
        for group in groups:
            for place in range(widest):
                wanted = group[place * len(group) // widest]
                last = wanted if wanted in feasible else last
                chosen.append(last)
        return tuple(chosen)

    def _inside(self, sized: SizedTemplate, hole: int, filled: Filled, allowed: Allowed) -> Allowed:
        """What may stand in a hole, so that the later holes can be filled and the whole is allowed."""
        return frozenset(
            outcome
            for outcome in self._outcomes(sized.template.calls[hole])
            if (more := self._add(sized, hole, filled, outcome))
            and self._ends_well(sized, hole + 1, more, allowed)
        )

    def _add(
        self, sized: SizedTemplate, hole: int, filled: Filled, outcome: SizedState
    ) -> Filled | None:
        """The filling with one more hole; None if it becomes too large."""
        size = outcome.size + sized.added[hole][outcome.state.kind]
        scope = self._counts.joined(filled.scope, outcome.state.scope)
        return None if scope is None else Filled(self._together(filled.size, size), scope)

    def _outcome(self, sized: SizedTemplate, filled: Filled) -> SizedState:
        """The size and state of a template with all its holes filled."""
        (own,) = self._counts.tail(sized, len(sized.template.calls), sized.base)
        whole = self._whole(sized, filled, sized.base, own)
        assert whole is not None
        return whole

    def _ends_well(self, sized: SizedTemplate, hole: int, filled: Filled, allowed: Allowed) -> bool:
        return any(
            self._whole(sized, filled, size, scope) in allowed
            for size in range(self._largest + 1)
            for scope in self._counts.tail(sized, hole, size)
        )

    def _whole(
        self, sized: SizedTemplate, filled: Filled, size: int, scope: BindingScope
    ) -> SizedState | None:
        joined = self._counts.joined(filled.scope, scope)
        outer = joined and self._counts.outside(sized, joined)
        return outer and SizedState(self._together(filled.size, size), State(sized.kind, outer))

    def _together(self, left: int, right: int) -> int:
        return max(left, right) if self._counts.grammar.by_depth else left + right

    def _all_outcomes(self, rule: str) -> Allowed:
        return frozenset(
            SizedState(size, state)
            for size in range(self._largest + 1)
            for state in self._counts.of_rule(rule, size)
        )


def formulas(
    grammar: str | Path,
    max_operators: int = 8,
    min_operators: int = 0,
    vocabulary: Vocabulary | Names | None = None,
    language: str | None = None,
    **options: Any,
) -> st.SearchStrategy[Formula]:
    """A Hypothesis strategy for formulas of a grammar.

    It shrinks to small formulas, then to few names, then to the first names of the vocabulary.

    Args:
        grammar: the name of a shipped or registered grammar, or the path of a ``.lark`` file.
        max_operators: the largest formula size.
        min_operators: the smallest formula size.
        vocabulary: the names in the formulas, as in `autoeval`.
        language: the language of the grammar, if the file of the grammar does not name it.
        options: as for `sample_formulas`.

    Raises:
        AutoevalError: an argument cannot be used; the message says why.
    """
    space = formula_space(grammar, vocabulary, language, DrawingOptions(**options))
    allowed = frozenset(
        SizedState(size, state)
        for size in range(max(min_operators, 0), max_operators + 1)
        for state in space.states(size)
    )
    if not allowed:
        raise DrawingError(
            f"{space.name} has no formulas of size {min_operators} to {max_operators}"
        )
    drawn = _Growth(space, max_operators).formulas(allowed)
    if space.excluded or space.measured.bounds:
        return drawn.filter(lambda formula: not space.leaves_out(formula))
    return drawn


def _chooser(wishes: Wishes) -> Chooser:
    """Chooses the wished options, or the last option if there are not so many."""
    places = iter(wishes)

    def choose(choices: Choices[Option]) -> Option:
        return choices.options[min(next(places, 0), len(choices.options) - 1)]

    return choose


@cache
def _up_to(bound: int) -> st.SearchStrategy[int]:
    return st.integers(0, bound)
