"""Lassos over the atoms of a normal form, as numbers: what the searches for a lasso hand to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_autoeval.languages.ltl.traces.lasso import Lasso, shortest

#: The atoms that hold, a bit each, in the order of the normal form.
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
        """The same infinite word with the shortest loop, and after that the shortest prefix: one for equal words."""
        return LassoWord(*shortest(self.prefix, self.loop))

    def lasso(self, names: Sequence[str], atoms: Sequence[str]) -> Lasso:
        """The trace, ``names`` being those of the letters' bits; further ``atoms`` are false throughout."""

        def states(letters: Sequence[Letter]) -> tuple[frozenset[str], ...]:
            return tuple(frozenset(name for bit, name in enumerate(names) if letter >> bit & 1) for letter in letters)

        return Lasso(tuple(atoms), states(self.prefix), states(self.loop))
