"""English phrases for propositions: when two say the same, how alike two are, and which of one list match which.

Two measures, for two purposes. *The same* is strict, because a verdict hangs on it: equal :func:`words_of`, in
equal order. *Similar* is gradual, and only ever a score or evidence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

#: From this similarity of words on, a phrase counts as found; of five words, one may differ.
FOUND = 0.8

_ARTICLES = frozenset({"a", "an", "the"})
#: Forms that say when, or make a whole sentence of a phrase, and are not what it says.
_BEING = frozenset({"am", "are", "be", "been", "being", "is", "was", "were"})
_AUXILIARIES = _BEING | {"do", "does", "did", "shall", "should", "will", "would", "must"}
_NEGATIONS = frozenset({"not", "no", "never", "neither", "nor", "none", "nothing", "nobody", "without"})
_DENIALS = frozenset({"not", "no"})
_CONTRACTED = {"can't": "can not", "won't": "will not", "shan't": "shall not", "cannot": "can not"}
_WORD = re.compile(r"(?<!\w)-\d+|[^\W_]+(?:'[^\W_]+)?|[<>=≤≥≠+*/%]+")
_SIBILANT = re.compile(r"(?:ss|sh|ch|x|zz)es$")


@lru_cache(maxsize=4096)
def words_of(phrase: str) -> tuple[str, ...]:
    """The words by which phrases are compared.

    Left out are case, punctuation, the articles, and auxiliary forms of be, do, shall, will and must ("the door will
    open", "does the door open", "the door opens" have the same words). A plural or third person loses its ending
    (opens, passes, tries), and after a form of be an -ing does ("is opening"). Negations, can and may stay: they say
    something. Participles stay: "is closed" is not "closes". So do the letter in "sensor A", numbers and signs: "> 5".
    """
    text = unicodedata.normalize("NFKC", phrase).replace("’", "'")
    text = " ".join(_CONTRACTED.get(word.lower(), word) for word in text.split())
    found = _WORD.findall(re.sub(r"n't\b", " not", text))
    kept: list[str] = []
    after_being = False
    for at, word in enumerate(found):
        plain = word.lower().removesuffix("'s")
        is_letter = plain == "a" and at > 0 and (word == "A" or at == len(found) - 1)
        if is_letter or plain not in _ARTICLES | _AUXILIARIES:
            kept.append(_base(plain, progressive=after_being))
        after_being = plain in _BEING
    return tuple(kept)


def similarity(left: str, right: str) -> float:
    """How alike the words of two phrases are, from 0 to 1: one minus the edits, in words, by the longer length."""
    return Levenshtein.normalized_similarity(words_of(left), words_of(right))


def is_found(left: str, right: str) -> bool:
    """Whether one phrase may pass for the other in a score: similar enough, and both negated or neither."""
    ours, theirs = words_of(left), words_of(right)
    return similarity(left, right) >= FOUND and _NEGATIONS.intersection(ours) == _NEGATIONS.intersection(theirs)


def spelling_similarity(left: str, right: str) -> float:
    """How alike two phrases are to the letter, from 0 to 1: the normalised Levenshtein similarity."""
    return Levenshtein.normalized_similarity(_spelled(left), _spelled(right))


def jaccard(left: str, right: str) -> float:
    """The words that two phrases share, by all that they have; from 0 to 1."""
    ours, theirs = set(words_of(left)), set(words_of(right))
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0


def is_negated(phrase: str) -> bool:
    """Whether a phrase says that something is not so: an odd number of its words are not and no."""
    return sum(word in _DENIALS for word in words_of(phrase)) % 2 == 1


def distinctive_similarities(left: Sequence[str], right: Sequence[str]) -> list[list[float]]:
    """How alike each phrase on the left and each on the right are in the words that distinguish them on their own side.

    From 0 to 1; evidence, and no more: words are compared by their stems and count the less, the more phrases of
    the right side have them. Words of all phrases of a side count nothing, nor does a negation
    (:func:`is_negated`). Phrases of the same words are alike by 1.
    """
    theirs, ours = ([_stems(phrase) for phrase in phrases] for phrases in (left, right))
    theirs, ours = _distinctive(theirs), _distinctive(ours)
    weights = {word: 1 / sum(word in words for words in ours) for words in ours for word in words}
    return [
        [
            1.0 if words_of(a) == words_of(b) else _weighted_jaccard(their, our, weights)
            for b, our in zip(right, ours, strict=True)
        ]
        for a, their in zip(left, theirs, strict=True)
    ]


def _distinctive(sides: list[frozenset[str]]) -> list[frozenset[str]]:
    shared = frozenset.intersection(*sides) if len(sides) > 1 else frozenset()
    return [words - shared for words in sides]


def _weighted_jaccard(left: frozenset[str], right: frozenset[str], weights: Mapping[str, float]) -> float:
    both, either = (sum(sorted(weights.get(word, 1.0) for word in words)) for words in (left & right, left | right))
    return both / either if either else 0.0


def _stems(phrase: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in words_of(phrase) if word not in _DENIALS)


def _stem(word: str) -> str:
    """What a word begins with, without its commonest endings: opened, opening and opener are one."""
    stem = re.sub(r"(?:ing|ed|er|ion|ment|e)$", "", word)
    return stem if len(stem) >= 3 else word


@dataclass(frozen=True, slots=True)
class Matching:
    """Pairs of indices, of a left and of a right item, and the sum of what the pairs are worth."""

    pairs: tuple[tuple[int, int], ...]
    worth: float


def best_matching(values: Sequence[Sequence[float]]) -> Matching:
    """The one-to-one matching of rows and columns of the highest sum; as many pairs as the shorter side has items.

    By shortest augmenting paths over dual prices (the Hungarian method; Kuhn 1955, Munkres 1957). Of several equal
    ones, always the same is returned.
    """
    width = len(values[0]) if values else 0
    if len(values) > width:
        turned = best_matching([list(column) for column in zip(*values, strict=True)])
        return Matching(tuple(sorted((j, i) for i, j in turned.pairs)), turned.worth)
    chosen: list[int | None] = [None] * width
    row_prices, column_prices = [0.0] * len(values), [0.0] * width
    for row in range(len(values)):
        _augment(row, values, chosen, row_prices, column_prices)
    pairs = tuple(sorted((row, column) for column, row in enumerate(chosen) if row is not None))
    return Matching(pairs, sum(values[row][column] for row, column in pairs))


def _augment(
    root: int,
    values: Sequence[Sequence[float]],
    chosen: list[int | None],
    row_prices: list[float],
    column_prices: list[float],
) -> None:
    """Gives the row ``root`` a column, at the least cost for the rows that have one already."""
    columns = range(len(chosen))
    slack = [float("inf")] * len(chosen)
    came_from: list[int | None] = [None] * len(chosen)
    reached: list[int] = []
    row, at = root, None
    while True:
        for column in columns:
            cost = -values[row][column] - row_prices[row] - column_prices[column]
            if column not in reached and cost < slack[column]:
                slack[column], came_from[column] = cost, at
        at = min((column for column in columns if column not in reached), key=lambda column: (slack[column], column))
        step = slack[at]
        row_prices[root] += step
        for column in reached:
            owner = chosen[column]
            assert owner is not None
            row_prices[owner] += step
            column_prices[column] -= step
        slack = [value if column in reached else value - step for column, value in enumerate(slack)]
        reached.append(at)
        owner = chosen[at]
        if owner is None:
            break
        row = owner
    while at is not None:
        before = came_from[at]
        chosen[at] = root if before is None else chosen[before]
        at = before


def _spelled(phrase: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", phrase).lower().strip(" .\"'").split())


def _base(word: str, *, progressive: bool) -> str:
    """The word without the ending of a plural or third person; without -ing where that makes a continuous form."""
    if progressive and word.endswith("ing") and len(word) > 5:
        return _without_e(word[:-3])
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if _SIBILANT.search(word):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    return _without_e(word)


def _without_e(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
