"""What a gate can say, and the sign and style in which it is shown."""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal, Protocol

from pytest_autoeval.reporting.line import Style

Verdict = Literal["passed", "failed", "inconclusive", "reported", "interrupted"]

_MARKS: MappingProxyType[Verdict, tuple[str, Style]] = MappingProxyType(
    {
        "passed": ("✓", "good"),
        "failed": ("✗", "bad"),
        "inconclusive": ("?", "warn"),
        "reported": ("·", "plain"),
        "interrupted": ("!", "warn"),
    }
)


class Judgement(Protocol):
    """A gate of either kind: over a threshold, or against a baseline.

    ``passes`` is False of what failed, of what is inconclusive, and of what was to be judged and was interrupted.
    """

    @property
    def suite(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def kind(self) -> Literal["threshold", "baseline"]: ...
    @property
    def name(self) -> str: ...
    @property
    def verdict(self) -> Verdict: ...
    @property
    def passes(self) -> bool: ...
    @property
    def inconclusive(self) -> bool: ...
    @property
    def reason(self) -> str: ...


def mark(verdict: Verdict) -> tuple[str, Style]:
    """The verdict as a sign, and the style of what it stands before."""
    return _MARKS[verdict]
