"""The tables of published notations in `docs/reference/notation.md`: each example is read, or refused, as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_autoeval.datasets.formula_repair import repaired
from pytest_autoeval.languages import FormulaSyntaxError, language

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "notation.md").read_text("utf-8")
SECTION = PAGE.partition("### Published notations\n")[2].partition("\n## ")[0]
READ, REFUSED = SECTION.split("These are refused:")
FIRST_ORDER = language("first_order")


def rows(part: str) -> list[list[str]]:
    lines = [
        re.split(r" \| ", line.strip("| ")) for line in part.splitlines() if line.startswith("|")
    ]
    return [[cell.strip("`") for cell in cells] for cells in lines[2:]]


@pytest.mark.parametrize(("notation", "text", "meant"), rows(READ))
def test_a_notation_of_the_table_is_read_in_answers_and_in_files(
    notation: str, text: str, meant: str
) -> None:
    assert notation
    assert str(FIRST_ORDER.read(text).formula) == str(repaired(text).formula) == meant


@pytest.mark.parametrize(("text", "message"), rows(REFUSED))
def test_a_notation_of_the_table_is_refused_with_its_message(text: str, message: str) -> None:
    assert FIRST_ORDER.read(text).formula is None
    for read in (FIRST_ORDER.parse, repaired):
        with pytest.raises(FormulaSyntaxError, match=re.escape(message)):
            read(text)


def test_both_tables_have_rows() -> None:
    assert len(rows(READ)) > 5
    assert len(rows(REFUSED)) > 5
