"""Position automata of regular expressions, run as deterministic ones.

A position is an occurrence of a symbol in an expression. The automaton of Glushkov ("The abstract theory of automata",
1961) has a transition from each position to those that may follow it. A set of positions is a Python integer with one
bit for each, so a step of the subset construction is a few bitwise operations.

An intersection or a complement has no such positions. Its deterministic automaton is made first, by the product or with
the other states accepting, and minimised; each of its transitions then is a position.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import ClassVar

from pytest_autoeval.languages.base import fold
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.counting import counted
from pytest_autoeval.languages.regex.decision_budget import DecisionBudget
from pytest_autoeval.languages.regex.minimal_automaton import Deterministic, minimised
from pytest_autoeval.languages.regex.syntax import Expression
from pytest_autoeval.languages.size_limits import check_size

#: A state of the deterministic automaton: the positions that may come next, one bit for each.
State = int
#: The first positions of an expression, its last positions, and whether it accepts ε.
_Ends = tuple[State, State, bool]
#: The bit of a state in which the string may end.
END: State = 1
#: Stands for every symbol that the expressions do not name.
OTHER = ""
#: Bytes of a state in Python and in a search, besides its bits.
_OVERHEAD = 350
#: Levels of ``~`` and ``&`` in each other: each takes some calls of Python inside the one around it. Automata that grow
#: with each level end at the limits of time and memory.
MAX_LEVELS = 40
#: Positions that are linked between two looks at the time.
_LINKS_A_LOOK = 256


class Automaton:
    """One automaton for several expressions, over one set of positions.

    ``starts`` are the initial states of the expressions. The language of a union of states is the union of their
    languages. ``alphabet`` has the symbols that the expressions name, in order. ``is_open`` is true if there is a
    wildcard or a negated class: their meaning depends on the symbols that are not named. ``others`` stand for these.
    """

    others: ClassVar[tuple[str, ...]] = (OTHER,)

    def __init__(
        self,
        expressions: Sequence[Expression],
        budget: DecisionBudget,
        alphabet: Sequence[str],
    ) -> None:
        """The automaton of expressions; ``alphabet`` has the symbols that they and those around them name."""
        self._budget = budget
        self.alphabet = tuple(alphabet)
        #: For each position, those that may follow it. The first is END, which nothing follows.
        self._follow: list[State] = [0]
        #: The positions that read a symbol by name, those that read all but it, and those that read symbols not named.
        self._naming: defaultdict[str, State] = defaultdict(int)
        self._sparing: defaultdict[str, State] = defaultdict(int)
        self._wild: State = 0
        #: For positions of counted parts, those that they cover: a match from one of these is a match from them too.
        self._covered: dict[int, State] = {}
        starts = tuple(map(self._start, expressions))
        self.is_open = bool(self._wild)
        self.use(self.alphabet)
        self._cover_by_everything()
        self.starts = tuple(map(self._reduced, starts)) if self._covered else starts

    @property
    def positions(self) -> int:
        """The number of symbols of the expressions with all repetitions written out."""
        return len(self._follow) - 1

    def use(self, symbols: Iterable[str]) -> None:
        """Sets the symbols of the automaton. Symbols that no position distinguishes are represented by the first one.

        Afterwards ``symbols`` has the representatives, and ``alike`` all the symbols that each represents.
        """
        # A search takes a step for each symbol. A class such as [a-z] costs one, not 26.
        classes: defaultdict[State, list[str]] = defaultdict(list)
        for symbol in symbols:
            classes[self._mask(symbol)].append(symbol)
        self.alike = tuple(classes.values())
        self.symbols = tuple(symbols[0] for symbols in self.alike)
        self._masks = tuple(classes)
        self._successors: dict[State, tuple[State, ...]] = {}
        # The state and its successors. Python stores 30 bits of an integer in 4 bytes: 7.5 bits a byte.
        self._cost = (1 + len(self._masks)) * (_OVERHEAD + self.positions // 7)

    def _mask(self, symbol: str) -> State:
        """The positions that read a symbol."""
        return self._naming.get(symbol, 0) | self._wild & ~self._sparing.get(symbol, 0)

    def successors(self, state: State) -> tuple[State, ...]:
        """The states after each of ``symbols``; state 0 accepts nothing."""
        stored = self._successors.get(state)
        if stored is not None:
            return stored
        # A state is paid when it is made, since its successors stay in memory until the end.
        self._budget.spend(self._cost)
        follow = self._follow
        reduces = bool(self._covered)
        targets = []
        for mask in self._masks:
            reached, reading = 0, state & mask
            while reading:  # as in _bits, but a generator takes twice the time
                lowest = reading & -reading
                reached |= follow[lowest.bit_length() - 1]
                reading ^= lowest
            targets.append(self._reduced(reached) if reduces else reached)
        self._successors[state] = result = tuple(targets)
        return result

    def _reduced(self, state: State) -> State:
        """A state without the positions that others of it cover: it accepts the same strings."""
        covered = self._covered
        # From the lowest bit to the highest; ``remaining`` has the bits from ``position`` on.
        position = 0
        remaining = state
        while remaining:
            skipped = (remaining & -remaining).bit_length()
            position += skipped
            remaining >>= skipped
            if mask := covered.get(position - 1):
                state &= ~mask
                remaining = state >> position
        return state

    def _start(self, expression: Expression) -> State:
        check_size(expression)
        first_positions, last_positions, nullable = self._add(expression)
        self._link(last_positions, END)
        return first_positions | END if nullable else first_positions

    def _add(self, node: Expression) -> _Ends:  # noqa: PLR0911 - one case for each type of node
        self._budget.spend()
        match node:
            case regex.Character(char):  # first, since most nodes are symbols
                bit = self._new_position()
                self._naming[char] |= bit
                return bit, bit, False
            case regex.Concat(operands):
                return self._in_a_row_of([*map(self._add, operands)])
            case regex.Repeat() | regex.Optional():
                return self._counted(node)
            case regex.Union(operands):
                firsts, lasts, nullables = zip(*map(self._add, operands), strict=True)
                return reduce(or_, firsts), reduce(or_, lasts), any(nullables)
            case regex.Repetition(inner):
                first_positions, last_positions, nullable = self._add(inner)
                # Under * and +, the beginning may follow the end.
                self._link(last_positions, first_positions)
                return first_positions, last_positions, nullable or not isinstance(node, regex.Plus)
            case regex.Empty() | regex.Epsilon():
                return 0, 0, isinstance(node, regex.Epsilon)
            case regex.Intersection(operands):
                return self._add_automaton(self._deterministic(operands))
            case regex.Complement(inner):
                return self._add_automaton(self._deterministic([inner]).complement())
        # A wildcard or a class of symbols.
        bit = self._new_position()
        is_negated_class = isinstance(node, regex.CharacterClass) and node.negated
        reads_unnamed = isinstance(node, regex.AnySymbol) or is_negated_class
        self._wild |= bit if reads_unnamed else 0
        masks = self._sparing if reads_unnamed else self._naming
        for char in regex.named(node):
            masks[char] |= bit
        return bit, bit, False

    def _deterministic(self, operands: Sequence[Expression]) -> Deterministic:
        memory = self._budget.memory
        automaton = deterministic(Automaton(operands, self._budget, self.alphabet), self._budget)
        # Only the minimal automaton is kept: what the others took is free again.
        self._budget.memory = memory
        self._budget.spend(_OVERHEAD * len(automaton.table))
        return automaton

    def _new_position(self) -> State:
        self._follow.append(0)
        return 1 << len(self._follow) - 1

    def _add_automaton(self, automaton: Deterministic) -> _Ends:
        """The positions of a deterministic automaton: its transitions, except those after which nothing is accepted."""
        useful = automaton.useful
        leaving: list[State] = []
        entering: defaultdict[int, State] = defaultdict(int)
        last_positions: State = 0
        for row in automaton.table:
            symbols: defaultdict[int, list[str]] = defaultdict(list)
            for target, represented in zip(row, automaton.alike, strict=True):
                if target in useful:
                    symbols[target] += represented
            leaving.append(0)
            for target, read in symbols.items():
                bit = self._position_of(read)
                leaving[-1] |= bit
                entering[target] |= bit
                last_positions |= bit if automaton.accepting[target] else 0
        # The transitions that leave a state may follow each one that enters it.
        for state, bits in entering.items():
            self._link(bits, leaving[state])
        return leaving[0], last_positions, automaton.accepting[0]

    def _position_of(self, symbols: Collection[str]) -> State:
        """A new position that reads any of the symbols, OTHER perhaps among them."""
        self._budget.spend(_OVERHEAD + self.positions // 8)
        bit = self._new_position()
        symbols = set(symbols)
        reads_unnamed = OTHER in symbols
        if reads_unnamed:
            self._wild |= bit
        # Symbols not named are a set without end: if they are read, the named ones that are not read are noted.
        masks = self._sparing if reads_unnamed else self._naming
        for char in self.alphabet:
            if (char in symbols) != reads_unnamed:
                masks[char] |= bit
        return bit

    def _counted(self, node: regex.Repeat | regex.Optional) -> _Ends:
        """The ends of ``a?`` and ``a{m,n}``, whose optional copies cover those behind them."""
        required, optional, count = counted(node)
        ends = [self._add(operand) for operand in required]
        begin = len(self._follow)
        for _ in range(count):
            first_positions, last_positions, _ = self._add(optional)
            ends.append((first_positions, last_positions, True))
        self._cover(begin, count)
        return self._in_a_row_of(ends)

    def _cover(self, begin: int, count: int) -> None:
        """Notes which positions cover others in ``count`` copies of an optional part, from position ``begin`` on.

        In ``a?a?a?``, whatever matches from a position of a copy on matches from that position of an earlier copy on:
        more copies may follow there, and what follows them all is the same.
        """
        # A single copy covers nothing, and copies of ε have no positions.
        length = (len(self._follow) - begin) // count if count > 1 else 0
        if not length:
            return
        later: State = 0
        for copy in reversed(range(count)):
            start = begin + copy * length
            for position in range(start, start + length):
                self._budget.spend(self.positions // 8)
                self._covered[position] = self._covered.get(position, 0) | later << position - start
            later |= 1 << start

    def _cover_by_everything(self) -> None:
        """Notes that a last ``.*`` covers all positions: after a match of ``.*ab.*``, nothing else matters."""
        all_positions = (1 << len(self._follow)) - 1 & ~END
        reads_everything = all_positions
        # Without a wildcard, no position reads a symbol that nobody names.
        unnamed = map(self._mask, self.others) if self.is_open else ()
        for mask in (*self._masks, *unnamed):
            # What no position reads need not be read by this one.
            reads_everything &= mask or all_positions
            if not reads_everything:  # for nearly all expressions, after two symbols
                return
        for position in _bits(reads_everything):
            bit = 1 << position
            if self._follow[position] & (bit | END) == bit | END:
                self._covered[position] = all_positions & ~bit

    def _in_a_row_of(self, parts: Sequence[_Ends]) -> _Ends:
        # Backwards, each part gets one link. Forwards, it would get one for each optional part before the next one.
        following, last_positions, nullable = 0, 0, True
        for part_first, part_last, is_nullable in reversed(parts):
            if following:
                self._link(part_last, following)
            last_positions |= part_last if nullable else 0
            following = part_first | following if is_nullable else part_first
            nullable = nullable and is_nullable
        return following, last_positions, nullable

    def _link(self, positions: State, following: State) -> None:
        follow = self._follow
        while positions:  # as in _bits, but a generator takes twice the time
            lowest = positions & -positions
            position = lowest.bit_length() - 1
            follow[position] |= following
            positions ^= lowest
            # Small automata have fewer positions: each of their nodes looks at the time, and that is enough.
            if not position % _LINKS_A_LOOK:
                self._budget.spend()


def _bits(state: State) -> Iterator[int]:
    while state:
        lowest = state & -state
        yield lowest.bit_length() - 1
        state ^= lowest


def check_levels(expressions: Sequence[Expression]) -> None:
    """Raises :class:`GaveUpError` for too many intersections and complements in each other."""

    def levels(node: Expression, inside: Sequence[int]) -> int:
        return max(inside, default=0) + isinstance(node, regex.Intersection | regex.Complement)

    for expression in expressions:
        if fold(expression, levels) > MAX_LEVELS:
            raise GaveUpError(f"more than {MAX_LEVELS} levels of '&' and '~' in each other")


def deterministic(automaton: Automaton, budget: DecisionBudget) -> Deterministic:
    """The automaton of the strings that match all expressions of an automaton, also over symbols not named."""
    # A complement needs the symbols that nobody names as well: they may occur in its strings.
    automaton.use((*automaton.alphabet, *automaton.others))
    dead: tuple[State, ...] = (0,) * len(automaton.starts)
    numbers = {automaton.starts: 0}
    table: list[list[int]] = []
    reached = list(numbers)
    for states in reached:
        # A state of the product has one state for each operand.
        successors = [*zip(*map(automaton.successors, states), strict=True)]
        if len(dead) > 1:
            # State 0 accepts nothing, whatever the other operands accept.
            successors = [after if all(after) else dead for after in successors]
        for after in successors:
            if after not in numbers:
                budget.spend(_OVERHEAD * len(after))
                numbers[after] = len(numbers)
                reached.append(after)
        table.append([numbers[after] for after in successors])
    accepting = [all(state & END for state in states) for states in reached]
    return minimised(accepting, table, automaton.alike, budget)
