"""A figure of one maker is on all screens: here, how many formulas had to be found inside of prose."""

from __future__ import annotations

import json

from support.analyses import analyse
from support.documents_read import suite, value
from support.page_blocks import PageBlocks
from support.result_rows import row
from support.screens import markdown, properties, texts

from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.report.blocks import Figures
from pytest_autoeval.report.document import document
from pytest_autoeval.report.renderers.csv import tables
from pytest_autoeval.report.renderers.page import render_page
from pytest_autoeval.report.renderers.summary import summary_text


def test_what_was_recovered_is_on_all_screens() -> None:
    answers = [
        row(index=index, formula=f"p{index}", compliant=index > 0, recovered=index == 0)
        for index in range(4)
    ]
    analysis = analyse(answers, Rules())
    shown = document(analysis)
    assert "recovered 25.0 % of 4" in " ".join(" ".join(texts(analysis, verbosity=1)).split())
    assert "recovered 25.0 % of 4" in markdown(analysis)
    assert dict(properties(analysis))["autoeval.recovered"] == "0.25"
    assert value(suite(json.loads(summary_text(shown))), "recovered") == 0.25
    assert any(
        ",recovered," in line and ",0.25," in line
        for line in tables(shown)["figures.csv"].splitlines()
    )
    blocks = PageBlocks(render_page(shown, analysis.suites)).shown_blocks(Figures, "suite")
    assert [one.value for block in blocks for one in block.figures if one.name == "recovered"] == [
        0.25
    ]


def test_a_run_without_any_has_no_such_figure() -> None:
    analysis = analyse([row(recovered=False)], Rules())
    assert "recovered" not in " ".join(texts(analysis, verbosity=1))
