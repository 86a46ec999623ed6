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

#: The ready-made vocabularies. Each is a file in this folder.
VOCABULARY_NAMES = ("default", "english")
#: A vocabulary as a user gives it: the name of a ready-made one or of a file, a list of names, or lists by kind.
Names = str | Path | Sequence[str] | Mapping[str, Any]
#: The kinds of names that a user may give, the readers of files by their ending, and the bytes of a file at most.
_KINDS = tuple(field.name for field in fields(Vocabulary) if field.name not in {"sorts", "signs"})
_PARSERS = {".toml": tomllib.loads, ".json": json.loads}
_MOST_BYTES = 1_000_000


def given_vocabulary(
    vocabulary: Vocabulary | Names, kinds: Collection[str]
) -> tuple[Vocabulary, str]:
    """The vocabulary that a user gives, and its name in results: ``custom-`` and a digest, if not ready-made.

    A list of names is for a grammar that needs one of these ``kinds`` (``propositions``, ``alphabet``, …) besides
    variables. A vocabulary without variables gets some. Raises :class:`VocabularyError`.
    """
    if isinstance(vocabulary, str) and Path(vocabulary).suffix not in _PARSERS:
        return ready_made(vocabulary), vocabulary
    names = _vocabulary_in(vocabulary, kinds)
    _check_names(names)
    # Users name what they speak of. Variables mean nothing, so the default ones do, but for names that are taken.
    if not names.variables:
        usual = ready_made("default").variables
        variables = tuple(name for name in usual if name not in names.names)
        names = replace(names, variables=variables)
    # The repr of a vocabulary leaves out its sorts. Without any, the digest is that of older releases.
    content = repr(names) + (repr(names.sorts) if names.sorts else "")
    digest = hashlib.sha256(content.encode()).hexdigest()
    return names, f"custom-{digest[:8]}"


def _check_names(names: Vocabulary) -> None:
    """Refuses repeated names, sorts that do not fit, and constants that would be read as variables."""
    with_arity = [name for name, _ in (*names.predicates, *names.functions)]
    in_formulas = [*names.propositions, *with_arity, *names.constants, *names.variables]
    # Letters stand in regular expressions, where no other names are.
    for symbols in (in_formulas, names.alphabet):
        repeated = [name for name, times in Counter(symbols).items() if times > 1]
        if repeated:
            raise VocabularyError(
                f"vocabulary: the name {repeated[0]!r} occurs twice; give distinct names"
            )
    sorts_needed = {**dict(names.predicates), **dict.fromkeys(names.constants, 1)}
    odd = [name for name, sorts in names.sorts if sorts_needed.get(name) != len(sorts)]
    if odd:
        hint = "give one for each argument of a predicate, and one for a constant"
        raise VocabularyError(
            f"vocabulary: the sorts of {odd[0]!r} are {names.sorts_of(odd[0])!r}; {hint}"
        )
    variables = ready_made("default").variables
    misread = [name for name in names.constants if name in variables]
    if misread:
        raise VocabularyError(
            f"vocabulary: the constant {misread[0]!r} would be read as a variable; give another name"
        )


@cache
def ready_made(name: str) -> Vocabulary:
    """A ready-made vocabulary; raises :class:`VocabularyError` for an unknown name."""
    if name not in VOCABULARY_NAMES:
        instead = ", or give a .toml or .json file, or in Python a list or a dict"
        raise VocabularyError(unknown_name("vocabulary", name, VOCABULARY_NAMES, instead=instead))
    return _vocabulary_in(Path(__file__).with_name(f"{name}.toml"), ())


