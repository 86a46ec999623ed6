"""The offline embedding model: words and pairs of neighbouring words, counted in hashed buckets.

It sees nothing of what is said in other words, and next to nothing of the words' order: it shows what can be had with
no understanding at all. The hashing trick is that of Weinberger et al., Feature Hashing for Large Scale Multitask
Learning (2009), without signs, so that no text's vector vanishes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from hashlib import blake2b
from itertools import pairwise

DIMENSIONS = 64
DESCRIPTION = f"embeds texts as hashed words and pairs of words, in {DIMENSIONS} dimensions; answers no conversation"

_WORD = re.compile(r"\w+|[^\w\s]")
_BEFORE_THE_FIRST = ""


def bag_of_words(text: str) -> tuple[float, ...]:
    """The vector of a text, of length 1; the same on every machine."""
    words = [_BEFORE_THE_FIRST, *_WORD.findall(text.casefold())]
    features = [*words, *map(" ".join, pairwise(words))]
    counts = Counter(map(_bucket, features))
    length = math.sqrt(sum(count * count for count in counts.values()))
    return tuple(counts[bucket] / length for bucket in range(DIMENSIONS))


def word_count(text: str) -> int:
    """How many words a text has, signs included: the model's tokens."""
    return len(_WORD.findall(text))


def _bucket(feature: str) -> int:
    return int.from_bytes(blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest()) % DIMENSIONS
