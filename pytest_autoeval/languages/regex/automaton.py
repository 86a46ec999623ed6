"""Automata over the positions of regular expressions, run as deterministic ones.

A position is an occurrence of a symbol in an expression; the automaton of Glushkov ("The abstract theory of automata",
1961) has a transition from each position to those that may follow it. Sets of positions are Python integers, one
bit a position, so one step of the subset construction is a handful of bitwise operations.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_autoeval.languages.regex.budget import DecisionBudget
from pytest_autoeval.languages.regex.syntax import (
    AnySymbol,
    Character,
    CharacterClass,
    Concat,
    Epsilon,
    Expression,
    Optional,
    Plus,
    Repeat,
    Star,
    fold,
)

#: A set of positions that may come next, one bit each; the state of a deterministic automaton.
State = int
#: The bit that a state has if the string may end there.
END: State = 1
#: Stands for every symbol that the expressions do not name.
OTHER = ""
#: Bytes that Python and a search need to keep a state, next to its bits.
_OVERHEAD = 350


@dataclass(slots=True)
class _Part:
    """A node with its position (of a symbol), the positions it may begin with, and whether it accepts ε."""

    node: Expression
    position: int
    first: State
    nullable: bool
    parts: Sequence[_Part] = ()


class Automaton:
    """One automaton for several expressions, over one set of positions.

    ``starts`` are the states in which the expressions begin; the language of a union of states is the union of
    their languages. ``alphabet`` are the symbols that the expressions name, in order; ``is_open`` says that there is
    a wildcard or a negated class, whose meaning depends on what other symbols there are.
    """

    def __init__(self, expressions: Sequence[Expression], budget: DecisionBudget) -> None:
        self._budget = budget
        self._follow: list[State] = [0]
        self._naming: defaultdict[str, State] = defaultdict(int)
        self._sparing: defaultdict[str, State] = defaultdict(int)
        self._wild: State = 0
        self.starts = tuple([self._add(expression) for expression in expressions])
        self.alphabet = tuple(sorted({*self._naming, *self._sparing}))
        self.is_open = bool(self._wild)
        self.use(self.alphabet)

    @property
    def positions(self) -> int:
        """How many symbols the expressions have, once repetitions are written out."""
        return len(self._follow) - 1

    def use(self, symbols: Iterable[str]) -> None:
        """Lets the automaton run on these symbols; of those that no position tells apart, on the first one only.

        ``alike`` are the symbols that each one of ``symbols`` then stands for, itself among them.
        """
        classes: defaultdict[State, list[str]] = defaultdict(list)
        for symbol in symbols:
            mask = self._naming.get(symbol, 0) | self._wild & ~self._sparing.get(symbol, 0)
            classes[mask].append(symbol)
        self.alike = tuple(classes.values())
        self.symbols = tuple(symbols[0] for symbols in self.alike)
        self._masks = tuple(classes)
        self._successors: dict[State, tuple[State, ...]] = {}
        self._cost = (1 + len(self._masks)) * (_OVERHEAD + self.positions // 7)

    def successors(self, state: State) -> tuple[State, ...]:
        """The states after each of ``symbols``; 0 is the state that accepts nothing."""
        known = self._successors.get(state)
        if known is not None:
            return known
        self._budget.spend(self._cost)
        follow = self._follow
        found = []
        for mask in self._masks:
            reached, reading = 0, state & mask
            while reading:
                lowest = reading & -reading
                reached |= follow[lowest.bit_length() - 1]
                reading ^= lowest
            found.append(reached)
        self._successors[state] = result = tuple(found)
        return result

    def _add(self, expression: Expression) -> State:
        root = fold(_written_out(expression), self._part)
        pending: list[tuple[_Part, State]] = [(root, END)]
        while pending:
            self._budget.spend()
            part, following = pending.pop()
            if part.position:
                self._follow[part.position] = following
            elif isinstance(part.node, Concat):
                for child in reversed(part.parts):
                    pending.append((child, following))
                    following = child.first | following if child.nullable else child.first
            else:
                if isinstance(part.node, Star | Plus):
                    following |= part.first
                pending.extend([(child, following) for child in part.parts])
        return root.first | END if root.nullable else root.first

    def _part(self, node: Expression, parts: Sequence[_Part]) -> _Part:
        self._budget.spend()
        if isinstance(node, Character | CharacterClass | AnySymbol):
            return self._position(node)
        first = 0
        nullable = isinstance(node, Epsilon | Star | Optional | Concat)
        for part in parts:
            first |= part.first
            if isinstance(node, Concat):
                if not part.nullable:
                    nullable = False
                    break
            elif part.nullable:
                nullable = True
        return _Part(node, 0, first, nullable, parts)

    def _position(self, node: Expression) -> _Part:
        position = len(self._follow)
        bit = 1 << position
        self._follow.append(0)
        match node:
            case Character(char):
                self._naming[char] |= bit
            case CharacterClass(chars, False):
                for char in chars:
                    self._naming[char] |= bit
            case CharacterClass(chars, True):
                self._wild |= bit
                for char in chars:
                    self._sparing[char] |= bit
            case AnySymbol():
                self._wild |= bit
        return _Part(node, position, bit, False)


def _written_out(expression: Expression) -> Expression:
    """The expression without ``{m,n}``: a{2,3} is aaa?, a{2,} is aaa*."""
    return fold(expression, _without_repeat)


def _without_repeat(node: Expression, parts: Sequence[Expression]) -> Expression:
    if not isinstance(node, Repeat):
        unchanged = all(map(operator.is_, parts, node.children()))
        return node if unchanged else node.with_children(tuple(parts))
    inner = parts[0]
    optional = (Star(inner),) if node.maximum is None else (Optional(inner),) * (node.maximum - node.minimum)
    copies = (inner,) * node.minimum + optional
    if not copies:
        return Epsilon()
    return copies[0] if len(copies) == 1 else Concat(copies)
