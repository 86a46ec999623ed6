"""The summary for programs, held against what `docs/reference/summary.md` says of it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from pytest_autoeval.reporting.row import Row

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "summary.md"
PLAIN: dict[str, Any] = {"text": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}


@cache
def documented() -> dict[str, dict[str, str]]:
    """The type of each key, by the heading above its table."""
    found: dict[str, dict[str, str]] = {}
    for section in DOCUMENT.read_text("utf-8").split("\n## ")[1:]:
        keys = re.findall(r"^\| `(\w+)` \| (.+?) \| \S", section, re.MULTILINE)
        found[section.partition("\n")[0]] = {key: re.sub(r"\[(\w+)\]\(.+?\)", r"\1", kind) for key, kind in keys}
    return found


def check(value: Any, kind: str = "The object", place: str = "") -> None:
    """Fails where a value is not of a documented type; an object has the documented keys, in that order."""
    if " or " in kind:
        kind = "null" if value is None else kind.partition(" or ")[0]
    container, _, inner = kind.partition(" of ")
    if container == "list":
        assert isinstance(value, list), place
        for number, one in enumerate(value):
            check(one, inner, f"{place}[{number}]")
    elif container == "table":
        for key, one in value.items():
            check(one, inner, f"{place}.{key}")
    elif kind == "row":
        assert Row.from_json(value).to_json() == value, place
    elif kind in PLAIN:
        assert isinstance(value, PLAIN[kind]), (place, kind)
        assert kind == "boolean" or not isinstance(value, bool), (place, kind)
    else:
        assert list(value) == list(documented()[kind]), place
        for key, one in value.items():
            check(one, documented()[kind][key], f"{place}.{key}")
