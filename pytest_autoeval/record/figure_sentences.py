"""Makes sentences with figures: from a text and its values, from other sentences, and the figures in most of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count as count_from
from itertools import product
from string import ascii_lowercase

from pytest_autoeval.record.figures import Figure, Sentence, Value
from pytest_autoeval.text import percent_below

_PLACE = re.compile(r"\{(\w+)\}")
#: How many names a sentence lists.
_NAMES = 3


def sentence(text: str, **values: Value | Sentence) -> Sentence:
    """A sentence with its values. A sentence among them becomes a part of it: ``{reason}; {problem}``.

    Values without a place are left out.
    """
    places = set(_PLACE.findall(text))
    whole: dict[str, Value] = {
        name: value
        for name, value in values.items()
        if name in places and not isinstance(value, Sentence)
    }

    def in_place(place: re.Match[str]) -> str:
        value = values.get(place[1])
        return _taken_in(value, whole) if isinstance(value, Sentence) else place[0]

    return Sentence(_PLACE.sub(in_place, text), whole)


def _taken_in(part: Sentence, whole: dict[str, Value]) -> str:
    """The text of a part, whose values join those of the ``whole``; a name that is taken gets a letter."""
    names: dict[str, str] = {}
    for name, value in part.values.items():
        free = (other for other in _names(name) if other not in whole or whole[other] == value)
        names[name] = next(free)
        whole[names[name]] = value
    return _PLACE.sub(lambda place: f"{{{names.get(place[1], place[1])}}}", part.text)


def _names(name: str) -> Iterator[str]:
    """The name, then with letters: a digit in a name would look like a figure in the sentence."""
    yield name
    for length in count_from(1):
        yield from (
            f"{name}_{''.join(letters)}" for letters in product(ascii_lowercase, repeat=length)
        )


def joined(parts: Iterable[Sentence | None], separator: str = "; ") -> Sentence:
    """Several sentences in one; None and empty ones are left out."""
    kept = [part for part in parts if part is not None and part.text]
    if len(kept) == 1:
        return kept[0]
    whole: dict[str, Value] = {}
    return Sentence(separator.join([_taken_in(part, whole) for part in kept]), whole)


def listed(names: Sequence[str], most: int = _NAMES) -> Sentence:
    """Foreign names, the first ones if they are many: ``a, b, c and 2 more``."""
    shown = joined((sentence("{name}", name=name) for name in names[:most]), ", ")
    if len(names) <= most:
        return shown
    return sentence(
        "{names} and {more} more", names=shown, more=number(len(names) - most, name="more")
    )


def number(value: int, thing: str = "", *, name: str = "") -> Figure:
    """A count: ``1 sample``, ``1,200 samples``; without a ``thing`` the number alone."""
    return Figure(name or f"{thing}s", value, "count", measure=thing)


def given_rate(name: str, rate: float) -> Figure:
    """A rate that somebody chose, such as a threshold: ``90 %``, ``99.95 %``."""
    return Figure(name, rate, "rate", given=True)


def given_drop(drop: float, name: str = "drop") -> Figure:
    """A drop that somebody chose: ``5 points``."""
    return Figure(name, drop, "points", given=True)


def confidence(value: float) -> Figure:
    """The confidence of an interval, with at most two decimals and never rounded to 100 %: ``99.38 %``."""
    return given_rate("confidence", min(0.9999, round(value, 4)))


def decimals_below(rate: float, threshold: float) -> int:
    """With how many decimals a rate below a threshold shows that it is below."""
    return len(percent_below(rate, threshold).partition(".")[2])
