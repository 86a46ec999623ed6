"""What the English of all witnesses shares: the phrases of a glossary, each for one symbol only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.base import EnglishError

#: The words before a clause that does not hold.
NOT = "it is not the case that "
#: The names of places in a phrase, if the glossary names none.
_PLACES = "xyzuvw"
#: The end of a sentence inside a phrase.
_ENDED = re.compile(r"[.!?] ")


@dataclass(frozen=True, slots=True)
class Phrase:
    """The English of a symbol: a clause, or a noun phrase for a constant or a function, with words for its places."""

    text: str
    places: tuple[str, ...] = ()

    def of(self, *things: str) -> str:
        """The phrase with these things in its places."""
        if not self.places:
            return self.text
        filled = dict(zip(self.places, things, strict=True))
        pattern = "|".join(re.escape(place) for place in sorted(filled, key=len, reverse=True))
        return re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", lambda found: filled[found[0]], self.text)


def phrases_of(
    glossary: Mapping[str, str], symbols: Sequence[tuple[str, int]], fallback: str
) -> list[Phrase]:
    """The phrase of each symbol, given by name and arity, each different from the others.

    The keys of the glossary are names, with parameters if there are any: ``Larger(x, y)`` for "x is larger than y". A
    symbol without a clear phrase is its name in quotation marks with the words of ``fallback``. The name also follows
    a phrase that stands for two symbols.
    """
    known = dict(_entries(glossary))
    found = [known.get(symbol) or _unnamed(*symbol, fallback) for symbol in symbols]
    alike = Counter(map(_shape, found))
    arities = Counter(name for name, _ in symbols)
    for at, (name, arity) in enumerate(symbols):
        if alike[_shape(found[at])] > 1:
            own = f"{name}/{arity}" if arities[name] > 1 else name
            found[at] = replace(found[at], text=f"{found[at].text} (“{own}”)")
    return found


def _entries(glossary: Mapping[str, str]) -> list[tuple[tuple[str, int], Phrase]]:
    entries = []
    for shown, text in glossary.items():
        name, _, rest = shown.partition("(")
        places = tuple(
            place.strip() for place in rest.partition(")")[0].split(",") if place.strip()
        )
        phrase = " ".join(text.split()).rstrip(" .;:,!?")
        # A negated phrase could be taken for the negation of another, and two sentences for two facts.
        is_clear = phrase and not phrase.casefold().startswith(NOT) and not _ENDED.search(phrase)
        if is_clear and all(
            re.search(rf"(?<!\w){re.escape(place)}(?!\w)", phrase) for place in places
        ):
            entries.append(((name.strip(), len(places)), Phrase(phrase, places)))
    return entries


def _unnamed(name: str, arity: int, fallback: str) -> Phrase:
    places = (
        tuple(_PLACES[:arity])
        if arity <= len(_PLACES)
        else tuple(f"x{place}" for place in range(1, arity + 1))
    )
    things = f" of {', '.join(places)}" if places else ""
    return Phrase(f"“{name}”{fallback}{things}", places)


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
