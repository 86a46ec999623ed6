"""Complexity measures of a formula, and the names that it uses."""

from __future__ import annotations

from collections import Counter

from pytest_autoeval.languages.base import fold
from pytest_autoeval.languages.connectives import counted
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.vocabulary import Vocabulary

_COUNTED: dict[str, type[Temporal]] = {
    "next": ltl.Next,
    "eventually": ltl.Eventually,
    "always": ltl.Always,
    "until": ltl.Until,
    "release": ltl.Release,
    "weak_until": ltl.WeakUntil,
    "yesterday": ltl.Yesterday,
    "weak_yesterday": ltl.WeakYesterday,
    "once": ltl.Once,
    "historically": ltl.Historically,
    "since": ltl.Since,
    "triggered": ltl.Triggered,
    "negations": ltl.Not,
    "conjunctions": ltl.And,
    "disjunctions": ltl.Or,
    "exclusive_disjunctions": ltl.Xor,
    "implications": ltl.Implies,
    "biconditionals": ltl.Iff,
}


def measure(formula: Temporal) -> dict[str, int | float]:
    """Complexity measures by name.

    - ``operators``: connectives and temporal operators, without negations of an atom or truth constant;
    - ``operators_with_literal_negations``: the same with those negations;
    - ``depth``: the height of the tree (1 for an atom); ``temporal_depth``: the nesting of temporal operators;
    - ``atoms``: occurrences;
    - ``future``: 1 without past operators; ``past``: 1 without future operators. A formula with neither has both.
    """
    is_temporal = ltl.FutureOperator | ltl.PastOperator
    atoms = Counter(node for node in formula.subformulas() if isinstance(node, ltl.Atom))
    # A formula has many nodes and few types.
    kinds = set(map(type, formula.subformulas()))
    return {
        **counted(formula, _COUNTED, ltl.Not),
        "temporal_depth": fold(
            formula, lambda node, depths: max(depths, default=0) + isinstance(node, is_temporal)
        ),
        "nodes": formula.size,
        "atoms": atoms.total(),
        "distinct_atoms": len(atoms),
        "future": int(not any(issubclass(kind, ltl.PastOperator) for kind in kinds)),
        "past": int(not any(issubclass(kind, ltl.FutureOperator) for kind in kinds)),
    }


def symbols(formula: Temporal) -> Vocabulary:
    """The names of the atomic propositions, in order of appearance."""
    names = dict.fromkeys(node.name for node in formula.subformulas() if isinstance(node, ltl.Atom))
    return Vocabulary(propositions=tuple(names))
