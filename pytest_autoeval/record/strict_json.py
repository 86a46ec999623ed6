"""JSON of untrusted lines: no key twice, no number that is not finite, nothing too large or too deep."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from pytest_autoeval.record.coding import object_of

#: Digits, with the minus sign. Far above any value of a row, and below the 4,300 digits that Python refuses with a
#: message of its own.
_LONGEST_INTEGER = 40
#: Lists and objects inside each other. Far more than a row has, and far fewer than the functions that walk through a
#: value can call inside each other.
_DEEPEST = 50


def decoded(line: bytes) -> Any:
    """The value of a line; raises :class:`ValueError`, or :class:`RecursionError` if it is nested too deeply."""
    value = _DECODER.decode(line.decode())
    # A line with fewer opening brackets than that cannot be too deep. Most lines have so few: no walk through them.
    opening_brackets = line.count(b"[") + line.count(b"{")
    if opening_brackets > _DEEPEST:
        _check_depth(value, 1)
    return value


def _check_depth(value: Any, depth: int) -> None:
    """Raises :class:`RecursionError` if a value at this depth, from 1, has lists or objects below the deepest level."""
    if not isinstance(value, list | dict):
        return
    if depth > _DEEPEST:
        raise RecursionError
    members = value.values() if isinstance(value, dict) else value
    for member in members:
        _check_depth(member, depth + 1)


def reason(error: Exception) -> str:
    """Why a line could not be decoded."""
    if isinstance(error, json.JSONDecodeError):
        return f"column {error.colno}: {error.msg}"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at byte {error.start + 1}"
    if isinstance(error, RecursionError):
        return f"more than {_DEEPEST} lists and objects inside each other"
    return str(error)


def _integer(text: str) -> int:
    if len(text) > _LONGEST_INTEGER:
        raise ValueError(f"an integer of more than {_LONGEST_INTEGER} digits")
    return int(text)


def _finite_number(text: str) -> float:
    value = float(text)
    # Python reads 1e999 as infinity, for which JSON has no number: it would be written as null.
    if math.isinf(value):
        raise ValueError(f"{text[:20]} is too large for a number")
    return value


def _refuse_constant(name: str) -> NoReturn:
    """Refuses ``NaN``, ``Infinity`` and ``-Infinity``, which Python's decoder would read."""
    raise ValueError(f"{name} is not a JSON value")


_DECODER = json.JSONDecoder(
    object_pairs_hook=object_of,
    parse_int=_integer,
    parse_float=_finite_number,
    parse_constant=_refuse_constant,
)
