"""The likeness of two English phrases, or of two symbols by their names and glosses, and the order of their places.

There are two measures of phrases. *The same* is strict, because a verdict depends on it: :func:`words_of` gives the
same words in the same order. *Similar* is gradual, and only used for scores and as evidence: it compares words, not
meanings. The exception is a short list of opposites, so that a gloss with the opposite meaning does not look like a
paraphrase.
"""

from __future__ import annotations

import itertools
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from pytest_autoeval.languages.logic.glosses import words_of_name
from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.lazy_pattern import lazy_pattern

#: From this similarity of words on, a phrase counts as found; of five words, one may differ.
_LEAST_ALIKE = 0.8

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_FORMS_OF_BE = frozenset(_WORDS["being"])
_NEGATIONS = frozenset(_WORDS["negations"])
_NOT_AND_NO = frozenset(_WORDS["denials"])
_LEFT_OUT = _FORMS_OF_BE.union(_WORDS["articles"], _WORDS["auxiliaries"])
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
    contracted = _WORDS["contracted"]
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


_SYMMETRIC = frozenset(words_of(_WORDS["symmetric"]))
#: A participle and "by", but not "is standing by", "is close by".
_PASSIVE = (
    r"\b(?:is|are|was|were|been|being|gets?)\s+(?:\w+ly\s+)?"
    r"(?!\w+ing\b|close\b|near\b|hard\b|right\b)\w+\s+by\s+"
)
#: From this similarity on, two names differ by a typing error.
_TYPO_SIMILARITY = 0.85
#: Names of at most this length are letters, perhaps with a digit.
LETTER = 2
#: The weight of a name beside a gloss, from 0 to 1.
_WEIGHT_OF_NAMES = 0.25
#: From this worth on, a pair has evidence.
SUPPORTED = 0.2
#: The factor for a gloss that says the same with the opposite word and exchanged places.
_WORTH_OF_CONVERSES = 0.9
#: For symbols with more places only one order is tried: that of the glosses, or else the written one.
_MOST_PLACES = 4


class Likeness(NamedTuple):
    """The evidence that one symbol stands for another, from 0 to 1.

    ``is_converse``: with the two places exchanged; ``is_contrary``: the glosses exclude it.
    """

    worth: float
    is_converse: bool = False
    is_contrary: bool = False


def likenesses(symbols: Sequence[Symbol], references: Sequence[Symbol]) -> list[list[Likeness]]:
    """The likeness of each symbol of an answer (a row) to each of ours (a column), by distinctive words.

    Kinds, places and negations are ignored; see :func:`is_denied` for negations.
    """
    phrases = [phrase(symbol) for symbol in symbols]
    our_phrases = [phrase(reference) for reference in references]
    direct = distinctive_similarities(phrases, our_phrases)
    table = []
    for i, symbol in enumerate(symbols):
        opposite = _similarities_of_opposites(phrases[i], our_phrases)
        columns = zip(references, direct[i], opposite, strict=True)
        table.append([_likeness(symbol, *column) for column in columns])
    return table


def _similarities_of_opposites(text: str, our_phrases: Sequence[str]) -> list[float]:
    """For each of our phrases, the highest similarity that a phrase has after one word became its opposite; else 0."""
    highest = [0.0] * len(our_phrases)
    for opposite in _with_opposites(text):
        (values,) = distinctive_similarities([opposite], our_phrases)
        highest = list(map(max, highest, values))
    return highest


def _likeness(symbol: Symbol, reference: Symbol, direct: float, opposite: float) -> Likeness:
    """The likeness of two symbols.

    ``direct`` is the similarity of their phrases; ``opposite`` is that similarity with a word of the first replaced by
    its opposite.
    """
    # "x is left of y" says of (y, x) what "x is right of y" says of (x, y). Of one place, opposites exclude each other.
    if opposite > direct and symbol.arity == reference.arity == 2:
        names = [
            name_similarity(turned, reference.name)
            for turned in _with_opposites(name_in_words(symbol.name))
        ]
        worth = _combined(symbol, reference, opposite, max(names, default=0.0))
        return Likeness(_WORTH_OF_CONVERSES * worth, is_converse=True)
    is_contrary = direct < opposite == 1.0 or _are_other_individuals(symbol, reference)
    names_alike = name_similarity(symbol.name, reference.name)
    worth = _combined(symbol, reference, direct, names_alike)
    return Likeness(worth, is_contrary=is_contrary)


def _combined(symbol: Symbol, reference: Symbol, glosses: float, names: float) -> float:
    """The likeness by glosses and names together. A bare letter is no evidence beside a gloss."""
    if not symbol.gloss:
        return max(glosses, names)
    is_letter = min(len(symbol.name), len(reference.name)) <= LETTER
    weight = 0 if is_letter else _WEIGHT_OF_NAMES
    return (1 - weight) * glosses + weight * names


def name_in_words(name: str) -> str:
    """The words of a name: "left of" for ``LeftOf`` and ``left_of``."""
    return " ".join(words_of_name(name)).lower()


def phrase(symbol: Symbol) -> str:
    """The gloss of a symbol, without its places and linking words; without a gloss, its name in words."""
    gloss = symbol.gloss
    for parameter in symbol.parameters:
        gloss = re.sub(rf"(?<!\w){re.escape(parameter)}(?!\w)", " ", gloss)
    if symbol.arity:
        gloss = re.sub(r"(?<!\w)[u-z]\d?(?!\w)", " ", gloss)
    text = gloss if words_of(gloss) else name_in_words(symbol.name)
    words = [word.lower().strip(".,;:'\"()") for word in text.split()]
    synonyms = [
        _WORDS["synonyms"].get(word, word) for word in words if word not in _WORDS["linking"]
    ]
    return " ".join(synonyms) or text


