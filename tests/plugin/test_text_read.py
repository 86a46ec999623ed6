"""A body may change the model's description: the text that the reader got is shown beside it."""

from __future__ import annotations

import pytest
from support.page_blocks import PageBlocks

from .conftest import ROUND_TRIP, Rows, Run, Suite, said

CUT = ROUND_TRIP.replace("autoformalize(description,", "autoformalize({given},")


def test_the_text_that_was_read_stands_beside_the_description(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    suite(CUT.replace("{given}", "'p4 holds.'"), more=", threshold=0.9")
    result = run("--autoeval-results=out.jsonl", "--autoeval-html=page.html", "--autoeval-github-summary=run.md")
    row = rows("out.jsonl")[0]
    assert row["description"] != row["description_read"] == "p4 holds."
    result.stdout.fnmatch_lines(["    description  *", "    text read    p4 holds.", "    translation  p4"])
    assert "text read    p4 holds." in (pytester.path / "run.md").read_text("utf-8")
    page = PageBlocks((pytester.path / "page.html").read_text("utf-8"))
    assert "p4 holds." in str(page.data("piece-0"))


@pytest.mark.parametrize("options", [(), ("--autoeval-hops=2",)])
def test_a_description_that_was_read_as_it_was_written_stands_once(
    suite: Suite, run: Run, rows: Rows, options: tuple[str, ...]
) -> None:
    suite(CUT.replace("{given}", "description"), more=", threshold=0.9")
    result = run("--autoeval-model=offline/or-for-and", "--autoeval-results=out.jsonl", *options)
    assert not any("description_read" in row for row in rows("out.jsonl"))
    assert "text read" not in said(result)
