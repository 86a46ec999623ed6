"""The pages that are made from the package's own tables and docstrings say what these say."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.api_pages import named, with_api
from support.generated_pages import (
    error_rates,
    options,
    outcomes,
    results,
    summary,
    with_answers_needed,
)
from support.snapshot import UPDATE, assert_same

import pytest_autoeval

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("gate-error-rates", error_rates),
        ("options", options),
        ("outcomes", outcomes),
        ("results", results),
        ("summary", summary),
    ],
)
def test_the_page_is_up_to_date(name: str, made: Callable[[str], str]) -> None:
    path = REFERENCE / f"{name}.md"
    head, mark, rest = path.read_text("utf-8").partition(
        f"{UPDATE}=1 pytest tests/documentation writes it anew -->\n\n"
    )
    assert mark
    _compared(path, rest, head + mark, made(rest))


@pytest.mark.parametrize("name", ["marker-and-fixtures", "python-api"])
def test_docstrings_are_up_to_date_on_the_page(name: str) -> None:
    path = REFERENCE / f"{name}.md"
    page = path.read_text("utf-8")
    _compared(path, page, "", with_api(page))


@pytest.mark.parametrize("page", ["reference/statistics.md", "how-to/gate-a-release.md"])
def test_the_answers_that_a_run_needs_are_those_of_the_benchmark(page: str) -> None:
    path = REFERENCE.parent / page
    found = path.read_text("utf-8")
    _compared(path, found, "", with_answers_needed(found))


def _compared(path: Path, found: str, head: str, made: str) -> None:
    if os.environ.get(UPDATE):
        path.write_text(head + made, "utf-8")
    else:
        assert_same(found, made, path.name)


def test_the_reference_has_every_public_name() -> None:
    pages = [REFERENCE / "python-api.md", REFERENCE / "marker-and-fixtures.md"]
    described = [name for path in pages for name in named(path.read_text("utf-8"))]
    assert sorted({*pytest_autoeval.__all__} - {*described}) == ["__version__"]
