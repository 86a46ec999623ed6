"""Counts the derivations of each size of a grammar, and draws one of them uniformly.

The recursive method: count first, then choose each production and each split of the size in proportion to the number of
derivations (Nijenhuis and Wilf, *Combinatorial Algorithms*, 1978; Flajolet, Zimmermann and Van Cutsem, "A calculus for
the random generation of labelled combinatorial structures", 1994). All counts are exact integers. A derivation is the
list of its templates in prefix order.

Derivations are also counted by their :class:`BindingScope`, so that only those are drawn whose quantified variables can
all occur.
"""

from __future__ import annotations

import hashlib
import random
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate, chain
from threading import RLock
from typing import Generic, NamedTuple, Protocol, TypeVar

from pytest_autoeval.generation.drawing_errors import DrawingError
from pytest_autoeval.generation.template_sizes import SizedGrammar, SizedTemplate

Option = TypeVar("Option")
Result = TypeVar("Result")


class Choices(Generic[Option]):
    """Options with non-negative integer weights. Options of weight zero are left out."""

    __slots__ = ("bits", "bound", "cumulative", "only", "options")

    def __init__(self, weighted: Iterable[tuple[Option, int]]) -> None:
        possible = [(option, weight) for option, weight in weighted if weight]
        self.options: Sequence[Option] = [option for option, _ in possible]
        weights = (weight for _, weight in possible)
        self.cumulative: Sequence[int] = list(accumulate(weights))
        #: The sum of the weights, and the number of random bits for a number below it.
        self.bound = self.cumulative[-1] if possible else 0
        self.bits = self.bound.bit_length()
        #: The only option, if there is one: it needs no choice.
        self.only: Option | None = self.options[0] if len(possible) == 1 else None

    @classmethod
    def evenly(cls, options: Iterable[Option]) -> Choices[Option]:
        """Options of equal weight."""
        return cls((option, 1) for option in options)

    def probability(self, index: int) -> Fraction:
        """The probability of one option."""
        before = self.cumulative[index - 1] if index else 0
        return Fraction(self.cumulative[index] - before, self.cumulative[-1])


class Chooser(Protocol):
    """Picks one of the options."""

    def __call__(self, choices: Choices[Option], /) -> Option: ...


class Chance:
    """Picks options by weight, from random bits that are the same on every platform."""

    def __init__(self, *identity: object) -> None:
        # Streams of near identities, such as the seeds 1 and 2, must have nothing in common: hence the digest.
        text = "\0".join(map(str, identity))
        digest = hashlib.sha256(text.encode()).digest()
        self._bits = random.Random(int.from_bytes(digest, "big")).getrandbits

    def __call__(self, choices: Choices[Option], /) -> Option:
        if choices.only is not None:
            return choices.only
        bits, bound = choices.bits, choices.bound
        # The number is made from bits, because those never change between Python versions.
        number = self._bits(bits)
        while number >= bound:
            number = self._bits(bits)
        return choices.options[bisect_right(choices.cumulative, number)]

    def without_replacement(self, weighted: Sequence[tuple[Option, int]]) -> Iterator[Option]:
        """All options in random order, each drawn by weight among the remaining ones."""
        undrawn = dict(enumerate(weighted))
        while undrawn:
            choices = Choices((index, weight) for index, (_, weight) in undrawn.items())
            remaining = choices.cumulative[-1]
            # Draws with the same weights and skips repeats, while at least half of the weight is undrawn. To compute
            # the weights anew after each option would take quadratic time.
            while remaining * 2 >= choices.cumulative[-1] and undrawn:
                index = self(choices)
                if index in undrawn:
                    option, weight = undrawn.pop(index)
                    remaining -= weight
                    yield option


class _Script:
    """A chooser that picks the options with these indices, and then the first ones; with the probability of that."""

    def __init__(self, indices: list[int]) -> None:
        self.indices = indices
        self.widths: list[int] = []
        self.probability = Fraction(1)

    def __call__(self, choices: Choices[Option], /) -> Option:
        position = len(self.widths)
        if position == len(self.indices):
            self.indices.append(0)
        index = self.indices[position]
        self.widths.append(len(choices.options))
        self.probability *= choices.probability(index)
        return choices.options[index]


def outcomes(draw: Callable[[Chooser], Result]) -> Iterator[tuple[Result, Fraction]]:
    """Every possible result of ``draw`` with its probability: tries all options of each choice."""
    indices: list[int] = []
    while True:
        script = _Script(indices)
        yield draw(script), script.probability
        # Counts up like an odometer: the last choice that has a further option takes it, and later ones start again.
        while indices and indices[-1] + 1 == script.widths[len(indices) - 1]:
            indices.pop()
        if not indices:
            return
        indices[-1] += 1


#: Beyond this number of derivations (in bits), a single formula has tens of thousands of nodes.
_MOST_BITS = 30_000


