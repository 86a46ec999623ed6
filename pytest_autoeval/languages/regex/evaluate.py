"""The evaluator: whether a string matches an expression. It follows the definition and shares no code with automata.

For a subexpression and a set of places in the string where its match may begin, it computes the set of places where the
match may end. A set of places is an integer with one bit for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise

from pytest_autoeval.languages.isolation import GaveUpError, TimeLimit
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.syntax import Expression


def accepts(expression: Expression, text: str, limit: TimeLimit | None = None) -> bool:
    """Whether the whole of a string matches.

    The time is polynomial in both lengths. Raises :class:`GaveUpError` past the ``limit``. Each level of the tree takes
    a stack frame, so the caller checks its height first.
    """
    return bool(_Matching(text, limit).ends(expression, 1) >> len(text))


class _Matching:
    def __init__(self, text: str, limit: TimeLimit | None) -> None:
        self._limit = limit
        self._text = text
        self._everywhere = (1 << len(text)) - 1
        #: The places of each symbol.
        self._offsets: dict[str, int] = {}
        for offset, symbol in enumerate(text):
            self._offsets[symbol] = self._offsets.get(symbol, 0) | 1 << offset
        #: The ends of the matches of a repeated node from a single start.
        self._ends_from: dict[tuple[int, int], int] = {}

    def ends(self, node: Expression, starts: int) -> int:  # noqa: C901, PLR0911, PLR0912 - one case for each type of node
        """The places where a match of the node that begins at one of ``starts`` may end."""
        if self._limit is not None and self._limit.is_over:
            raise GaveUpError(
                "a distinguishing string was found, but not checked within the time limit"
            )
        match node:
            case regex.Concat(operands):
                for operand in operands:
                    starts = self.ends(operand, starts)
                return starts
            case regex.Union(operands):
                ends = 0
                for operand in operands:
                    ends |= self.ends(operand, starts)
                return ends
            case regex.Intersection(operands):
                # From each start by itself: two parts must match the same piece of the string.
                return self._one_by_one(starts, lambda start: self._in_all(operands, start))
            case regex.Complement(inner):
                return self._one_by_one(
                    starts, lambda start: self._from(start) & ~self.ends(inner, start)
                )
            case regex.Star(inner):
                return self._repeated(inner, starts, 0, None)
            case regex.Plus(inner):
                return self._repeated(inner, starts, 1, None)
            case regex.Repeat(inner, minimum, maximum):
                return self._repeated(inner, starts, minimum, maximum)
            case regex.Optional(inner):
                return starts | self.ends(inner, starts)
            case regex.Epsilon():
                return starts
            case regex.WordBoundary(negated):
                return starts & (self._between_boundaries if negated else self._boundaries)
        return (starts & self._matching_places(node)) << 1

    @cached_property
    def _boundaries(self) -> int:
        """The places between a symbol of words and another; an end of the string counts as another."""
        kinds = [False, *map(_is_of_word, self._text), False]
        boundaries = 0
        for offset, (before, after) in enumerate(pairwise(kinds)):
            if before != after:
                boundaries |= 1 << offset
        return boundaries

    @property
    def _between_boundaries(self) -> int:
        return (self._everywhere << 1 | 1) & ~self._boundaries

    def _one_by_one(self, starts: int, ends_of: Callable[[int], int]) -> int:
        """The ends of matches from each single start. Matches from different starts must not be mixed."""
        ends = 0
        while starts:
            start = starts & -starts
            ends |= ends_of(start)
            starts ^= start
        return ends

    def _in_all(self, operands: Sequence[Expression], start: int) -> int:
        ends = self._from(start)
        for operand in operands:
            ends &= self.ends(operand, start)
        return ends

    def _from(self, start: int) -> int:
        """All places from a start on, the end of the string included."""
        return (self._everywhere << 1 | 1) & ~(start - 1)

    def _repeated(self, inner: Expression, starts: int, minimum: int, maximum: int | None) -> int:
        # Sets of places, not matches, are carried from one repetition to the next, so that no work grows with the
        # number of ways in which a string can be divided.
        for _ in range(minimum):
            starts = self.ends(inner, starts)
        if maximum is None:
            return self._closure(inner, starts)
        for _ in range(maximum - minimum):
            starts |= self.ends(inner, starts)
        return starts

    def _closure(self, inner: Expression, starts: int) -> int:
        """The places where any number of matches in a row may end. Each single start is followed only once."""
        reached = pending = starts
        while pending:
            start = pending & -pending
            # The node lives as long as the search, so its identity is a cheap key.
            key = (id(inner), start)
            if key not in self._ends_from:
                self._ends_from[key] = self.ends(inner, start)
            added = self._ends_from[key] & ~reached
            reached |= added
            pending = (pending ^ start) | added
        return reached

    def _matching_places(self, node: Expression) -> int:
        match node:
            case regex.Empty():
                return 0
            case regex.Character(char):
                return self._offsets.get(char, 0)
            case regex.CharacterClass(chars, negated):
                listed = 0
                for char in chars:
                    listed |= self._offsets.get(char, 0)
                return self._everywhere & ~listed if negated else listed
        return self._everywhere


def _is_of_word(symbol: str) -> bool:
    # Python's own definition, and not that of the syntax tree, which the automata use.
    if re.fullmatch(r"\w", symbol, re.ASCII):
        return True
    if re.fullmatch(r"\w", symbol):  # a letter or digit of another script
        raise GaveUpError(f"programs differ about {symbol!r} as a symbol of words")
    return False
