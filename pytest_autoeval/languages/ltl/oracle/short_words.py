"""Searches for a word that satisfies a normal form, by evaluating many words at once: the shortest, a shortened or a
random one.

A column is an integer: bit *i* is a formula's value at one position of the *i*-th word, as in
:mod:`~pytest_autoeval.languages.propositional.programs`. There is a column for each position.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pytest_autoeval.languages.ltl.oracle.normal import Kind, Literal, NormalForm
from pytest_autoeval.languages.ltl.traces.lasso import Lasso
from pytest_autoeval.languages.propositional.programs import truth_table

#: Up to this number of rows, the cost of a column is constant.
_CHEAP_ROWS = 1 << 11
#: All words are tried up to this product of letters and atoms.
_MAX_BITS = 18
#: The number of words that are drawn at once, and the maximum number of draws.
_DRAWS_AT_ONCE = 256
_ATTEMPTS = 8
#: How two random bits make an atom's value: mostly false, even, mostly true.
_MIXES: tuple[Callable[[int, int], int], ...] = (operator.and_, operator.xor, operator.or_)


#: The atoms that hold, one bit for each, in the order of the normal form.
Letter = int


class LassoWord(NamedTuple):
    """The letters of ``prefix``, then those of ``loop`` for ever."""

    prefix: tuple[Letter, ...]
    loop: tuple[Letter, ...]

    @property
    def letters(self) -> tuple[Letter, ...]:
        """Prefix and one turn of the loop."""
        return self.prefix + self.loop

    def reduced(self) -> LassoWord:
        """The same infinite word with the shortest loop and then the shortest prefix: unique for equal words."""
        prefix, loop = self
        size = len(loop)
        divisors = [turn for turn in range(1, size + 1) if size % turn == 0]
        period = next(turn for turn in divisors if loop[:turn] * (size // turn) == loop)
        loop = loop[:period]
        # A last letter of the prefix that equals that of the loop is a letter of a turned loop.
        while prefix and prefix[-1] == loop[-1]:
            prefix, loop = prefix[:-1], (*loop[-1:], *loop[:-1])
        return LassoWord(prefix, loop)

    def renumbered(self, bits: Sequence[int]) -> LassoWord:
        """The same word where ``bits[i]`` is the new bit of bit i of a letter."""

        def renumbered(letter: Letter) -> Letter:
            moved = 0
            for old, new in enumerate(bits):
                moved |= (letter >> old & 1) << new
            return moved

        prefix = tuple(map(renumbered, self.prefix))
        loop = tuple(map(renumbered, self.loop))
        return LassoWord(prefix, loop)

    def lasso(self, names: Sequence[str], atoms: Sequence[str]) -> Lasso:
        """The trace; ``names[i]`` is the atom of bit i of a letter. Other ``atoms`` are always false."""

        def states(letters: Sequence[Letter]) -> tuple[frozenset[str], ...]:
            return tuple(
                frozenset(name for bit, name in enumerate(names) if letter >> bit & 1)
                for letter in letters
            )

        return Lasso(tuple(atoms), states(self.prefix), states(self.loop))


#: A formula's columns, position by position.
Course = list[int]


class ColumnEvaluator:
    """Evaluates a normal form on lassos with equally long prefixes and equally long loops."""

    def __init__(self, form: NormalForm) -> None:
        self._form = form
        nesting: list[int] = []
        for kind, left, right in form.nodes:
            depth = 0
            # The operands of an atom are no literals.
            if kind not in (Kind.TRUE, Kind.ATOM):
                depth = max(nesting[left >> 1], nesting[right >> 1])
            is_past = kind in (Kind.YESTERDAY, Kind.SINCE)
            nesting.append(depth + is_past)
        #: A past operator's values repeat one turn of the loop later than its operands' do.
        self._turns = 1 + nesting[form.root >> 1]

    def work(self, prefix: int, loop: int) -> int:
        """The number of columns computed for lassos of a shape."""
        return len(self._form.nodes) * (prefix + self._turns * loop)

    def satisfied(self, prefix: int, letters: Sequence[Sequence[int]], full: int) -> int:
        """The column of the lassos that satisfy the formula."""
        root = self._form.root
        column = self.courses(prefix, letters, full)[root >> 1][0]
        return full ^ column if root & 1 else column

    def courses(  # noqa: C901 (a case for each kind of node)
        self, prefix: int, letters: Sequence[Sequence[int]], full: int
    ) -> list[Course]:
        """The columns of each node.

        ``letters`` has the columns of each atom, for each letter of prefix and loop. ``full`` is the column with all
        bits set.
        """
        loop = len(letters) - prefix
        unrolled = [*letters, *list(letters[prefix:]) * (self._turns - 1)]
        courses: list[Course] = []

        def course(literal: Literal) -> Course:
            columns = courses[literal >> 1]
            return [full ^ column for column in columns] if literal & 1 else columns

        for kind, left, right in self._form.nodes:
            match kind:
                case Kind.TRUE:
                    columns_of_node = [full] * len(unrolled)
                case Kind.ATOM:
                    columns_of_node = [letter[left] for letter in unrolled]
                case Kind.AND:
                    columns_of_node = [
                        a & b for a, b in zip(course(left), course(right), strict=True)
                    ]
                case Kind.XOR:
                    columns_of_node = [
                        a ^ b for a, b in zip(course(left), course(right), strict=True)
                    ]
                case Kind.NEXT:
                    now = course(left)
                    columns_of_node = [*now[1:], now[-loop]]
                case Kind.YESTERDAY:
                    columns_of_node = [0, *course(left)[:-1]]
                case Kind.UNTIL:
                    columns_of_node = _until(course(left), course(right), loop)
                case Kind.SINCE:
                    columns_of_node = _since(course(left), course(right))
            courses.append(columns_of_node)
        return courses


def _until(holds: Course, reaches: Course, loop: int) -> Course:
    """Goes backwards. A first pass over the loop, from false, gives the value after the last position."""
    later = 0
    backwards = list(zip(reversed(holds), reversed(reaches), strict=True))
    for hold, reach in backwards[:loop]:
        later = reach | hold & later
    columns = []
    for hold, reach in backwards:
        later = reach | hold & later
        columns.append(later)
    return columns[::-1]


def _since(holds: Course, reaches: Course) -> Course:
    before = 0
    columns = []
    for hold, reach in zip(holds, reaches, strict=True):
        before = reach | hold & before
        columns.append(before)
    return columns


class ShortWords:
    """Searches for words that satisfy a normal form, within a budget of ``work``.

    ``work`` counts computed columns, a tenth of a microsecond each. A limit in seconds would make the words depend on
    the machine.
    """

    def __init__(self, form: NormalForm, work: int) -> None:
        self._columns = ColumnEvaluator(form)
        self._atoms = len(form.atoms)
        self._next_size = 1
        self.work = work

    def shortest(self, below: int | None = None) -> LassoWord | None:
        """A word with the fewest letters, fewer than ``below``; among those, one with the shortest loop.

        None if there is none, or if the work is used up. The next call continues where this one stopped.
        """
        while below is None or self._next_size < below:
            size, bits = self._next_size, self._atoms * self._next_size
            shapes = [(size - loop, loop) for loop in range(1, size + 1)]
            if bits > _MAX_BITS or not self._affords(shapes, 1 << bits):
                return None
            # A row of the truth table is a word: its atoms at each position are the variables.
            columns, full = truth_table(bits)
            letters = []
            for position in range(size):
                start = position * self._atoms
                letters.append(columns[start : start + self._atoms])
            # Long prefixes first, since short loops are easier to read.
            for prefix in reversed(range(size)):
                if rows := self._columns.satisfied(prefix, letters, full):
                    row = _lowest(rows)
                    one_letter = (1 << self._atoms) - 1
                    word = [row >> index * self._atoms & one_letter for index in range(size)]
                    return LassoWord(tuple(word[:prefix]), tuple(word[prefix:]))
            self._next_size += 1
        return None

    def shortened(self, word: LassoWord) -> LassoWord:
        """A shorter word: drops runs of letters that are not needed, long runs first, and then shortens the loop."""
        window = len(word.letters)
        # Halves first: a long word of a tableau gets short in a few steps.
        while window := window // 2:
            while shorter := self._without(word, window):
                word = shorter
        return (self._without(word, 0) or word).reduced()

    def drawn(self, longest: int, rng: random.Random) -> LassoWord | None:
        """A random word of at most ``longest`` letters; None if all draws fail."""
        for _ in range(_ATTEMPTS):
            size = rng.randint(1, longest)
            prefix = rng.randrange(size)
            if not self._affords([(prefix, size - prefix)], _DRAWS_AT_ONCE):
                break
            # A formula such as G a needs a mostly true atom, and G !a a mostly false one.
            mix = rng.choice(_MIXES)
            letters = [self._drawn_letter(mix, rng) for _ in range(size)]
            if rows := self._columns.satisfied(prefix, letters, (1 << _DRAWS_AT_ONCE) - 1):
                row = _lowest(rows)
                word = [_letter_of_row(row, columns) for columns in letters]
                return LassoWord(tuple(word[:prefix]), tuple(word[prefix:])).reduced()
        return None

    def _drawn_letter(self, mix: Callable[[int, int], int], rng: random.Random) -> list[int]:
        columns = []
        for _ in range(self._atoms):
            column = mix(rng.getrandbits(_DRAWS_AT_ONCE), rng.getrandbits(_DRAWS_AT_ONCE))
            columns.append(column)
        return columns

    def _without(self, word: LassoWord, window: int) -> LassoWord | None:
        """A word without ``window`` adjacent letters, with any loop, that satisfies the formula."""
        letters = word.letters
        size = len(letters) - window
        self.work -= size * size  # the candidates made below
        if self.work < 0:
            return None
        shorter = [letters[:start] + letters[start + window :] for start in range(size + 1)]
        candidates = list(dict.fromkeys(shorter))

        def column(position: int, atom: int) -> int:
            return sum((word[position] >> atom & 1) << row for row, word in enumerate(candidates))

        atoms = range(self._atoms)
        columns = [[column(position, atom) for atom in atoms] for position in range(size)]
        for prefix in reversed(range(size)):
            if not self._affords([(prefix, size - prefix)], 1):
                return None
            if rows := self._columns.satisfied(prefix, columns, (1 << len(candidates)) - 1):
                chosen = candidates[_lowest(rows)]
                return LassoWord(chosen[:prefix], chosen[prefix:])
        return None

    def _affords(self, shapes: Sequence[tuple[int, int]], rows: int) -> bool:
        """Takes the work for lassos of these shapes; False if less is left."""
        needed = sum(self._columns.work(*shape) for shape in shapes) * (1 + rows // _CHEAP_ROWS)
        if needed > self.work:
            return False
        self.work -= needed
        return True


def _letter_of_row(row: int, columns: Sequence[int]) -> Letter:
    return sum((column >> row & 1) << atom for atom, column in enumerate(columns))


def _lowest(rows: int) -> int:
    return (rows & -rows).bit_length() - 1
