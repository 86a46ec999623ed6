"""Which arguments are variables, so that every quantified variable occurs: exact weights, no rejection.

A formula's atoms are gone through backwards once, and the weight of all ways to go on is noted for each number
of variables that have not occurred yet. Going forwards, each predicate and each argument is chosen by these weights:
the distribution is that of independent choices, given that every variable occurs.

Variables whose quantifiers follow each other directly have the same scope and are interchangeable: such a group is
counted, not listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain, product
from math import prod
from typing import Literal, NamedTuple

from pytest_autoeval.generation.choices import Choices
from pytest_autoeval.generation.errors import DrawingError

#: The number of variables yet to occur, for each group of quantifiers in scope, outermost first.
Missing = tuple[int, ...]
Groups = tuple[int, ...]
_MOST_STATES = 20_000


@dataclass(frozen=True, slots=True)
class Argument:
    """A variable of a group of quantifiers, outermost first, that has or has not occurred yet."""

    group: int
    new: bool


class Event(NamedTuple):
    """A step through a formula: a group of quantifiers opens or closes, an atom or a lone variable stands."""

    kind: Literal["open", "close", "atom", "variable"]
    quantifiers: int = 0


@dataclass(frozen=True, slots=True)
class ArgumentRules:
    """The arities of the vocabulary's predicates, one each; its constants; how likely variables are in scope."""

    arities: tuple[int, ...]
    constants: tuple[str, ...]
    variable_probability: Fraction
    vacuous: bool


class Step:
    """An event with all that follows it, and the weight of the ways to go on, by what is missing before it."""

    def __init__(self, event: Event, groups: Groups, following: Step | None, rules: ArgumentRules) -> None:
        self.event = event
        self.following = following
        self._groups = groups
        self._rules = rules
        share, in_scope = rules.variable_probability, sum(groups)
        # Every single constant is an argument with weight `_constant`, every single variable with `_variable`.
        self._constants = rules.constants if event.kind == "atom" else ()
        self._constant = (share.denominator - share.numerator) * in_scope if in_scope else 1
        self._variable = share.numerator * len(self._constants) if self._constants else 1
        self._whole = self._constant * len(self._constants) + self._variable * in_scope
        self.predicates = cache(self._predicates)
        self.arguments = cache(self._arguments)
        self._after = cache(self._weight_after)
        self.weights = {missing: self._weight(missing) for missing in _all_missing(groups)}

    def _weight(self, missing: Missing) -> int:
        match self.event.kind:
            case "atom":
                return sum(self._atom(missing, arity) for arity in self._rules.arities)
            case "variable":
                return self._after(missing, 1)
            case "open":
                return self._next((*missing, 0 if self._rules.vacuous else self.event.quantifiers))
            case "close":
                return 0 if missing[-1] else self._next(missing[:-1])

    def _next(self, missing: Missing) -> int:
        return 1 if self.following is None else self.following.weights[missing]

    def _atom(self, missing: Missing, arity: int) -> int:
        # Weights of fewer arguments are scaled up, so that predicates of different arities can be compared.
        return int(self._whole ** (max(self._rules.arities) - arity)) * self._after(missing, arity)

    def _weight_after(self, missing: Missing, arguments: int) -> int:
        """The weight of all ways to fill so many arguments and to go on."""
        if arguments == 0:
            return self._next(missing)
        constants = len(self._constants) * self._constant * self._after(missing, arguments - 1)
        return constants + sum(weight for _, weight in self._variables(missing, arguments))

    def _variables(self, missing: Missing, arguments: int) -> Iterator[tuple[Argument, int]]:
        """The variables that the first of so many arguments can be, with the weights of all ways to go on."""
        for group, size in enumerate(self._groups):
            if seen := size - missing[group]:
                yield Argument(group, new=False), self._variable * seen * self._after(missing, arguments - 1)
            if missing[group]:
                fewer = (*missing[:group], missing[group] - 1, *missing[group + 1 :])
                yield Argument(group, new=True), self._variable * missing[group] * self._after(fewer, arguments - 1)

    def _predicates(self, missing: Missing) -> Choices[int]:
        """The choice of a predicate, by its place in the vocabulary."""
        return Choices((place, self._atom(missing, arity)) for place, arity in enumerate(self._rules.arities))

    def _arguments(self, missing: Missing, arguments: int) -> Choices[str | Argument]:
        """The choice of the first of so many arguments: a constant's name, or a variable."""
        weight = self._constant * self._after(missing, arguments - 1)
        return Choices(chain(((name, weight) for name in self._constants), self._variables(missing, arguments)))


class Steps:
    """The steps through formulas; formulas that end alike share them, and so the weights."""

    _MOST_KEPT = 50_000

    def __init__(self, rules: ArgumentRules) -> None:
        self._rules = rules
        self._kept: dict[tuple[Event, Groups, Step | None], Step] = {}

    def through(self, events: list[Event]) -> Step | None:
        """The first step of the way through these events; None if there are none."""
        before: list[Groups] = []
        groups: Groups = ()
        for event in events:
            before.append(groups)
            if event.kind == "open":
                groups = (*groups, event.quantifiers)
            elif event.kind == "close":
                groups = groups[:-1]
        if len(self._kept) > self._MOST_KEPT:
            self._kept.clear()
        step: Step | None = None
        for event, groups in zip(reversed(events), reversed(before), strict=True):
            key = (event, groups, step)
            if key not in self._kept:
                self._kept[key] = Step(event, groups, step, self._rules)
            step = self._kept[key]
        return step


def _all_missing(groups: Groups) -> Iterator[Missing]:
    if prod(size + 1 for size in groups) > _MOST_STATES:
        raise DrawingError(f"{sum(groups)} quantifiers inside each other are too many to draw; allow fewer")
    return product(*(range(size + 1) for size in groups))
