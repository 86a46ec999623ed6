"""The tables of keys on the reference pages."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs" / "reference"


@cache
def documented(page: str) -> dict[str, dict[str, str]]:
    """The type of each key in a page's tables, by the heading above the table. One row may name several keys."""
    found: dict[str, dict[str, str]] = {}
    for section in re.split(r"\n###? ", (PAGES / page).read_text("utf-8"))[1:]:
        keys = found[section.partition("\n")[0]] = {}
        for names, kinds in re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (.+?) \| \S", section, re.MULTILINE):
            listed, types = re.findall(r"\w+", names), re.sub(r"\[(\w+)\]\(.+?\)", r"\1", kinds).split(", ")
            keys |= dict(zip(listed, types if len(types) > 1 else types * len(listed), strict=True))
    return found
