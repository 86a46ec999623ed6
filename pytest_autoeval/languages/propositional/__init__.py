"""Propositional logic."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from pytest_autoeval.languages.base import Formula, Verdict
from pytest_autoeval.languages.deciding import Relation
from pytest_autoeval.languages.limits import check_size
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.language import LogicLanguage
from pytest_autoeval.languages.logic.syntax import Sentence


class Propositional(LogicLanguage):
    """Formulas of propositions, ⊤, ⊥, ¬, ∧, ∨, ⊕, → and ↔."""

    name = "propositional"
    quantifiers = False

    def owns(self, formula: Formula) -> bool:
        return isinstance(formula, Sentence) and _is_propositional(formula)

    def decide(self, relation: Relation, left: Formula, right: Formula, timeout: float) -> Verdict:
        from pytest_autoeval.languages.propositional.decide import decide

        return decide(relation, cast("Sentence", left), cast("Sentence", right), timeout)


@lru_cache(maxsize=1024)
def _is_propositional(formula: Sentence) -> bool:
    check_size(formula)
    return not any(
        isinstance(node, fol.Quantified | fol.Equal) or (isinstance(node, fol.Atom) and node.arguments)
        for node in formula.subformulas()
    )


LANGUAGE = Propositional()
