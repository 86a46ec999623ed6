"""The columns that a user's file may have, and what is read from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

Column = Literal[
    "id",
    "sentence",
    "formula",
    "propositions",
    "trace",
    "satisfies",
    "text",
    "well_formed",
    "other",
    "same",
    "language",
    "pattern",
    "group",
    "ontology",
    "premises",
    "premises_formulas",
    "conclusion",
    "conclusion_formula",
    "label",
]
#: The published names of each column, our own first; white space, case, `-` and `_` do not count.
NAMES: dict[Column, tuple[str, ...]] = {
    "id": ("id",),
    "sentence": ("sentence", "Natural Language"),
    "formula": ("formula", "Ground Truth", "LTL Formula"),
    "propositions": ("propositions", "Atomic Proposition", "Atomic Propositions"),
    "trace": ("trace",),
    "satisfies": ("satisfies", "Groups Truth"),
    "text": ("text",),
    "well_formed": ("well_formed",),
    "other": ("other",),
    "same": ("same",),
    "language": ("language",),
    "pattern": ("pattern",),
    "group": ("group",),
    "ontology": ("ontology",),
    "premises": ("premises",),
    "premises_formulas": ("premises-FOL",),
    "conclusion": ("conclusion",),
    "conclusion_formula": ("conclusion-FOL",),
    "label": ("label",),
}
#: What makes a row: any of these sets, and for a sentence its formula too.
KINDS: tuple[tuple[Column, ...], ...] = (
    ("sentence", "propositions"),
    ("formula", "trace", "satisfies"),
    ("text", "well_formed"),
    ("formula",),
    ("premises", "premises_formulas"),
)
#: What a row of a results file has that is about a formula and what a model made of it.
RESULT = frozenset(("schema_version", "language", "formula", "translation", "outcome"))
#: Columns of a row that is about something else than two formulas.
_NO_PAIR: tuple[Column, ...] = ("sentence", "trace", "text")
#: Columns of a row about temporal logic, or about something else than a sentence.
_NO_SENTENCE: tuple[Column, ...] = ("propositions", "trace", "text")
_FIRST_ORDER = frozenset({"first order", "fol"})
#: A name that is a formula beside a sentence, and the right answer beside a trace.
_TWOFOLD = "ground truth"


def plain(name: str) -> str:
    """A column's name as names are compared."""
    return re.sub(r"[\W_]+", " ", name).strip().casefold()


_KNOWN: dict[str, Column] = {plain(name): column for column, names in NAMES.items() for name in names}


def columns_of(names: Iterable[str]) -> dict[Column, str]:
    """The columns that there are, with the names that they are given under; names that are not known are left out.

    Raises :class:`ValueError` where two names stand for one column.
    """
    given = {name: _KNOWN[plain(name)] for name in names if plain(name) in _KNOWN}
    others = {column for name, column in given.items() if plain(name) != _TWOFOLD}
    found: dict[Column, str] = {}
    for name, usual in given.items():
        beside_a_trace = {"trace", "formula"} <= others and "satisfies" not in others
        column: Column = "satisfies" if plain(name) == _TWOFOLD and beside_a_trace else usual
        if column in found:
            raise ValueError(f"the columns {found[column]!r} and {name!r} say the same: leave one out")
        found[column] = name
    return found


def makes_a_row(columns: Iterable[Column]) -> bool:
    """Whether there is enough for one of the kinds of rows."""
    present = set(columns)
    return any(present.issuperset(kind) for kind in KINDS)


def is_pair(values: Mapping[str, Any]) -> bool:
    """Whether a row is about two formulas: one of a results file, or one with a formula and another one."""
    if values.keys() >= RESULT:
        return True
    filled = _filled(values).keys()
    return {"formula", "other"} <= filled and filled.isdisjoint(_NO_PAIR)


def is_story(values: Mapping[str, Any]) -> bool:
    """Whether a row is of FOLIO's form: premises and a conclusion, in English and in first-order logic."""
    return not _filled(values).keys().isdisjoint(("premises_formulas", "conclusion_formula"))


def is_formalization(values: Mapping[str, Any]) -> bool:
    """Whether a row is about a sentence and its formula of first-order logic.

    It says so by an ontology or its language, or by having a sentence, a formula and no column for propositions.
    """
    if is_pair(values) or is_story(values):
        return False
    filled = _filled(values)
    lang = plain(str(filled["language"])) if "language" in filled else ""
    if "ontology" in filled or lang in _FIRST_ORDER:
        return True
    there = {_KNOWN.get(plain(name)) for name in values}
    return {"sentence", "formula"} <= filled.keys() and there.isdisjoint(_NO_SENTENCE) and not lang


def _filled(values: Mapping[str, Any]) -> dict[Column, Any]:
    """What a row has in the columns that are known, but for the empty ones."""
    known = ((_KNOWN.get(plain(name)), value) for name, value in values.items())
    return {column: value for column, value in known if column and value is not None and str(value).strip()}


def known_columns() -> str:
    """The columns for a message."""
    return (
        "'Natural Language', 'Ground Truth', 'Atomic Proposition'; 'LTL Formula', 'Trace', 'Groups Truth'; or "
        "'sentence', 'formula', 'propositions', 'trace', 'satisfies', 'text', 'well_formed', 'other', 'same', 'id', "
        "'ontology'; or 'premises', 'premises-FOL', 'conclusion', 'conclusion-FOL', 'label'"
    )
