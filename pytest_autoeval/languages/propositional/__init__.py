"""Propositional logic."""

from __future__ import annotations

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
        check_size(formula)
        pending: list[Formula] = [formula]
        while pending:
            match node := pending.pop():
                case Atom(_, ()) | Top() | Bottom():
                    pass
                case Not() | Binary():
                    pending.extend(node.children())
                case _:
                    return False
        return True

    def decide_equivalence(self, left: Formula, right: Formula, timeout: float) -> Verdict:
        from pytest_autoeval.languages.propositional.decide import equivalence

        return equivalence(self._sentence(left), self._sentence(right), timeout)

    def decide_entailment(self, left: Formula, right: Formula, timeout: float) -> Verdict:
        from pytest_autoeval.languages.propositional.decide import entailment

        return entailment(self._sentence(left), self._sentence(right), timeout)


LANGUAGE = Propositional()
