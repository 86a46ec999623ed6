"""The language of propositional logic."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any, cast

from pytest_autoeval.languages.base import Formula, Relation, Verdict, Witness
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.language import LogicLanguage
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.propositional import decide as propositional
from pytest_autoeval.languages.propositional import programs
from pytest_autoeval.languages.propositional import situation as assignments
from pytest_autoeval.languages.size_limits import check_large_size


class Propositional(LogicLanguage):
    """Formulas of propositions, ⊤, ⊥, ¬, ∧, ∨, ⊕, → and ↔."""

    name = "propositional"
    quantifiers = False

    def owns(self, formula: Formula) -> bool:
        return isinstance(formula, Sentence) and _is_propositional(formula)

    def decide(self, relation: Relation, left: Formula, right: Formula, timeout: float) -> Verdict:
        return propositional.decide(
            relation, cast("Sentence", left), cast("Sentence", right), timeout
        )

    def decide_briefly(self, left: Formula, right: Formula) -> Verdict:
        # Only z3 takes long, and gets no time.
        return self.decide("equivalence", left, right, timeout=0)

    def situation(self, witness: Witness, glossary: Mapping[str, str]) -> str:
        return assignments.situation(witness, glossary)

    def holds_in(
        self, formula: Formula, case: Mapping[str, Any], *, closed: bool = False
    ) -> bool | None:
        return assignments.holds_in(self._sentence(formula), case, closed=closed)

    def fingerprint(self, formula: Formula) -> Hashable:
        return _fingerprint(self._sentence(formula))


# A run asks twice: whether a drawn formula is trivial, and whether it means the same as an earlier one.
@lru_cache(maxsize=32_768)
def _fingerprint(formula: Sentence) -> int:
    # The hash of an integer is the same in every process, and takes a tenth of its memory.
    return hash(programs.fingerprint(*programs.postfix(formula)))


def _is_propositional(formula: Sentence) -> bool:
    # Kept with the tree. A cache by value would compare equal trees node by node, which takes longer than the search.
    if not hasattr(formula, "propositional"):
        check_large_size(formula)
        object.__setattr__(formula, "propositional", not _is_first_order(formula))
    return formula.propositional  # type: ignore[attr-defined, no-any-return]


#: Nodes that propositional logic does not have.
_FIRST_ORDER = (fol.Quantified, fol.Equal)


def _is_first_order(formula: Sentence) -> bool:
    """Whether a node of the formula has no place in propositional logic."""
    # A loop of its own, the most frequent nodes first: each formula of a run is searched.
    pending: list[Formula] = [formula]
    while pending:
        node = pending.pop()
        if isinstance(node, fol.Atom):
            if node.arguments:
                return True
        elif isinstance(node, _FIRST_ORDER):
            return True
        else:
            pending += node.children()
    return False


PROPOSITIONAL = Propositional()
