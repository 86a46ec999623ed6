"""Vocabularies: the user's names, or ready-made ones: synthetic (``default``) and English words (``english``)."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from pytest_autoeval.errors import unknown_name
from pytest_autoeval.generation.drawing_errors import VocabularyError
from pytest_autoeval.given_file import read_given
from pytest_autoeval.languages import Vocabulary

VOCABULARY_NAMES = ("default", "english")
#: A vocabulary as a user gives it: the name of a ready-made one or of a file, a list of names, or lists by kind.
Names = str | Path | Sequence[str] | Mapping[str, Any]
_KINDS = tuple(field.name for field in fields(Vocabulary) if field.name not in {"sorts", "signs"})
_PARSERS = {".toml": tomllib.loads, ".json": json.loads}
_MOST_BYTES = 1_000_000


def given_vocabulary(given: Vocabulary | Names, kinds: Collection[str]) -> tuple[Vocabulary, str]:
    """The vocabulary that a user gives, and its name in results: ``custom-`` and a digest, if not ready-made.

    A list of names is for a grammar that needs one of these ``kinds`` (``propositions``, ``alphabet``, …) besides
    variables. A vocabulary without variables gets some. Raises :class:`VocabularyError`.
    """
    if isinstance(given, str) and Path(given).suffix not in _PARSERS:
        return ready_made(given), given
    names = _vocabulary_in(given, kinds)
    with_arity = [name for name, _ in (*names.predicates, *names.functions)]
    for symbols in (
        [*names.propositions, *with_arity, *names.constants, *names.variables],
        names.alphabet,
    ):
        if repeated := [name for name, times in Counter(symbols).items() if times > 1]:
            raise VocabularyError(
                f"vocabulary: the name {repeated[0]!r} occurs twice; give distinct names"
            )
    places = {**dict(names.predicates), **dict.fromkeys(names.constants, 1)}
    if odd := [name for name, sorts in names.sorts if places.get(name) != len(sorts)]:
        wanted = "give one for each argument of a predicate, and one for a constant"
        raise VocabularyError(
            f"vocabulary: the sorts of {odd[0]!r} are {names.sorts_of(odd[0])!r}; {wanted}"
        )
    bound = ready_made("default").variables
    if alike := [name for name in names.constants if name in bound]:
        raise VocabularyError(
            f"vocabulary: the constant {alike[0]!r} would be read as a variable; give another name"
        )
    if not names.variables:
        names = replace(names, variables=tuple(name for name in bound if name not in names.names))
    content = repr(names) + (repr(names.sorts) if names.sorts else "")
    return names, f"custom-{hashlib.sha256(content.encode()).hexdigest()[:8]}"


@cache
def ready_made(name: str) -> Vocabulary:
    """A ready-made vocabulary; raises :class:`VocabularyError` for an unknown name."""
    if name not in VOCABULARY_NAMES:
        instead = ", or give a .toml or .json file, or in Python a list or a dict"
        raise VocabularyError(unknown_name("vocabulary", name, VOCABULARY_NAMES, instead=instead))
    return _vocabulary_in(Path(__file__).with_name(f"{name}.toml"), ())


def _vocabulary_in(given: Vocabulary | Names, kinds: Collection[str]) -> Vocabulary:
    place, sorts = "vocabulary", {}
    if isinstance(given, Vocabulary):  # its parts may be lists
        sorts = dict(given.sorts)
        given = {kind: getattr(given, kind) for kind in _KINDS}
    elif isinstance(given, str | Path):
        place, given = str(given), _content(Path(given))
    elif isinstance(given, Sequence):
        needed = [kind for kind in _KINDS if kind in kinds and kind != "variables"]
        if not needed:
            raise VocabularyError(
                f"{place}: this grammar has no slots for names; leave the vocabulary out"
            )
        if len(needed) != 1:
            example = "{'predicates': {'Holds': 2}, 'constants': ['a', 'b']}"
            raise VocabularyError(
                f"{place}: this grammar needs {' and '.join(needed)}; give a dict such as {example}"
            )
        given = {needed[0]: given}
    if not isinstance(given, Mapping):
        raise VocabularyError(
            f"{place}: {given!r:.100} is not a name, a list of names, a dict or a file"
        )
    if unknown := [kind for kind in given if kind not in _KINDS]:
        raise VocabularyError(f"{place}: {unknown_name('kind of names', str(unknown[0]), _KINDS)}")
    names = {kind: _of_kind(kind, symbols, place) for kind, symbols in given.items()}
    sorts |= {
        name: found
        for kind, symbols in given.items()
        for name, found in _sorts(kind, symbols)
        if any(found)
    }
    return Vocabulary(**names, sorts=tuple(sorts.items()))


def _content(path: Path) -> Any:
    try:
        return _PARSERS[path.suffix](read_given(path, _MOST_BYTES).decode())
    except (OSError, KeyError, ValueError, RecursionError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        reason = "give a .toml or .json file" if isinstance(problem, KeyError) else reason
        raise VocabularyError(f"vocabulary: {path} cannot be read: {reason}") from None


def _of_kind(kind: str, symbols: Any, place: str) -> tuple[Any, ...]:
    given = symbols
    if isinstance(given, Mapping):
        inside = (
            name
            for name, it in given.items()
            if name in _KINDS and isinstance(it, list | tuple | Mapping)
        )
        if slipped := next(inside, None):
            hint = f"write it beside {kind} (in TOML, its line belongs above [{kind}])"
            raise VocabularyError(f"{place}: {slipped} stands inside {kind}; {hint}")
    if kind in {"predicates", "functions"}:
        wanted = "their numbers of arguments, 1 or more: {'Holds': 2}"
        wanted += ", or their sorts: {'Owns': ['person', 'dog']}" if kind == "predicates" else ""
        with suppress(TypeError, ValueError):
            symbols = {
                name: len(it) if kind == "predicates" and _are_texts(it) else it
                for name, it in dict(symbols).items()
            }
        fits = isinstance(symbols, Mapping) and all(
            isinstance(it, int) and it >= 1 for it in symbols.values()
        )
    else:
        wanted = "a list of names"
        if kind == "constants":
            wanted += ", or their sorts: {'bob': 'person'}"
            symbols = (
                list(symbols)
                if isinstance(symbols, Mapping) and _are_texts([*symbols.values()])
                else symbols
            )
        fits = isinstance(symbols, Sequence) and (
            kind == "alphabet" or not isinstance(symbols, str)
        )
    if not fits or not all(isinstance(name, str) for name in symbols):
        raise VocabularyError(f"{place}: {kind} are {given!r:.100}; give {wanted}")
    return tuple(symbols.items() if isinstance(symbols, Mapping) else symbols)


def _sorts(kind: str, symbols: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The sorts in a table of predicates or constants that :func:`_of_kind` accepts."""
    if kind == "predicates":
        yield from (
            (name, tuple(it)) for name, it in dict(symbols).items() if not isinstance(it, int)
        )
    elif kind == "constants" and isinstance(symbols, Mapping):
        yield from ((name, (sort,)) for name, sort in symbols.items())


def _are_texts(found: Any) -> bool:
    return isinstance(found, list | tuple) and all(isinstance(text, str) for text in found)
