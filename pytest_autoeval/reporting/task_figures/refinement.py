"""What asking twice changed: the first answers beside the refined ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.row import Row


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """How many first answers and refined ones are right, and how many were ``kept`` right, ``mended`` and ``spoilt``.

    A pair of which one answer is undecided is neither: it is counted as ``undecided`` alone.
    """
    kinds = [(outcome_named(row.facts["first_outcome"]).kind, row.kind) for row in rows]
    known = [(first == "pass", last == "pass") for first, last in kinds if "undecided" not in (first, last)]
    return {
        "pairs": len(known),
        "first_right": sum(first for first, _ in known),
        "refined_right": sum(last for _, last in known),
        "kept": known.count((True, True)),
        "mended": known.count((False, True)),
        "spoilt": known.count((True, False)),
        "undecided": len(kinds) - len(known),
    }


def word(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    changes = ", ".join(f"{name} {measures[name]}" for name in ("kept", "mended", "spoilt"))
    apart = f", {measures['undecided']} undecided" if measures["undecided"] else ""
    counts = f"first right {measures['first_right']}, refined right {measures['refined_right']}"
    return [f"{counts} of {measures['pairs']}", f"{changes}{apart}"]
