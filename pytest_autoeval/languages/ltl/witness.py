"""Traces: what two formulas of linear temporal logic differ on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_autoeval.languages.ltl.traces.lasso import Lasso, State


@dataclass(frozen=True, slots=True)
class TraceWitness:
    """A lasso, and the values that two formulas have at its first position."""

    lasso: Lasso
    left: bool
    right: bool

    def __str__(self) -> str:
        from pytest_autoeval.languages.ltl.traces.lasso import to_text

        return f"{to_text(self.lasso)} (left: {_word(self.left)}, right: {_word(self.right)})"

    def to_json(self) -> dict[str, Any]:
        """``kind``, the propositions that hold in each state of ``prefix`` and ``loop``, all ``atoms``, both values."""
        return {
            "kind": "trace",
            "prefix": self._listed(self.lasso.prefix),
            "loop": self._listed(self.lasso.loop),
            "atoms": list(self.lasso.atoms),
            "left": self.left,
            "right": self.right,
        }

    def _listed(self, states: Sequence[State]) -> list[list[str]]:
        return [[atom for atom in self.lasso.atoms if atom in state] for state in states]


def _word(value: bool) -> str:
    return "true" if value else "false"
