"""Ready-made vocabularies of any size: synthetic names (``default``), English verbs and first names (``english``)."""

from __future__ import annotations

import hashlib
import string
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pytest_autoeval.errors import unknown_name
from pytest_autoeval.generation.errors import VocabularyError
from pytest_autoeval.languages import Vocabulary

VOCABULARY_NAMES = ("default", "english")
_SYMBOLS = string.digits + string.ascii_lowercase
#: The keys of the English verbs with one argument, two, three.
_VERBS = ("intransitive", "transitive", "ditransitive")


def vocabulary(  # noqa: PLR0913 - each is the number of one kind of names
    name: str = "default",
    *,
    propositions: int = 12,
    predicates: int = 8,
    arity: tuple[int, int] = (1, 2),
    constants: int = 12,
    variables: int = 12,
    alphabet: int = 2,
    seed: int = 0,
) -> Vocabulary:
    """A ready-made vocabulary.

    ``propositions``, ``predicates``, ``constants``, ``variables`` and ``alphabet`` are numbers of names; ``arity`` the
    smallest and the largest number of arguments, which the predicates have in turn. In ``english`` predicates are verbs
    and constants first names, chosen by ``seed``. Defaults as in ∀uto∃∨∧L (Karia et al., 2024), table 1.
    Raises :class:`VocabularyError`.
    """
    if name not in VOCABULARY_NAMES:
        raise VocabularyError(unknown_name("vocabulary", name, VOCABULARY_NAMES))
    lowest, highest = arity
    if not 1 <= lowest <= highest:
        raise VocabularyError(f"arity {arity}: give the smallest and the largest, from 1 (no arguments: a proposition)")
    if not 0 <= alphabet <= len(_SYMBOLS):
        raise VocabularyError(f"an alphabet has up to {len(_SYMBOLS)} symbols, not {alphabet}")
    arities = [lowest + number % (highest - lowest + 1) for number in range(predicates)]
    if name == "english":
        named = _verbs(arities, seed)
        people = _some(_english()["first_names"], constants, seed, "first names")
    else:
        named = tuple((f"pred{number}", places) for number, places in enumerate(arities, start=1))
        people = _numbered("c", constants)
    return Vocabulary(
        propositions=_numbered("p", propositions),
        predicates=named,
        constants=people,
        variables=_numbered("x", variables),
        alphabet=tuple(_SYMBOLS[:alphabet]),
    )


def _numbered(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{number}" for number in range(1, count + 1))


def _verbs(arities: Sequence[int], seed: int) -> tuple[tuple[str, int], ...]:
    verbs = [_english()[kind] for kind in _VERBS]
    if max(arities, default=1) > len(verbs):
        raise VocabularyError(f"there are no English verbs of arity {max(arities)}; arities are 1 to {len(verbs)}")
    chosen = {places: iter(_some(verbs[places - 1], arities.count(places), seed, "verbs")) for places in set(arities)}
    return tuple((next(chosen[places]), places) for places in arities)


@cache
def _english() -> dict[str, list[str]]:
    words = tomllib.loads(Path(__file__).with_name("english.toml").read_text("utf-8"))
    return {kind: listed.split() for kind, listed in words.items()}


def _some(names: Sequence[str], count: int, seed: int, what: str) -> tuple[str, ...]:
    """So many of the names, in alphabetical order.

    Each name is ranked by a digest of its own, so that a name more or less in the list changes hardly anything.
    """
    if count > len(names):
        raise VocabularyError(f"there are only {len(names)} {what}, not {count}")
    ranked = sorted(names, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
    return tuple(sorted(ranked[:count]))
