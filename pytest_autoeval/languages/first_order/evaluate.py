"""The truth value of a first-order formula in a finite model, straight from Tarski's definition.

Shares nothing with the procedures that find models.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_autoeval.languages.first_order.witness import FiniteModel
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Bottom,
    Equal,
    Exists,
    Forall,
    Iff,
    Implies,
    Not,
    Or,
    Sentence,
    Term,
    Top,
    Xor,
)


def evaluate(  # noqa: C901, PLR0911, PLR0912 (a case for each sort of node)
    formula: Sentence, model: FiniteModel, bound: Mapping[str, int] | None = None
) -> bool:
    """Whether the formula holds in the model, its ``bound`` variables standing for the given elements."""
    bound = bound or {}
    match formula:
        case Atom():
            elements = tuple([denotation(argument, model, bound) for argument in formula.arguments])
            return elements in model.predicates[formula.predicate, len(elements)]
        case Equal():
            return denotation(formula.left, model, bound) == denotation(formula.right, model, bound)
        case Not():
            return not evaluate(formula.operand, model, bound)
        case And():
            return evaluate(formula.left, model, bound) and evaluate(formula.right, model, bound)
        case Or():
            return evaluate(formula.left, model, bound) or evaluate(formula.right, model, bound)
        case Xor():
            return evaluate(formula.left, model, bound) != evaluate(formula.right, model, bound)
        case Implies():
            return not evaluate(formula.left, model, bound) or evaluate(formula.right, model, bound)
        case Iff():
            return evaluate(formula.left, model, bound) == evaluate(formula.right, model, bound)
        case Forall():
            return all(evaluate(formula.body, model, {**bound, formula.variable: each}) for each in model.domain)
        case Exists():
            return any(evaluate(formula.body, model, {**bound, formula.variable: each}) for each in model.domain)
        case Top():
            return True
        case Bottom():
            return False
        case _:
            raise TypeError(f"no first-order formula: {type(formula).__name__}")


def denotation(term: Term, model: FiniteModel, bound: Mapping[str, int]) -> int:
    """The element that a term denotes."""
    if not term.arguments:
        return bound[term.name] if term.name in bound else model.constants[term.name]
    arguments = tuple([denotation(argument, model, bound) for argument in term.arguments])
    return model.functions[term.name, len(arguments)][arguments]
