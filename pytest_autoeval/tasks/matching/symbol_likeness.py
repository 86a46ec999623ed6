"""How alike two symbols of first-order signatures are, by names and glosses, and how their places correspond.

Evidence and no more: words are compared, not what they mean. Of meanings only a few opposites are known, since a gloss
that says the opposite would else pass for one that merely uses other words.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from pytest_autoeval.languages.logic.glosses import words_of_name
from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.tasks.matching.phrases import distinctive_similarities, is_negated, words_of

#: Words that only tie the places of a gloss together, or say that something is called by a name.
_LINKING = frozenset({"of", "than", "to", "as", "that", "it", "called", "named", "refers", "denotes", "constant"})
#: Words for one thing, by the one that they are compared as.
_SYNONYMS = {
    "big": "large", "bigger": "larger", "biggest": "largest", "huge": "large", "little": "small", "tiny": "small",
    "littler": "smaller", "beneath": "below", "underneath": "below", "under": "below", "over": "above",
    "rear": "back", "beside": "adjacent", "next": "adjacent", "identical": "same", "equal": "same",
}  # fmt: skip
#: What says the opposite of two places, or the contrary of one.
_OPPOSITES = (
    ("left", "right"), ("above", "below"), ("top", "bottom"), ("front", "back"), ("front", "behind"),
    ("larger", "smaller"), ("greater", "less"), ("greater", "smaller"), ("large", "small"), ("taller", "shorter"),
    ("tall", "short"), ("longer", "shorter"), ("long", "short"), ("higher", "lower"), ("high", "low"),
    ("heavier", "lighter"), ("heavy", "light"), ("older", "younger"), ("old", "young"), ("faster", "slower"),
    ("fast", "slow"), ("before", "after"), ("earlier", "later"), ("more", "less"), ("more", "fewer"),
    ("north", "south"), ("east", "west"), ("parent", "child"), ("ancestor", "descendant"),
    ("precedes", "follows"), ("predecessor", "successor"),
)  # fmt: skip
#: Words by which it does not matter which of two places is which.
_SYMMETRIC = frozenset(
    words_of(
        "same adjacent next beside near equal identical sibling married different distinct touches touching neighbour "
        "neighbor neighbouring neighboring cousin"
    )
)
#: A participle and "by", but not "is standing by", "is close by".
_PASSIVE = (
    r"\b(?:is|are|was|were|been|being|gets?)\s+(?:\w+ly\s+)?(?!\w+ing\b|close\b|near\b|hard\b|right\b)\w+\s+by\s+"
)
#: From this share of its letters on, a name is the other with a slip of the pen.
_SLIP = 0.85
#: What a name counts beside a gloss, from 0 to 1.
_WEIGHT_OF_NAMES = 0.25
#: From this worth on, there is something that speaks for a pair.
SUPPORTED = 0.2
#: A gloss that says the same with the opposite word and the places exchanged is worth almost as much.
_WORTH_OF_CONVERSES = 0.9
#: More places than these are taken in the order that the glosses give, or as they come.
_MOST_PLACES = 4


class Likeness(NamedTuple):
    """What speaks for one symbol standing for another.

    ``worth`` is from 0 to 1. ``is_converse``: with its two places exchanged; ``is_contrary``: the glosses exclude each
    other, so that it cannot.
    """

    worth: float
    is_converse: bool = False
    is_contrary: bool = False


def likenesses(theirs: Sequence[Symbol], ours: Sequence[Symbol]) -> list[list[Likeness]]:
    """How alike each of their symbols is to each of ours, in the words that distinguish it on its side.

    Symbols are compared whatever their kinds and places; a negation in a gloss is left to :func:`is_denied`.
    """
    their_phrases, our_phrases = ([phrase(symbol) for symbol in symbols] for symbols in (theirs, ours))
    turned = [_turned(their) for their in their_phrases]
    direct = distinctive_similarities(their_phrases, our_phrases)
    opposite = [_best_of(others, our_phrases) for others in turned]
    return [
        [_likeness(their, our, direct[i][j], opposite[i][j]) for j, our in enumerate(ours)]
        for i, their in enumerate(theirs)
    ]


def _best_of(others: Iterable[str], phrases: Sequence[str]) -> list[float]:
    """How alike each phrase is to the one of some others that it is most alike to."""
    rows = [distinctive_similarities([other], phrases)[0] for other in others]
    return [max((row[j] for row in rows), default=0.0) for j in range(len(phrases))]


def _likeness(their: Symbol, our: Symbol, direct: float, opposite: float) -> Likeness:
    """The likeness of two symbols by how alike their phrases are as they stand, and with an opposite word in theirs."""
    if opposite > direct and their.arity == our.arity == 2:
        names = [name_similarity(turned, our.name) for turned in _turned(name_in_words(their.name))]
        worth = _together(opposite, max(names, default=0.0), has_gloss=bool(their.gloss))
        return Likeness(_WORTH_OF_CONVERSES * worth, is_converse=True)
    is_contrary = direct < opposite == 1.0 or _are_other_individuals(their, our)
    worth = _together(direct, name_similarity(their.name, our.name), has_gloss=bool(their.gloss))
    return Likeness(worth, is_contrary=is_contrary)


def _together(glosses: float, names: float, *, has_gloss: bool) -> float:
    """What the likeness of glosses and that of names amount to; a symbol without a gloss is compared by its name."""
    if not has_gloss:
        return max(glosses, names)
    return (1 - _WEIGHT_OF_NAMES) * glosses + _WEIGHT_OF_NAMES * names


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
    return " ".join(_SYNONYMS.get(word, word) for word in words if word not in _LINKING) or text


def name_similarity(left: str, right: str) -> float:
    """How alike two names are: 1 for the same words, a little less for a slip of the pen, else 0."""
    ours, theirs = (words_of(phrase(Symbol(name, (), ""))) or (name.lower(),) for name in (left, right))
    if ours == theirs:
        return 1.0
    alike = Levenshtein.normalized_similarity(" ".join(ours), " ".join(theirs))
    return alike if alike >= _SLIP and min(len("".join(ours)), len("".join(theirs))) > 3 else 0.0


def is_denied(their: Symbol, our: Symbol) -> bool:
    """Whether one of two symbols says that something is not so, and the other does not."""
    return _denies(their) != _denies(our)


def _denies(symbol: Symbol) -> bool:
    """Whether the gloss of a symbol, or its name where it has none, says that something is not so."""
    return is_negated(re.sub(r"(?i)\bnon\b", "not", symbol.gloss or name_in_words(symbol.name)))


def orders(their: Symbol, our: Symbol, likeness: Likeness) -> tuple[tuple[int, ...], ...]:
    """How the places of two symbols of one arity can correspond, the likeliest first.

    Each order gives for every place of ours the place of theirs, from 0. The glosses decide by the order in which they
    mention the places; where these can be exchanged ("the same as", "between y and z"), and where nothing
    makes the symbols alike, several orders are left.
    """
    arity = our.arity
    if arity < 2:
        return (tuple(range(arity)),)
    their_roles, our_roles = roles(their), roles(our)
    if arity == 2 and likeness.is_converse != (_is_passive(their) != _is_passive(our)):
        their_roles = their_roles[::-1]
    if arity > _MOST_PLACES:
        kept: Iterable[tuple[int, ...]] = [tuple(range(arity))]
    elif likeness.worth >= SUPPORTED:
        exchanged = {*_exchangeable(their, roles(their)), *_exchangeable(our, our_roles)}
        kept = _permutations(arity, exchanged)
    else:
        kept = itertools.permutations(range(arity))
    at_place = [our_roles.index(place) for place in range(arity)]
    return tuple(dict.fromkeys(tuple(their_roles[shuffle[role]] for role in at_place) for shuffle in kept))


def roles(symbol: Symbol) -> tuple[int, ...]:
    """The places of a symbol in the order in which its gloss mentions them; as they come where it does not do so."""
    found = [re.search(rf"(?<!\w){re.escape(place)}(?!\w)", symbol.gloss) for place in symbol.parameters]
    starts = [mention.start() for mention in found if mention is not None]
    if len(starts) < symbol.arity or len({*starts}) < symbol.arity:
        return tuple(range(symbol.arity))
    return tuple(sorted(range(symbol.arity), key=starts.__getitem__))


def _permutations(arity: int, exchanged: set[tuple[int, int]]) -> Iterator[tuple[int, ...]]:
    """All orders of the roles that exchanges of some of them lead to, the unchanged one first."""
    seen = {tuple(range(arity))}
    pending = [*seen]
    while pending:
        order = pending.pop(0)
        yield order
        for left, right in sorted(exchanged):
            swapped = list(order)
            swapped[left], swapped[right] = order[right], order[left]
            if tuple(swapped) not in seen:
                seen.add(tuple(swapped))
                pending.append(tuple(swapped))


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
    for pair in _OPPOSITES:
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
