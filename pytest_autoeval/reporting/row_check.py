"""Checks that JSON of a results file is a row: every key has a value of its declared type."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import partial
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypedDict, Union, get_args, get_origin, get_type_hints

from pytest_autoeval.outcomes import OUTCOMES
from pytest_autoeval.reporting.row import KEYS, Row

_SHOWN = 60  # characters of a wrong value


class Facts(TypedDict):
    """The types of keys that reports read besides a row's attributes; they may be null. Other keys are not checked."""

    alignment: list[tuple[str, str]]
    alignment_basis: str
    blame: dict[str, str | int | float | bool | None]
    candidates: list[str]
    candidates_english: list[str]
    conclusion: str
    description_read: str
    differences: dict[str, list[tuple[int, int]]]
    edits: list[str]
    error_kind: str
    first_outcome: str
    formalization: str
    glossary: dict[str, str]
    kinds: list[str]
    law: str
    matched: list[Any]
    missing: list[Any]
    paraphrase: int
    perturbations: int
    premises: list[str]
    premises_formulas: list[str]
    problem: str
    propositions: list[tuple[str, str]]
    relation: str
    run_not_collected: list[str]
    run_suites: dict[str, list[str]]
    scores: dict[str, float]
    similarities: list[float]
    sizes_without_samples: list[int]
    surplus: list[Any]
    symbols_f1: float
    symbols_precision: float
    symbols_recall: float
    wrong_arity: list[Any]


class _Kind(NamedTuple):
    """A kind of value: its description, the types that are always right, and a check for others."""

    words: str
    types: frozenset[type]
    fits: Callable[[Any], bool]


def wrong_value(data: Mapping[str, Any]) -> str:
    """A sentence about the first wrong value of a row; empty if all are right."""
    for key, value in data.items():
        kind = _KINDS.get(key, _ANY)
        if type(value) not in kind.types and not kind.fits(value):
            return f"{key} is {shown(value)}, not {kind.words}"
    named = [data.get(key) for key in ("outcome", "first_outcome")]
    for name in named:
        if name is not None and name not in OUTCOMES:
            return f"there is no outcome {shown(name)}"
    messages = (message for call in data["calls"] or () for message in call.get("messages") or ())
    if any("role" not in message or message.keys().isdisjoint(("content", "digest")) for message in messages):
        return "calls: a message lacks its role, or both content and digest"
    chance = data.get("chance") or 0
    return "" if 0 <= chance < 1 else f"chance is {chance}, not a number ≥ 0 and below 1"


def shown(value: Any) -> str:
    """The beginning of a value of JSON, as a message shows it."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _kind(annotation: Any) -> _Kind:
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in {Union, UnionType}:
        kinds = [_kind(argument) for argument in arguments]
        words, types = " or ".join(kind.words for kind in kinds), frozenset().union(*(kind.types for kind in kinds))
        return _Kind(words, types, lambda value: any(kind.fits(value) for kind in kinds))
    if origin is Literal:
        return _Kind(" or ".join(arguments), frozenset(), lambda value: value in arguments)
    if is_dataclass(annotation):
        return _of_dataclass(annotation)
    parts = [_kind(argument) for argument in arguments if argument is not ...]
    if origin is tuple and ... not in arguments:
        return _Kind(f"{len(parts)} values in a list", frozenset(), partial(_are, parts))
    words = f"an object of {parts[-1].words}" if origin in {dict, Mapping} else f"a list of {parts[-1].words}"
    return _Kind(words, frozenset(), partial(_holds, dict if origin in {dict, Mapping} else list, parts[-1]))


def _of_dataclass(annotation: Any) -> _Kind:
    hints = get_type_hints(annotation)
    kinds = {field.name: _kind(hints[field.name]) for field in fields(annotation)}
    needed = {
        field.name for field in fields(annotation) if field.default is MISSING and field.default_factory is MISSING
    }

    def fits(value: Any) -> bool:
        whole = type(value) is dict and needed <= value.keys() <= kinds.keys()
        return whole and _are(list(map(kinds.__getitem__, value)), list(value.values()))

    return _Kind(f"an object with {', '.join(kinds)}", frozenset(), fits)


def _are(kinds: Sequence[_Kind], values: Any) -> bool:
    if type(values) is not list or len(values) != len(kinds):
        return False
    for kind, value in zip(kinds, values, strict=True):
        if type(value) not in kind.types and not kind.fits(value):
            return False
    return True


def _holds(container: Any, kind: _Kind, value: Any) -> bool:
    if type(value) is not container:
        return False
    values: list[Any] = [*(value.values() if container is dict else value)]
    return kind is _ANY or kind.types.issuperset(map(type, values)) or _are([kind] * len(values), values)


def _plain(words: str, *types: type) -> _Kind:
    return _Kind(words, frozenset(types), lambda _: False)


_ANY = _Kind("any value", frozenset(), lambda _: True)
_PLAIN: Mapping[Any, _Kind] = {
    Any: _ANY,
    str: _plain("text", str),
    int: _plain("integer", int),
    float: _plain("number", int, float),
    bool: _plain("boolean", bool),
    NoneType: _plain("null", NoneType),
}
_HINTS = get_type_hints(Row)
_OR_NULL = {"calls": _HINTS["calls"], **get_type_hints(Facts)}
_KINDS = {
    **{key: _kind(_HINTS[name]) for key, name in KEYS.items()},
    **{key: _kind(annotation | None) for key, annotation in _OR_NULL.items()},
}
