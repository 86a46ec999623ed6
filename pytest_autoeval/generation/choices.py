"""A choice among weighted options, and who makes it: chance, a script that tries all, or (elsewhere) Hypothesis."""

from __future__ import annotations

import hashlib
import random
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Generic, Protocol, TypeVar

Option = TypeVar("Option")
Result = TypeVar("Result")


class Choices(Generic[Option]):
    """Options and their weights, which are non-negative integers; an option of weight zero is left out."""

    __slots__ = ("bits", "bound", "cumulative", "only", "options")

    def __init__(self, weighted: Iterable[tuple[Option, int]]) -> None:
        kept = [(option, weight) for option, weight in weighted if weight]
        self.options: Sequence[Option] = [option for option, _ in kept]
        self.cumulative: Sequence[int] = list(accumulate(weight for _, weight in kept))
        #: The sum of the weights, and how many random bits a number below it takes.
        self.bound = self.cumulative[-1] if kept else 0
        self.bits = self.bound.bit_length()
        #: The option that nobody need be asked for.
        self.only: Option | None = self.options[0] if len(kept) == 1 else None

    @classmethod
    def evenly(cls, options: Iterable[Option]) -> Choices[Option]:
        """Options of equal weight."""
        return cls((option, 1) for option in options)

    def probability(self, index: int) -> Fraction:
        """The share of one option's weight."""
        before = self.cumulative[index - 1] if index else 0
        return Fraction(self.cumulative[index] - before, self.cumulative[-1])


class Chooser(Protocol):
    """Picks one of the options."""

    def __call__(self, choices: Choices[Option], /) -> Option: ...


class Chance:
    """Picks options by their weights, from a stream of random bits that is the same everywhere."""

    def __init__(self, *identity: object) -> None:
        digest = hashlib.sha256("\0".join(map(str, identity)).encode()).digest()
        self._bits = random.Random(int.from_bytes(digest, "big")).getrandbits

    def __call__(self, choices: Choices[Option], /) -> Option:
        if choices.only is not None:
            return choices.only
        bits, bound = choices.bits, choices.bound
        # A number below the bound is made from bits alone, since those never change between Python versions.
        number = self._bits(bits)
        while number >= bound:
            number = self._bits(bits)
        return choices.options[bisect_right(choices.cumulative, number)]

    def without_replacement(self, weighted: Sequence[tuple[Option, int]]) -> Iterator[Option]:
        """All options, each drawn by weight among those that are left."""
        left = dict(enumerate(weighted))
        while left:
            choices = Choices((index, weight) for index, (_, weight) in left.items())
            remaining = choices.cumulative[-1]
            # Draws go on with the same weights, repeats skipped, while every other one can be new.
            while remaining * 2 >= choices.cumulative[-1] and left:
                index = self(choices)
                if index in left:
                    option, weight = left.pop(index)
                    remaining -= weight
                    yield option


class _Script:
    """Picks as a list of indices says, and the first option where the list ends."""

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
    """Every way that ``draw`` can go, with its probability: all options of each choice in turn."""
    indices: list[int] = []
    while True:
        script = _Script(indices)
        yield draw(script), script.probability
        while indices and indices[-1] + 1 == script.widths[len(indices) - 1]:
            indices.pop()
        if not indices:
            return
        indices[-1] += 1
