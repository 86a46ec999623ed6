r"""The automaton of expressions, also of those with word boundaries, ``\b`` and ``\B``.

Whether a boundary matches depends on the symbols on both sides. So a position reads only symbols of words or only
others, and it is known for each pair of positions whether a boundary between them matches. What precedes and follows an
expression is one of two kinds as well: the ends of a string count as symbols that are not of words.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, Final

from pytest_autoeval.languages.base import all_nodes
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.automaton import (
    END,
    OTHER,
    Automaton,
    State,
    check_levels,
    deterministic,
)
from pytest_autoeval.languages.regex.counting import written_out
from pytest_autoeval.languages.regex.decision_budget import DecisionBudget
from pytest_autoeval.languages.regex.minimal_automaton import Deterministic
from pytest_autoeval.languages.regex.syntax import Expression, is_word_symbol
from pytest_autoeval.languages.size_limits import check_size

#: Stands for every symbol of words that the expressions do not name. It is no symbol itself.
OTHER_OF_WORDS = "of words"
#: The kinds of a symbol: not of words, as the ends of a string are, and of words.
_KINDS: Final[tuple[int, ...]] = (0, 1)
_OUTSIDE: Final = (0, 0)
#: The kinds of what precedes and what follows an expression.
_Sides = tuple[int, int]
#: The automata of intersections and complements so far, by node and sides.
_Store = dict[tuple[Expression, _Sides], Deterministic]


def automaton_of(expressions: Sequence[Expression], budget: DecisionBudget) -> Automaton:
    """One automaton for several expressions."""
    nodes = [node for expression in expressions for node in all_nodes(expression)]
    types = set(map(type, nodes))
    alphabet = sorted(regex.symbols_of(nodes))
    if not types.isdisjoint((regex.Intersection, regex.Complement)):  # most have neither
        check_levels(expressions)
    # Positions of one kind make automata larger, so only expressions with boundaries have them.
    if regex.WordBoundary not in types:
        return Automaton(expressions, budget, alphabet)
    # Letters beyond ASCII are symbols of words for some programs only. No verdict would hold for all.
    for char in alphabet:
        if is_word_symbol(char) is None:
            raise GaveUpError(
                f"programs differ about {char!r} as a symbol of words, so it is unclear what \\b means"
            )
    # The ends of the whole string count as symbols that are not of words.
    return _BoundaryAutomaton(expressions, budget, alphabet, _OUTSIDE, {})


@dataclass(frozen=True, slots=True)
class _Ends:
    """How a string that matches may begin and end.

    ``first`` has the first positions by the kind of the symbol before, ``last`` the last ones by the kind of the symbol
    after. ``empty`` has the sides between which the empty string matches.
    """

    first: tuple[State, State]
    last: tuple[State, State]
    empty: frozenset[_Sides]


_ALL_SIDES: Final = frozenset(product(_KINDS, _KINDS))
_EMPTY: Final = _Ends((0, 0), (0, 0), _ALL_SIDES)


class _BoundaryAutomaton(Automaton):
    """An automaton for expressions whose matches have symbols of these kinds on their ``sides``."""

    others: ClassVar[tuple[str, ...]] = (OTHER, OTHER_OF_WORDS)

    def __init__(
        self,
        expressions: Sequence[Expression],
        budget: DecisionBudget,
        alphabet: Sequence[str],
        sides: _Sides,
        store: _Store,
    ) -> None:
        self._sides = sides
        self._store = store
        #: The positions that read symbols of each kind.
        self._of_kind: list[State] = [0, 0]
        super().__init__(expressions, budget, alphabet)

    def _mask(self, symbol: str) -> State:
        return super()._mask(symbol) & self._of_kind[_kind(symbol)]

    def _start(self, expression: Expression) -> State:
        check_size(expression)
        ends = self._ends(expression)
        before, after = self._sides
        self._link(ends.last[after], END)
        return ends.first[before] | (END if self._sides in ends.empty else 0)

    def _ends(self, node: Expression) -> _Ends:  # noqa: C901, PLR0911 - one case for each type
        self._budget.spend()
        match node:
            case regex.Concat(operands):
                return self._in_a_row(operands)
            case regex.Repeat():
                return self._in_a_row(written_out(node))
            case regex.Union(operands):
                return _either(list(map(self._ends, operands)))
            case regex.Repetition(inner):
                return self._repeated(node, self._ends(inner))
            case regex.Empty():
                return _Ends((0, 0), (0, 0), frozenset())
            case regex.Epsilon():
                return _EMPTY
            case regex.WordBoundary(negated):
                between = [sides for sides in _ALL_SIDES if (sides[0] != sides[1]) != negated]
                return _Ends((0, 0), (0, 0), frozenset(between))
            case regex.Intersection() | regex.Complement():
                return self._ends_of_boolean(node)
        # A symbol is of one kind; a wildcard stands for symbols of both, and has a position for each.
        kinds = _KINDS
        if isinstance(node, regex.Character | regex.CharacterClass) and not _is_negated(node):
            kinds = tuple(sorted(set(map(_kind, regex.named(node)))))
        bits: State = 0
        for kind in kinds:
            bits |= self._leaf_position(node, kind)
        return _Ends((bits, bits), (bits, bits), frozenset())

    def _leaf_position(self, node: Expression, kind: int) -> State:
        bit, _, _ = self._add(node)
        self._of_kind[kind] |= bit
        return bit

    def _repeated(self, node: regex.Repetition, inner: _Ends) -> _Ends:
        # A repetition that matches the empty string adds nothing to one beside it, so it is left out.
        if not isinstance(node, regex.Optional):
            self._connect(inner, inner)
        empty = inner.empty if isinstance(node, regex.Plus) else _ALL_SIDES
        return _Ends(inner.first, inner.last, empty)

    def _in_a_row(self, operands: Sequence[Expression]) -> _Ends:
        row = _EMPTY
        for operand in operands:
            ends = self._ends(operand)
            self._connect(row, ends)
            first_positions, last_positions = list(row.first), list(ends.last)
            for before, kind in row.empty:  # the next part begins with a symbol of this kind
                first_positions[before] |= ends.first[before] & self._of_kind[kind]
            for kind, after in ends.empty:  # the part before ended with a symbol of this kind
                last_positions[after] |= row.last[after] & self._of_kind[kind]
            row = _Ends(
                (first_positions[0], first_positions[1]),
                (last_positions[0], last_positions[1]),
                row.empty & ends.empty,
            )
        return row

    def _connect(self, left: _Ends, right: _Ends) -> None:
        """Transitions from the last positions of a part to the first ones of the next."""
        for before, after in _ALL_SIDES:
            following = right.first[before] & self._of_kind[after]
            if following:
                self._link(left.last[after] & self._of_kind[before], following)

    def _ends_of_boolean(self, node: Expression) -> _Ends:
        """The ends of an intersection or a complement: one automaton for each pair of sides, if these matter."""
        if not any(isinstance(operand, regex.WordBoundary) for operand in node.subformulas()):
            first_positions, last_positions, is_empty = self._add_automaton(
                self._automaton_between(node, _OUTSIDE)
            )
            empty = _ALL_SIDES if is_empty else frozenset()
            return _Ends(
                (first_positions, first_positions), (last_positions, last_positions), empty
            )
        firsts: list[State] = [0, 0]
        lasts: list[State] = [0, 0]
        between = []
        # In a fixed order: positions are numbered as they come, and a set has no order.
        for before, after in sorted(_ALL_SIDES):
            sides = before, after
            first_positions, last_positions, is_empty = self._add_automaton(
                self._automaton_between(node, sides)
            )
            firsts[before] |= first_positions
            lasts[after] |= last_positions
            if is_empty:
                between.append(sides)
        return _Ends((firsts[0], firsts[1]), (lasts[0], lasts[1]), frozenset(between))

    def _automaton_between(self, node: Expression, sides: _Sides) -> Deterministic:
        # Without the store, each level of complements would make four automata of each automaton inside.
        key = node, sides
        if key not in self._store:
            inner = _BoundaryAutomaton(
                node.children(), self._budget, self.alphabet, sides, self._store
            )
            automaton = deterministic(inner, self._budget)
            is_complement = isinstance(node, regex.Complement)
            self._store[key] = automaton.complement() if is_complement else automaton
        return self._store[key]

    def _position_of(self, symbols: Collection[str]) -> State:
        bits: State = 0
        for kind in _KINDS:
            of_kind = {symbol for symbol in symbols if _kind(symbol) == kind}
            if of_kind:  # a position without symbols would only make states larger
                if self.others[kind] in of_kind:
                    of_kind = of_kind - {self.others[kind]} | {OTHER}
                bit = super()._position_of(of_kind)
                self._of_kind[kind] |= bit
                bits |= bit
        return bits


def _kind(symbol: str) -> int:
    return int(symbol == OTHER_OF_WORDS or bool(is_word_symbol(symbol)))


def _is_negated(node: Expression) -> bool:
    return isinstance(node, regex.CharacterClass) and node.negated


def _either(choices: Sequence[_Ends]) -> _Ends:
    first_positions, last_positions, empty = [0, 0], [0, 0], frozenset[_Sides]()
    for ends in choices:
        for kind in _KINDS:
            first_positions[kind] |= ends.first[kind]
            last_positions[kind] |= ends.last[kind]
        empty |= ends.empty
    return _Ends(
        (first_positions[0], first_positions[1]), (last_positions[0], last_positions[1]), empty
    )
