"""What the English of all witnesses shares: the phrases of a glossary, each for one symbol only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec import Struct, structs

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.base import EnglishError
from pytest_autoeval.lazy_pattern import lazy_pattern

#: The words before a clause that does not hold.
NOT = "it is not the case that "
#: The names of places in a phrase, if the glossary names none.
_PLACES = "xyzuvw"
#: The end of a sentence inside a phrase.
_ENDED = lazy_pattern(r"[.!?] ")


class Phrase(Struct, frozen=True):
    """The English of a symbol: a clause, or a noun phrase for a constant or a function, with words for its places."""

    text: str
    places: tuple[str, ...] = ()

    def of(self, *things: str) -> str:
        """The phrase with these things in its places."""
        if not self.places:
            return self.text
        filled = dict(zip(self.places, things, strict=True))
        # All places at once, so that a word of one thing is not taken for the next place.
        pattern = "|".join(re.escape(name) for name in sorted(filled, key=len, reverse=True))
        return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", lambda match: filled[match[0]], self.text)


def phrases_of(
    glossary: Mapping[str, str], symbols: Sequence[tuple[str, int]], fallback: str
) -> list[Phrase]:
    """The phrase of each symbol, given by name and arity, each different from the others.

    The keys of the glossary are names, with parameters if there are any: ``Larger(x, y)`` for "x is larger than y". A
    symbol without a clear phrase is its name in quotation marks with the words of ``fallback``. The name also follows
    a phrase that stands for two symbols.
    """
    own_phrases = dict(_entries(glossary))
    phrases = [own_phrases.get(symbol) or _unnamed(*symbol, fallback) for symbol in symbols]
    times = Counter(map(_shape, phrases))
    arities = Counter(name for name, _ in symbols)
    distinct = []
    for phrase, (name, arity) in zip(phrases, symbols, strict=True):
        if times[_shape(phrase)] == 1:
            distinct.append(phrase)
            continue
        own_name = f"{name}/{arity}" if arities[name] > 1 else name
        distinct.append(structs.replace(phrase, text=f"{phrase.text} (“{own_name}”)"))
    return distinct


def _entries(glossary: Mapping[str, str]) -> list[tuple[tuple[str, int], Phrase]]:
    entries = []
    for symbol_text, text in glossary.items():
        symbol_name, _, remainder = symbol_text.partition("(")
        parameter_list, _, _ = remainder.partition(")")
        names = [name.strip() for name in parameter_list.split(",")]
        parameters = tuple(name for name in names if name)
        phrase = " ".join(text.split()).rstrip(" .;:,!?")
        # A negated phrase could be taken for the negation of another, and two sentences for two facts.
        is_negated = phrase.casefold().startswith(NOT)
        if not phrase or is_negated or _ENDED.search(phrase):
            continue
        if all(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", phrase) for name in parameters):
            symbol = (symbol_name.strip(), len(parameters))
            entries.append((symbol, Phrase(phrase, parameters)))
    return entries


def _unnamed(name: str, arity: int, fallback: str) -> Phrase:
    if arity <= len(_PLACES):
        parameters = tuple(_PLACES[:arity])
    else:
        parameters = tuple(f"x{number}" for number in range(1, arity + 1))
    things = f" of {', '.join(parameters)}" if parameters else ""
    return Phrase(f"“{name}”{fallback}{things}", parameters)


def _shape(phrase: Phrase) -> str:
    """What must differ between two phrases."""
    return phrase.of(*("_" for _ in phrase.places)).casefold()


def sentence(text: str) -> str:
    """The text as a sentence. A name in quotation marks keeps its letters."""
    return f"{text[:1].upper()}{text[1:]}."


@contextmanager
def readable_case() -> Iterator[None]:
    """Raises :class:`AutoevalError` where the JSON of a witness has not the expected form."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as problem:
        raise AutoevalError(f"this is no witness of the language: {problem!r}") from None


def unlike(kind: str) -> EnglishError:
    """The error for a witness of another kind."""
    return EnglishError(f"there is no English for a witness that is not {kind}")
