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
        # Most answers of good models are the formula itself, and equal trees have one normal form.
        if left == right:
            return "normal form", None
        normaliser = TemporalNormaliser()
        left_literal = normaliser.literal(left)
        right_literal = normaliser.literal(right)
        # One normaliser for both: what they share becomes the same nodes.
        if relation == "equivalence":
            fails = normaliser.differ(left_literal, right_literal)
        else:
            fails = normaliser.both(left_literal, negated(right_literal))
        form = normaliser.form(fails)
        # Without time, only the normal form and short or drawn traces decide: the same work on every machine.
        is_large = most_nodes is not None and len(form.nodes) > most_nodes
        method, word = find_word(form, 0 if is_large else timeout)
        if word is None:
            return method, None
        lasso = word.lasso(form.atoms, normaliser.atoms)
        # The evaluator shares no code with the search: if both values agree, `decided` says "undecided".
        return method, TraceWitness(lasso, holds(left, lasso), holds(right, lasso))

    return decided(relation, "symbolic tableau", search)
