"""The page shows how the answers to each sentence agree, and the questions to its author, to everybody."""

from __future__ import annotations

from typing import Any

import pytest
from support.analyses import analyse
from support.page_canvas import PageOf
from support.sentence_rows import sentence_row

from pytest_autoeval.engine.agreement import sentence_meanings
from pytest_autoeval.judging.gates import Rules
from pytest_autoeval.report.page import render_page

HOSTILE = "<img src=x onerror=alert(1)>\u202eThe door"
STRONG, WEAK, SAME = "G (door_open -> X red)", "G (door_open -> F red)", "G (!door_open | F red)"
ROWS = [
    *(sentence_row(text, repeat=at, sentence=HOSTILE) for at, text in enumerate([STRONG, WEAK, SAME, WEAK, None])),
    *(sentence_row("G bell", item="requirements-2", repeat=at) for at in range(2)),
]


@pytest.fixture
def page(page_of: PageOf) -> Any:
    return page_of(render_page(analyse(ROWS, Rules(), meanings=sentence_meanings)))


def test_the_table_and_the_disputed_sentence(page: Any) -> None:
    cells = page.value("[...document.querySelectorAll('#agreement table:not(.meanings) td')].map((e) => e.textContent)")
    assert cells[0] == "71.4 %"
    assert cells[2] == "1.50"
    assert page.texts("#agreement .meanings .formula") == [SAME, WEAK, STRONG]
    widths = page.value("[...document.querySelectorAll('.of-all .part')].map((e) => e.style.inlineSize)")
    assert widths == ["60%", "20%", "20%"]
    assert "1 sentence of 2 was read in several ways" in page.text("#agreement")


def test_the_question_has_both_formulas_and_text_stays_text(page: Any) -> None:
    question = page.text("#questions .questions li")
    assert question.startswith(r"“<img src=x onerror=alert(1)>\u202eThe door” can be read in two ways. Suppose")
    assert page.texts("#questions .answers .formula") == [SAME, STRONG]
    assert page.value("document.querySelectorAll('#questions img').length") == 0


@pytest.mark.parametrize("width", [360, 1280])
def test_it_fits_into_the_window(page: Any, width: int) -> None:
    page.size(width)
    page.open()
    assert page.value("document.documentElement.scrollWidth <= innerWidth")
