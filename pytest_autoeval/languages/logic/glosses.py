"""Derives an ontology from formulas: their symbols, each with a gloss made of the words of its name.

Names are split at underscores, hyphens, capital letters and digits: ``InEU`` is "in EU", ``Cost205`` "cost 205". Words
are in lower case except abbreviations, countries, months and days. Examples:

- ``IsCity(x)`` is "x is a city", ``NotPicky(x)`` "x is not picky", ``CanFly(x)`` "x can fly", ``HasWings(x)`` "x has
  wings", ``InEU(x)`` "x is in EU", ``LikesMusic(x)`` "x likes music", ``Tall(x)`` "x is tall", ``Students(x)`` "x is
  one of the students", ``EUCountry(x)`` "x is an EU country", ``OneOfRings(x)`` "x is one of the rings",
  ``FinancialAid(x)`` "x is financial aid", ``SecondLargestCity(x)`` "x is the second largest city",
  ``RarelySleeps(x)`` "x rarely sleeps";
- ``Larger(x, y)`` is "x is larger than y", ``LocatedIn(x, y)`` "x is located in y", ``Created(x, y)`` "x has created
  y", ``SameAge(x, y)`` "x has the same age as y", ``MemberOf(x, y)`` "x is a member of y", ``LargestLakeOf(x, y)`` "x
  is the largest lake of y", ``AwareThatDrug(x, y)`` "x is aware that y is a drug";
- ``Gives(x, y, z)`` is "gives holds of x, y and z", ``Rain`` "rain holds", ``motherOf(x)`` "the mother of x".

Symbols with the same gloss are distinguished by their names: "x likes y (Like)", "x likes y (Likes)".
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from pytest_autoeval.languages.controlled_english import listed
from pytest_autoeval.languages.logic.signature import Use, uses
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology, Symbol

_LISTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
_WORDS = {name: frozenset(words.split()) for name, words in _LISTS.items()}
_PROPER = _WORDS["proper"]
_ADJECTIVES = _WORDS["adjectives"]
_NOUNS_LIKE_ADJECTIVES = _WORDS["nouns_like_adjectives"]
_VERBS = _WORDS["verbs"]
_VERBS_LIKE_NOUNS = _WORDS["verbs_like_nouns"]
_PARTICIPLES = _WORDS["participles"]
_PREPOSITIONS = _WORDS["prepositions"]
_MASS_NOUNS = _WORDS["mass_nouns"]
_NOT_ADVERBS = _WORDS["not_adverbs"]
_ORDINALS = _WORDS["ordinals"]
_MODALS = frozenset(("can", "could", "may", "might", "must", "shall", "should", "will", "would"))

#: A gloss, and the gloss of the negation or an empty string.
_Gloss = tuple[str, str]


def derived_ontology(formulas: Iterable[Sentence]) -> Ontology:
    """The symbols of formulas, in order of appearance, with glosses made of their names; marked as derived.

    A name with several arities, or of a predicate and a term, gives several symbols.
    """
    symbol_uses = dict.fromkeys(
        use for formula in formulas for use in uses(formula) if use.kind != "variable"
    )
    symbols = [_symbol(use) for use in symbol_uses]
    times = Counter((symbol.gloss.casefold(), symbol.is_term) for symbol in symbols)
    for at, symbol in enumerate(symbols):
        if times[symbol.gloss.casefold(), symbol.is_term] > 1:
            negative = symbol.negative and f"{symbol.negative} ({symbol.name})"
            symbols[at] = replace(
                symbol, gloss=f"{symbol.gloss} ({symbol.name})", negative=negative
            )
    return Ontology(tuple(symbols), derived=True)


@lru_cache(maxsize=1 << 14)
def _symbol(use: Use) -> Symbol:
    words = words_of_name(use.name)
    places = _places(use.arity, words)
    if use.kind == "constant":
        return Symbol(use.name, (), _constant(use.name, words), is_term=True)
    if use.kind == "function":
        head = words[:-1] if len(words) > 1 and words[-1] == "of" else words
        return Symbol(
            use.name, places, f"the {' '.join(head)} of {listed(places, 'and')}", is_term=True
        )
    gloss, negative = _predicate(words, places)
    return Symbol(use.name, places, gloss, negative)


def _places(arity: int, words: Sequence[str]) -> tuple[str, ...]:
    """Names of the places that are not words of the name."""
    names = (*"xyzwvutsrqponmlkjihgfedcb", *(f"x{number}" for number in range(1, arity + 1)))
    return tuple(name for name in names if name not in words)[:arity]


def _constant(name: str, words: Sequence[str]) -> str:
    if year := re.fullmatch(r"y(\d{4})", name):
        return year[1]
    return " ".join(word[0].upper() + word[1:] for word in words)


def _predicate(words: list[str], places: tuple[str, ...]) -> _Gloss:
    match places:
        case (x,):
            positive, negative = _of_one_place(words)
            return f"{x} {positive}", negative and f"{x} {negative}"
        case (x, y):
            if (said := _of_a_clause(words)) is not None:
                adjective, rest = said
                return (
                    f"{x} is {adjective} that {y} is {rest}",
                    f"{x} is not {adjective} that {y} is {rest}",
                )
            positive, negative = _of_two_places(words)
            return f"{x} {positive} {y}", negative and f"{x} {negative} {y}"
        case _:
            things = f" of {listed(places, 'and')}" if places else ""
            return f"{' '.join(words)} holds{things}", f"{' '.join(words)} does not hold{things}"


def _of_one_place(words: list[str]) -> _Gloss:
    if (glosses := _by_first_word(words)) is not None:
        return glosses
    first, *rest = words
    verb = _base_of(first)
    if verb is None or (not rest and verb in _VERBS_LIKE_NOUNS):
        return _is(_complement(words))
    return _verb(verb, rest)


def _of_a_clause(words: list[str]) -> tuple[str, str] | None:
    """The adjective and what is said of the second place: "aware", "a drug" for ``AwareThatDrug``; otherwise None."""
    if (
        len(words) > 2
        and words[1] == "that"
        and _is_adjective(words[0])
        and not words[2].endswith("ing")
    ):
        return words[0], _complement(words[2:])
    return None


def _of_two_places(words: list[str]) -> _Gloss:
    """The words between the two places."""
    first, *rest = words
    verb = _base_of(first)
    if _compares(words):
        return _is(*words, "than")
    if first == "same" and rest:
        return _has("the same", *rest, "as")
    if (glosses := _by_first_word(words)) is not None:
        return glosses
    if not rest and _is_participle(first) and not first.endswith("ing"):
        return f"has {first}", f"has not {first}"
    if verb is not None:
        return _verb(verb, rest)
    return _is(_relation(words))


def _by_first_word(words: list[str]) -> _Gloss | None:  # noqa: PLR0911 (a return for each sort of word)
    """The words of a gloss where the first word decides; otherwise None."""
    first, *rest = words
    if first in _PREPOSITIONS:
        return _is(*words)
    if first == "one" and rest[:1] == ["of"]:
        return _is("one of", *_with_the(rest[1:]))
    if (
        _is_adverb(first)
        and rest
        and (verb := _base_of(rest[0]))
        and (rest[1:] or verb not in _VERBS_LIKE_NOUNS)
    ):
        positive, _ = _verb(verb, rest[1:])
        return f"{first} {positive}", " ".join(("does not", first, verb, *rest[1:]))
    if first in ("has", "have"):
        return _has(*rest)
    if first in ("is", "are", "be"):
        return _is(*map(_complement, [rest] if rest else []))
    if rest and first == "same":
        return _has("the same", *rest)
    if rest and first in ("no", "not"):
        return (f"has no {' '.join(rest)}" if first == "no" else f"is not {_complement(rest)}"), ""
    if rest and first in _MODALS:
        return " ".join(words), " ".join(("cannot" if first == "can" else f"{first} not", *rest))
    return None


def _with_the(words: Sequence[str]) -> Sequence[str]:
    """The words of things that are known: "the rings" for ``Rings``, but "Paris" and "my rings"."""
    is_named = (
        not words
        or words[0].lower() in _PROPER
        or words[0] in ("a", "an", "the", "my", "our", "their")
    )
    return words if is_named else ("the", *words)


def _is(*words: str) -> _Gloss:
    return " ".join(("is", *words)), " ".join(("is not", *words))


def _has(*words: str) -> _Gloss:
    return " ".join(("has", *words)), " ".join(("does not have", *words))


def _verb(verb: str, rest: Sequence[str]) -> _Gloss:
    return " ".join((_third_person(verb), *rest)), " ".join(("does not", verb, *rest))


def _complement(words: Sequence[str]) -> str:
    """The words after "is": an adjective, or a noun with its article."""
    phrase = " ".join(words)
    head = next(
        (at - 1 for at, word in enumerate(words) if at and word in _PREPOSITIONS), len(words) - 1
    )
    if (
        0 < head < len(words) - 1
        and _is_participle(words[head])
        and not words[head - 1].endswith("ly")
    ):
        head -= 1  # "animals loved by tourists" are animals
    if _is_participle(words[0]) and 0 < head < len(words) - 1:
        return phrase
    if (
        words[0] in ("a", "an", "the", *_PREPOSITIONS)
        or words[head].lower() in _PROPER
        or _is_adjective(words[head])
    ):
        return phrase
    if words[head] in _MASS_NOUNS and not _is_unique(words):
        return phrase
    if _is_plural(words[head]):
        return f"one of the {phrase}"
    return f"{'the' if _is_unique(words) else _article(words[0])} {phrase}"


def _is_unique(words: Sequence[str]) -> bool:
    """Whether words name the one thing of its kind: "largest lake", "second largest city", "most populous city"."""
    first, *rest = words
    if first in _ORDINALS and rest:
        return _is_superlative(rest[0])
    return _is_superlative(first) or (first in ("most", "least") and len(rest) > 1)


def _relation(words: Sequence[str]) -> str:
    """The words between "is" and the second place."""
    *head, last = words
    if (
        last == "than"
        and len(head) == 1
        and (head[0] in ("more", "less", "fewer") or _is_comparative(head[0]))
    ):
        return " ".join(words)
    if last not in _PREPOSITIONS:
        return " ".join(words) if _is_adjective(last) else f"{_complement(words)} of"
    return f"{_complement(head)} {last}"


def words_of_name(name: str) -> list[str]:
    words: list[str] = []
    for part in re.split(r"[_\-]+", name):
        starts = [at for at in range(1, len(part)) if _begins_word(part, at)]
        words += [part[start:end] for start, end in pairwise([0, *starts, len(part)])]
    return [_cased(word) for word in words if word] or [name]


def _begins_word(name: str, at: int) -> bool:
    before, here, after = name[at - 1], name[at], name[at + 1 : at + 2]
    if here.isdigit() != before.isdigit():
        letters = name[max(at - 2, 0) : at] if here.isdigit() else name[at : at + 2]
        return len(letters) == 2 and letters.isalpha()
    return here.isupper() and (before.islower() or (before.isupper() and after.islower()))


def _cased(word: str) -> str:
    if word.lower() in _PROPER:
        return word.capitalize()
    capitals = sum(letter.isupper() for letter in word)
    is_abbreviation = capitals > 1 or (
        capitals == 1 and (len(word) == 1 or any(letter.isdigit() for letter in word))
    )
    return word if is_abbreviation else word.lower()


def _is_adjective(word: str) -> bool:
    """Whether a word is an adjective or a participle: "tall", "engaged", "coughing"."""
    if word in _NOUNS_LIKE_ADJECTIVES:
        return False
    low = word.lower()
    has_ending = len(low) > 5 and low.endswith(
        ("able", "ible", "ful", "less", "ous", "ive", "ical", "tic", "onal", "ish")
    )
    return low in _ADJECTIVES or _is_participle(low) or _is_comparative(low) or has_ending


def _is_adverb(word: str) -> bool:
    """Whether a word is an adverb: "consistently", not "family" and not "friendly"."""
    return (
        word.endswith("ly")
        and len(word) > 4
        and word not in _NOT_ADVERBS
        and word not in _ADJECTIVES
    )


def _is_participle(word: str) -> bool:
    return word in _PARTICIPLES or (word.endswith(("ing", "ed")) and len(word) > 4)


def _is_comparative(word: str) -> bool:
    """Whether a word is a comparative: "larger" and "happier", not "member"."""
    return _is_adjective_with("er", word)


def _compares(words: Sequence[str]) -> bool:
    """Whether words need "than" before the second place: "larger", "more popular"."""
    is_periphrastic = words[0] in ("more", "less") and len(words) > 1 and _is_adjective(words[-1])
    return is_periphrastic or (all(map(_is_adjective, words)) and _is_comparative(words[-1]))


def _is_superlative(word: str) -> bool:
    """Whether a word is a superlative: "largest" and "happiest", not "guest"."""
    return _is_adjective_with("est", word)


def _is_adjective_with(ending: str, word: str) -> bool:
    """Whether a word is a known adjective with an ending, before which its spelling may change."""
    stem = word.removesuffix(ending)
    stems = {
        stem,
        stem + "e",
        stem[:-1] if stem[-1:] == stem[-2:-1] else stem,
        stem.removesuffix("i") + "y",
    }
    return stem != word and not stems.isdisjoint(_ADJECTIVES)


def _is_plural(word: str) -> bool:
    return (
        len(word) > 3
        and word.endswith("s")
        and not word.endswith(("ss", "us", "is"))
        and not word.isupper()
    )


def _base_of(verb: str) -> str | None:
    """The base form of a known verb, given as "like" or "likes"; otherwise None."""
    return next((form for form in (verb, verb.removesuffix("s")) if form in _VERBS), None)


def _third_person(verb: str) -> str:
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def _article(word: str) -> str:
    """The indefinite article before a word: "an EU", "a university", "an F1"."""
    if word.isupper():
        return "an" if word[0] in "AEFHILMNORSX" else "a"
    is_spoken_with_y = word.startswith(("uni", "use", "usu", "eu", "one")) and not word.startswith(
        ("unin", "unim")
    )
    return "an" if word[:1].lower() in tuple("aeiou") and not is_spoken_with_y else "a"
