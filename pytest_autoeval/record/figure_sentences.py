"""Makes sentences with figures: from a text and its values, from other sentences, and the figures in most of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count as count_from
from itertools import product
from string import ascii_lowercase

from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.record.figures import Figure, Sentence, Value
from pytest_autoeval.text import percent_below

#: The name of a value in a sentence, in braces.
_BRACES = lazy_pattern(r"\{(\w+)\}")
#: How many names a sentence lists.
_NAMES = 3


def sentence(text: str, **values: Value | Sentence) -> Sentence:
    """A sentence with its values. A sentence among them becomes a part of it: ``{reason}; {problem}``.

    Values whose names are not in the text are left out.
    """
    used = set(_BRACES.findall(text))
    outer: dict[str, Value] = {
        name: value
        for name, value in values.items()
        if name in used and not isinstance(value, Sentence)
    }

    def filled_in(braces: re.Match[str]) -> str:
        value = values.get(braces[1])
        # Its values join the outer ones, so that later sentences avoid their names.
        return _taken_in(value, outer) if isinstance(value, Sentence) else braces[0]

    return Sentence(_BRACES.sub(filled_in, text), outer)


def _taken_in(inner: Sentence, outer: dict[str, Value]) -> str:
    """The text of a sentence inside another one. Its values join the ``outer`` ones; a taken name gets a letter."""
    new_names: dict[str, str] = {}
    for name, value in inner.values.items():
        new_names[name] = _free_name(name, value, outer)
        outer[new_names[name]] = value

    def renamed(braces: re.Match[str]) -> str:
        name = braces[1]
        return f"{{{new_names.get(name, name)}}}"

    return _BRACES.sub(renamed, inner.text)


def _free_name(name: str, value: Value, outer: Mapping[str, Value]) -> str:
    """The first of the possible names that is not taken. Two sentences share a name for an equal value."""
    for possible in _names(name):
        if possible not in outer or outer[possible] == value:
            return possible
    raise AssertionError("there are endlessly many names")


def _names(name: str) -> Iterator[str]:
    """The name, then with letters: a digit in a name would look like a figure in the sentence."""
    yield name
    for length in count_from(1):
        yield from (
            f"{name}_{''.join(letters)}" for letters in product(ascii_lowercase, repeat=length)
        )


def joined(sentences: Iterable[Sentence | None], separator: str = "; ") -> Sentence:
    """Several sentences in one; None and empty ones are left out."""
    inner_sentences = [inner for inner in sentences if inner is not None and inner.text]
    if len(inner_sentences) == 1:  # nothing to rename
        return inner_sentences[0]
    values: dict[str, Value] = {}
    text = separator.join([_taken_in(inner, values) for inner in inner_sentences])
    return Sentence(text, values)


def listed(names: Sequence[str], most: int = _NAMES) -> Sentence:
    """Foreign names, the first ones if they are many: ``a, b, c and 2 more``."""
    beginning = joined((sentence("{name}", name=name) for name in names[:most]), ", ")
    if len(names) <= most:
        return beginning
    hidden = number(len(names) - most, name="more")
    return sentence("{names} and {more} more", names=beginning, more=hidden)


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
