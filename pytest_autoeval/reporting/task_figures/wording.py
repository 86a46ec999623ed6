"""Rates and counts put into words, and words into lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_autoeval.reporting.text import percent

_NOTHING = "–"


def share(rate: float | None) -> str:
    """A rate in percent, or a dash where there is none."""
    return _NOTHING if rate is None else f"{percent(rate)} %"


def rates(measures: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Several rates by their names: ``precision 80.0 %, recall 75.0 %``; ``names`` maps keys to words."""
    return ", ".join(f"{word} {share(measures[key])}" for key, word in names.items())


def sequence(name: str, values: Mapping[int, float | None], width: int) -> list[str]:
    """Rates by number, as parts of at most ``width`` columns: ``accuracy by size: 1 100.0 %, 2 87.5 %``."""
    parts = [f"{name}:"]
    for at, (number, rate) in enumerate(values.items()):
        entry = f"{number} {share(rate)}" + ("," if at + 1 < len(values) else "")
        if len(parts[-1]) + 1 + len(entry) <= width:
            parts[-1] += f" {entry}"
        else:
            parts.append(entry)
    return parts if values else []


def packed(parts: Iterable[str], width: int) -> list[str]:
    """The parts of a sentence in lines, as many on a line as go into ``width``, with semicolons between."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 3 <= width:
            lines[-1] += f"; {part}"
        else:
            lines += [part]
    return lines
