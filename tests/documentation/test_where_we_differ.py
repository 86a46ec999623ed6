"""`docs/explanation/where-we-differ.md`: each value of the column *here* is computed, and each option exists."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from support.study_values import (
    OF_AUTOEVAL,
    OF_FIRST_ORDER,
    OF_TEMPORAL,
    drawn_trivial,
    drawn_vacuous,
    example_of_readme,
)

from pytest_autoeval import autoeval
from pytest_autoeval.engine.settings import OPTIONS, shown_name

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "where-we-differ.md").read_text("utf-8")


def rows() -> dict[tuple[str, str], tuple[str, str]]:
    """What stands in the columns *here* and *to get the paper's*, by the heading of the section and the first cell."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for section in PAGE.split("\n## ")[1:]:
        heading = section.partition("\n")[0]
        for line in [line for line in section.splitlines() if line.startswith("|")][2:]:
            what, _, ours, advice = line.strip("| ").split(" | ")
            assert (heading, what) not in found, what
            found[heading, what] = (ours, advice)
    return found


ROWS = rows()
VALUES = {
    (heading, what): value
    for heading, values in zip(
        dict.fromkeys(heading for heading, _ in ROWS),
        (OF_AUTOEVAL, OF_FIRST_ORDER, OF_TEMPORAL),
        strict=True,
    )
    for what, value in values.items()
}


def test_every_row_has_a_value_that_is_computed() -> None:
    assert list(VALUES) == list(ROWS)


@pytest.mark.parametrize(("heading", "what"), VALUES)
def test_what_stands_here_is_true(heading: str, what: str) -> None:
    stands, _ = ROWS[heading, what]
    assert stands == str(VALUES[heading, what]())


@pytest.mark.parametrize("advice", sorted({advice for _, advice in ROWS.values() if advice != "–"}))
def test_what_the_last_column_names_exists(advice: str) -> None:
    options = {shown_name(name): option for name, option in OPTIONS.items()}
    arguments = inspect.signature(autoeval).parameters
    for code in re.findall(r"`([^`]+)`", advice):
        if code.startswith("--"):
            name, _, value = code.partition("=")
            assert name in options
            choices = options[name].choices
            assert not choices or value in choices
        else:
            for name in re.findall(r"(\w+)=(?=[^}]*$|\()", code):
                assert name in arguments


def test_the_arguments_of_the_last_column_draw_what_the_paper_draws() -> None:
    assert drawn_trivial(trivial=True)
    assert drawn_vacuous(vacuous_quantifiers=True)


def test_the_share_of_copies_in_the_example_of_the_readme() -> None:
    found = example_of_readme("fail")
    copies = sum(sample.outcome == "copied" for sample in found)
    assert f"{copies} of {len(found)} descriptions are copies" in PAGE


def test_the_folders_exist() -> None:
    named = re.findall(r"`(examples/[\w-]+)`", PAGE)
    assert len(named) == 3
    assert all((ROOT / folder / "pytest.ini").is_file() for folder in named)
