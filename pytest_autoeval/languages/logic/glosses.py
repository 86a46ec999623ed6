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
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from msgspec import structs

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
    occurrences = [use for formula in formulas for use in uses(formula)]
    distinct_uses = dict.fromkeys(use for use in occurrences if use.kind != "variable")
    symbols = [_symbol(use) for use in distinct_uses]
    # Symbols of one gloss could not be distinguished in English, so their names follow it.
    times = Counter((symbol.gloss.casefold(), symbol.is_term) for symbol in symbols)
    for index, symbol in enumerate(symbols):
        if times[symbol.gloss.casefold(), symbol.is_term] > 1:
            gloss = f"{symbol.gloss} ({symbol.name})"
            negative = symbol.negative and f"{symbol.negative} ({symbol.name})"
            symbols[index] = structs.replace(symbol, gloss=gloss, negative=negative)
    return Ontology(tuple(symbols), derived=True)


# The formulas of one data set share most of their symbols.
@lru_cache(maxsize=1 << 14)
def _symbol(use: Use) -> Symbol:
    words = words_of_name(use.name)
    parameters = _places(use.arity, words)
    if use.kind == "constant":
        return Symbol(use.name, (), _constant(use.name, words), is_term=True)
    if use.kind == "function":
        ends_with_of = len(words) > 1 and words[-1] == "of"
        head = words[:-1] if ends_with_of else words
        gloss = f"the {' '.join(head)} of {listed(parameters, 'and')}"
        return Symbol(use.name, parameters, gloss, is_term=True)
    gloss, negative = _predicate(words, parameters)
    return Symbol(use.name, parameters, gloss, negative)


def _places(arity: int, words: Sequence[str]) -> tuple[str, ...]:
    """Names of the places that are not words of the name."""
    # Not "a", which would be read as the article.
    candidates = [*"xyzwvutsrqponmlkjihgfedcb", *(f"x{number}" for number in range(1, arity + 1))]
    return tuple(name for name in candidates if name not in words)[:arity]


def _constant(name: str, words: Sequence[str]) -> str:
    year = re.fullmatch(r"y(\d{4})", name)  # as data sets write years
    if year is not None:
        return year[1]
    return " ".join(word[0].upper() + word[1:] for word in words)


def _predicate(words: list[str], parameters: tuple[str, ...]) -> _Gloss:
    match parameters:
        case (x,):
            positive, negative = _of_one_place(words)
            if negative:
                negative = f"{x} {negative}"
            return f"{x} {positive}", negative
        case (x, y):
            clause = _of_a_clause(words)
            if clause is not None:
                adjective, complement = clause
                ending = f"{adjective} that {y} is {complement}"
                return f"{x} is {ending}", f"{x} is not {ending}"
            positive, negative = _of_two_places(words)
            if negative:
                negative = f"{x} {negative} {y}"
            return f"{x} {positive} {y}", negative
        case _:
            phrase = " ".join(words)
            things = f" of {listed(parameters, 'and')}" if parameters else ""
            return f"{phrase} holds{things}", f"{phrase} does not hold{things}"


def _of_one_place(words: list[str]) -> _Gloss:
    glosses = _by_first_word(words)
    if glosses is not None:
        return glosses
    first_word, *other_words = words
    verb = _base_of(first_word)
    # Some verbs are nouns when they stand alone.
    if verb is None or (not other_words and verb in _VERBS_LIKE_NOUNS):
        return _is(_complement(words))
    return _verb(verb, other_words)


def _of_a_clause(words: list[str]) -> tuple[str, str] | None:
    """The adjective and what is said of the second place: "aware", "a drug" for ``AwareThatDrug``; otherwise None."""
    if len(words) <= 2 or words[1] != "that":
        return None
    # "x is aware that y is taking …" would need the rest of a sentence.
    if not _is_adjective(words[0]) or words[2].endswith("ing"):
        return None
    return words[0], _complement(words[2:])


def _of_two_places(words: list[str]) -> _Gloss:
    """The words between the two places."""
    first_word, *other_words = words
    verb = _base_of(first_word)
    if _compares(words):
        return _is(*words, "than")
    if first_word == "same" and other_words:
        return _has("the same", *other_words, "as")
    glosses = _by_first_word(words)
    if glosses is not None:
        return glosses
    if not other_words and _is_participle(first_word) and not first_word.endswith("ing"):
        return f"has {first_word}", f"has not {first_word}"
    if verb is not None:
        return _verb(verb, other_words)
    return _is(_relation(words))


