"""The truth value of a propositional formula, straight from the definition; the procedures share nothing with it."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_autoeval.languages.logic.syntax import And, Atom, Bottom, Iff, Implies, Not, Or, Sentence, Top, Xor


def evaluate(formula: Sentence, values: Mapping[str, bool]) -> bool:  # noqa: PLR0911 (a return for each sort of node)
    """Whether the formula holds under an assignment of all its propositions."""
    match formula:
        case Atom():
            return values[formula.predicate]
        case Not():
            return not evaluate(formula.operand, values)
        case And():
            return evaluate(formula.left, values) and evaluate(formula.right, values)
        case Or():
            return evaluate(formula.left, values) or evaluate(formula.right, values)
        case Implies():
            return not evaluate(formula.left, values) or evaluate(formula.right, values)
        case Iff():
            return evaluate(formula.left, values) == evaluate(formula.right, values)
        case Xor():
            return evaluate(formula.left, values) != evaluate(formula.right, values)
        case Top():
            return True
        case Bottom():
            return False
        case _:
            raise TypeError(f"no propositional formula: {type(formula).__name__}")
