"""The truth value of a propositional formula by definition. The decision procedures share no code with it."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence


def evaluate(formula: Sentence, values: Mapping[str, bool]) -> bool:
    """Whether the formula, of any depth, holds under an assignment of all its propositions."""
    nodes: list[Sentence] = []
    pending: list[Sentence] = [formula]
    while pending:
        node = pending.pop()
        nodes.append(node)
        pending.extend(node.children())
    # Backwards, each node comes after its operands, and a right operand after the left one.
    known: list[bool] = []
    for node in reversed(nodes):
        match node:
            case fol.Atom(name, ()):
                known.append(values[name])
            case fol.Not():
                known.append(not known.pop())
            case fol.Binary():
                right, left = known.pop(), known.pop()
                known.append(fol.TRUTH_FUNCTIONS[type(node)](left, right))
            case fol.Top() | fol.Bottom():
                known.append(isinstance(node, fol.Top))
            case _:
                raise TypeError(f"no propositional formula: {type(node).__name__}")
    return known[0]
