"""The pages that are made from the package's own tables say what the tables say."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.generated_pages import options, outcomes
from support.page_examples import UPDATE

import pytest_autoeval

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.parametrize(("name", "made"), [("options", options), ("outcomes", outcomes)])
def test_the_page_is_up_to_date(name: str, made: Callable[[str], str]) -> None:
    path = REFERENCE / f"{name}.md"
    head, mark, rest = path.read_text("utf-8").partition(
        f"{UPDATE}=1 pytest tests/documentation writes it anew -->\n\n"
    )
    assert mark
    if os.environ.get(UPDATE):
        path.write_text(head + mark + made(rest), "utf-8")
    else:
        assert rest == made(rest), f"run with {UPDATE}=1"


def test_the_reference_has_every_public_name() -> None:
    pages = [REFERENCE / "python-api.md", REFERENCE / "marker-and-fixtures.md"]
    lines = [line for path in pages for line in path.read_text("utf-8").splitlines()]
    missing = [name for name in pytest_autoeval.__all__ if f"::: pytest_autoeval.{name}" not in lines]
    assert missing == ["__version__"]
