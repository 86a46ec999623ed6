"""What a gate can say, and the sign and style in which it is shown."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Literal

from pytest_autoeval.reporting.text import Style

GateVerdict = Literal["passed", "failed", "inconclusive", "reported", "interrupted"]

#: The verdicts, the worst first.
WORST_FIRST: tuple[GateVerdict, ...] = ("failed", "interrupted", "inconclusive", "passed", "reported")
_MARKS: MappingProxyType[GateVerdict, tuple[str, Style]] = MappingProxyType(
    {
        "passed": ("✓", "good"),
        "failed": ("✗", "bad"),
        "inconclusive": ("?", "warn"),
        "reported": ("·", "plain"),
        "interrupted": ("!", "warn"),
    }
)


def worst(verdicts: Iterable[GateVerdict]) -> GateVerdict:
    """The worst of some verdicts; ``reported`` where there is none."""
    return min(verdicts, key=WORST_FIRST.index, default="reported")


def mark(verdict: GateVerdict) -> tuple[str, Style]:
    """The verdict as a sign, and the style of what it stands before."""
    return _MARKS[verdict]
