"""Equivalence and entailment of formulas of linear temporal logic with past: a complete procedure.

The search for a trace on which two formulas differ begins with short traces. If they all fail, a symbolic tableau finds
one or proves that there is none.
"""

from __future__ import annotations

from pytest_autoeval.languages.base import Relation, Verdict
from pytest_autoeval.languages.deciding import decided
from pytest_autoeval.languages.ltl.evaluate import TraceWitness, holds
from pytest_autoeval.languages.ltl.oracle.lassos import find_word
from pytest_autoeval.languages.ltl.oracle.normal import TemporalNormaliser, negated
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.size_limits import check_large_size


def decide(
    relation: Relation,
    left: Temporal,
    right: Temporal,
    timeout: float,
    most_nodes: int | None = None,
) -> Verdict:
    """Whether two formulas hold at the start of the same infinite traces, or ``right`` wherever ``left`` does.

    The witness is a short lasso. ``timeout`` is in seconds. A normal form of more than ``most_nodes`` nodes
    gets no tableau, which is the slow step.
    """

    def search() -> tuple[str, TraceWitness | None]:
        check_large_size(left)
        check_large_size(right)
        normaliser = TemporalNormaliser()
        first, second = normaliser.literal(left), normaliser.literal(right)
        equivalence = relation == "equivalence"
        fails = (
            normaliser.differ(first, second)
            if equivalence
            else normaliser.both(first, negated(second))
        )
        form = normaliser.form(fails)
        is_large = most_nodes is not None and len(form.nodes) > most_nodes
        method, word = find_word(form, 0 if is_large else timeout)
        if word is None:
            return method, None
        lasso = word.lasso(form.atoms, normaliser.atoms)
        return method, TraceWitness(lasso, holds(left, lasso), holds(right, lasso))

    return decided(relation, "symbolic tableau", search)
