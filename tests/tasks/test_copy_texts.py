"""The descriptions of `copies/`, labelled by hand without sight of the check of copies, are well-formed.

A row has the formula, the description, its ``label`` (``english`` or ``copy``) and the ``kind`` of the copy: the rule
that a person would name first (0 for English).

1. a sign of an operator in any notation; for regular expressions, a piece of the pattern with an operator;
2. a line, a marked span or a whole text that reads as a formula of words, letters or function names;
3. a piece of the formula's own text with two operators or more;
4. a code: fixed tokens in place of the formula's signs and brackets.

``near`` marks what two people could label differently, ``why`` gives the reason.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval.languages import language
from pytest_autoeval.languages.copies import copied

LANGUAGES = ("propositional", "first_order", "ltl", "regex")
OPERATORS = {"ltl": r"<->|->|[!&|]|[XFGURWYZOHST]", "regex": r"[*|+?{]"}
OF_LOGIC = {
    "unicode",
    "ascii",
    "latex",
    "python",
    "prefix",
    "tptp",
    "nusmv",
    "words",
    "functions",
    "code",
}
OF_PATTERNS = {"pattern", "pattern piece", "other pattern", "latex", "functions", "code"}


@cache
def rows_of(name: str) -> list[dict[str, Any]]:
    lines = (
        Path(__file__).with_name("copies").joinpath(f"{name}.jsonl").read_text("utf-8").splitlines()
    )
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("name", LANGUAGES)
def test_there_are_enough_texts_of_each_label_kind_and_notation(name: str) -> None:
    rows = rows_of(name)
    labels = Counter(row["label"] for row in rows)
    assert len(rows) >= 150
    assert min(labels["english"], labels["copy"]) >= 60
    assert {row["kind"] for row in rows} == {0, 1, 2, 3, 4}
    assert {row["notation"] for row in rows if row["kind"]} >= (
        OF_PATTERNS if name == "regex" else OF_LOGIC
    )
    assert len({row["description"] for row in rows}) == len(rows)


@pytest.mark.parametrize("name", LANGUAGES)
def test_each_row_has_a_formula_of_its_language_and_a_kind_that_fits_its_label(name: str) -> None:
    lang = language(name)
    for row in rows_of(name):
        lang.parse(row["formula"])
        assert row["language"] == name
        assert row["description"].strip()
        assert (row["label"] == "english") == (row["kind"] == 0), row
        assert bool(row["kind"]) == ("notation" in row), row
        assert row.get("why") or not row.get("near"), row


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_copied_piece_has_two_operators_of_the_formula(name: str) -> None:
    for row in rows_of(name):
        if row["kind"] == 3:
            formula, text = ("".join(row[key].split()) for key in ("formula", "description"))
            match = SequenceMatcher(None, formula, text, autojunk=False).find_longest_match()
            piece = formula[match.a : match.a + match.size]
            assert len(re.findall(OPERATORS.get(name, "[∧∨→↔⊕¬∀∃]"), piece)) >= 2, row


@pytest.mark.parametrize("name", LANGUAGES)
def test_english_is_never_called_a_copy_and_no_copy_by_the_first_three_rules_is_missed(
    name: str,
) -> None:
    lang = language(name)
    wrong = [
        row["description"]
        for row in rows_of(name)
        if not row.get("near")
        and row["kind"] < 4
        and bool(copied(row["description"], lang.parse(row["formula"]), lang))
        is not (row["label"] == "copy")
    ]
    assert wrong == []