def name_similarity(name: str, reference: str) -> float:
    """The similarity of two names: 1 for the same words, a little less for a typing error, else 0."""
    words = _words_of_name(name)
    reference_words = _words_of_name(reference)
    if words == reference_words:
        return 1.0
    letters = min(len("".join(words)), len("".join(reference_words)))
    if letters <= 3:  # one letter makes another word: "car", "cat"
        return 0.0
    alike = Levenshtein.normalized_similarity(" ".join(words), " ".join(reference_words))
    return alike if alike >= _TYPO_SIMILARITY else 0.0


def _words_of_name(name: str) -> tuple[str, ...]:
    return words_of(phrase(Symbol(name, (), ""))) or (name.lower(),)


def is_denied(symbol: Symbol, reference: Symbol) -> bool:
    """Whether exactly one of two symbols is negated, by its gloss or else its name."""
    return _is_negated_symbol(symbol) != _is_negated_symbol(reference)


def _is_negated_symbol(symbol: Symbol) -> bool:
    text = symbol.gloss or name_in_words(symbol.name)
    return is_negated(re.sub(r"(?i)\bnon\b", "not", text))


def orders(symbol: Symbol, reference: Symbol, likeness: Likeness) -> tuple[tuple[int, ...], ...]:
    """The possible correspondences of the places of two symbols of one arity, the likeliest first.

    An order has, for each place of our symbol, the corresponding place of the answer's symbol. It follows from the
    order in which the glosses mention the places. Several orders are possible if places can be exchanged ("the same
    as"), or if nothing makes the symbols alike.
    """
    arity = reference.arity
    if arity < 2:
        return (tuple(range(arity)),)
    # A role is the number of a place in the order in which the gloss mentions them: "x loves y", "y is loved by x".
    place_of_role = roles(symbol)
    our_place_of_role = roles(reference)
    # The passive and a converse each exchange the two roles; together they leave them.
    voices_differ = _is_passive(symbol) != _is_passive(reference)
    if arity == 2 and likeness.is_converse != voices_differ:
        place_of_role = place_of_role[::-1]
    if arity > _MOST_PLACES:
        role_orders = [tuple(range(arity))]
    elif likeness.worth >= SUPPORTED:
        exchanged = {
            *_exchangeable(symbol, roles(symbol)),
            *_exchangeable(reference, our_place_of_role),
        }
        role_orders = _permutations(arity, exchanged)
    else:
        role_orders = [*itertools.permutations(range(arity))]
    role_of_our_place = [our_place_of_role.index(number) for number in range(arity)]
    place_orders = [
        tuple(place_of_role[order[role]] for role in role_of_our_place) for order in role_orders
    ]
    return tuple(dict.fromkeys(place_orders))


def roles(symbol: Symbol) -> tuple[int, ...]:
    """The places of a symbol in the order in which its gloss mentions them, or else as written."""
    starts = []
    for parameter in symbol.parameters:
        mention = re.search(rf"(?<!\w){re.escape(parameter)}(?!\w)", symbol.gloss)
        if mention is not None:
            starts.append(mention.start())
    if len({*starts}) < symbol.arity:  # a place is not mentioned, or two have one name
        return tuple(range(symbol.arity))
    return tuple(sorted(range(symbol.arity), key=starts.__getitem__))


def _permutations(arity: int, exchanged: set[tuple[int, int]]) -> list[tuple[int, ...]]:
    """All orders of the roles that the given exchanges generate, the unchanged one first."""
    reached = [tuple(range(arity))]
    for order in reached:  # grows on the way
        for role, other_role in sorted(exchanged):
            swapped = list(order)
            swapped[role], swapped[other_role] = order[other_role], order[role]
            if tuple(swapped) not in reached:
                reached.append(tuple(swapped))
    return reached


def _exchangeable(symbol: Symbol, order: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of roles that can be exchanged without changing the meaning."""
    parameters = [re.escape(symbol.parameters[number]) for number in order]
    for role, (parameter, following) in enumerate(itertools.pairwise(parameters)):
        # "x and y are siblings"
        joined = rf"(?<!\w){parameter}\s+(?:and|or)\s+{following}(?!\w)"
        if re.search(joined, symbol.gloss):
            yield role, role + 1
    words = words_of(symbol.gloss or name_in_words(symbol.name))
    if symbol.arity == 2 and _SYMMETRIC.intersection(words):
        yield 0, 1


def _is_passive(symbol: Symbol) -> bool:
    """Whether the gloss is in the passive: "x is loved by y"."""
    if symbol.arity != 2:
        return False
    agent = re.escape(symbol.parameters[roles(symbol)[1]])  # mentioned last
    return re.search(rf"{_PASSIVE}{agent}(?!\w)", symbol.gloss) is not None


def _with_opposites(text: str) -> Iterator[str]:
    """The phrase with one word replaced by its opposite, for each word with an opposite."""
    for pair in _WORDS["opposites"]:
        for word, opposite in (pair, pair[::-1]):
            turned, count = re.subn(rf"(?i)\b{word}\b", opposite, text)
            if count:
                yield turned


def _are_other_individuals(symbol: Symbol, reference: Symbol) -> bool:
    """Whether two constants are glossed by different letters or numbers: "block a" and "block b"."""
    if not (_is_constant(symbol) and _is_constant(reference)):
        return False
    labels = _labels(symbol.gloss)
    reference_labels = _labels(reference.gloss)
    if not labels or not reference_labels:
        return False
    return labels.isdisjoint(reference_labels)


def _is_constant(symbol: Symbol) -> bool:
    return symbol.is_term and not symbol.arity


def _labels(gloss: str) -> set[str]:
    return {word for word in words_of(gloss) if len(word) == 1 or word.isdigit()}
