"""How complex a formula is."""

from __future__ import annotations

from collections import Counter

from pytest_autoeval.languages.base import Formula
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Binary,
    Equal,
    Exists,
    Forall,
    Iff,
    Implies,
    Not,
    Or,
    Quantified,
    Sentence,
    Xor,
)

_COUNTED: dict[str, type[Sentence]] = {
    "negations": Not,
    "conjunctions": And,
    "disjunctions": Or,
    "exclusive_disjunctions": Xor,
    "implications": Implies,
    "biconditionals": Iff,
    "universals": Forall,
    "existentials": Exists,
}


def measure(formula: Sentence) -> dict[str, int | float]:
    """Complexity measures by name.

    ``operators`` counts connectives and quantifiers, but not a negation directly on an atom, a truth constant or an
    equation (as in the AutoEval paper); ``operators_with_literal_negations`` counts those too. ``depth`` is the height
    of the tree, an atom having 1. ``atoms`` counts occurrences, equations among them.
    """
    nodes = list(_nodes(formula))
    counts = Counter(type(node) for node, _ in nodes)
    literal_negations = sum(isinstance(node, Not) and not node.operand.children() for node, _ in nodes)
    operators = sum(counts[node] for node in _COUNTED.values())
    atoms = [node for node, _ in nodes if isinstance(node, Atom | Equal)]
    return {
        "operators": operators - literal_negations,
        "operators_with_literal_negations": operators,
        "depth": max(depth for _, depth in nodes),
        **{name: counts[node] for name, node in _COUNTED.items()},
        "quantifiers": counts[Forall] + counts[Exists],
        "alternation_depth": alternation_depth(formula),
        "atoms": len(atoms),
        "distinct_atoms": len(set(atoms)),
    }


def alternation_depth(formula: Sentence) -> int:
    """The largest number of blocks of like quantifiers on a path from the root, as in negation normal form.

    A negation and the left of an implication turn ∀ into ∃ and back. Under ↔ and ⊕ a formula stands with both signs, so
    each quantifier there counts in either role, and the larger number is taken.
    """
    deepest = 0
    # A state: the node, whether it stands negated, the last quantifier of the path in negation normal form, the blocks.
    pending: list[tuple[Formula, bool, type[Quantified] | None, int]] = [(formula, False, None, 0)]
    seen: set[tuple[int, bool, type[Quantified] | None, int]] = set()
    while pending:
        state = pending.pop()
        node, negated, last, blocks = state
        key = (id(node), negated, last, blocks)
        if key in seen:
            continue
        seen.add(key)
        deepest = max(deepest, blocks)
        match node:
            case Quantified(_, body):
                role: type[Quantified] = Forall if isinstance(node, Forall) is not negated else Exists
                pending.append((body, negated, role, blocks + (role is not last)))
            case Not(operand):
                pending.append((operand, not negated, last, blocks))
            case Implies(left, right):
                pending += [(left, not negated, last, blocks), (right, negated, last, blocks)]
            case Iff(left, right) | Xor(left, right):
                pending += [(side, sign, last, blocks) for side in (left, right) for sign in (False, True)]
            case Binary(left, right):
                pending += [(left, negated, last, blocks), (right, negated, last, blocks)]
    return deepest


def _nodes(formula: Formula) -> list[tuple[Formula, int]]:
    """Every subformula occurrence with its depth below the root, from 1."""
    found: list[tuple[Formula, int]] = []
    pending = [(formula, 1)]
    while pending:
        node, depth = pending.pop()
        found.append((node, depth))
        pending.extend((child, depth + 1) for child in node.children())
    return found
