"""The page holds every row whole, and nothing in it can end an element, load or send anything."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from page_blocks import PageBlocks
from result_rows import call, changed, row

from pytest_autoeval.reporting.analysis import Analysis, analyse
from pytest_autoeval.reporting.counterexample import Counterexample, KeptResult
from pytest_autoeval.reporting.judging.gates import Rules
from pytest_autoeval.reporting.page import PageError, render_page, write_page
from pytest_autoeval.reporting.page.overview import PIECE
from pytest_autoeval.reporting.row import Row

FOLDER = files("pytest_autoeval.reporting.page")
OURS = sorted(one.name for one in FOLDER.iterdir() if one.name.endswith(".js"))
#: What ends a script, opens another, orders a terminal about, reverses the reading direction, or is no text at all.
HOSTILE = "</script><script>alert(1)</script><!--\x1b[31m\u202e\u2066\x00\ud800 $title &amp; '\"`"


def rows(count: int = 6) -> list[Row]:
    """Rows of two suites and models, every third of which failed."""
    return [
        row(
            "different" if number % 3 == 0 else "equivalent",
            suite=f"suites/test_{'ab'[number % 2]}.py::test_round_trip",
            model=f"offline/student-{number % 2}",
            formula=f"p{number} ∧ p1",
            operators=number % 5,
            repeat=number % 2,
        )
        for number in range(count)
    ]


def hostile_row(**changes: Any) -> Row:
    """A row in which every text is hostile, but the outcome."""
    plain = row("different")
    texts = {
        key: HOSTILE
        for key, value in plain.to_json().items()
        if isinstance(value, str) and key not in ("outcome", "code")
    }
    more = {
        "answer": HOSTILE,
        "trace": HOSTILE,
        "witness_text": HOSTILE,
        "witness": {"kind": HOSTILE, HOSTILE: HOSTILE},
        "error": HOSTILE,
        "calls": [call(HOSTILE, prompt_digest=HOSTILE, finish_reason=HOSTILE)],
        HOSTILE: HOSTILE,
    }
    return changed(plain, **{**texts, **more, **changes})


def page_of(rows: list[Row], **options: Any) -> PageBlocks:
    return PageBlocks(render_page(analyse(rows, Rules(threshold=0.5)), **options))


def test_every_row_is_in_the_page_whole_and_in_its_place() -> None:
    given = rows(PIECE + 3)
    page = page_of(given)
    pieces = page.pieces()
    assert [len(piece["rows"]) for piece in pieces] == [PIECE, 3]
    assert [one for piece in pieces for one in piece["rows"]] == [one.to_json() for one in given]


def test_the_index_says_in_columns_what_the_rows_say() -> None:
    given = rows(7)
    index = page_of(given).data("index")
    assert index["count"] == 7
    assert [index["suites"][place] for place in index["suite"]] == [one.suite for one in given]
    assert [index["models"][place] for place in index["model"]] == [one.model for one in given]
    assert [index["outcomes"][place]["name"] for place in index["outcome"]] == [one.outcome for one in given]
    assert {one["name"]: one["kind"] for one in index["outcomes"]} == {
        "equivalent": "pass",
        "different": "model failure",
    }
    assert index["size"] == [one.operators for one in given]
    assert index["repeat"] == [one.repeat for one in given]
    assert index["text"] == [one.formula for one in given]


def test_the_index_cuts_long_formulas_and_shows_what_there_is_where_there_is_none() -> None:
    long = "p1 ∧ " * 100 + "p1"
    index = page_of([row(formula=long), row(formula="", sentence="A sentence.")]).data("index")
    short, sentence = index["text"]
    assert long.startswith(short.removesuffix("…"))
    assert len(short) < 150
    assert sentence == "A sentence."


def test_the_command_of_a_row_stands_beside_it_and_is_left_out_where_none_is_known() -> None:
    (piece,) = page_of(rows(3), command_of=lambda one: f"pytest '{one.formula}'").pieces()
    assert piece["commands"] == ["pytest 'p0 ∧ p1'", "pytest 'p1 ∧ p1'", "pytest 'p2 ∧ p1'"]
    assert page_of(rows(3)).pieces()[0]["commands"] == []


def test_the_overview_says_verdict_gates_and_rates() -> None:
    overview = page_of(rows(6), title="Nightly").data("overview")
    assert overview["title"] == "Nightly"
    assert overview["verdict"]["outcome"] == "passed"
    assert {gate["verdict"] for gate in overview["gates"]} == {"passed"}
    first = overview["suites"][0]
    assert (first["suite"], first["threshold"]) == ("suites/test_a.py::test_round_trip", 0.5)
    assert (first["rate"]["passed"], first["rate"]["total"]) == (2, 3)
    assert first["outcomes"] == [
        {"name": "equivalent", "code": "AE100", "kind": "pass", "count": 2},
        {"name": "different", "code": "AE101", "kind": "model failure", "count": 1},
    ]
    assert sum(size["rate"]["total"] for size in first["bySize"]) == 3


def test_gates_that_need_a_look_come_first() -> None:
    given = [row("different", suite="z"), row(suite="a"), row("different", suite="b")]
    gates = page_of(given).data("overview")["gates"]
    assert [(gate["suite"], gate["verdict"]) for gate in gates] == [("b", "failed"), ("z", "failed"), ("a", "passed")]


def test_a_confusion_matrix_counts_right_wrong_and_unreadable_answers_but_no_errors() -> None:
    asked = [
        row("correct", expected=True, answered=True, operators=1),
        row("wrong answer", expected=True, answered=False, operators=1),
        row("correct", expected=False, answered=False, operators=2),
        row("wrong answer", expected=False, answered=True, operators=2),
        row("unreadable answer", expected=False, answered=None, operators=2),
        row("error", expected=True, answered=None, operators=2),
    ]
    matrix = page_of(asked).data("overview")["suites"][0]["confusion"]
    by_size = matrix.pop("bySize")
    assert matrix == {
        "truePositive": 1, "falsePositive": 1, "trueNegative": 1, "falseNegative": 1, "unreadable": 1,
    }  # fmt: skip
    assert [one["size"] for one in by_size] == [1, 2]
    assert [one["unreadable"] for one in by_size] == [0, 1]
    assert page_of(rows(3)).data("overview")["suites"][0]["confusion"] is None


def test_counterexamples_show_the_smallest_of_each_kind_the_commonest_kind_first() -> None:
    common = [row("different", formula=formula) for formula in ("p1 ∧ p2", "p1", "p1 ∨ p2")]
    rare = row("unparseable", formula="p9")
    examples = [Counterexample(row=one, command=f"see {one.formula}") for one in [rare, *common]]
    analysis = analyse([*common, rare], Rules(), counterexamples=examples)
    shown = PageBlocks(render_page(analysis)).data("overview")["counterexamples"]
    assert [(one["row"]["formula"], one["samples"], one["command"]) for one in shown] == [
        ("p1", 3, "see p1"),
        ("p9", 1, "see p9"),
    ]


def test_counterexamples_show_the_start_of_a_long_answer_and_the_samples_all_of_it() -> None:
    long = row("different", answer="A" * 1_000_000, blame={"half": "reading", "answer": "B" * 1_000_000})
    page = PageBlocks(render_page(analyse([long], Rules(), counterexamples=[Counterexample(row=long, command="")])))
    (shown,) = page.data("overview")["counterexamples"]
    assert shown["row"]["answer"] == f"{'A' * 2_000} … (the sample below has more)"
    assert "blame" not in shown["row"]
    assert page.pieces()[0]["rows"] == [long.to_json()]


def test_kept_counterexamples_say_what_became_of_them() -> None:
    kept = KeptResult(
        status="fixed", file="a.toml", suite="s", formula="p1", first_seen="2025-01-02", last_seen="2025-03-04"
    )
    (shown,) = PageBlocks(render_page(analyse(rows(2), Rules(), kept=[kept]))).data("overview")["kept"]
    assert (shown["status"], shown["formula"], shown["failing"]) == ("fixed", "p1", [])
    assert date.fromisoformat(shown["firstSeen"]) < date.fromisoformat(shown["lastSeen"])


def test_hostile_text_adds_no_element_and_arrives_as_it_was() -> None:
    hostile = hostile_row()
    page = page_of([hostile], title=HOSTILE, command_of=lambda _: HOSTILE)
    plain = page_of([row("different")], title="plain", command_of=lambda _: "pytest")
    assert page.tags == plain.tags
    assert {name for name, _, _ in page.attributes} == {name for name, _, _ in plain.attributes}
    (piece,) = page.pieces()
    assert piece == {"rows": [hostile.to_json()], "commands": [HOSTILE]}


def test_hostile_text_stands_in_the_markup_only_harmless() -> None:
    page = page_of([hostile_row()], title=HOSTILE)
    assert r"\x1b[31m\u202e\u2066\x00\ud800 $title &amp; '" in page.shown
    assert not re.search("[\x00\x1b\u202a-\u202e\u2066-\u2069\ud800-\udfff]", page.shown)


def test_the_policy_lets_only_the_blocks_of_the_page_itself_run() -> None:
    page = page_of(rows(3))
    (policy,) = (
        value for tag, name, value in page.attributes if (tag, name) == ("meta", "content") and "-src" in (value or "")
    )
    directives = dict(part.split(" ", 1) for part in (policy or "").split("; "))
    assert directives["default-src"] == "'none'"
    for name, block in (("script-src", "script"), ("style-src", "style")):
        digest = base64.b64encode(hashlib.sha256(page.blocks[block].encode()).digest()).decode()
        assert directives[name] == f"'sha256-{digest}'"
    assert {name for name in directives if name.endswith("-src")} == {"default-src", "script-src", "style-src"}
    assert directives["require-trusted-types-for"] == "'script'"


def test_the_page_names_no_other_file_and_no_other_host() -> None:
    page = page_of(rows(3))
    assert not [one for one in page.attributes if one[1] in ("src", "srcset", "action", "data", "style")]
    assert [value for _, name, value in page.attributes if name == "href"] == ["#samples"]
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    assert not re.search(r"url\(|@import", page.blocks["style"])


@pytest.mark.parametrize("script", OURS)
def test_no_script_of_ours_makes_markup_of_text(script: str) -> None:
    text = FOLDER.joinpath(script).read_text("utf-8")
    assert "globalThis.autoeval" in text or script == "main.js"
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|Function\(", text)


def test_the_same_analysis_gives_the_same_bytes() -> None:
    first = render_page(analyse(rows(300), Rules(threshold=0.5)), command_of=str)
    assert render_page(analyse(rows(300), Rules(threshold=0.5)), command_of=str) == first


def test_a_page_without_samples_is_a_page() -> None:
    page = page_of([])
    assert page.data("index")["count"] == 0
    assert page.pieces() == []


def test_numbers_that_a_browser_would_round_are_text() -> None:
    (piece,) = page_of([row(seed=2**53 - 1), row(seed=2**60 + 1)]).pieces()
    assert [one["seed"] for one in piece["rows"]] == [2**53 - 1, "1152921504606846977"]


def test_rows_that_are_no_json_are_refused() -> None:
    with pytest.raises(PageError, match="no JSON"):
        render_page(analyse([row(scores={"f1": float("nan")})], Rules()))


def test_writing_makes_the_folders_and_replaces_an_old_page(tmp_path: Path) -> None:
    path = tmp_path / "reports" / "nightly" / "page.html"
    write_page(path, analyse(rows(3), Rules()), title="Before the change")
    write_page(path, analyse(rows(3), Rules()), title="After the change")
    assert "Before the change" not in path.read_text("utf-8")
    assert path.read_bytes() == render_page(analyse(rows(3), Rules()), title="After the change").encode()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("occupied", ["page.html", "folder"])
def test_a_page_that_cannot_be_written_says_why_and_leaves_nothing(tmp_path: Path, occupied: str) -> None:
    path = tmp_path / ("page.html" if occupied == "page.html" else "folder/page.html")
    if occupied == "page.html":
        path.mkdir()
    else:
        path.parent.write_text("no folder")
    with pytest.raises(PageError, match=re.escape(str(path))):
        write_page(path, Analysis())
    assert [one.name for one in tmp_path.iterdir()] == [occupied]
