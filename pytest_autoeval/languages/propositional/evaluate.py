"""The truth value of a propositional formula, straight from the definition; the procedures share nothing with it.

And assignments: what two formulas differ on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence


@dataclass(frozen=True, slots=True)
class Assignment:
    """A truth value for every proposition of two formulas, and the values that the formulas take under it."""

    values: Mapping[str, bool]
    left: bool
    right: bool

    def __str__(self) -> str:
        listed = ", ".join(f"{name} = {str(value).lower()}" for name, value in self.values.items()) or "any assignment"
        return f"{listed} (left: {str(self.left).lower()}, right: {str(self.right).lower()})"

    def to_json(self) -> dict[str, Any]:
        """``kind``, ``values`` by proposition, and the values of the formulas, ``left`` and ``right``."""
        return {"kind": "assignment", "values": dict(self.values), "left": self.left, "right": self.right}


def evaluate(formula: Sentence, values: Mapping[str, bool]) -> bool:
    """Whether the formula holds under an assignment of all its propositions."""
    match formula:
        case fol.Atom(name, ()):
            return values[name]
        case fol.Not(operand):
            return not evaluate(operand, values)
        case fol.Binary(left, right):
            return fol.TRUTH_FUNCTIONS[type(formula)](evaluate(left, values), evaluate(right, values))
        case fol.Top() | fol.Bottom():
            return isinstance(formula, fol.Top)
    raise TypeError(f"no propositional formula: {type(formula).__name__}")