def _vocabulary_in(vocabulary: Vocabulary | Names, kinds: Collection[str]) -> Vocabulary:
    """The vocabulary that a user gives in any form, with tuples in it."""
    origin, sorts = "vocabulary", {}
    content: Any = vocabulary
    if isinstance(vocabulary, Vocabulary):
        # A user may have put lists into it.
        sorts = dict(vocabulary.sorts)
        content = {kind: getattr(vocabulary, kind) for kind in _KINDS}
    elif isinstance(vocabulary, str | Path):
        origin = str(vocabulary)
        content = _content(Path(vocabulary))
    elif isinstance(vocabulary, Sequence):
        needed = [kind for kind in _KINDS if kind in kinds and kind != "variables"]
        if not needed:
            raise VocabularyError(
                f"{origin}: this grammar has no slots for names; leave the vocabulary out"
            )
        if len(needed) != 1:
            example = "{'predicates': {'Holds': 2}, 'constants': ['a', 'b']}"
            raise VocabularyError(
                f"{origin}: this grammar needs {' and '.join(needed)}; give a dict such as {example}"
            )
        content = {needed[0]: vocabulary}
    if not isinstance(content, Mapping):
        raise VocabularyError(
            f"{origin}: {content!r:.100} is not a name, a list of names, a dict or a file"
        )
    unknown = [kind for kind in content if kind not in _KINDS]
    if unknown:
        raise VocabularyError(f"{origin}: {unknown_name('kind of names', str(unknown[0]), _KINDS)}")
    names = {kind: _of_kind(kind, symbols, origin) for kind, symbols in content.items()}
    for kind, symbols in content.items():
        sorts.update(
            (name, own_sorts) for name, own_sorts in _sorts(kind, symbols) if any(own_sorts)
        )
    return Vocabulary(**names, sorts=tuple(sorts.items()))


def _content(path: Path) -> Any:
    try:
        return _PARSERS[path.suffix](read_given(path, _MOST_BYTES).decode())
    except (OSError, KeyError, ValueError, RecursionError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        # The ending has no parser.
        if isinstance(problem, KeyError):
            reason = "give a .toml or .json file"
        raise VocabularyError(f"vocabulary: {path} cannot be read: {reason}") from None


def _of_kind(kind: str, symbols: Any, origin: str) -> tuple[Any, ...]:
    """The names of a kind, those of predicates and functions with their numbers of arguments."""
    if isinstance(symbols, Mapping):
        # In TOML, a line below the heading of a table belongs to that table.
        for name, value in symbols.items():
            if name in _KINDS and isinstance(value, list | tuple | Mapping):
                hint = f"write it beside {kind} (in TOML, its line belongs above [{kind}])"
                raise VocabularyError(f"{origin}: {name} stands inside {kind}; {hint}")
    if kind in {"predicates", "functions"}:
        expected = "their numbers of arguments, 1 or more: {'Holds': 2}"
        if kind == "predicates":
            expected += ", or their sorts: {'Owns': ['person', 'dog']}"
        names, fits = _arities(kind, symbols)
    else:
        expected = "a list of names"
        names = symbols
        if kind == "constants":
            expected += ", or their sorts: {'bob': 'person'}"
            if isinstance(symbols, Mapping) and _are_texts([*symbols.values()]):
                names = list(symbols)
        # A text is a list of letters, which only an alphabet can mean.
        fits = isinstance(names, Sequence) and (kind == "alphabet" or not isinstance(names, str))
    if not fits or not all(isinstance(name, str) for name in names):
        raise VocabularyError(f"{origin}: {kind} are {symbols!r:.100}; give {expected}")
    return tuple(names.items() if isinstance(names, Mapping) else names)


def _arities(kind: str, symbols: Any) -> tuple[Any, bool]:
    """The number of arguments of each predicate or function, and whether these are numbers."""
    arities = symbols
    # What is no table is refused below, with all that a user may write.
    with suppress(TypeError, ValueError):
        arities = dict(symbols)
        if kind == "predicates":
            arities = {
                name: len(value) if _are_texts(value) else value for name, value in arities.items()
            }
    if not isinstance(arities, Mapping):
        return arities, False
    return arities, all(isinstance(arity, int) and arity >= 1 for arity in arities.values())


def _sorts(kind: str, symbols: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The sorts in a table of predicates or constants that :func:`_of_kind` accepts."""
    if kind == "predicates":
        for name, sorts in dict(symbols).items():
            if not isinstance(sorts, int):
                yield name, tuple(sorts)
    elif kind == "constants" and isinstance(symbols, Mapping):
        for name, sort in symbols.items():
            yield name, (sort,)


def _are_texts(values: Any) -> bool:
    return isinstance(values, list | tuple) and all(isinstance(text, str) for text in values)
