"""Error messages by kind: messages that differ only in numbers or ids become one line with a count."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from pytest_autoeval.lazy_pattern import lazy_pattern

#: A version, a time or the name of a host is one word.
_WORD = lazy_pattern(r"[\w.-]+")


def kinds_of(messages: Iterable[str]) -> dict[str, int]:
    """The most frequent message of each kind, with the number of its messages. Words with a digit, and the lines after
    the first, do not distinguish kinds.
    """
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for message in messages:
        first_line = message.partition("\n")[0]
        kind = _WORD.sub(_without_digits, first_line)
        kinds[kind][message] += 1
    numbers = {}
    for times in kinds.values():
        # Of equally frequent messages the first one by name, so that equal runs have equal reports.
        example = min(times, key=lambda text: (-times[text], text))
        numbers[example] = times.total()
    return dict(sorted(numbers.items(), key=lambda entry: (-entry[1], entry[0])))


def _without_digits(word: re.Match[str]) -> str:
    """``0`` for a word with a digit: a time or an id of a request makes no other kind of error."""
    return "0" if any(map(str.isdigit, word[0])) else word[0]
