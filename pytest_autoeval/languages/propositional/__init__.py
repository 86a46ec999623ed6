"""Propositional logic."""

from __future__ import annotations

from typing import Any, cast

from pytest_autoeval.languages.base import Formula, Verdict
from pytest_autoeval.languages.logic.language import LogicLanguage
from pytest_autoeval.languages.logic.limits import MAX_DEPTH, MAX_NODES, check_size, mark_checked
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Bottom,
    Iff,
    Implies,
    Not,
    Or,
    Sentence,
    Top,
    Xor,
)

_BINARY = frozenset((And, Or, Xor, Implies, Iff))
_CONSTANTS = frozenset((Top, Bottom))


class Propositional(LogicLanguage):
    """Formulas of propositions, ⊤, ⊥, ¬, ∧, ∨, ⊕, → and ↔."""

    name = "propositional"
    quantifiers = False

    def owns(self, formula: Formula) -> bool:
        if not isinstance(formula, Sentence):
            return False
        if not hasattr(formula, "_is_propositional"):
            object.__setattr__(formula, "_is_propositional", _is_propositional(formula))
        return bool(formula._is_propositional)  # type: ignore[attr-defined]  # noqa: SLF001

    def decide_equivalence(self, left: Formula, right: Formula, timeout: float) -> Verdict:
        from pytest_autoeval.languages.propositional.decide import equivalence

        return equivalence(cast("Sentence", left), cast("Sentence", right), timeout)

    def decide_entailment(self, left: Formula, right: Formula, timeout: float) -> Verdict:
        from pytest_autoeval.languages.propositional.decide import entailment

        return entailment(cast("Sentence", left), cast("Sentence", right), timeout)


def _is_propositional(formula: Sentence) -> bool:
    """Whether the whole tree is propositional; if so its size was checked on the way, a walk being what costs here."""
    nodes = depth = 0
    level: list[Any] = [formula]
    while level:
        depth += 1
        nodes += len(level)
        if depth > MAX_DEPTH or nodes > MAX_NODES:
            check_size(formula)
        below: list[Any] = []
        add = below.append
        for node in level:
            kind = type(node)
            if kind is Atom:
                if node.arguments:
                    return False
            elif kind is Not:
                add(node.operand)
            elif kind in _BINARY:
                add(node.left)
                add(node.right)
            elif kind not in _CONSTANTS:
                return False
        level = below
    mark_checked(formula)
    return True


LANGUAGE = Propositional()
