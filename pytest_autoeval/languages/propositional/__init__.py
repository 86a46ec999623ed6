"""Propositional logic."""

from __future__ import annotations

from typing import Any, cast

from pytest_autoeval.languages.base import Formula, Verdict
from pytest_autoeval.languages.logic.language import LogicLanguage
from pytest_autoeval.languages.logic.limits import check_size
from pytest_autoeval.languages.logic.syntax import Atom, Binary, Bottom, Not, Sentence, Top


class Propositional(LogicLanguage):
    """Formulas of propositions, ⊤, ⊥, ¬, ∧, ∨, ⊕, → and ↔."""

    name = "propositional"
    quantifiers = False

    def owns(self, formula: Formula) -> bool:
        if not isinstance(formula, Sentence):
            return False
        if not hasattr(formula, "_is_propositional"):
            check_size(formula)
            object.__setattr__(formula, "_is_propositional", _is_propositional(formula))
        return bool(formula._is_propositional)  # type: ignore[attr-defined]  # noqa: SLF001

    def decide_equivalence(self, left: Formula, right: Formula, timeout: float) -> Verdict:
        from pytest_autoeval.languages.propositional.decide import equivalence

        return equivalence(cast("Sentence", left), cast("Sentence", right), timeout)

    def decide_entailment(self, left: Formula, right: Formula, timeout: float) -> Verdict:
        from pytest_autoeval.languages.propositional.decide import entailment

        return entailment(cast("Sentence", left), cast("Sentence", right), timeout)


def _is_propositional(formula: Sentence) -> bool:
    pending: list[Any] = [formula]
    while pending:
        match node := pending.pop():
            case Atom():
                if node.arguments:
                    return False
            case Binary():
                pending += (node.left, node.right)
            case Not():
                pending.append(node.operand)
            case Top() | Bottom():
                pass
            case _:
                return False
    return True


LANGUAGE = Propositional()
