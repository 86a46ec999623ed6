"""How alike two English phrases are, or two symbols by their names and glosses, and how the symbols' places correspond.

Two measures of phrases, for two purposes. *The same* is strict, because a verdict hangs on it: equal :func:`words_of`,
in equal order. *Similar* is gradual, and only ever a score or evidence: words are compared, not what they mean. Of
meanings only a few opposites are known, since a gloss that says the opposite would else pass for one that merely uses
other words.
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
FOUND = 0.8

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_BEING, _NEGATIONS, _DENIALS = (frozenset(_WORDS[kind]) for kind in ("being", "negations", "denials"))
_LEFT_OUT = _BEING.union(_WORDS["articles"], _WORDS["auxiliaries"])
_WORD = re.compile(r"(?<!\w)-\d+|[^\W_]+(?:'[^\W_]+)?|[<>=≤≥≠+*/%]+")
_SIBILANT = re.compile(r"(?:ss|sh|ch|x|zz)es$")


@lru_cache(maxsize=4096)
def words_of(phrase: str) -> tuple[str, ...]:
    """The words by which phrases are compared.

    Left out are case, punctuation, the articles, and auxiliary forms of be, do, shall, will and must ("the door will
    open", "does the door open"). A plural or third person loses its ending, and after a form of be an -ing does.
    Negations, can and may stay, and so do participles ("is closed" is not "closes"), the letter in "sensor A", numbers
    and signs.
    """
    text = unicodedata.normalize("NFKC", phrase).replace("’", "'")
    text = " ".join(_WORDS["contracted"].get(word.lower(), word) for word in text.split())
    found = _WORD.findall(re.sub(r"n't\b", " not", text))
    kept: list[str] = []
    after_being = False
    for at, word in enumerate(found):
        plain = word.lower().removesuffix("'s")
        is_letter = plain == "a" and at > 0 and (word == "A" or at == len(found) - 1)
        if is_letter or plain not in _LEFT_OUT:
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

    From 0 to 1: words are compared by their stems and count the less, the more phrases of the right side have them.
    Words of all phrases of a side count nothing, nor does a negation. Phrases of the same words are alike by 1.
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
    """What the words of each phrase begin with, without negations and without those that all phrases have."""
    sides = [frozenset(_stem(word) for word in words_of(phrase) if word not in _DENIALS) for phrase in phrases]
    shared = frozenset.intersection(*sides) if len(sides) > 1 else frozenset()
    return [words - shared for words in sides]


def _weighted_jaccard(left: frozenset[str], right: frozenset[str], weights: Mapping[str, float]) -> float:
    both, either = (sum(sorted(weights.get(word, 1.0) for word in words)) for words in (left & right, left | right))
    return both / either if either else 0.0


def _stem(word: str) -> str:
    """What a word begins with, without its commonest endings: opened, opening and opener are one."""
    stem = re.sub(r"(?:ing|ed|er|ion|ment|e)$", "", word)
    return stem if len(stem) >= 3 else word


def best_matching(values: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs of row and column: the one-to-one matching of the highest sum, by rows."""
    if not values or not values[0]:
        return []
    from scipy.optimize import linear_sum_assignment

    return [(int(row), int(column)) for row, column in zip(*linear_sum_assignment(values, maximize=True), strict=True)]


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


_SYMMETRIC = frozenset(words_of(_WORDS["symmetric"]))
#: A participle and "by", but not "is standing by", "is close by".
_PASSIVE = (
    r"\b(?:is|are|was|were|been|being|gets?)\s+(?:\w+ly\s+)?(?!\w+ing\b|close\b|near\b|hard\b|right\b)\w+\s+by\s+"
)
#: From this share of its letters on, a name is the other with a slip of the pen.
_SLIP = 0.85
#: Names that are no longer are letters, with a number maybe.
LETTER = 2
#: What a name counts beside a gloss, from 0 to 1.
_WEIGHT_OF_NAMES = 0.25
#: From this worth on, there is something that speaks for a pair.
SUPPORTED = 0.2
#: A gloss that says the same with the opposite word and the places exchanged is worth almost as much.
_WORTH_OF_CONVERSES = 0.9
#: More places than these are taken in the order that the glosses give, or as they come.
_MOST_PLACES = 4


class Likeness(NamedTuple):
    """What speaks for one symbol standing for another, from 0 to 1; with places exchanged; or that it cannot."""

    worth: float
    is_converse: bool = False
    is_contrary: bool = False


def likenesses(theirs: Sequence[Symbol], ours: Sequence[Symbol]) -> list[list[Likeness]]:
    """How alike each of their symbols is to each of ours, in the words that distinguish it on its side.

    Symbols are compared whatever their kinds and places; a negation in a gloss is left to :func:`is_denied`.
    """
    their_phrases, our_phrases = ([phrase(symbol) for symbol in symbols] for symbols in (theirs, ours))
    direct = distinctive_similarities(their_phrases, our_phrases)
    table = []
    for i, their in enumerate(theirs):
        turned = [distinctive_similarities([other], our_phrases)[0] for other in _turned(their_phrases[i])]
        opposite = [max(column) for column in zip(*turned, strict=True)] if turned else [0.0] * len(ours)
        table.append([_likeness(their, our, direct[i][j], opposite[j]) for j, our in enumerate(ours)])
    return table


def _likeness(their: Symbol, our: Symbol, direct: float, opposite: float) -> Likeness:
    """The likeness of two symbols by how alike their phrases are as they stand, and with an opposite word in theirs."""
    if opposite > direct and their.arity == our.arity == 2:
        names = [name_similarity(turned, our.name) for turned in _turned(name_in_words(their.name))]
        worth = _together(their, our, opposite, max(names, default=0.0))
        return Likeness(_WORTH_OF_CONVERSES * worth, is_converse=True)
    is_contrary = direct < opposite == 1.0 or _are_other_individuals(their, our)
    return Likeness(_together(their, our, direct, name_similarity(their.name, our.name)), is_contrary=is_contrary)


def _together(their: Symbol, our: Symbol, glosses: float, names: float) -> float:
    """What the likeness of glosses and that of names amount to. A mere letter is no evidence beside a gloss."""
    if not their.gloss:
        return max(glosses, names)
    weight = 0 if min(len(their.name), len(our.name)) <= LETTER else _WEIGHT_OF_NAMES
    return (1 - weight) * glosses + weight * names


def name_in_words(name: str) -> str:
    """The words that a name is made of: "left of" for ``LeftOf`` and ``left_of``."""
    return " ".join(words_of_name(name)).lower()


def phrase(symbol: Symbol) -> str:
    """What a symbol says, without its places and linking words; where it has no gloss, its name in words."""
    gloss = symbol.gloss
    for place in symbol.parameters:
        gloss = re.sub(rf"(?<!\w){re.escape(place)}(?!\w)", " ", gloss)
    if symbol.arity:
        gloss = re.sub(r"(?<!\w)[u-z]\d?(?!\w)", " ", gloss)
    text = gloss if words_of(gloss) else name_in_words(symbol.name)
    words = [word.lower().strip(".,;:'\"()") for word in text.split()]
    return " ".join(_WORDS["synonyms"].get(word, word) for word in words if word not in _WORDS["linking"]) or text


def name_similarity(left: str, right: str) -> float:
    """How alike two names are: 1 for the same words, a little less for a slip of the pen, else 0."""
    ours, theirs = (words_of(phrase(Symbol(name, (), ""))) or (name.lower(),) for name in (left, right))
    if ours == theirs:
        return 1.0
    alike = Levenshtein.normalized_similarity(" ".join(ours), " ".join(theirs))
    return alike if alike >= _SLIP and min(len("".join(ours)), len("".join(theirs))) > 3 else 0.0


def is_denied(their: Symbol, our: Symbol) -> bool:
    """Whether one of two symbols says by its gloss, or else its name, that something is not so, and the other not."""
    theirs, ours = (
        is_negated(re.sub(r"(?i)\bnon\b", "not", symbol.gloss or name_in_words(symbol.name))) for symbol in (their, our)
    )
    return theirs != ours


def orders(their: Symbol, our: Symbol, likeness: Likeness) -> tuple[tuple[int, ...], ...]:
    """How the places of two symbols of one arity can correspond, the likeliest first: for each of ours that of theirs.

    The glosses decide by the order in which they mention the places; where these can be exchanged ("the same as"), and
    where nothing makes the symbols alike, several orders are left.
    """
    arity = our.arity
    if arity < 2:
        return (tuple(range(arity)),)
    their_roles, our_roles = roles(their), roles(our)
    if arity == 2 and likeness.is_converse != (_is_passive(their) != _is_passive(our)):
        their_roles = their_roles[::-1]
    if arity > _MOST_PLACES:
        kept = [tuple(range(arity))]
    elif likeness.worth >= SUPPORTED:
        kept = _permutations(arity, {*_exchangeable(their, roles(their)), *_exchangeable(our, our_roles)})
    else:
        kept = [*itertools.permutations(range(arity))]
    at_place = [our_roles.index(place) for place in range(arity)]
    return tuple(dict.fromkeys(tuple(their_roles[shuffle[role]] for role in at_place) for shuffle in kept))


def roles(symbol: Symbol) -> tuple[int, ...]:
    """The places of a symbol in the order in which its gloss mentions them; as they come where it does not do so."""
    found = [re.search(rf"(?<!\w){re.escape(place)}(?!\w)", symbol.gloss) for place in symbol.parameters]
    starts = [mention.start() for mention in found if mention is not None]
    if len(starts) < symbol.arity or len({*starts}) < symbol.arity:
        return tuple(range(symbol.arity))
    return tuple(sorted(range(symbol.arity), key=starts.__getitem__))


def _permutations(arity: int, exchanged: set[tuple[int, int]]) -> list[tuple[int, ...]]:
    """All orders of the roles that exchanges of some of them lead to, the unchanged one first."""
    found = [tuple(range(arity))]
    for order in found:  # grows on the way
        for left, right in sorted(exchanged):
            swapped = list(order)
            swapped[left], swapped[right] = order[right], order[left]
            if tuple(swapped) not in found:
                found.append(tuple(swapped))
    return found


def _exchangeable(symbol: Symbol, order: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of roles, by number, which it does not matter which is which of."""
    places = [re.escape(symbol.parameters[place]) for place in order]
    for role, (left, right) in enumerate(itertools.pairwise(places)):
        if re.search(rf"(?<!\w){left}\s+(?:and|or)\s+{right}(?!\w)", symbol.gloss):
            yield role, role + 1
    if symbol.arity == 2 and _SYMMETRIC.intersection(words_of(symbol.gloss or name_in_words(symbol.name))):
        yield 0, 1


def _is_passive(symbol: Symbol) -> bool:
    """Whether the gloss says of the second place that it does something to the first: "x is loved by y"."""
    if symbol.arity != 2:
        return False
    last = re.escape(symbol.parameters[roles(symbol)[1]])
    return re.search(rf"{_PASSIVE}{last}(?!\w)", symbol.gloss) is not None


def _turned(text: str) -> Iterator[str]:
    """A phrase with one of its words replaced by its opposite, for each opposite that it has."""
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
        {word for word in words_of(symbol.gloss) if len(word) == 1 or word.isdigit()} for symbol in (their, our)
    )
    return bool(left and right) and left.isdisjoint(right)
