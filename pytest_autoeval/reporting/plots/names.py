"""Names of files for figures: safe on every system, and as readable as that allows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

from pytest_autoeval.reporting.plots.tables import Table

_LONGEST = 60


def file_names(tables: Sequence[Table]) -> list[str]:
    """A name without ending for each table, `SUITE.MEASURE`; no two are the same, letter case apart."""
    short = {
        suite: _safe(suite.rpartition("/")[2].replace(".py::", "-")) for suite in {table.suite for table in tables}
    }
    taken = [name.lower() for name in short.values()]
    suites = {
        # Two folders may have a file of one name; then the digest of the whole id tells them apart.
        suite: name if taken.count(name.lower()) == 1 else f"{name}-{_digest(suite)}"
        for suite, name in short.items()
    }
    return [f"{suites[table.suite]}.{_safe(table.measure)}" for table in tables]


def _safe(text: str) -> str:
    """The text in letters, digits, `_` and `-`; where that lost more than it shows, with a digest."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")
    if len(plain) <= _LONGEST and re.fullmatch(r"[\x20-\x7e]+", text) and plain:
        return plain
    return f"{plain[:_LONGEST].strip('-')}-{_digest(text)}".lstrip("-")


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
