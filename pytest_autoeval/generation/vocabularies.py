"""Vocabularies: the user's names, or ready-made ones of any size.

Ready-made are synthetic names (``default``) and English verbs and first names (``english``).
"""

from __future__ import annotations

import hashlib
import json
import string
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from pytest_autoeval.errors import unknown_name
from pytest_autoeval.generation.errors import VocabularyError
from pytest_autoeval.given_file import read_given
from pytest_autoeval.languages import Vocabulary

VOCABULARY_NAMES = ("default", "english")
#: A vocabulary as a user gives it: the name of a ready-made one or of a file, a list of names, or lists by their kind.
Names = str | Path | Sequence[str] | Mapping[str, Any]
_KINDS = tuple(field.name for field in fields(Vocabulary))
_PARSERS = {".toml": tomllib.loads, ".json": json.loads}
_MOST_BYTES = 1_000_000
_VARIABLES = 12
_SYMBOLS = string.digits + string.ascii_lowercase
#: The keys of the English verbs with one argument, two, three.
_VERBS = ("intransitive", "transitive", "ditransitive")


def given_vocabulary(given: Vocabulary | Names, kinds: Collection[str]) -> tuple[Vocabulary, str]:
    """A vocabulary as a user may give it, and its name in results: ``custom-`` and a digest, if not a ready-made one.

    A list of names is for a grammar that needs one of these ``kinds`` (``propositions``, ``alphabet``, …), variables
    apart. A vocabulary without variables gets some. Raises :class:`VocabularyError`.
    """
    if isinstance(given, str) and Path(given).suffix not in _PARSERS:
        return vocabulary(given), given
    names = given if isinstance(given, Vocabulary) else _vocabulary_in(given, kinds)
    listed = [*names.propositions, *names.constants, *names.variables, *(it for it, _ in names.predicates)]
    for symbols in ([*listed, *(name for name, _ in names.functions)], names.alphabet):
        if symbols and (most := Counter(symbols).most_common(1)[0])[1] > 1:
            raise VocabularyError(f"vocabulary: the name {most[0]!r} occurs {most[1]} times; give distinct names")
    if not names.variables:
        free = (name for name in _numbered("x", _VARIABLES + len(names.names)) if name not in names.names)
        names = replace(names, variables=tuple(islice(free, _VARIABLES)))
    return names, f"custom-{hashlib.sha256(repr(names).encode()).hexdigest()[:8]}"


def _vocabulary_in(given: Names, kinds: Collection[str]) -> Vocabulary:
    place = "vocabulary"
    if isinstance(given, str | Path):
        place, given = str(given), _content(Path(given))
    elif isinstance(given, Sequence):
        needed = [kind for kind in _KINDS if kind in kinds and kind != "variables"]
        if len(needed) != 1:
            example = "{'predicates': {'Holds': 2}, 'constants': ['a', 'b']}"
            raise VocabularyError(f"{place}: this grammar needs {' and '.join(needed)}; give a dict such as {example}")
        given = {needed[0]: given}
    if not isinstance(given, Mapping):
        raise VocabularyError(f"{place}: {given!r:.100} is not a name, a list of names, a dict or a file")
    if unknown := [kind for kind in given if kind not in _KINDS]:
        raise VocabularyError(f"{place}: {unknown_name('kind of names', str(unknown[0]), _KINDS)}")
    return Vocabulary(**{kind: _of_kind(kind, symbols, place) for kind, symbols in given.items()})


def _content(path: Path) -> Any:
    try:
        return _PARSERS[path.suffix](read_given(path, _MOST_BYTES).decode())
    except (OSError, KeyError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        reason = "give a .toml or .json file" if isinstance(problem, KeyError) else reason
        raise VocabularyError(f"vocabulary: {path} cannot be read: {reason}") from None


def _of_kind(kind: str, symbols: Any, place: str) -> tuple[Any, ...]:
    """The symbols of one kind: names, or pairs of a name and its number of arguments."""
    if kind in {"predicates", "functions"}:
        is_right = isinstance(symbols, Mapping) and all(
            isinstance(arity, int) and arity >= 1 for arity in symbols.values()
        )
        found, wanted = (tuple(symbols.items()) if is_right else ()), "their numbers of arguments: {'Holds': 2}"
    else:
        is_right = isinstance(symbols, Sequence) and (kind == "alphabet" or not isinstance(symbols, str))
        found, wanted = tuple(symbols) if is_right else (), "a list of names"
    if not is_right or not all(isinstance(name, str) for name in symbols):
        raise VocabularyError(f"{place}: {kind} are {symbols!r:.100}; give {wanted}")
    return found


def vocabulary(  # noqa: PLR0913 - each is the number of one kind of names
    name: str = "default",
    *,
    propositions: int = 12,
    predicates: int = 8,
    arity: tuple[int, int] = (1, 2),
    constants: int = 12,
    variables: int = _VARIABLES,
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
        instead = ", or give a list of names, a dict, or a .toml or .json file"
        raise VocabularyError(unknown_name("vocabulary", name, VOCABULARY_NAMES, instead=instead))
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
