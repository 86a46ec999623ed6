"""Texts that repeat tokens of a notation, and how long a reader takes for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from math import inf
from random import Random
from time import process_time

from support.readers import LONGEST, Reader

#: Each length is about four times the one before. The last but one is just below the limit of strict parsers.
_LENGTHS = (15, 60, 250, 1_000, 4_000, 16_000, 19_990, LONGEST)
#: From this length on, the growth predicts the time for the longest text.
_TELLING = 4_000
#: The number of places of a text at which a token is inserted.
_CUTS = 8


@dataclass(frozen=True, slots=True)
class Shape:
    """``before``, then ``first`` and ``second``, both of them or the first alone many times, then ``after``.

    ``order`` is ``by turns`` (ababab), ``nested`` (aaabbb) or ``alone`` (aaab).
    """

    order: str
    first: str
    second: str = ""
    before: str = ""
    after: str = ""

    def text(self, length: int) -> str:
        """The text with about this number of characters between ``before`` and ``after``."""
        first, second = self.first, self.second
        if self.order == "alone":
            return self.before + first * (length // len(first)) + second + self.after
        times = length // len(first + second)
        return self.before + (
            (first + second) * times if self.order == "by turns" else first * times + second * times
        )

    def __str__(self) -> str:
        parts = (self.before, self.first, self.second, self.after)
        return f"{self.order}: {', '.join(repr(part) for part in parts if part)}"


def shapes(reader: Reader) -> Iterator[Shape]:
    """Every token of a reader repeated, every pair of tokens in every order, and every token inside real texts."""
    yield from (Shape("alone", token) for token in reader.tokens)
    for first, second in product(reader.tokens, repeat=2):
        if first != second:
            yield from (Shape(order, first, second) for order in ("by turns", "nested", "alone"))
    random = Random(0)
    for text, token, _ in product(reader.texts, reader.tokens, range(_CUTS)):
        at = random.randint(0, len(text))
        yield Shape("alone", token, before=text[:at], after=text[at:])


@dataclass
class Pumped:
    """The result for a reader: ``problems`` are texts that took too long, or raised an undocumented error."""

    shapes: int = 0
    inputs: int = 0
    slowest: float = 0.0
    slowest_shape: str = ""
    problems: list[str] = field(default_factory=list)


def pump(reader: Reader, tried: Iterable[Shape], most: float = inf, room: float = 1) -> Pumped:
    """Reads texts of growing length, up to the longest if the growth suggests that it takes too long.

    Ends after ``most`` seconds of processor time. ``room`` is the factor by which a reader may exceed its own seconds.
    """
    limit = room * reader.seconds
    for text in reader.texts:
        seconds_of(reader, text)  # what it imports is imported
    found, end = Pumped(), process_time() + most
    for shape in tried:
        if process_time() > end:
            break
        found.shapes += 1
        earlier = 0.0
        for length in _LENGTHS:
            text = shape.text(length)
            try:
                seconds = seconds_of(reader, text)
            except Exception as error:  # noqa: BLE001 - the finding
                found.problems.append(
                    f"{shape}, {len(text):,} characters: {type(error).__name__}: {str(error)[:200]}"
                )
                break
            found.inputs += 1
            if seconds > found.slowest:
                found.slowest, found.slowest_shape = seconds, f"{shape}, {len(text):,} characters"
            if seconds > limit:
                found.problems.append(f"{shape}, {len(text):,} characters: {seconds:.1f} s")
                break
            if length >= _TELLING and _expected(earlier, seconds, length) < limit:
                break
            earlier = seconds
    return found


def seconds_of(reader: Reader, text: str) -> float:
    """The processor time of a reader for a text; raises undocumented errors."""
    start = process_time()
    with suppress(*reader.errors):
        reader.read(text)
    return process_time() - start


def _expected(earlier: float, seconds: float, length: int) -> float:
    """The seconds for the longest text, if the time grows as a·n + b·n² does from a text of a quarter of the length."""
    quadratic = max(0.0, seconds - 4 * earlier) / (3 / 4)
    times = LONGEST / length
    return max(0.0, seconds - quadratic) * times + quadratic * times**2
