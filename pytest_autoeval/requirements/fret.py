"""Requirements that NASA's tool FRET exported as JSON, as rows of a set: id, text and formula.

FRET gives each requirement a formula over the past, which is to hold at every step (``ptExpanded``), and one over
infinite traces (``ftInfAUExpanded``). The first one is taken, since its condition stands before one implication; of
"eventually", which no finite past shows, the second one. D. Giannakopoulou, T. Pressburger, A. Mavridou, J. Schumann,
"Automated formalization of structured natural language requirements", Information and Software Technology 137 (2021).

An equation such as ``state = standby`` becomes the proposition ``state_is_standby``. A variable has one value at a
time: a row of its own says so, as far as its values are different names or numbers.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from pytest_autoeval.datasets.file_text import text_of
from pytest_autoeval.lazy_pattern import lazy_pattern

#: FRET marks parts of formulas in HTML.
_MARKUP = lazy_pattern(r"</?[bi]>")
_EQUATION = lazy_pattern(
    r"(?<![\w.])(?P<variable>[A-Za-z]\w*)\s*(?<![<>!=])=(?![=>])\s*(?P<value>\w+)(?![\w.(])"
)


class FretRow(NamedTuple):
    """A requirement of a file, and its formula in the notation of SMV; ``problem`` is why it has none."""

    id: str
    sentence: str
    formula: str
    problem: str = ""


def fret_rows(path: Path) -> list[FretRow] | None:
    """The requirements of a file of FRET, and what their equations assume; None for another file."""
    if path.suffix.casefold() != ".json":
        return None
    try:
        data = json.loads(text_of(path))
    except ValueError:
        return None
    listed = data.get("requirements") if isinstance(data, dict) else data
    if not isinstance(listed, list) or not listed or not all(map(_is_requirement, listed)):
        return None
    # Filled while the rows are read; dicts keep the order of the file, so that the rows below have it too.
    values: dict[str, dict[str, None]] = defaultdict(dict)
    rows = [_row(requirement, values) for requirement in listed]
    return [*rows, *_one_value_each(values)]


def _is_requirement(value: Any) -> bool:
    return isinstance(value, dict) and {"reqid", "fulltext", "semantics"} <= value.keys()


def _row(requirement: Any, values: dict[str, dict[str, None]]) -> FretRow:
    own_id = str(requirement["reqid"]).strip()
    sentence = " ".join(str(requirement["fulltext"]).split())
    semantics = requirement["semantics"]
    if not isinstance(semantics, dict):
        semantics = {}
    past = str(semantics.get("ptExpanded") or "")
    future = str(semantics.get("ftInfAUExpanded") or "")
    # The formula about the past is shorter, but none can say that something happens eventually.
    is_about_past = past and semantics.get("timing") != "eventually"
    text = f"G ({past})" if is_about_past else future
    if not text:
        return FretRow(own_id, sentence, "", "FRET has no formula for it")

    def proposition(equation: re.Match[str]) -> str:
        variable, value = equation["variable"], equation["value"]
        values[variable][value] = None
        return _proposition(variable, value)

    plain_text = _MARKUP.sub("", text)
    formula = _EQUATION.sub(proposition, plain_text)
    return FretRow(own_id, sentence, formula)


def _proposition(variable: str, value: str) -> str:
    return f"{variable}_is_{value}"


def _one_value_each(values: dict[str, dict[str, None]]) -> Iterator[FretRow]:
    for variable, values_seen in values.items():
        # Propositions do not know that they are values of one variable: this is what FRET takes for granted.
        names: Sequence[str] = [_proposition(variable, value) for value in values_seen]
        apart = []
        for name, partner in combinations(names, 2):
            apart.append(f"!({name} & {partner})")
        if apart:
            # As a conjunction it is no rule: ``!(a & b)`` alone would be read as ``a -> !b``.
            text = f"G (true & {' & '.join(apart)})"
            yield FretRow(f"values of {variable}", f"{variable} has one value at a time.", text)