def _by_first_word(words: list[str]) -> _Gloss | None:
    """The words of a gloss where the first word decides; otherwise None."""
    first_word, *other_words = words
    if first_word in _PREPOSITIONS:
        return _is(*words)
    if first_word == "one" and other_words[:1] == ["of"]:
        return _is("one of", *_with_the(other_words[1:]))
    if first_word in ("has", "have"):
        return _has(*other_words)
    if first_word in ("is", "are", "be"):
        return _is(_complement(other_words)) if other_words else _is()
    return _by_first_of_several(first_word, other_words) if other_words else None


def _by_first_of_several(first_word: str, other_words: list[str]) -> _Gloss | None:
    """The words of a gloss where a first word decides that cannot stand alone; otherwise None."""
    if _is_adverb(first_word):
        return _by_adverb(first_word, other_words)
    if first_word == "same":
        return _has("the same", *other_words)
    if first_word == "no":
        return f"has no {' '.join(other_words)}", ""
    if first_word == "not":
        return f"is not {_complement(other_words)}", ""
    if first_word in _MODALS:
        negative = "cannot" if first_word == "can" else f"{first_word} not"
        return " ".join((first_word, *other_words)), " ".join((negative, *other_words))
    return None


def _by_adverb(adverb: str, words: Sequence[str]) -> _Gloss | None:
    """The words of a gloss with an adverb before a verb: "rarely sleeps"; None if no verb follows."""
    verb = _base_of(words[0])
    objects = words[1:]
    if verb is None or (not objects and verb in _VERBS_LIKE_NOUNS):
        return None
    positive, _ = _verb(verb, objects)
    return f"{adverb} {positive}", " ".join(("does not", adverb, verb, *objects))


def _with_the(words: Sequence[str]) -> Sequence[str]:
    """The words of things that are known: "the rings" for ``Rings``, but "Paris" and "my rings"."""
    if not words or words[0].lower() in _PROPER:
        return words
    has_determiner = words[0] in ("a", "an", "the", "my", "our", "their")
    return words if has_determiner else ("the", *words)


def _is(*words: str) -> _Gloss:
    return " ".join(("is", *words)), " ".join(("is not", *words))


def _has(*words: str) -> _Gloss:
    return " ".join(("has", *words)), " ".join(("does not have", *words))


def _verb(verb: str, other_words: Sequence[str]) -> _Gloss:
    positive = " ".join((_third_person(verb), *other_words))
    negative = " ".join(("does not", verb, *other_words))
    return positive, negative


def _complement(words: Sequence[str]) -> str:
    """The words after "is": an adjective, or a noun with its article."""
    phrase = " ".join(words)
    # The noun stands before the first preposition, else at the end.
    prepositions = [index for index, word in enumerate(words) if index and word in _PREPOSITIONS]
    head = prepositions[0] - 1 if prepositions else len(words) - 1
    is_inside = 0 < head < len(words) - 1
    if is_inside and _is_participle(words[head]) and not words[head - 1].endswith("ly"):
        head -= 1  # "animals loved by tourists" are animals
    is_inside = 0 < head < len(words) - 1
    if is_inside and _is_participle(words[0]):
        return phrase
    if words[0] in ("a", "an", "the", *_PREPOSITIONS):
        return phrase
    if words[head].lower() in _PROPER or _is_adjective(words[head]):
        return phrase
    if words[head] in _MASS_NOUNS and not _is_unique(words):
        return phrase
    if _is_plural(words[head]):
        return f"one of the {phrase}"
    article = "the" if _is_unique(words) else _article(words[0])
    return f"{article} {phrase}"


def _is_unique(words: Sequence[str]) -> bool:
    """Whether words name the one thing of its kind: "largest lake", "second largest city", "most populous city"."""
    first_word, *other_words = words
    if first_word in _ORDINALS and other_words:
        return _is_superlative(other_words[0])
    if first_word in ("most", "least") and len(other_words) > 1:
        return True
    return _is_superlative(first_word)


def _relation(words: Sequence[str]) -> str:
    """The words between "is" and the second place."""
    *earlier_words, last_word = words
    if last_word == "than" and len(earlier_words) == 1:
        word = earlier_words[0]
        if word in ("more", "less", "fewer") or _is_comparative(word):
            return " ".join(words)
    if last_word in _PREPOSITIONS:
        return f"{_complement(earlier_words)} {last_word}"
    if _is_adjective(last_word):
        return " ".join(words)
    return f"{_complement(words)} of"


def words_of_name(name: str) -> list[str]:
    """The words of a name, in lower case except for proper names and abbreviations; at least one."""
    words: list[str] = []
    for piece in re.split(r"[_\-]+", name):
        starts = [index for index in range(1, len(piece)) if _begins_word(piece, index)]
        limits = [0, *starts, len(piece)]
        words += [piece[start:end] for start, end in pairwise(limits)]
    # A name of underscores alone has no word.
    return [_cased(word) for word in words if word] or [name]


