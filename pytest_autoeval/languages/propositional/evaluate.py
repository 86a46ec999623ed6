"""The truth value of a propositional formula by definition. The decision procedures share no code with it."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence


def evaluate(formula: Sentence, values: Mapping[str, bool]) -> bool:
    """Whether the formula holds under an assignment of all its propositions."""
    match formula:
        case fol.Atom(name, ()):
            return values[name]
        case fol.Not(operand):
            return not evaluate(operand, values)
        case fol.Binary(left, right):
            return fol.TRUTH_FUNCTIONS[type(formula)](
                evaluate(left, values), evaluate(right, values)
            )
        case fol.Top() | fol.Bottom():
            return isinstance(formula, fol.Top)
    raise TypeError(f"no propositional formula: {type(formula).__name__}")