class BindingScope(NamedTuple):
    """What decides which quantifiers may stand around a derivation.

    ``quantifiers`` is the number of its own. ``free_places`` are its places for variables of outer ones; more than
    there may be quantifiers are not counted. ``unbound``: such a place needs a variable.
    """

    quantifiers: int = 0
    free_places: int = 0
    unbound: bool = False


class QuantifierRules(NamedTuple):
    """The rules of quantifiers.

    ``atom_places`` is the number of places for variables in an atom, of the predicate with most of them. ``vacuous``: a
    quantifier whose variable does not occur is allowed.
    """

    most_quantifiers: int
    atom_places: int
    vacuous: bool


class State(NamedTuple):
    """A derivation's properties besides rule and size: the kind of its tree, and its scope."""

    kind: int
    scope: BindingScope


Counts = dict[BindingScope, int]
Derivation = list[SizedTemplate]


class DerivationNode(NamedTuple):
    """A rule to expand into a derivation of known size and state."""

    rule: str
    size: int
    state: State


class OpenHoles(NamedTuple):
    """What a template's holes from ``hole`` on make up together."""

    sized: SizedTemplate
    hole: int
    size: int
    scope: BindingScope


class DerivationCounts:
    """The number of derivations by rule, size and state, computed on demand; thread-safe."""

    def __init__(self, grammar: SizedGrammar, rules: QuantifierRules) -> None:
        self.grammar = grammar
        self._rules = rules
        self._lock = RLock()
        self._counted: dict[tuple[str, int, int], Counts | None] = {}
        self._tails: dict[tuple[SizedTemplate, int, int], Counts] = {}
        self._filled = -1
        #: For each template, the first one whose holes are filled in the same ways: these are counted once for all.
        self._like: dict[SizedTemplate, SizedTemplate] = {}
        firsts: dict[object, SizedTemplate] = {}
        for sized in chain.from_iterable(grammar.rules.values()):
            holes = (sized.template.calls, sized.template.slots, sized.base, sized.added)
            self._like[sized] = firsts.setdefault(holes, sized)
        self.expansions = cache(self._expansions)
        self.fillings = cache(self._fillings)

    def states(self, size: int) -> dict[State, int]:
        """The number of whole derivations of a size, by state."""
        counted = self.of_rule(self.grammar.start, size)
        return {state: number for state, number in counted.items() if not state.scope.unbound}

    def of_rule(self, rule: str, size: int) -> dict[State, int]:
        """The number of derivations of a size from a rule, by state; variables may be unbound."""
        with self._lock:
            # Smaller sizes first: counted from the top, a large size would recurse as deep as its size.
            for smaller in range(self._filled + 1, size + 1):
                for name in self.grammar.rules:
                    for kind in range(self.grammar.kinds):
                        self._count(name, smaller, kind)
                self._filled = smaller
            return {
                State(kind, scope): number
                for kind in range(self.grammar.kinds)
                for scope, number in self._count(rule, size, kind).items()
            }

    def derivation(self, size: int, state: State, choose: Chooser) -> Derivation:
        """One derivation of the size and state; uniform if ``choose`` follows the weights."""
        templates: Derivation = []
        pending = [DerivationNode(self.grammar.start, size, state)]
        while pending:
            choices = self.expansions(pending.pop())
            sized, open_holes = choices.only or choose(choices)
            templates.append(sized)
            # The holes are filled from the left, and the leftmost is expanded first: it must be the last in the list.
            next_in_line = len(pending)
            while open_holes is not None:
                fillings = self.fillings(open_holes)
                node, open_holes = fillings.only or choose(fillings)
                pending.insert(next_in_line, node)
        return templates

    def _expansions(self, node: DerivationNode) -> Choices[tuple[SizedTemplate, OpenHoles | None]]:
        """The first steps of a node's derivations, weighted by the number of derivations."""
        weighted = []
        with self._lock:
            for sized in self.grammar.rules[node.rule]:
                if sized.kind != node.state.kind:
                    continue
                like = self._like[sized]
                for scope, number in self.tail(like, 0, node.size).items():
                    if self.outside(sized, scope) == node.state.scope:
                        open_holes = self._open_holes(like, 0, node.size, scope)
                        weighted.append(((sized, open_holes), number))
        return Choices(weighted)

    def _fillings(self, holes: OpenHoles) -> Choices[tuple[DerivationNode, OpenHoles | None]]:
        """The fillings of the first of some holes, weighted by the number of ways to fill all of them."""
        sized, hole = holes.sized, holes.hole
        weighted = []
        with self._lock:
            for node, later_size, later_scope, number in self._split(sized, hole, holes.size):
                if self.joined(node.state.scope, later_scope) == holes.scope:
                    weighted.append(
                        ((node, self._open_holes(sized, hole + 1, later_size, later_scope)), number)
                    )
        return Choices(weighted)

    @staticmethod
    def _open_holes(
        sized: SizedTemplate, hole: int, size: int, scope: BindingScope
    ) -> OpenHoles | None:
        return OpenHoles(sized, hole, size, scope) if hole < len(sized.template.calls) else None

    def _count(self, rule: str, size: int, kind: int) -> Counts:
        key = (rule, size, kind)
        if key in self._counted:
            counts = self._counted[key]
            # None marks a count that has begun: it needs itself.
            if counts is None:
                guilty = next(
                    sized
                    for sized in self.grammar.rules[rule]
                    if sized.kind == kind and sized.template.calls
                )
                problem = "this rule repeats without a change of size: there are infinitely many formulas of size"
                raise self.grammar.grammar.error(f"{problem} {size}", guilty.template.production)
            return counts
        self._counted[key] = None
        try:
            counts = self._sum(rule, size, kind)
        except BaseException:
            # The mark of a count that has begun must not stay: the next call would take it for endless repetition.
            del self._counted[key]
            raise
        self._counted[key] = counts
        return counts

    def _sum(self, rule: str, size: int, kind: int) -> Counts:
        counts: Counts = {}
        for sized in self.grammar.rules[rule]:
            if sized.kind == kind:
                for scope, number in self.tail(self._like[sized], 0, size).items():
                    outer = self.outside(sized, scope)
                    if outer is not None:
                        counts[outer] = counts.get(outer, 0) + number
        if any(number.bit_length() > _MOST_BITS for number in counts.values()):
            path = self.grammar.grammar.source.path
            raise DrawingError(
                f"{path}: formulas of size {size} are too large to draw; ask for smaller sizes"
            )
        return counts

    def tail(self, sized: SizedTemplate, hole: int, size: int) -> Counts:
        """The ways to fill the holes from ``hole`` on with a total of ``size``."""
        if hole == len(sized.template.calls):
            return {self._own(sized): 1} if size == sized.base else {}
        key = (sized, hole, size)
        # Kept: it is asked for again with each size of the holes before it.
        if key not in self._tails:
            counts: Counts = {}
            for node, _, later_scope, number in self._split(sized, hole, size):
                scope = self.joined(node.state.scope, later_scope)
                if scope is not None:
                    counts[scope] = counts.get(scope, 0) + number
            self._tails[key] = counts
        return self._tails[key]

    def _split(
        self, sized: SizedTemplate, hole: int, size: int
    ) -> Iterator[tuple[DerivationNode, int, BindingScope, int]]:
        """The fillings of a hole, with size and scope of the later holes, and the number of ways."""
        called = sized.template.calls[hole]
        for kind, added in enumerate(sized.added[hole]):
            for inner_size, later_size in self._sizes(size, added):
                # The later holes come first: if they cannot be filled, the count of this size is not needed.
                for later_scope, ways in self.tail(sized, hole + 1, later_size).items():
                    for scope, number in self._count(called, inner_size, kind).items():
                        node = DerivationNode(called, inner_size, State(kind, scope))
                        yield node, later_size, later_scope, ways * number

    def _sizes(self, size: int, added: int) -> Iterator[tuple[int, int]]:
        """The ways to split a size: of a subformula that counts ``added`` on top of its own, and of the later holes."""
        if not self.grammar.by_depth:
            for inner_size in range(size - added + 1):
                yield inner_size, size - added - inner_size
            return
        # The largest depth counts: that of the later holes, or that of this subformula.
        for inner_size in range(size - added):
            yield inner_size, size
        if size >= added:
            for later_size in range(size + 1):
                yield size - added, later_size

    def _own(self, sized: SizedTemplate) -> BindingScope:
        """The scope of a template's own slots."""
        slots = sized.template.slots
        uses = slots.count("VARIABLE")
        free_places = uses + slots.count("ATOM") * self._rules.atom_places
        # No quantifier needs a place if vacuous ones are allowed. Fewer different scopes are counted faster.
        if self._rules.vacuous:
            free_places = 0
        return BindingScope(0, min(free_places, self._rules.most_quantifiers), uses > 0)

    def joined(self, scope: BindingScope, sibling: BindingScope) -> BindingScope | None:
        """The scope of two subformulas side by side; None if they have too many quantifiers."""
        quantifiers = scope.quantifiers + sibling.quantifiers
        if quantifiers > self._rules.most_quantifiers:
            return None
        free_places = min(scope.free_places + sibling.free_places, self._rules.most_quantifiers)
        return BindingScope(quantifiers, free_places, scope.unbound or sibling.unbound)

    def outside(self, sized: SizedTemplate, inner: BindingScope) -> BindingScope | None:
        """The scope outside the template's quantifiers. Each of them takes one place for its variable."""
        binders = sized.template.binder_count
        if not binders:
            return inner
        free_places = 0 if self._rules.vacuous else inner.free_places - binders
        quantifiers = inner.quantifiers + binders
        if free_places < 0 or quantifiers > self._rules.most_quantifiers:
            return None
        return BindingScope(quantifiers, free_places)
