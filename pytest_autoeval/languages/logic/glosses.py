"""An ontology out of formulas alone: their signature, each symbol glossed by what its name says.

The rules, by the words of a name (:mod:`~pytest_autoeval.languages.logic.name_words`); the first that fits is taken.

==========================  ==========================================  ========================================
name                        gloss                                       how it is told
==========================  ==========================================  ========================================
``IsCity(x)``               x is a city                                 begins with "is"
``NotPicky(x)``             x is not picky                              begins with "not" or "no"
``CanFly(x)``               x can fly                                   begins with "can", "will", …
``HasWings(x)``             x has wings                                 begins with "has" or "have"
``InEU(x)``                 x is in EU                                  begins with a preposition
``LikesMusic(x)``           x likes music                               begins with a verb, in any form
``Tall(x)``, ``Engaged(x)`` x is tall, x is engaged                     ends in an adjective or a participle
``Students(x)``             x is one of the students                    ends in a plural
``RateIsLow(x)``            the rate of x is low                        "is" in the middle
``EUCountry(x)``            x is an EU country                          all else is a noun
``Larger(x, y)``            x is larger than y                          a comparative
``LocatedIn(x, y)``         x is located in y                           a participle and a preposition
``Created(x, y)``           x has created y                             a participle alone
``SameAge(x, y)``           x has the same age as y                     begins with "same"
``MemberOf(x, y)``          x is a member of y                          a noun
``Between(x, y, z)``        x is between y and z                        "between" with three places
``Gives(x, y, z)``          gives holds of x, y and z                   three places or more
``Rain``                    rain holds                                  no place
``motherOf(x)``             the mother of x                             a function
``bonnie``, ``y1984``       Bonnie, 1984                                a constant
==========================  ==========================================  ========================================

Names that give one gloss have the name behind it: "x likes y (Like)", "x likes y (Likes)".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from pytest_autoeval.languages.logic.name_words import (
    MODALS,
    PREPOSITIONS,
    PROPER,
    VERBS,
    VERBS_LIKE_NOUNS,
    article,
    base_of,
    is_adjective,
    is_comparative,
    is_participle,
    is_past,
    is_plural,
    is_superlative,
    third_person,
    words_of_name,
)
from pytest_autoeval.languages.logic.signature import Use, uses
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology, Symbol

#: A gloss and that of the negation, empty where there is none.
_Gloss = tuple[str, str]


def derived_ontology(formulas: Iterable[Sentence]) -> Ontology:
    """The signature of formulas, in order of appearance, with glosses out of the names; marked as derived.

    A name with several numbers of places is as many symbols, and so is one that stands for a predicate and a thing.
    """
    found = dict.fromkeys(use for formula in formulas for use in uses(formula) if use.kind != "variable")
    symbols = [_symbol(use) for use in found]
    times = Counter((symbol.gloss.casefold(), symbol.is_term) for symbol in symbols)
    distinct = (
        _distinguished(symbol) if times[symbol.gloss.casefold(), symbol.is_term] > 1 else symbol for symbol in symbols
    )
    return Ontology(tuple(distinct), derived=True)


def _symbol(use: Use) -> Symbol:
    words = words_of_name(use.name)
    places = _places(use.arity, words)
    if use.kind == "constant":
        return Symbol(use.name, (), _thing(use.name, words), is_term=True)
    if use.kind == "function":
        head = words[:-1] if len(words) > 1 and words[-1] == "of" else words
        return Symbol(use.name, places, f"the {' '.join(head)} of {_listed(places)}", is_term=True)
    gloss, negative = _predicate(words, places)
    return Symbol(use.name, places, gloss, negative)


def _distinguished(symbol: Symbol) -> Symbol:
    """The symbol with its name behind its glosses."""
    negative = symbol.negative and f"{symbol.negative} ({symbol.name})"
    return Symbol(symbol.name, symbol.parameters, f"{symbol.gloss} ({symbol.name})", negative, symbol.is_term)


def _places(arity: int, words: Sequence[str]) -> tuple[str, ...]:
    """Names of places, none of which is a word of the name."""
    letters = ("x", "y", "z", "w")
    if arity <= len(letters) and not {*letters} & {*words}:
        return letters[:arity]
    letter = next(letter for letter in "xuvst" if not any(re.fullmatch(letter + r"\d+", word) for word in words))
    return tuple(f"{letter}{number}" for number in range(1, arity + 1))


def _listed(places: Sequence[str]) -> str:
    *first, last = places
    return f"{', '.join(first)} and {last}" if first else last


def _thing(name: str, words: Sequence[str]) -> str:
    """The gloss of a constant: its words with capitals, as a name has them; a letter or ``x1`` stays as it is."""
    if year := re.fullmatch(r"y(\d{4})", name):
        return year[1]
    if len(name) == 1 or re.fullmatch(r"[^\W\d_]_?\d+", name):
        return name
    return " ".join(word[0].upper() + word[1:] for word in words)


def _predicate(words: list[str], places: tuple[str, ...]) -> _Gloss:
    match places:
        case ():
            return f"{' '.join(words)} holds", f"{' '.join(words)} does not hold"
        case (x,) if "is" in words[1:-1]:
            at = words.index("is", 1)
            having, quality = f"the {' '.join(words[:at])} of {x}", " ".join(words[at + 1 :])
            return f"{having} is {quality}", f"{having} is not {quality}"
        case (x,):
            return _about(x, *_unary(words))
        case (x, y):
            return _about(x, *_binary(words), y)
        case (x, y, z) if words == ["between"]:
            return f"{x} is between {y} and {z}", f"{x} is not between {y} and {z}"
        case _:
            things = _listed(places)
            return f"{' '.join(words)} holds of {things}", f"{' '.join(words)} does not hold of {things}"


def _about(x: str, positive: str, negative: str, y: str = "") -> _Gloss:
    """The glosses about a thing, and another, out of what is said: empty stays empty."""
    return " ".join(filter(None, (x, positive, y))), negative and " ".join(filter(None, (x, negative, y)))


def _unary(words: list[str]) -> _Gloss:
    first, *rest = words
    verb = first if first in VERBS else base_of(first)
    is_noun = (not rest and verb in VERBS_LIKE_NOUNS) or (verb in VERBS_LIKE_NOUNS and rest[-1] in _SECOND_NOUNS)
    if (glosses := _by_first_word(words)) is not None:
        return glosses
    if first == "same" and rest:
        return _has("the same", *rest)
    if verb is None or is_noun or (not rest and is_adjective(first)):
        return _is(_complement(words))
    return _does(verb, rest)


#: With one of these behind it, a word that may be a verb is part of a noun: "work place", "play list".
_SECOND_NOUNS = frozenset(("book", "club", "day", "guide", "list", "place", "plan", "program", "review", "story"))


def _binary(words: list[str]) -> _Gloss:
    first, *rest = words
    verb = first if first in VERBS else base_of(first)
    if verb is None and first.endswith("s") and is_plural(first):
        verb = first.removesuffix("s")
    if all(map(is_adjective, words)) and is_comparative(words[-1]):
        glosses = _is(*words, "than")
    elif first == "same" and rest:
        glosses = _has("the same", *rest, "as")
    elif (settled := _by_first_word(words)) is not None:
        glosses = settled
    elif not rest and (is_past(first) or (is_participle(first) and not first.endswith("ing"))):
        glosses = f"has {first}", f"has not {first}"
    elif verb is not None and not (verb == first and words[-1] == "of"):
        glosses = _does(verb, rest)
    else:
        glosses = _is(_relation(words))
    return glosses


def _by_first_word(words: list[str]) -> _Gloss | None:
    """What the first word settles, whatever the number of places; None if it does not."""
    first, *rest = words
    glosses: _Gloss | None = None
    if first in PREPOSITIONS:
        glosses = _is(*words)
    elif first in ("has", "have"):
        glosses = _has(*rest)
    elif first in ("is", "are", "be"):
        glosses = _is(_complement(rest)) if rest else _is()
    elif not rest:
        glosses = None
    elif first == "not":
        glosses = f"is not {_complement(rest)}", ""
    elif first == "no":
        glosses = f"has no {' '.join(rest)}", ""
    elif first in MODALS:
        glosses = " ".join(words), " ".join(("cannot" if first == "can" else f"{first} not", *rest))
    elif first.endswith("ly") and rest[0] in VERBS:
        does, does_not = _does(rest[0], rest[1:])
        glosses = f"{first} {does}", does_not.replace("does not", f"does not {first}", 1)
    return glosses


def _is(*words: str) -> _Gloss:
    return " ".join(("is", *words)), " ".join(("is not", *words))


def _has(*words: str) -> _Gloss:
    return " ".join(("has", *words)), " ".join(("does not have", *words))


def _does(verb: str, rest: Sequence[str]) -> _Gloss:
    return " ".join((third_person(verb), *rest)), " ".join(("does not", verb, *rest))


def _complement(words: Sequence[str]) -> str:
    """What follows "is": an adjective, or a noun with its article."""
    phrase = " ".join(words)
    head = next((at - 1 for at, word in enumerate(words) if at and word in PREPOSITIONS), len(words) - 1)
    if 0 < head < len(words) - 1 and is_participle(words[head]) and not words[head - 1].endswith("ly"):
        head -= 1  # "animals loved by tourists" are animals
    if words[0] in PREPOSITIONS or words[0] in ("a", "an", "the") or is_adjective(words[head]):
        return phrase
    if (is_participle(words[0]) and 0 < head < len(words) - 1) or words[head].lower() in PROPER:
        return phrase
    if is_plural(words[head]):
        return f"one of the {phrase}"
    return f"the {phrase}" if any(map(is_superlative, words[:2])) else f"{article(words[0])} {phrase}"


def _relation(words: Sequence[str]) -> str:
    """What follows "is" in a gloss of two places, up to the second."""
    phrase = " ".join(words)
    *head, last = words
    if last not in PREPOSITIONS:
        return f"{_complement(words)} of" if not is_adjective(last) else phrase
    if not head or is_adjective(head[-1]) or head[-1] in _DIRECTIONS or words[0] in PREPOSITIONS:
        return phrase
    return f"{_complement(head)} {last}"


_DIRECTIONS = frozenset(
    ("left", "right", "north", "south", "east", "west", "front", "back", "top", "ahead", "adjacent")
)
