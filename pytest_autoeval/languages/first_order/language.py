"""The language of first-order logic."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, cast

from pytest_autoeval.languages.base import Formula, Relation, Verdict, Witness
from pytest_autoeval.languages.first_order import decide as first_order
from pytest_autoeval.languages.first_order import grounding
from pytest_autoeval.languages.first_order import situation as finite_models
from pytest_autoeval.languages.logic.language import LogicLanguage
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.size_limits import PATIENCE


class FirstOrder(LogicLanguage):
    """Formulas over predicates, functions and constants, with quantifiers and equality."""

    name = "first_order"
    quantifiers = True

    def decide(self, relation: Relation, left: Formula, right: Formula, timeout: float) -> Verdict:
        return first_order.decide(
            relation, cast("Sentence", left), cast("Sentence", right), timeout
        )

    def decide_briefly(self, left: Formula, right: Formula) -> Verdict:
        # z3 counts its own steps, so that equal seeds draw equal formulas. A bound in time would leave other pairs
        # undecided on a busy machine.
        return first_order.decide(
            "equivalence", cast("Sentence", left), cast("Sentence", right), PATIENCE, work=0.05
        )

    def situation(self, witness: Witness, glossary: Mapping[str, str]) -> str:
        return finite_models.situation(witness, glossary)

    def holds_in(
        self, formula: Formula, case: Mapping[str, Any], *, closed: bool = False
    ) -> bool | None:
        return finite_models.holds_in(self._sentence(formula), case, closed=closed)

    def fingerprint(self, formula: Formula) -> Hashable:
        return grounding.fingerprint(self._sentence(formula))


FIRST_ORDER = FirstOrder()
