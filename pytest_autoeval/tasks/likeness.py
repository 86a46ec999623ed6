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
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from pytest_autoeval.languages.logic.glosses import words_of_name
from pytest_autoeval.languages.ontology import Symbol

#: From this similarity of words on, a phrase counts as found; of five words, one may differ.
_LEAST_ALIKE = 0.8

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_FORMS_OF_BE, _NEGATIONS, _NOT_AND_NO = (
    frozenset(_WORDS[kind]) for kind in ("being", "negations", "denials")
)
_LEFT_OUT = _FORMS_OF_BE.union(_WORDS["articles"], _WORDS["auxiliaries"])
_WORD = re.compile(r"(?<!\w)-\d+|[^\W_]+(?:'[^\W_]+)?|[<>=≤≥≠+*/%]+")
_SIBILANT = re.compile(r"(?:ss|sh|ch|x|zz)es$")


@lru_cache(maxsize=4096)
def words_of(phrase: str) -> tuple[str, ...]:
    """The words by which phrases are compared.

    Removes case, punctuation, articles, auxiliary forms of "be", "do", "shall", "will" and "must" ("the door will
    open", "does the door open"), the ending of a plural or third person, and "-ing" after a form of "be". Keeps
    negations, "can" and "may", participles ("is closed" is not "closes"), the letter in "sensor A", numbers and signs.
    """
    text = unicodedata.normalize("NFKC", phrase).replace("’", "'")
    text = " ".join(_WORDS["contracted"].get(word.lower(), word) for word in text.split())
    words = _WORD.findall(re.sub(r"n't\b", " not", text))
    bases: list[str] = []
    after_being = False
    for at, word in enumerate(words):
        plain = word.lower().removesuffix("'s")
        is_letter = plain == "a" and at > 0 and (word == "A" or at == len(words) - 1)
        if is_letter or plain not in _LEFT_OUT:
            bases.append(_base(plain, progressive=after_being))
        after_being = plain in _FORMS_OF_BE
    return tuple(bases)


def similarity(left: str, right: str) -> float:
    """The normalised Levenshtein similarity of two phrases by words, from 0 to 1."""
    return Levenshtein.normalized_similarity(words_of(left), words_of(right))


def is_found(left: str, right: str) -> bool:
    """Whether two phrases count as the same in a score: similar enough, and with the same negations."""
    ours, theirs = words_of(left), words_of(right)
    return similarity(left, right) >= _LEAST_ALIKE and _NEGATIONS.intersection(
        ours
    ) == _NEGATIONS.intersection(theirs)


def spelling_similarity(left: str, right: str) -> float:
    """The normalised Levenshtein similarity of two phrases by characters, from 0 to 1."""
    return Levenshtein.normalized_similarity(_spelled(left), _spelled(right))


def spelling_distance(left: str, right: str) -> int:
    """The Levenshtein distance of two phrases by characters; that of a phrase to an empty one is its length."""
    return Levenshtein.distance(_spelled(left), _spelled(right))


def jaccard(left: str, right: str) -> float:
    """The Jaccard index of the words of two phrases, from 0 to 1."""
    ours, theirs = set(words_of(left)), set(words_of(right))
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0


def is_negated(phrase: str) -> bool:
    """Whether an odd number of the words of a phrase are "not" or "no"."""
    return sum(word in _NOT_AND_NO for word in words_of(phrase)) % 2 == 1


def distinctive_similarities(left: Sequence[str], right: Sequence[str]) -> list[list[float]]:
    """The similarity, from 0 to 1, of each left phrase to each right one, by the distinctive words of each side.

    Words are compared by their stems, and weighted by 1 / the number of right phrases that have them. Words of all
    phrases of a side, and negations, do not count. Phrases of the same words have the similarity 1.
    """
    theirs, ours = (_distinctive_stems(phrases) for phrases in (left, right))
    weights = {word: 1 / sum(word in words for words in ours) for words in ours for word in words}
    return [
        [
            1.0 if words_of(a) == words_of(b) else _weighted_jaccard(their, our, weights)
            for b, our in zip(right, ours, strict=True)
        ]
        for a, their in zip(left, theirs, strict=True)
    ]


def _distinctive_stems(phrases: Sequence[str]) -> list[frozenset[str]]:
    """The stems of the words of each phrase, without negations and without the stems that all phrases have."""
    stems = [
        frozenset(_stem(word) for word in words_of(phrase) if word not in _NOT_AND_NO)
        for phrase in phrases
    ]
    shared = frozenset.intersection(*stems) if len(stems) > 1 else frozenset()
    return [words - shared for words in stems]


