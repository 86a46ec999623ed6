"""The messages of errors by kind: hundreds that differ only in a number or an id are one line with a count."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

_WORD = re.compile(r"[\w.-]+")


def kinds_of(messages: Iterable[str]) -> dict[str, int]:
    """The commonest message of each kind, with their number; kinds differ in more than words that have a digit."""
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for message in messages:
        kinds[_WORD.sub(lambda word: "0" if any(map(str.isdigit, word[0])) else word[0], message)][message] += 1
    shown = {min(some, key=lambda text: (-some[text], text)): some.total() for some in kinds.values()}
    return dict(sorted(shown.items(), key=lambda kind: (-kind[1], kind[0])))
