"""Error messages by kind: messages that differ only in numbers or ids become one line with a count."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

_WORD = re.compile(r"[\w.-]+")


def kinds_of(messages: Iterable[str]) -> dict[str, int]:
    """The most frequent message of each kind, with the number of its messages. Words with a digit, and the lines after
    the first, do not distinguish kinds.
    """
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for message in messages:
        first_line = message.partition("\n")[0]
        kinds[
            _WORD.sub(lambda word: "0" if any(map(str.isdigit, word[0])) else word[0], first_line)
        ][message] += 1
    messages_by_kind = {
        # Of equally frequent messages the first one by name, so that equal runs have equal reports.
        min(times, key=lambda text: (-times[text], text)): times.total()
        for times in kinds.values()
    }
    return dict(sorted(messages_by_kind.items(), key=lambda kind: (-kind[1], kind[0])))
