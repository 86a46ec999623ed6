"""Many lassos at once: bit *i* of an integer is a formula's value at one position of the *i*-th lasso.

As in :mod:`~pytest_autoeval.languages.propositional.truth_table`, with a column for each position.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_autoeval.languages.ltl.oracle.normal import Kind, Literal, NormalForm

#: A formula's columns, position by position.
Course = list[int]


class Columns:
    """Evaluates a normal form on lassos with equally long prefixes and equally long loops."""

    def __init__(self, form: NormalForm) -> None:
        self._form = form
        nesting: list[int] = []
        for kind, left, right in form.nodes:
            below = 0 if kind in (Kind.TRUE, Kind.ATOM) else max(nesting[left >> 1], nesting[right >> 1])
            nesting.append(below + (kind in (Kind.YESTERDAY, Kind.SINCE)))
        #: A past operator's values repeat one turn of the loop later than its operands' do.
        self._turns = 1 + nesting[form.root >> 1]

    def work(self, prefix: int, loop: int) -> int:
        """How many columns are computed for lassos of a shape."""
        return len(self._form.nodes) * (prefix + self._turns * loop)

    def satisfied(  # noqa: C901 (a case for each kind of node)
        self, prefix: int, letters: Sequence[Sequence[int]], full: int
    ) -> int:
        """Which of the lassos satisfy the formula: a column.

        ``letters`` has the columns of each atom for each letter of prefix and loop; ``full`` is the column of truth.
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
                    found = [full] * len(unrolled)
                case Kind.ATOM:
                    found = [letter[left] for letter in unrolled]
                case Kind.AND:
                    found = [a & b for a, b in zip(course(left), course(right), strict=True)]
                case Kind.XOR:
                    found = [a ^ b for a, b in zip(course(left), course(right), strict=True)]
                case Kind.NEXT:
                    now = course(left)
                    found = [*now[1:], now[-loop]]
                case Kind.YESTERDAY:
                    found = [0, *course(left)[:-1]]
                case Kind.UNTIL:
                    found = _until(course(left), course(right), loop)
                case Kind.SINCE:
                    found = _since(course(left), course(right))
            courses.append(found)
        return course(self._form.root)[0]


def _until(left: Course, right: Course, loop: int) -> Course:
    """Backwards, after a turn of the loop whose end no ``right`` follows: that gives what follows the last position."""
    later = 0
    backwards = list(zip(reversed(left), reversed(right), strict=True))
    for hold, reach in backwards[:loop]:
        later = reach | hold & later
    found = []
    for hold, reach in backwards:
        later = reach | hold & later
        found.append(later)
    return found[::-1]


def _since(left: Course, right: Course) -> Course:
    before = 0
    found = []
    for hold, reach in zip(left, right, strict=True):
        before = reach | hold & before
        found.append(before)
    return found
