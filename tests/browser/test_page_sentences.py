"""The samples of sentences alone on the page: by the numbers of their author, with the formulas and paraphrases."""

from __future__ import annotations

from typing import Any

import pytest
from support.page_canvas import PageOf
from support.page_documents import page_html
from support.result_rows import call, row, suites_of
from support.sentence_rows import sentence_row

from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.report.analysis import analyse
from pytest_autoeval.report.document import document
from pytest_autoeval.report.renderers.page import render_page

SENTENCE = "If the door opens, the light is red."
WORDS = "The light turns red as soon as the door opens."
ROWS = [
    sentence_row("G (door_open -> F red)", translation="G (door_open -> F red)", relation="equal"),
    sentence_row("G (door_open -> red)", paraphrase=1, paraphrased=WORDS),
    sentence_row(None, item="BBW-2", sentence="The bell rings."),
]


@pytest.fixture
def page(page_of: PageOf) -> Any:
    return page_of(page_html(ROWS, command_of=lambda _: ""), "#outcome=")


def test_the_list_has_number_sentence_and_formula(page: Any) -> None:
    assert page.texts("#list th.title") == ["Sentence, and its formula"]
    titles = [
        f"requirements-1: {SENTENCE}",
        f"requirements-1, paraphrase 1: {WORDS}",
        "BBW-2: The bell rings.",
    ]
    assert sorted(page.texts("#list td.title a")) == sorted(titles)
    formulas = ["G (door_open -> F red)", "G (door_open -> red)"]
    assert page.texts("#list td.title .read") == formulas


def test_an_opened_sample_is_named_by_its_number_and_paraphrase(page: Any) -> None:
    headings = set()
    stories = {}
    for number in range(1, len(ROWS) + 1):
        page.open(f"#outcome=&sample={number}")
        heading = page.value("document.querySelector('#sample-title bdi').textContent")
        headings.add(heading)
        assert f"Sample {number}" in page.text("#sample header .about")
        terms = page.texts("#sample .story dt")
        stories[heading] = dict(zip(terms, page.texts("#sample .story dd"), strict=True))
    assert headings == {"requirements-1", "requirements-1, paraphrase 1", "BBW-2"}
    paraphrase = stories["requirements-1, paraphrase 1"]
    assert paraphrase["Sentence"] == SENTENCE
    assert paraphrase["Paraphrase that the model read"] == WORDS
    assert paraphrase["Formula of the paraphrase"] == "G (door_open -> red)"
    assert "Formula of the sentence" not in paraphrase
    sentence = stories["requirements-1"]
    assert sentence["Formula of the sentence"] == "G (door_open -> F red)"
    # The words of the terminal. A requirement has no reference.
    assert sentence["Translation"] == "G (door_open -> F red)"
    assert "Translation against formula" in sentence


def test_a_number_and_a_formula_of_a_sentence_are_searched(page: Any) -> None:
    for text, number in (("bbw-2", 1), ("-> red", 1), ("requirements-1", 2), ("as soon as", 1)):
        page.value(
            f"""(() => {{
              const control = document.getElementById("filter-text");
              control.value = {text!r};
              control.dispatchEvent(new Event("input", {{ bubbles: true }}));
            }})()"""
        )
        samples = f"{number} of 3 samples"
        page.until(f"document.getElementById('count').textContent === '{samples}'")


def test_formulas_beside_sentences_say_so(page_of: PageOf) -> None:
    page = page_of(page_html([*ROWS, row()], command_of=lambda _: ""), "#outcome=")
    assert page.texts("#list th.title") == ["Formula, or sentence with its formula"]
    plain = page_of(page_html([row()], command_of=lambda _: ""), "#outcome=")
    assert plain.texts("#list th.title") == ["Formula"]


def test_no_word_and_no_short_id_is_broken(page_of: PageOf) -> None:
    called = [call("formalize_sentence", prompt_tokens=1210, seconds=0.25)]
    rows = [
        sentence_row(formula, item="BBW-011", source="a.md:3", repeat=repeat, calls=called)
        for repeat, formula in enumerate(["G bell", "F bell"])
    ]
    shown = document(analyse(suites_of(rows), Rules()))
    html = render_page(shown, suites_of(rows), title="", command_of=lambda _: "")
    page = page_of(html, "#outcome=")
    page.size(1280)
    lines = "[...document.querySelectorAll('.cell .brief')].map((id) => id.getClientRects().length)"
    assert set(page.value(lines)) == {1}
    page.open("#outcome=&sample=1")
    page.size(390)
    # A heading has a line for each of its words at most.
    heights = """[...document.querySelectorAll('#sample .scrolled th.number')].map((heading) => {
      const range = document.createRange();
      range.selectNodeContents(heading);
      const tops = new Set([...range.getClientRects()].map((line) => line.top));
      return [heading.textContent.split(" ").length, tops.size];
    })"""
    assert page.value(heights)
    assert all(lines <= words for words, lines in page.value(heights))
