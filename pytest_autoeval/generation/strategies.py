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
from types import NoneType
from typing import Any, NamedTuple, TypeVar

from hypothesis import strategies as st

from pytest_autoeval.errors import check_type
from pytest_autoeval.generation.counting import BindingScope, Choices, Chooser, Derivation, State
from pytest_autoeval.generation.drawing import DrawingOptions, FormulaSpace, formula_space
from pytest_autoeval.generation.drawing_errors import DrawingError
from pytest_autoeval.generation.template_sizes import SizedTemplate
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


class _Grown(NamedTuple):
    """A subformula's derivation, the wishes for its slots, and its final size and state."""

    derivation: Derivation
    slots: list[Wishes]
    outcome: SizedState


class _Growth:
    """The strategies of a grammar's formulas with at most ``largest`` size, and the steps that lead to them.

    The steps are pure functions, so that each is computed once.
    """

    def __init__(self, space: FormulaSpace, largest: int) -> None:
        self._filler = space.filler
        self._counts = space.counts
        self._largest = largest
        self.wished = cache(self._wished)
        self.templates = cache(self._templates)
        self.inside = cache(self._inside)
        self._outcomes = cache(self._all_outcomes)
        # Kept, since Hypothesis builds a strategy slowly, and checks it at its first use.
        # Wished size and template index are one strategy, so that Hypothesis may delete both at once.
        self._head = cache(lambda templates: st.tuples(_up_to(largest), _up_to(templates - 1)))
        self._subformulas = cache(self._subformula)

    def formulas(self, allowed: Allowed) -> st.SearchStrategy[Formula]:
        """The formulas of the sizes and states that are allowed."""

        def filled(grown: _Grown) -> Formula:
            return self._filler.fill(grown.derivation, map(_chooser, grown.slots))

        return self._subformulas(self._counts.grammar.start, allowed).map(filled)

    def _subformula(self, rule: str, allowed: Allowed) -> st.SearchStrategy[_Grown]:
        """The derivations from a rule that end in a size and state that is allowed."""
        head = self._head(len(self.templates(rule, allowed)))

        @st.composite
        def subformula(draw: Draw) -> _Grown:
            wish, index = draw(head)
            wished = self.wished(rule, allowed, wish)
            sized = self.templates(rule, wished)[index]
            derivation = [sized]
            slots = [
                [draw(_up_to(bound)) for bound in self._filler.bounds(kind)]
                for kind in sized.template.slots
            ]
            filled = Filled()
            for hole, called in enumerate(sized.template.calls):
                grown = draw(self._subformulas(called, self.inside(sized, hole, filled, wished)))
                derivation += grown.derivation
                slots += grown.slots
                # `inside` offers only what fits, so that the result is never None.
                filled = self._add(sized, hole, filled, grown.outcome) or filled
            return _Grown(derivation, slots, self._outcome(sized, filled))

        return subformula()

    def _wished(self, rule: str, allowed: Allowed, wish: int) -> Allowed:
        """What is allowed and not larger than wished; more than a single atom if more is wished."""
        smallest_allowed = min(outcome.size for outcome in allowed)
        most = max(wish, smallest_allowed)
        smallest = min(outcome.size for outcome in self._outcomes(rule))
        wished = frozenset(outcome for outcome in allowed if outcome.size <= most)
        larger = frozenset(outcome for outcome in wished if outcome.size > smallest)
        return larger or wished

    def _templates(self, rule: str, allowed: Allowed) -> tuple[SizedTemplate, ...]:
        """A template for each choice of an alternative of the rule, in the order of the file.

        If no template of an alternative is allowed, the one before it is used, or else the first after it.
        """
        grammar = self._counts.grammar
        feasible = [
            sized for sized in grammar.rules[rule] if self._ends_well(sized, 0, Filled(), allowed)
        ]
        groups = grammar.alternatives[rule]
        # Each alternative has equally many choices, so that one with many templates is not drawn more often.
        widest = max(map(len, groups))
        current, chosen = feasible[0], []
        for group in groups:
            for choice in range(widest):
                template = group[choice * len(group) // widest]
                if template in feasible:
                    current = template
                chosen.append(current)
        return tuple(chosen)

    def _inside(self, sized: SizedTemplate, hole: int, filled: Filled, allowed: Allowed) -> Allowed:
        """What may stand in a hole, so that the later holes can be filled and the whole is allowed."""
        possible = set()
        for outcome in self._outcomes(sized.template.calls[hole]):
            filled_with = self._add(sized, hole, filled, outcome)
            if filled_with is not None and self._ends_well(sized, hole + 1, filled_with, allowed):
                possible.add(outcome)
        return frozenset(possible)

    def _add(
        self, sized: SizedTemplate, hole: int, filled: Filled, outcome: SizedState
    ) -> Filled | None:
        """The filling with one more hole; None if it becomes too large."""
        scope = self._counts.joined(filled.scope, outcome.state.scope)
        if scope is None:
            return None
        size = outcome.size + sized.added[hole][outcome.state.kind]
        return Filled(self._together(filled.size, size), scope)

    def _outcome(self, sized: SizedTemplate, filled: Filled) -> SizedState:
        """The size and state of a template with all its holes filled."""
        (own,) = self._counts.tail(sized, len(sized.template.calls), sized.base)
        outcome = self._completed(sized, filled, sized.base, own)
        assert outcome is not None
        return outcome

    def _ends_well(self, sized: SizedTemplate, hole: int, filled: Filled, allowed: Allowed) -> bool:
        """Whether the holes from ``hole`` on can be filled so that the size and state are allowed."""
        return any(
            self._completed(sized, filled, size, scope) in allowed
            for size in range(self._largest + 1)
            for scope in self._counts.tail(sized, hole, size)
        )

    def _completed(
        self, sized: SizedTemplate, filled: Filled, size: int, scope: BindingScope
    ) -> SizedState | None:
        """The size and state of a template, if its other holes have this size and scope; None if it is impossible."""
        joined = self._counts.joined(filled.scope, scope)
        if joined is None:
            return None
        outer = self._counts.outside(sized, joined)
        if outer is None:
            return None
        return SizedState(self._together(filled.size, size), State(sized.kind, outer))

    def _together(self, size: int, other_size: int) -> int:
        # The depth of a tree is that of its deepest branch.
        return max(size, other_size) if self._counts.grammar.by_depth else size + other_size

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
    check_type("max_operators", max_operators, int, error=DrawingError)
    check_type("min_operators", min_operators, int, error=DrawingError)
    check_type("language", language, str, NoneType, error=DrawingError)
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
    # A meaning and a measure are those of the whole formula, so that no step can leave it out earlier.
    if space.excluded or space.measured.bounds:
        return drawn.filter(lambda formula: not space.leaves_out(formula))
    return drawn


def _chooser(wishes: Wishes) -> Chooser:
    """Chooses the wished options, or the last option if there are not so many."""
    remaining = iter(wishes)

    def choose(choices: Choices[Option]) -> Option:
        wish = next(remaining, 0)
        return choices.options[min(wish, len(choices.options) - 1)]

    return choose


@cache
def _up_to(bound: int) -> st.SearchStrategy[int]:
    return st.integers(0, bound)