def _weighted_jaccard(
    left: frozenset[str], right: frozenset[str], weights: Mapping[str, float]
) -> float:
    both, either = (
        sum(sorted(weights.get(word, 1.0) for word in words))
        for words in (left & right, left | right)
    )
    return both / either if either else 0.0


def _stem(word: str) -> str:
    """A word without common endings: "opened", "opening" and "opener" have one stem."""
    stem = re.sub(r"(?:ing|ed|er|ion|ment|e)$", "", word)
    return stem if len(stem) >= 3 else word


def best_matching(values: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs of row and column: the one-to-one matching with the highest sum, sorted by row."""
    if not values or not values[0]:
        return []
    from scipy.optimize import linear_sum_assignment

    return [
        (int(row), int(column))
        for row, column in zip(*linear_sum_assignment(values, maximize=True), strict=True)
    ]


def _spelled(phrase: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", phrase).lower().strip(" .\"'").split())


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
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


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


def likenesses(theirs: Sequence[Symbol], ours: Sequence[Symbol]) -> list[list[Likeness]]:
    """The likeness of each of their symbols to each of ours, by distinctive words.

    Kinds, places and negations are ignored; see :func:`is_denied` for negations.
    """
    their_phrases, our_phrases = (
        [phrase(symbol) for symbol in symbols] for symbols in (theirs, ours)
    )
    direct = distinctive_similarities(their_phrases, our_phrases)
    table = []
    for i, their in enumerate(theirs):
        turned = [
            distinctive_similarities([other], our_phrases)[0]
            for other in _with_opposites(their_phrases[i])
        ]
        opposite = (
            [max(column) for column in zip(*turned, strict=True)] if turned else [0.0] * len(ours)
        )
        table.append(
            [_likeness(their, our, direct[i][j], opposite[j]) for j, our in enumerate(ours)]
        )
    return table


def _likeness(their: Symbol, our: Symbol, direct: float, opposite: float) -> Likeness:
    """The likeness of two symbols.

    ``direct`` is the similarity of their phrases; ``opposite`` is that similarity with a word of theirs replaced by its
    opposite.
    """
    if opposite > direct and their.arity == our.arity == 2:
        names = [
            name_similarity(turned, our.name)
            for turned in _with_opposites(name_in_words(their.name))
        ]
        worth = _combined(their, our, opposite, max(names, default=0.0))
        return Likeness(_WORTH_OF_CONVERSES * worth, is_converse=True)
    is_contrary = direct < opposite == 1.0 or _are_other_individuals(their, our)
    return Likeness(
        _combined(their, our, direct, name_similarity(their.name, our.name)),
        is_contrary=is_contrary,
    )


def _combined(their: Symbol, our: Symbol, glosses: float, names: float) -> float:
    """The likeness by glosses and names together. A bare letter is no evidence beside a gloss."""
    if not their.gloss:
        return max(glosses, names)
    weight = 0 if min(len(their.name), len(our.name)) <= LETTER else _WEIGHT_OF_NAMES
    return (1 - weight) * glosses + weight * names


def name_in_words(name: str) -> str:
    """The words of a name: "left of" for ``LeftOf`` and ``left_of``."""
    return " ".join(words_of_name(name)).lower()


def phrase(symbol: Symbol) -> str:
    """The gloss of a symbol, without its places and linking words; without a gloss, its name in words."""
    gloss = symbol.gloss
    for place in symbol.parameters:
        gloss = re.sub(rf"(?<!\w){re.escape(place)}(?!\w)", " ", gloss)
    if symbol.arity:
        gloss = re.sub(r"(?<!\w)[u-z]\d?(?!\w)", " ", gloss)
    text = gloss if words_of(gloss) else name_in_words(symbol.name)
    words = [word.lower().strip(".,;:'\"()") for word in text.split()]
    return (
        " ".join(
            _WORDS["synonyms"].get(word, word) for word in words if word not in _WORDS["linking"]
        )
        or text
    )


def name_similarity(left: str, right: str) -> float:
    """The similarity of two names: 1 for the same words, a little less for a typing error, else 0."""
    ours, theirs = (
        words_of(phrase(Symbol(name, (), ""))) or (name.lower(),) for name in (left, right)
    )
    if ours == theirs:
        return 1.0
    alike = Levenshtein.normalized_similarity(" ".join(ours), " ".join(theirs))
    return (
        alike
        if alike >= _TYPO_SIMILARITY and min(len("".join(ours)), len("".join(theirs))) > 3
        else 0.0
    )


def is_denied(their: Symbol, our: Symbol) -> bool:
    """Whether exactly one of two symbols is negated, by its gloss or else its name."""
    theirs, ours = (
        is_negated(re.sub(r"(?i)\bnon\b", "not", symbol.gloss or name_in_words(symbol.name)))
        for symbol in (their, our)
    )
    return theirs != ours


def orders(their: Symbol, our: Symbol, likeness: Likeness) -> tuple[tuple[int, ...], ...]:
    """The possible correspondences of the places of two symbols of one arity, the likeliest first.

    An order has, for each place of our symbol, the corresponding place of theirs. It follows from the order in which
    the glosses mention the places. Several orders are possible if places can be exchanged ("the same as"), or if
    nothing makes the symbols alike.
    """
    arity = our.arity
    if arity < 2:
        return (tuple(range(arity)),)
    their_roles, our_roles = roles(their), roles(our)
    if arity == 2 and likeness.is_converse != (_is_passive(their) != _is_passive(our)):
        their_roles = their_roles[::-1]
    if arity > _MOST_PLACES:
        role_orders = [tuple(range(arity))]
    elif likeness.worth >= SUPPORTED:
        role_orders = _permutations(
            arity, {*_exchangeable(their, roles(their)), *_exchangeable(our, our_roles)}
        )
    else:
        role_orders = [*itertools.permutations(range(arity))]
    at_place = [our_roles.index(place) for place in range(arity)]
    return tuple(
        dict.fromkeys(
            tuple(their_roles[shuffle[role]] for role in at_place) for shuffle in role_orders
        )
    )


def roles(symbol: Symbol) -> tuple[int, ...]:
    """The places of a symbol in the order in which its gloss mentions them, or else as written."""
    mentions = [
        re.search(rf"(?<!\w){re.escape(place)}(?!\w)", symbol.gloss) for place in symbol.parameters
    ]
    starts = [mention.start() for mention in mentions if mention is not None]
    if len(starts) < symbol.arity or len({*starts}) < symbol.arity:
        return tuple(range(symbol.arity))
    return tuple(sorted(range(symbol.arity), key=starts.__getitem__))


def _permutations(arity: int, exchanged: set[tuple[int, int]]) -> list[tuple[int, ...]]:
    """All orders of the roles that the given exchanges generate, the unchanged one first."""
    reached = [tuple(range(arity))]
    for order in reached:  # grows on the way
        for left, right in sorted(exchanged):
            swapped = list(order)
            swapped[left], swapped[right] = order[right], order[left]
            if tuple(swapped) not in reached:
                reached.append(tuple(swapped))
    return reached


def _exchangeable(symbol: Symbol, order: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of roles that can be exchanged without changing the meaning."""
    places = [re.escape(symbol.parameters[place]) for place in order]
    for role, (left, right) in enumerate(itertools.pairwise(places)):
        if re.search(rf"(?<!\w){left}\s+(?:and|or)\s+{right}(?!\w)", symbol.gloss):
            yield role, role + 1
    if symbol.arity == 2 and _SYMMETRIC.intersection(
        words_of(symbol.gloss or name_in_words(symbol.name))
    ):
        yield 0, 1


def _is_passive(symbol: Symbol) -> bool:
    """Whether the gloss is in the passive: "x is loved by y"."""
    if symbol.arity != 2:
        return False
    last = re.escape(symbol.parameters[roles(symbol)[1]])
    return re.search(rf"{_PASSIVE}{last}(?!\w)", symbol.gloss) is not None


def _with_opposites(text: str) -> Iterator[str]:
    """The phrase with one word replaced by its opposite, for each word with an opposite."""
    for pair in _WORDS["opposites"]:
        for word, opposite in (pair, pair[::-1]):
            turned, count = re.subn(rf"(?i)\b{word}\b", opposite, text)
            if count:
                yield turned


def _are_other_individuals(their: Symbol, our: Symbol) -> bool:
    """Whether two constants are glossed by different letters or numbers: "block a" and "block b"."""
    if not (their.is_term and our.is_term) or their.arity or our.arity:
        return False
    left, right = (
        {word for word in words_of(symbol.gloss) if len(word) == 1 or word.isdigit()}
        for symbol in (their, our)
    )
    return bool(left and right) and left.isdisjoint(right)
