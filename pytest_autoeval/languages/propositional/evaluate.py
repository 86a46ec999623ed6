"""The truth value of a propositional formula by definition. The decision procedures share no code with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_autoeval.languages.base import fold
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence


def evaluate(formula: Sentence, values: Mapping[str, bool]) -> bool:
    """Whether the formula, of any depth, holds under an assignment of all its propositions."""

    def value(node: Sentence, operands: Sequence[bool]) -> bool:
        match node:
            case fol.Atom(name, ()):
                return values[name]
            case fol.Not():
                return not operands[0]
            case fol.Binary():
                return fol.TRUTH_FUNCTIONS[type(node)](*operands)
            case fol.Top() | fol.Bottom():
                return isinstance(node, fol.Top)
        raise TypeError(f"no propositional formula: {type(node).__name__}")

    return fold(formula, value)
