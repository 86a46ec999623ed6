"""Formulas as postfix programs, on which the procedures run without recursion."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from pytest_autoeval.languages.logic.limits import MAX_DEPTH, MAX_NODES, check_size
from pytest_autoeval.languages.logic.syntax import And, Atom, Iff, Implies, Not, Or, Sentence, Xor

#: Programs of fewer steps come from formulas within all bounds, which then need no walk of their own.
_SURELY_SMALL = MAX_DEPTH
_BINARY = frozenset((And, Or, Xor, Implies, Iff))

#: A proposition: its name; or a tuple that names a fact about a first-order model.
Proposition = str | tuple[Hashable, ...]


class Keep(NamedTuple):
    """A step that moves the value on top of the stack to a name; from then on the name pushes it."""

    name: Proposition


#: A step pushes a proposition's value (the proposition stands for itself) or applies a connective (given by its type).
Step = Proposition | type[Sentence] | Keep


def postfix(*formulas: Sentence) -> tuple[list[Step], list[Proposition]]:
    """A program that leaves the formulas' values on a stack, the first on top, and the propositions in reading order.

    A connective finds its left operand on top of its right one. Raises :class:`LimitError` for formulas that are too
    large.
    """
    steps: list[Step] = []
    propositions: dict[Proposition, None] = {}
    stack: list[Any] = list(reversed(formulas))
    pop, push, emit = stack.pop, stack.append, steps.append
    while stack:
        node = pop()
        kind = type(node)
        if kind is Atom:
            propositions[node.predicate] = None
            emit(node.predicate)
        elif kind is Not:
            emit(kind)
            push(node.operand)
        elif kind in _BINARY:
            emit(kind)
            push(node.right)
            push(node.left)
            if len(steps) > MAX_NODES:  # shared subtrees can make a formula exponentially larger than it is in memory
                break
        else:  # ⊤, ⊥
            emit(kind)
    if len(steps) > _SURELY_SMALL:
        for formula in formulas:
            check_size(formula)
    steps.reverse()
    return steps, list(propositions)
