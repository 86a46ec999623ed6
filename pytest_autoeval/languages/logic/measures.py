"""How complex a formula is."""

from __future__ import annotations

from collections import Counter
from typing import Any

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
    counts: Counter[type] = Counter()
    literal_negations = depth = 0
    atoms: list[Any] = []
    level: list[Any] = [formula]
    while level:
        depth += 1
        kinds = list(map(type, level))
        counts.update(kinds)
        below: list[Any] = []
        for node, kind in zip(level, kinds, strict=True):
            if kind is Atom or kind is Equal:
                atoms.append(node)
            elif kind is Not:
                below.append(node.operand)
                literal_negations += not node.operand.children()
            else:
                below += node.children()
        level = below
    operators = sum(counts[node] for node in _COUNTED.values())
    quantifiers = counts[Forall] + counts[Exists]
    blocks = _prefix_blocks(formula, quantifiers)
    return {
        "operators": operators - literal_negations,
        "operators_with_literal_negations": operators,
        "depth": depth,
        **{name: counts[node] for name, node in _COUNTED.items()},
        "quantifiers": quantifiers,
        "alternation_depth": alternation_depth(formula) if blocks is None else blocks,
        "atoms": len(atoms),
        "distinct_atoms": len(set(atoms)),
    }


def _prefix_blocks(formula: Sentence, quantifiers: int) -> int | None:
    """The blocks of like quantifiers of a formula in prenex form with so many quantifiers; None for other formulas."""
    blocks, last = 0, None
    while isinstance(formula, Quantified):
        quantifiers -= 1
        blocks += type(formula) is not last
        last, formula = type(formula), formula.body
    return None if quantifiers else blocks


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
