"""The likeness of two English phrases.

There are two measures. *The same* is strict, because a verdict depends on it: :func:`words_of` gives the same words in
the same order. *Similar* is gradual, and only used for scores and as evidence: it compares words, not meanings.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from pytest_autoeval.lazy_pattern import lazy_pattern

#: From this similarity of words on, a phrase counts as found; of five words, one may differ.
_LEAST_ALIKE = 0.8

#: The English words that comparing phrases and glosses needs.
WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_FORMS_OF_BE = frozenset(WORDS["being"])
_NEGATIONS = frozenset(WORDS["negations"])
_NOT_AND_NO = frozenset(WORDS["denials"])
_LEFT_OUT = _FORMS_OF_BE.union(WORDS["articles"], WORDS["auxiliaries"])
_WORD = lazy_pattern(r"(?<!\w)-\d+|[^\W_]+(?:'[^\W_]+)?|[<>=≤≥≠+*/%]+")
_SIBILANT = lazy_pattern(r"(?:ss|sh|ch|x|zz)es$")


@lru_cache(maxsize=4096)
def words_of(phrase: str) -> tuple[str, ...]:
    """The words by which phrases are compared.

    Removes case, punctuation, articles, auxiliary forms of "be", "do", "shall", "will" and "must" ("the door will
    open", "does the door open"), the ending of a plural or third person, and "-ing" after a form of "be". Keeps
    negations, "can" and "may", participles ("is closed" is not "closes"), the letter in "sensor A", numbers and signs.
    """
    text = unicodedata.normalize("NFKC", phrase).replace("’", "'")
    contracted = WORDS["contracted"]
    text = " ".join(contracted.get(word.lower(), word) for word in text.split())
    words = _WORD.findall(re.sub(r"n't\b", " not", text))
    bases: list[str] = []
    after_being = False
    for position, word in enumerate(words):
        plain = word.lower().removesuffix("'s")
        # "sensor A", "block a": no article
        is_last = position == len(words) - 1
        is_letter = plain == "a" and position > 0 and (word == "A" or is_last)
        if is_letter or plain not in _LEFT_OUT:
            bases.append(_base(plain, progressive=after_being))
        after_being = plain in _FORMS_OF_BE
    return tuple(bases)


def similarity(phrase: str, reference: str) -> float:
    """The normalised Levenshtein similarity of two phrases by words, from 0 to 1."""
    return Levenshtein.normalized_similarity(words_of(phrase), words_of(reference))


def is_found(phrase: str, reference: str) -> bool:
    """Whether two phrases count as the same in a score: similar enough, and with the same negations."""
    if similarity(phrase, reference) < _LEAST_ALIKE:
        return False
    negations = _NEGATIONS.intersection(words_of(phrase))
    return negations == _NEGATIONS.intersection(words_of(reference))


def spelling_similarity(phrase: str, reference: str) -> float:
    """The normalised Levenshtein similarity of two phrases by characters, from 0 to 1."""
    return Levenshtein.normalized_similarity(_spelled(phrase), _spelled(reference))


def spelling_distance(phrase: str, reference: str) -> int:
    """The Levenshtein distance of two phrases by characters; that of a phrase to an empty one is its length."""
    return Levenshtein.distance(_spelled(phrase), _spelled(reference))


def jaccard(phrase: str, reference: str) -> float:
    """The Jaccard index of the words of two phrases, from 0 to 1."""
    words = set(words_of(phrase))
    reference_words = set(words_of(reference))
    union = words | reference_words
    if not union:
        return 0.0
    return len(words & reference_words) / len(union)


def is_negated(phrase: str) -> bool:
    """Whether an odd number of the words of a phrase are "not" or "no"."""
    negations = [word for word in words_of(phrase) if word in _NOT_AND_NO]
    return len(negations) % 2 == 1


def distinctive_similarities(
    phrases: Sequence[str], references: Sequence[str]
) -> list[list[float]]:
    """The similarity, from 0 to 1, of each phrase (a row) to each reference (a column), by their distinctive words.

    Words are compared by their stems, and weighted by 1 / the number of references that have them. Words of all
    phrases, or of all references, and negations do not count. Phrases of the same words have the similarity 1.
    """
    stems = _distinctive_stems(phrases)
    reference_stems = _distinctive_stems(references)
    numbers = Counter(stem for of_reference in reference_stems for stem in of_reference)
    weights = {stem: 1 / number for stem, number in numbers.items()}
    table: list[list[float]] = []
    for phrase, of_phrase in zip(phrases, stems, strict=True):
        row = []
        for reference, of_reference in zip(references, reference_stems, strict=True):
            is_same = words_of(phrase) == words_of(reference)
            row.append(1.0 if is_same else _weighted_jaccard(of_phrase, of_reference, weights))
        table.append(row)
    return table


def _distinctive_stems(phrases: Sequence[str]) -> list[frozenset[str]]:
    """The stems of the words of each phrase, without negations and without the stems that all phrases have."""
    stems = []
    for phrase in phrases:
        words = [word for word in words_of(phrase) if word not in _NOT_AND_NO]
        stems.append(frozenset(map(_stem, words)))
    if len(stems) <= 1:  # of a single phrase, all stems are in all phrases
        return stems
    shared = frozenset.intersection(*stems)
    return [of_phrase - shared for of_phrase in stems]


def _weighted_jaccard(
    stems: frozenset[str], reference_stems: frozenset[str], weights: Mapping[str, float]
) -> float:
    def weight(words: frozenset[str]) -> float:
        # Sorted, since a set has no order, and sums in another order differ in the last digit.
        return sum(sorted(weights.get(word, 1.0) for word in words))

    union = weight(stems | reference_stems)
    return weight(stems & reference_stems) / union if union else 0.0


def _stem(word: str) -> str:
    """A word without common endings: "opened", "opening" and "opener" have one stem."""
    stem = re.sub(r"(?:ing|ed|er|ion|ment|e)$", "", word)
    return stem if len(stem) >= 3 else word


def best_matching(values: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs of row and column: the one-to-one matching with the highest sum, sorted by row."""
    if not values or not values[0]:
        return []
    from scipy.optimize import linear_sum_assignment  # slow to import, and seldom needed

    rows, columns = linear_sum_assignment(values, maximize=True)

    return list(zip(map(int, rows), map(int, columns), strict=True))


def _spelled(phrase: str) -> str:
    text = unicodedata.normalize("NFKC", phrase).lower()
    return " ".join(text.strip(" .\"'").split())


def _base(word: str, *, progressive: bool) -> str:
    """A word without the ending of a plural or third person, or without -ing if it is ``progressive``."""
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
    if word.endswith("e") and len(word) > 3:
        return word[:-1]
    return word
