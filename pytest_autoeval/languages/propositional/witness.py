"""Assignments: what two propositional formulas differ on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Assignment:
    """A truth value for every proposition of two formulas, and the values that the formulas take under it."""

    values: Mapping[str, bool]
    left: bool
    right: bool

    def __str__(self) -> str:
        listed = ", ".join(f"{name} = {_word(value)}" for name, value in self.values.items()) or "any assignment"
        return f"{listed} (left: {_word(self.left)}, right: {_word(self.right)})"

    def to_json(self) -> dict[str, Any]:
        """``kind``, ``values`` by proposition, and the values of the formulas, ``left`` and ``right``."""
        return {"kind": "assignment", "values": dict(self.values), "left": self.left, "right": self.right}


def _word(value: bool) -> str:
    return "true" if value else "false"
