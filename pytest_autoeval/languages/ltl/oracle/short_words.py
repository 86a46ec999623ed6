"""Words that satisfy a normal form, found by evaluating many at once: the shortest, a shortened one, drawn ones."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Sequence

from pytest_autoeval.languages.ltl.oracle.columns import Columns
from pytest_autoeval.languages.ltl.oracle.normal import NormalForm
from pytest_autoeval.languages.ltl.oracle.words import LassoWord
from pytest_autoeval.languages.propositional.truth_table import truth_table

#: Rows that a column may have before its length begins to matter.
_CHEAP_ROWS = 1 << 11
#: Letters times atoms of the words of which all are tried.
_MAX_BITS = 18
#: Words drawn at once.
_DRAWN = 256
#: How often that is done for each word that is wanted, at most.
_ATTEMPTS = 8
#: What is done with two random bits for an atom's value: mostly false, even, mostly true.
_MIXES: tuple[Callable[[int, int], int], ...] = (operator.and_, operator.xor, operator.or_)


class ShortWords:
    """Looks for words that satisfy a normal form, while work lasts.

    ``work`` is counted in columns computed, a tenth of a microsecond each. As it is not counted in seconds, the words
    found are always the same.
    """

    def __init__(self, form: NormalForm, work: int) -> None:
        self._columns = Columns(form)
        self._atoms = len(form.atoms)
        self._least = 1
        self.work = work

    def shortest(self, below: int | None = None) -> LassoWord | None:
        """The word with the fewest letters, if it has fewer than ``below``, of those the one with the shortest loop.

        None when there is none or when work runs out. Called again, it goes on from where it stopped.
        """
        while below is None or self._least < below:
            size, bits = self._least, self._atoms * self._least
            if bits > _MAX_BITS or not self._affords([(size - loop, loop) for loop in range(1, size + 1)], 1 << bits):
                return None
            columns, full = truth_table(bits)
            letters = [columns[letter * self._atoms : (letter + 1) * self._atoms] for letter in range(size)]
            for prefix in reversed(range(size)):
                if rows := self._columns.satisfied(prefix, letters, full):
                    row = _lowest(rows)
                    word = [row >> letter * self._atoms & (1 << self._atoms) - 1 for letter in range(size)]
                    return LassoWord(tuple(word[:prefix]), tuple(word[prefix:]))
            self._least += 1
        return None

    def shortened(self, word: LassoWord) -> LassoWord:
        """The word without the letters, many at once or a few, that it satisfies the formula without.

        Of what is left, the shortest loop is taken.
        """
        window = len(word.letters)
        while window := window // 2:
            while shorter := self._without(word, window):
                word = shorter
        return (self._without(word, 0) or word).reduced()

    def drawn(self, count: int, longest: int, rng: random.Random) -> list[LassoWord]:
        """Up to ``count`` different words of up to ``longest`` letters, of whatever shapes."""
        found: dict[LassoWord, None] = {}
        for _ in range(_ATTEMPTS * count):
            if len(found) == count:
                break
            size = rng.randint(1, longest)
            prefix = rng.randrange(size)
            if not self._affords([(prefix, size - prefix)], _DRAWN):
                break
            mix = rng.choice(_MIXES)
            letters = [
                [mix(rng.getrandbits(_DRAWN), rng.getrandbits(_DRAWN)) for _ in range(self._atoms)] for _ in range(size)
            ]
            rows = self._columns.satisfied(prefix, letters, (1 << _DRAWN) - 1)
            if rows:
                row = _lowest(rows)
                word = [sum((column >> row & 1) << atom for atom, column in enumerate(letter)) for letter in letters]
                found[LassoWord(tuple(word[:prefix]), tuple(word[prefix:])).reduced()] = None
        return list(found)

    def _without(self, word: LassoWord, window: int) -> LassoWord | None:
        """A word that satisfies the formula, of the same letters but for so many next to each other, in any loop."""
        letters = word.letters
        size = len(letters) - window
        self.work -= size * size  # for what is made before anything is evaluated
        if self.work < 0:
            return None
        candidates = list(dict.fromkeys(letters[:start] + letters[start + window :] for start in range(size + 1)))
        columns = [
            [sum((one[place] >> atom & 1) << row for row, one in enumerate(candidates)) for atom in range(self._atoms)]
            for place in range(size)
        ]
        for prefix in reversed(range(size)):
            if not self._affords([(prefix, size - prefix)], 1):
                return None
            if rows := self._columns.satisfied(prefix, columns, (1 << len(candidates)) - 1):
                chosen = candidates[_lowest(rows)]
                return LassoWord(chosen[:prefix], chosen[prefix:])
        return None

    def _affords(self, shapes: Sequence[tuple[int, int]], rows: int) -> bool:
        """Whether there is work left for the lassos of some shapes; if so, takes it."""
        needed = sum(self._columns.work(*shape) for shape in shapes) * (1 + rows // _CHEAP_ROWS)
        if needed > self.work:
            return False
        self.work -= needed
        return True


def _lowest(rows: int) -> int:
    """The number of the lowest bit that is set."""
    return (rows & -rows).bit_length() - 1
