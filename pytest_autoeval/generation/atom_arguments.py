"""Chooses predicates and arguments of atoms by exact weights, so that every quantified variable occurs.

A formula's atoms are visited backwards once, to compute the weight of all continuations for each state of the variables
in scope: how many have not occurred yet, and how many have which sort. Then each predicate and each argument is chosen
forwards by these weights. The result is the distribution of independent choices, given that every variable occurs.
Variables of directly nested quantifiers have the same scope and are interchangeable, so such a group is counted, not
listed.

With sorts, each choice is among the names that fit: the constants of the sort, and the variables that have this sort or
none yet. A variable gets its sort where it first occurs in a place with a sort. Every place has a constant that fits.
So each derivation can be filled, and counts of derivations need not know the sorts.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import chain, product
from math import comb, lcm, prod
from typing import Literal, NamedTuple

from msgspec import Struct

from pytest_autoeval.errors import did_you_mean, near_names
from pytest_autoeval.generation.counting import Choices
from pytest_autoeval.generation.drawing_errors import DrawingError, VocabularyError
from pytest_autoeval.languages import Vocabulary

#: The number of variables in a group of quantifiers by their use: not used yet, used without a sort, of each sort.
Uses = tuple[int, ...]
#: The uses in each group of quantifiers in scope, outermost first; and the sizes of these groups.
Scope = tuple[Uses, ...]
Groups = tuple[int, ...]
#: The sort of each argument of a predicate, as the index among the uses of a variable that stands there.
Sorts = tuple[int, ...]
#: The use of a variable so far: none, as an argument without a sort, or of the first sort; other sorts follow.
_UNUSED, UNSORTED, FIRST_SORT = 0, 1, 2
#: The most states of the variables in scope; each step computes the weights of all of them.
_MOST_STATES = 20_000


class Argument(NamedTuple):
    """A variable of a group of quantifiers (outermost first): its use before and after it is this argument."""

    group: int
    before: int
    after: int


class Event(NamedTuple):
    """A step through a formula: a group of quantifiers opens or closes, or an atom or a single variable occurs."""

    kind: Literal["open", "close", "atom", "variable"]
    quantifiers: int = 0


class ArgumentRules(Struct, frozen=True):
    """How arguments are chosen.

    ``predicates`` has the sorts of the arguments of each predicate, ``constants`` the constants that fit each sort.
    ``variable_probability`` is the chance of a variable where one is in scope. ``vacuous``: a variable need not occur.
    """

    predicates: tuple[Sorts, ...]
    constants: tuple[tuple[str, ...], ...]
    variable_probability: Fraction
    vacuous: bool

    @classmethod
    def of(
        cls, vocabulary: Vocabulary, variable_probability: Fraction, *, vacuous: bool
    ) -> ArgumentRules:
        """The rules of a vocabulary. Raises :class:`VocabularyError` for a sort that no constant has."""
        names_of_sorts = [
            vocabulary.sorts_of(name) or ("",) * arity for name, arity in vocabulary.predicates
        ]
        number_of = {"": UNSORTED}
        for sort in chain.from_iterable(names_of_sorts):
            number_of.setdefault(sort, len(number_of) + UNSORTED)
        predicates = tuple(tuple(number_of[sort] for sort in sorts) for sorts in names_of_sorts)
        # The index 0 is that of unused variables, and no sort.
        constants = ((), *(constants_of(vocabulary, sort) for sort in number_of))
        return cls(predicates, constants, variable_probability, vacuous)

    def open_group(self, quantifiers: int) -> Uses:
        """The uses of the variables of a group at its quantifiers."""
        unused = 0 if self.vacuous else quantifiers
        return (unused, quantifiers - unused, *(0 for _ in self.constants[FIRST_SORT:]))


def constants_of(vocabulary: Vocabulary, sort: str) -> tuple[str, ...]:
    """The constants of a sort, and those without one. Raises :class:`VocabularyError` if a sort has none."""
    sort_of = {name: "".join(vocabulary.sorts_of(name)) for name in vocabulary.constants}
    fitting = tuple(name for name, own in sort_of.items() if not sort or own in ("", sort))
    if fitting or not sort:
        return fitting
    user = next((name for name, sorts in vocabulary.sorts if sort in sorts), "the grammar")
    # The vocabulary has the sorts of predicates and of constants in one table.
    sorts_of_predicates: set[str] = set()
    for name, sorts in vocabulary.sorts:
        if name not in sort_of:
            sorts_of_predicates.update(sorts)
    # A constant of a sort that no predicate takes, with nearly this name, is probably misspelled.
    unused = [name for name, own in sort_of.items() if own not in sorts_of_predicates]
    misspelled = [name for name in unused if near_names(sort_of[name], [sort])]
    if misspelled:
        name = misspelled[0]
        own = sort_of[name]
        advice = did_you_mean(own, [sort])
        hint = f"{name!r} has the sort {own!r}, which no predicate takes.{advice}"
    else:
        sorts_of_constants = dict.fromkeys(sort_of.values())
        names = ", ".join(map(repr, sorts_of_constants))
        hint = f"the constants have {names}.{did_you_mean(sort, sorts_of_constants)}"
    raise VocabularyError(f"vocabulary: {user} needs a constant of the sort {sort!r}; {hint}")


class Step:
    """An event with everything that follows it, and the weight of the continuations by the state of its scope."""

    def __init__(
        self, rules: ArgumentRules, event: Event, groups: Groups, following: Step | None
    ) -> None:
        self.event = event
        self.following = following
        self._rules = rules
        # Other events choose nothing, or only among the variables in scope.
        self._whole = self._common_weight(sum(groups)) if event.kind == "atom" else 1
        self.predicates = cache(self._predicates)
        self.arguments = cache(self._arguments)
        self._after = cache(self._weight_after)
        self.weights = {
            scope: self._weight(scope) for scope in _all_scopes(groups, len(rules.constants))
        }

    def _common_weight(self, in_scope: int) -> int:
        """The weight of all choices of an argument: a number that can be divided into equal shares of each kind."""
        constants = {
            len(self._rules.constants[sort]) for sorts in self._rules.predicates for sort in sorts
        }
        if not in_scope:
            return lcm(*constants)
        # Without sorts all variables in scope fit. With sorts any number of them may.
        has_sorts = len(self._rules.constants) > FIRST_SORT
        fitting_variables = range(1 if has_sorts else in_scope, in_scope + 1)
        return (
            lcm(*constants) * self._rules.variable_probability.denominator * lcm(*fitting_variables)
        )

    def _weight(self, scope: Scope) -> int:
        match self.event.kind:
            case "atom":
                return sum(self._atom(scope, sorts) for sorts in self._rules.predicates)
            case "variable":
                return self._after(scope, (UNSORTED,))
            case "open":
                return self._next((*scope, self._rules.open_group(self.event.quantifiers)))
            case "close":
                # A group may close only when all of its variables have occurred.
                return 0 if scope[-1][_UNUSED] else self._next(scope[:-1])

    def _next(self, scope: Scope) -> int:
        return 1 if self.following is None else self.following.weights[scope]

    def _atom(self, scope: Scope, sorts: Sorts) -> int:
        """The weight of all continuations with an atom whose arguments have these sorts."""
        # Weights of fewer arguments are scaled up, so that predicates of different arities can be compared.
        widest = max(map(len, self._rules.predicates))
        scale = int(self._whole ** (widest - len(sorts)))
        return scale * self._after(scope, sorts)

    def _weight_after(self, scope: Scope, sorts: Sorts) -> int:
        """The weight of all continuations that begin with arguments of these sorts."""
        if not sorts:
            return self._next(scope)
        constants, weight_of_constant, variables = self._options(scope, sorts)
        return len(constants) * weight_of_constant + sum(weight for _, weight in variables)

    def _options(
        self, scope: Scope, sorts: Sorts
    ) -> tuple[tuple[str, ...], int, list[tuple[Argument, int]]]:
        """What the next argument can be: constants, the weight of each of them, and variables with their weights.

        The weights are those of all continuations.
        """
        sort = sorts[0]
        later_sorts = sorts[1:]
        # The variables that fit: of this sort, of none yet, and those that have not occurred.
        uses = (sort, UNSORTED, _UNUSED)
        if sort == UNSORTED:
            uses = (*range(1, len(self._rules.constants)), _UNUSED)
        fitting = [
            (group, use) for group, counted in enumerate(scope) for use in uses if counted[use]
        ]
        number = sum(scope[group][use] for group, use in fitting)
        share = self._rules.variable_probability
        constants = self._rules.constants[sort]
        # All divisions are without remainder: see `_common_weight`.
        if self.event.kind == "variable":
            constants, constant, variable = (), 0, 1
        elif number:
            constant = (
                self._whole
                * (share.denominator - share.numerator)
                // (share.denominator * len(constants))
            )
            variable = self._whole * share.numerator // (share.denominator * number)
        else:
            constant = self._whole // len(constants)
            variable = 0
        variables = []
        for group, use in fitting:
            # In a place without a sort, a variable that has one keeps it.
            argument = Argument(group, use, use if use and sort == UNSORTED else sort)
            continuations = self._after(used(scope, argument), later_sorts)
            variables.append((argument, variable * scope[group][use] * continuations))
        return constants, constant * self._after(scope, later_sorts), variables

    def _predicates(self, scope: Scope) -> Choices[int]:
        return Choices(
            (index, self._atom(scope, sorts)) for index, sorts in enumerate(self._rules.predicates)
        )

    def _arguments(self, scope: Scope, sorts: Sorts) -> Choices[str | Argument]:
        constants, weight, variables = self._options(scope, sorts)
        return Choices(chain(((name, weight) for name in constants), variables))


def used(scope: Scope, argument: Argument) -> Scope:
    """The scope after one of its variables is an argument."""
    group, before, after = argument
    if before == after:
        return scope
    uses = list(scope[group])
    uses[before] -= 1
    uses[after] += 1
    return (*scope[:group], tuple(uses), *scope[group + 1 :])


def _all_scopes(groups: Groups, kinds: int) -> Iterator[Scope]:
    """All states of the variables of these groups, each of which has one of so many kinds of use."""
    # A group of interchangeable variables has as many states as there are multisets of uses.
    states = prod(comb(size + kinds - 1, kinds - 1) for size in groups)
    if states > _MOST_STATES:
        sorts = f" over {kinds - FIRST_SORT} sorts" if kinds > FIRST_SORT else ""
        raise DrawingError(
            f"{sum(groups)} quantifiers inside each other{sorts} are too many to draw; allow fewer"
        )
    return product(*(_all_uses(size, kinds) for size in groups))


def _all_uses(size: int, kinds: int) -> Iterator[Uses]:
    """All ways to divide the variables of a group among so many kinds of use."""
    if kinds == 1:
        yield (size,)
        return
    for number in range(size + 1):
        for others in _all_uses(size - number, kinds - 1):
            yield (number, *others)
