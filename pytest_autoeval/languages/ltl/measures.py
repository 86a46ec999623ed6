"""How complex a formula is."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pytest_autoeval.languages.ltl.syntax import (
    Always,
    And,
    Atom,
    Eventually,
    FutureOperator,
    Historically,
    Iff,
    Implies,
    Next,
    Not,
    Once,
    Or,
    PastOperator,
    Release,
    Since,
    Temporal,
    Triggered,
    Until,
    WeakUntil,
    WeakYesterday,
    Xor,
    Yesterday,
)

_COUNTED: dict[str, type[Temporal]] = {
    "next": Next,
    "eventually": Eventually,
    "always": Always,
    "until": Until,
    "release": Release,
    "weak_until": WeakUntil,
    "yesterday": Yesterday,
    "weak_yesterday": WeakYesterday,
    "once": Once,
    "historically": Historically,
    "since": Since,
    "triggered": Triggered,
    "negations": Not,
    "conjunctions": And,
    "disjunctions": Or,
    "exclusive_disjunctions": Xor,
    "implications": Implies,
    "biconditionals": Iff,
}


def measure(formula: Temporal) -> dict[str, int | float]:
    """Complexity measures by name.

    ``operators`` counts connectives and temporal operators, but not a negation directly on an atom or truth constant;
    ``operators_with_literal_negations`` counts those too. ``depth`` is the height of the tree, an atom having 1,
    ``temporal_depth`` the nesting of temporal operators. ``atoms`` counts occurrences. ``future`` is 1 for a
    formula without past operators and ``past`` for one without future operators: both for one that has neither.
    """
    counts: Counter[type] = Counter()
    literal_negations = height = nesting = 0
    names: list[str] = []
    pending: list[tuple[Any, int, int]] = [(formula, 1, 0)]
    while pending:
        node, depth, temporal = pending.pop()
        counts[type(node)] += 1
        temporal += isinstance(node, FutureOperator | PastOperator)
        children = node.children()
        if isinstance(node, Atom):
            names.append(node.name)
        elif isinstance(node, Not):
            literal_negations += not node.operand.children()
        if not children:
            height, nesting = max(height, depth), max(nesting, temporal)
        pending += [(child, depth + 1, temporal) for child in children]
    operators = sum(counts[kind] for kind in _COUNTED.values())
    return {
        "operators": operators - literal_negations,
        "operators_with_literal_negations": operators,
        "depth": height,
        "temporal_depth": nesting,
        "nodes": counts.total(),
        **{name: counts[kind] for name, kind in _COUNTED.items()},
        "atoms": len(names),
        "distinct_atoms": len(set(names)),
        "future": int(not any(issubclass(kind, PastOperator) for kind in counts)),
        "past": int(not any(issubclass(kind, FutureOperator) for kind in counts)),
    }
