"""Which sorts of formula a suite's formulas fall into: those with a connective, the deeper ones, and the like."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.text import one_line

Measures = Mapping[str, Any]

#: What a measure counts, as a person names it: a formula that has some falls into the slice "formulas with …".
_COUNTED = MappingProxyType(
    {
        "negations": "¬",
        "conjunctions": "∧",
        "disjunctions": "∨",
        "exclusive_disjunctions": "⊕",
        "implications": "→",
        "biconditionals": "↔",
        "universals": "∀",
        "existentials": "∃",
        "next": "X (next)",
        "eventually": "F (eventually)",
        "always": "G (always)",
        "until": "U (until)",
        "release": "R (release)",
        "weak_until": "W (weak until)",
        "yesterday": "Y (yesterday)",
        "weak_yesterday": "Z (weak yesterday)",
        "once": "O (once)",
        "historically": "H (historically)",
        "since": "S (since)",
        "triggered": "T (triggered)",
        "stars": "*",
        "unions": "a union",
        "repetitions": "+, ? or a counted repetition",
    }
)
#: Measures of which a formula has more or less: its slice is the half that has more.
_GRADED = MappingProxyType(
    {
        "depth": "depth",
        "temporal_depth": "temporal depth",
        "alternation_depth": "quantifier alternation",
        "states": "automaton states",
    }
)
#: Measures that say the same as those, or how long a formula is; and marks that are no counts.
_NO_SLICES = frozenset(
    (
        *("operators", "operators_with_literal_negations", "quantifiers", "atoms", "distinct_atoms", "symbols"),
        *("distinct_symbols", "concatenations", "length", "nodes", "edges", "density", "future", "past"),
    )
)


class SliceKind(NamedTuple):
    """A sort of formula: its name, and whether a formula of these measures is one."""

    name: str
    holds: Callable[[Measures], bool]


def slice_kinds(rows: Sequence[Row]) -> list[SliceKind]:
    """The sorts that the formulas of these rows fall into, whatever their language.

    A measure that this package does not know counts something, if it is a whole number: its slice are the formulas
    that have some of it, under the measure's own name.
    """
    known = [row.measures for row in rows]
    names = sorted({name for measures in known for name in measures})
    return [
        *(_having(name, f"formulas with {label}") for name, label in _COUNTED.items() if name in names),
        *_compound_negation(names),
        *(kind for name, label in _GRADED.items() for kind in _half(name, label, known)),
        *(
            _having(name, f"formulas with {one_line(name).replace('_', ' ')}")
            for name in names
            if name not in _COUNTED and name not in _GRADED and name not in _NO_SLICES and _whole(name, known)
        ),
    ]


def _having(name: str, label: str) -> SliceKind:
    return SliceKind(label, lambda measures: _number(measures, name) > 0)


def _half(name: str, label: str, known: Sequence[Measures]) -> Iterator[SliceKind]:
    """The formulas that have more of a measure than half of them have, or the most where more than half do."""
    values = sorted(_number(measures, name) for measures in known)
    if values and values[0] < values[-1]:
        middle = values[(len(values) - 1) // 2]
        least = next((value for value in values if value > middle), middle)
        yield SliceKind(f"{label} ≥ {least:g}", lambda measures: _number(measures, name) >= least)


def _compound_negation(names: Sequence[str]) -> Iterator[SliceKind]:
    """A negation that is not right before an atom: those that are, are no operators by the papers' count."""
    if {"negations", "operators", "operators_with_literal_negations"} <= set(names):
        yield SliceKind("a negation over a compound formula", _negates_compound)


def _negates_compound(measures: Measures) -> bool:
    literal = _number(measures, "operators_with_literal_negations") - _number(measures, "operators")
    return _number(measures, "negations") > literal


def _whole(name: str, known: Sequence[Measures]) -> bool:
    return all(isinstance(measures.get(name, 0), int) for measures in known)


def _number(measures: Measures, name: str) -> float:
    value = measures.get(name)
    return value if isinstance(value, int | float) else 0