def _begins_word(name: str, index: int) -> bool:
    """Whether a word begins at an index: "Cost|205", "In|EU", "EU|Country"."""
    before = name[index - 1]
    sign = name[index]
    after = name[index + 1 : index + 2]
    if sign.isdigit() and not before.isdigit():
        return _are_two_letters(name[max(index - 2, 0) : index])
    if before.isdigit() and not sign.isdigit():
        return _are_two_letters(name[index : index + 2])
    if not sign.isupper():
        return False
    # The last of several capitals begins a word, as the C of "EUCountry".
    return before.islower() or (before.isupper() and after.islower())


def _are_two_letters(text: str) -> bool:
    """Whether a text beside a number is two letters. A single one belongs to the number: "F1", "3D"."""
    return len(text) == 2 and text.isalpha()


def _cased(word: str) -> str:
    if word.lower() in _PROPER:
        return word.capitalize()
    capitals = sum(letter.isupper() for letter in word)
    has_digit = any(letter.isdigit() for letter in word)
    if capitals > 1:  # "EU"
        return word
    if capitals == 1 and (len(word) == 1 or has_digit):  # "A", "F1"
        return word
    return word.lower()


def _is_adjective(word: str) -> bool:
    """Whether a word is an adjective or a participle: "tall", "engaged", "coughing"."""
    if word in _NOUNS_LIKE_ADJECTIVES:
        return False
    low = word.lower()
    if low in _ADJECTIVES or _is_participle(low) or _is_comparative(low):
        return True
    endings = ("able", "ible", "ful", "less", "ous", "ive", "ical", "tic", "onal", "ish")
    return len(low) > 5 and low.endswith(endings)  # not "table" and "fish"


def _is_adverb(word: str) -> bool:
    """Whether a word is an adverb: "consistently", not "family" and not "friendly"."""
    if not word.endswith("ly") or len(word) <= 4:  # "fly", "July"
        return False
    return word not in _NOT_ADVERBS and word not in _ADJECTIVES


def _is_participle(word: str) -> bool:
    if word in _PARTICIPLES:
        return True
    return word.endswith(("ing", "ed")) and len(word) > 4  # not "king" and "red"


def _is_comparative(word: str) -> bool:
    """Whether a word is a comparative: "larger" and "happier", not "member"."""
    return _is_adjective_with("er", word)


def _compares(words: Sequence[str]) -> bool:
    """Whether words need "than" before the second place: "larger", "more popular"."""
    last_word = words[-1]
    if words[0] in ("more", "less") and len(words) > 1 and _is_adjective(last_word):
        return True
    return all(map(_is_adjective, words)) and _is_comparative(last_word)


def _is_superlative(word: str) -> bool:
    """Whether a word is a superlative: "largest" and "happiest", not "guest"."""
    return _is_adjective_with("est", word)


def _is_adjective_with(ending: str, word: str) -> bool:
    """Whether a word is a known adjective with an ending, before which its spelling may change."""
    stem = word.removesuffix(ending)
    if stem == word:
        return False
    is_doubled = stem[-1:] == stem[-2:-1]
    # "tall" + "er", "large" + "r", "big" + "ger", "happy" with "i" for "y".
    stems = {stem, stem + "e", stem.removesuffix("i") + "y"}
    if is_doubled:
        stems.add(stem[:-1])
    return not stems.isdisjoint(_ADJECTIVES)


def _is_plural(word: str) -> bool:
    if len(word) <= 3 or word.isupper():  # "gas", an abbreviation
        return False
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _base_of(verb: str) -> str | None:
    """The base form of a known verb, given as "like" or "likes"; otherwise None."""
    for form in (verb, verb.removesuffix("s")):
        if form in _VERBS:
            return form
    return None


def _third_person(verb: str) -> str:
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return f"{verb[:-1]}ies"
    ending = "es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s"
    return verb + ending


def _article(word: str) -> str:
    """The indefinite article before a word: "an EU", "a university", "an F1"."""
    if word.isupper():  # an abbreviation: its first letter is spoken, as "an F"
        return "an" if word[0] in "AEFHILMNORSX" else "a"
    if word[:1].lower() not in tuple("aeiou"):
        return "a"
    has_prefix_un = word.startswith(("unin", "unim"))  # "an uninformed", but "a university"
    is_spoken_with_consonant = word.startswith(("uni", "use", "usu", "eu", "one"))
    return "a" if is_spoken_with_consonant and not has_prefix_un else "an"
