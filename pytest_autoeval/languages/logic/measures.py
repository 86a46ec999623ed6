"""How complex a formula is."""

from __future__ import annotations

from collections import Counter

from pytest_autoeval.languages.base import Formula
from pytest_autoeval.languages.connectives import counted
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence

_COUNTED: dict[str, type[Sentence]] = {
    "negations": fol.Not,
    "conjunctions": fol.And,
    "disjunctions": fol.Or,
    "exclusive_disjunctions": fol.Xor,
    "implications": fol.Implies,
    "biconditionals": fol.Iff,
    "universals": fol.Forall,
    "existentials": fol.Exists,
}


def measure(formula: Sentence) -> dict[str, int | float]:
    """Complexity measures by name.

    ``operators`` counts connectives and quantifiers, but not a negation directly on an atom, a truth constant or an
    equation (as in the AutoEval paper); ``operators_with_literal_negations`` counts those too. ``depth`` is the height
    of the tree, an atom having 1. ``atoms`` counts occurrences, equations among them.
    """
    counts = counted(formula, _COUNTED, fol.Not)
    atoms = Counter(node for node in formula.subformulas() if isinstance(node, fol.Atom | fol.Equal))
    return {
        **counts,
        "quantifiers": counts["universals"] + counts["existentials"],
        "alternation_depth": alternation_depth(formula),
        "atoms": atoms.total(),
        "distinct_atoms": len(atoms),
    }


def alternation_depth(formula: Sentence) -> int:
    """The largest number of blocks of like quantifiers on a path from the root, as in negation normal form.

    A negation and the left of an implication turn ∀ into ∃ and back. Under ↔ and ⊕ a formula stands with both signs, so
    each quantifier there counts in either role, and the larger number is taken.
    """
    deepest = 0
    # A state: the node, whether it stands negated, the last quantifier of the path in negation normal form, the blocks.
    pending: list[tuple[Formula, bool, type[fol.Quantified] | None, int]] = [(formula, False, None, 0)]
    seen: set[tuple[int, bool, type[fol.Quantified] | None, int]] = set()
    while pending:
        state = pending.pop()
        node, negated, last, blocks = state
        key = (id(node), negated, last, blocks)
        if key in seen:
            continue
        seen.add(key)
        deepest = max(deepest, blocks)
        match node:
            case fol.Quantified(_, body):
                role: type[fol.Quantified] = fol.Forall if isinstance(node, fol.Forall) is not negated else fol.Exists
                pending.append((body, negated, role, blocks + (role is not last)))
            case fol.Not(operand):
                pending.append((operand, not negated, last, blocks))
            case fol.Implies(left, right):
                pending += [(left, not negated, last, blocks), (right, negated, last, blocks)]
            case fol.Iff(left, right) | fol.Xor(left, right):
                pending += [(side, sign, last, blocks) for side in (left, right) for sign in (False, True)]
            case fol.Binary(left, right):
                pending += [(left, negated, last, blocks), (right, negated, last, blocks)]
    return deepest
