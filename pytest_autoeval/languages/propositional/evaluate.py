"""The truth value of a propositional formula by definition. The decision procedures share no code with it."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence


def evaluate(formula: Sentence, values: Mapping[str, bool]) -> bool:
    """Whether the formula, of any depth, holds under an assignment of all its propositions."""
    # A list in place of recursion: a chain may be deeper than Python's stack.
    nodes: list[Sentence] = []
    pending: list[Sentence] = [formula]
    while pending:
        node = pending.pop()
        nodes.append(node)
        pending.extend(node.children())
    # Backwards, each node comes after its operands, and a right operand after the left one.
    computed: list[bool] = []
    for node in reversed(nodes):
        match node:
            case fol.Atom(name, ()):
                computed.append(values[name])
            case fol.Not():
                computed.append(not computed.pop())
            case fol.Binary():
                right_value = computed.pop()
                connective = fol.TRUTH_FUNCTIONS[type(node)]
                computed[-1] = connective(computed[-1], right_value)
            case fol.Top() | fol.Bottom():
                computed.append(isinstance(node, fol.Top))
            case _:
                raise TypeError(f"no propositional formula: {type(node).__name__}")
    return computed[0]
