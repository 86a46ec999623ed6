"""Automata over the positions of regular expressions, run as deterministic ones.

A position is an occurrence of a symbol in an expression; the automaton of Glushkov ("The abstract theory of automata",
1961) has a transition from each position to those that may follow it. Sets of positions are Python integers, one
bit a position, so one step of the subset construction is a handful of bitwise operations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_

from pytest_autoeval.languages.isolation import GaveUpError, TimeLimit
from pytest_autoeval.languages.limits import check_size
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.syntax import Expression

#: A set of positions that may come next, one bit each; the state of a deterministic automaton.
State = int
#: The positions that an expression may begin with, those that it may end with, and whether it accepts ε.
_Ends = tuple[State, State, bool]
#: The bit that a state has if the string may end there.
END: State = 1
#: Stands for every symbol that the expressions do not name.
OTHER = ""
#: Bytes that Python and a search need to keep a state, next to its bits.
_OVERHEAD = 350


#: Bytes that the states of one decision may take; what a state takes is counted, not measured.
MAX_MEMORY = 256 * 1024 * 1024


class DecisionBudget:
    """What is left of ``seconds`` of processor time of this thread, and of ``memory`` bytes.

    Whatever runs under a budget calls :meth:`spend` often: between two calls a few milliseconds may pass.
    """

    def __init__(self, seconds: float, memory: int = MAX_MEMORY) -> None:
        self._seconds = seconds
        self.time = TimeLimit(seconds)
        self._memory = memory

    def spend(self, memory: int = 0) -> None:
        """Takes ``memory`` bytes; raises :class:`GaveUpError` when they, or the time, are not left."""
        self._memory -= memory
        if self._memory < 0:
            raise GaveUpError("the automata have too many states")
        if self.time.is_over:
            raise GaveUpError(f"no answer within {self._seconds:g} s")


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
        self.starts = tuple(map(self._start, expressions))
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
            while reading:  # (as in _bits: a generator takes twice the time)
                lowest = reading & -reading
                reached |= follow[lowest.bit_length() - 1]
                reading ^= lowest
            found.append(reached)
        self._successors[state] = result = tuple(found)
        return result

    def _start(self, expression: Expression) -> State:
        check_size(expression)
        first, last, nullable = self._add(expression)
        self._link(last, END)
        return first | END if nullable else first

    def _add(self, node: Expression) -> _Ends:
        self._budget.spend()
        match node:
            case regex.Concat(parts):
                return self._joined(parts)
            case regex.Repeat(inner, minimum, maximum):  # a{2,3} is aaa?, a{2,} is aaa*
                more = [regex.Star(inner)] if maximum is None else [regex.Optional(inner)] * (maximum - minimum)
                return self._joined([*[inner] * minimum, *more])
            case regex.Union(parts):
                firsts, lasts, nullables = zip(*map(self._add, parts), strict=True)
                return reduce(or_, firsts), reduce(or_, lasts), any(nullables)
            case regex.Repetition(inner):
                first, last, nullable = self._add(inner)
                if not isinstance(node, regex.Optional):
                    self._link(last, first)
                return first, last, nullable or not isinstance(node, regex.Plus)
            case regex.Empty() | regex.Epsilon():
                return 0, 0, isinstance(node, regex.Epsilon)
        bit = 1 << len(self._follow)
        self._follow.append(0)
        negated = isinstance(node, regex.AnySymbol) or (isinstance(node, regex.CharacterClass) and node.negated)
        self._wild |= bit * negated
        for char in regex.named(node):
            (self._sparing if negated else self._naming)[char] |= bit
        return bit, bit, False

    def _joined(self, parts: Sequence[Expression]) -> _Ends:
        first, last, nullable = 0, 0, True
        for part in parts:
            its_first, its_last, is_nullable = self._add(part)
            self._link(last, its_first)
            first |= its_first if nullable else 0
            last = its_last | last if is_nullable else its_last
            nullable = nullable and is_nullable
        return first, last, nullable

    def _link(self, positions: State, following: State) -> None:
        for position in _bits(positions):
            self._budget.spend()
            self._follow[position] |= following


def _bits(state: State) -> Iterator[int]:
    while state:
        lowest = state & -state
        yield lowest.bit_length() - 1
        state ^= lowest
