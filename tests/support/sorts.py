"""Vocabularies with sorts, and a check of them that tries every sort for every variable."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

#: The sorts of arguments and constants; "" is a place or a constant that fits every sort.
DESK: dict[str, Any] = {
    "predicates": {
        "Escalated": ["ticket"],
        "AssignedTo": ["ticket", "person"],
        "Senior": ["person"],
    },
    "constants": {"t1": "ticket", "bob": "person", "ann": "person"},
}
MIXED: dict[str, Any] = {
    "predicates": {
        "Escalated": ["ticket"],
        "AssignedTo": ["ticket", "person"],
        "Near": 2,
        "Knows": ["person", ""],
    },
    "constants": {"t1": "ticket", "bob": "person", "it": ""},
}
#: A grammar whose quantifiers stand anywhere.
NESTED = (
    "// language: first_order\n"
    'start: ATOM | "(" start "∧" start ")" | "(∃" VARIABLE "." start ")"\nATOM: /a/\nVARIABLE: /x/\n'
)


def without_sorts(names: Mapping[str, Any]) -> dict[str, Any]:
    """The vocabulary with numbers of arguments in place of their sorts."""
    arities = {
        name: it if isinstance(it, int) else len(it) for name, it in names["predicates"].items()
    }
    return {"predicates": arities, "constants": list(names["constants"])}


def fits(text: str, names: Mapping[str, Any]) -> bool:
    """Whether some choice of one sort for each quantifier fits every place. Variables have different names."""
    variables = re.findall(r"[∀∃](\w+)", text)
    assert len(variables) == len(set(variables))
    atoms = [(name, inner.split(", ")) for name, inner in re.findall(r"(\w+)\(([\w, ]+)\)", text)]
    sorts = sorted(
        {sort for it in names["predicates"].values() if not isinstance(it, int) for sort in it}
        - {""}
    )
    choices = (
        dict(zip(variables, choice, strict=True))
        for choice in product(sorts, repeat=len(variables))
    )
    return any(
        all(
            _fits(names["predicates"][name], inner, {**names["constants"], **own})
            for name, inner in atoms
        )
        for own in choices
    )


def _fits(places: int | Sequence[str], arguments: Sequence[str], sorts: Mapping[str, str]) -> bool:
    if isinstance(places, int):
        return True
    pairs = [(place, sorts[name]) for place, name in zip(places, arguments, strict=True)]
    return all("" in pair or pair[0] == pair[1] for pair in pairs)
