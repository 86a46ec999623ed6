"""The section of a page on a whole set of sentences, in a browser."""

from __future__ import annotations

from typing import Any

from support.analyses import analyse
from support.page_canvas import PageOf
from support.result_rows import row

from pytest_autoeval.judging.gates import Rules
from pytest_autoeval.report.page import render_page

HOSTILE = "</script><img src=x onerror=alert(1)>\u202e"
SENTENCES = [
    {"item": f"door:{number}", "source": f"door.md:{number}", "group": "Door", "sentence": text, "formula": formula}
    for number, (text, formula) in enumerate(
        [("The door is open.", "open"), ("The door is closed.", "!open"), (HOSTILE, "light"), ("Light!", "light")], 1
    )
]
FOUND: dict[str, Any] = {
    "file": "door.md",
    "model": "maker/model",
    "language": "ltl",
    "sentences": SENTENCES,
    "without_formula": [{"item": "door:5", "sentence": "It rains.", "why": "unparseable"}],
    "satisfiable": False,
    "kept": ["door:1", "door:3"],
    "witness": {"kind": "trace", "prefix": [], "loop": [["open", "light"]], "atoms": ["open", "light"]},
    "witness_text": "Suppose the following. “open” holds at every step. “light” holds at every step.",
    "never_true": [],
    "always_true": [],
    "contradictions": [{"sentences": ["door:1", "door:2"], "proved": "smallest"}],
    "repeats": [["door:3", "door:4"]],
    "consequences": [{"sentence": "door:3", "premises": ["door:1"], "proved": "minimal"}],
    "undecided": {"consequences": [["door:2"]]},
    "names_used_once": [{"name": "open", "item": "door:1"}],
    "unused_names": ["bell"],
    "stopped": "time",
}


def test_the_section_shows_what_was_found(page_of: PageOf) -> None:
    page = page_of(render_page(analyse([row()], Rules()), whole_set=FOUND))
    assert page.texts("#whole-set h3") == [
        "Contradictions",
        "Without door:2 the others can hold together, as here",
        "Repeated: the same meaning",
        "Follows from others",
        "Names in one sentence only",
        "Names of the glossary that no formula uses",
        "Undecided within the time limits",
        "Without a formula",
    ]
    shown = page.text("#whole-set")
    assert "The time limit ended the check: this is not all." in shown
    assert "Follows from door:1. None of them can be left out" in shown
    assert r"</script><img src=x onerror=alert(1)>\u202e" in shown
    assert "whether a sentence follows from the others: door:2" in shown
    assert "Whole set" in page.texts("#sections a")


def test_a_set_without_contradictions_says_so(page_of: PageOf) -> None:
    whole: dict[str, Any] = {"contradictions": [], "without_formula": [], "satisfiable": True}
    clean = FOUND | whole | {"kept": [one["item"] for one in SENTENCES]}
    page = page_of(render_page(analyse([row()], Rules()), whole_set=clean))
    assert "No sentences contradict each other." in page.text("#whole-set")
    assert page.texts("#whole-set h3")[0] == "All sentences can hold together, as here"


def test_a_claim_on_all_sentences_is_one_on_those_with_a_formula(page_of: PageOf) -> None:
    clean = FOUND | {"contradictions": [], "satisfiable": True, "kept": [one["item"] for one in SENTENCES]}
    page = page_of(render_page(analyse([row()], Rules()), whole_set=clean))
    assert "No sentences with a formula contradict each other." in page.text("#whole-set")
    assert page.texts("#whole-set h3")[0] == "All sentences with a formula can hold together, as here"
