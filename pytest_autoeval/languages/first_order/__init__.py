"""First-order logic with equality and functions; every propositional formula is one of its formulas, too."""

from __future__ import annotations

from typing import cast

from pytest_autoeval.languages.base import Formula, Verdict
from pytest_autoeval.languages.deciding import Relation
from pytest_autoeval.languages.logic.language import LogicLanguage
from pytest_autoeval.languages.logic.syntax import Sentence


class FirstOrder(LogicLanguage):
    """Formulas over predicates, functions and constants, with quantifiers and equality."""

    name = "first_order"
    quantifiers = True

    def owns(self, formula: Formula) -> bool:
        return isinstance(formula, Sentence)

    def decide(self, relation: Relation, left: Formula, right: Formula, timeout: float) -> Verdict:
        from pytest_autoeval.languages.first_order.decide import decide

        return decide(relation, cast("Sentence", left), cast("Sentence", right), timeout)


LANGUAGE = FirstOrder()
