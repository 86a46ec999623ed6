"""Compares the JSON summary with `docs/reference/summary.md`."""

from __future__ import annotations

import json
from typing import Any

from pytest_autoeval.record.version_1 import Rows
from support.documented import documented

#: The first keys of a sample.
_SAMPLE = ["suite", "test", "model", "grammar", "language", "vocabulary", "operators"]
KEYS = documented("summary.md")
PLAIN: dict[str, Any] = {
    "text": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
    "case": dict,
    "any value": object,
}


def check(value: Any, kind: str = "The object", place: str = "") -> None:
    """Fails if a value is not of its documented type. An object has the documented keys in that order."""
    if kind.startswith("("):
        kind = kind[1:-1]
    if " or " in kind and "(" not in kind:
        kinds = kind.split(" or ")
        plain = [one for one in kinds if one in PLAIN and isinstance(value, PLAIN[one])]
        kind = plain[0] if plain else kinds[0]
    container, _, inner = kind.partition(" of ")
    if container == "list":
        assert isinstance(value, list), place
        for number, one in enumerate(value):
            check(one, inner, f"{place}[{number}]")
    elif container == "table":
        for key, one in value.items():
            check(one, inner, f"{place}.{key}")
    elif kind == "row":
        assert list(value)[: len(_SAMPLE)] == _SAMPLE, place
        rows = Rows()  # it has the keys and types of an older row
        rows.add(json.dumps({"schema_version": 1, **value}).encode())
        rows.finish(whole=True)
    elif kind in PLAIN:
        assert isinstance(value, PLAIN[kind]), (place, kind)
        assert kind == "boolean" or not isinstance(value, bool), (place, kind)
    else:
        assert list(value) == list(KEYS[kind]), place
        for key, one in value.items():
            check(one, KEYS[kind][key], f"{place}.{key}")
