"""Agreement on sentences in the terminal, in Markdown and in the JSON summary."""

from __future__ import annotations

import shlex

import pytest
from msgspec import structs
from support.analyses import analyse
from support.documents_read import data_of, section, sections, table
from support.screens import markdown, render, texts
from support.sentence_rows import rows_of, sentence_row
from support.snapshot import assert_snapshot, assert_text_snapshot

from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Command, Table
from pytest_autoeval.report.document import document
from pytest_autoeval.requirements.agreement import Attempt, attempts_text
from pytest_autoeval.requirements.agreement_sections import questions as author_questions

STRONG, WEAK, SAME = "G (door_open -> X red)", "G (door_open -> F red)", "G (!door_open | F red)"
READ: dict[str, list[list[str | None]]] = {
    "gpt": [[STRONG, STRONG, WEAK], [WEAK, SAME, WEAK], ["G bell", "G bell", "G bell"]],
    "qwen": [[WEAK, SAME, None], [WEAK, WEAK, "F bell"], ["G bell", "G bell", "G bell"]],
}


@pytest.fixture
def analysis() -> Analysis:
    return analyse(rows_of(READ, "requirements-"), Rules())


@pytest.mark.parametrize("verbose", [False, True])
def test_the_terminal_shows_models_and_disputed_sentences(
    analysis: Analysis, verbose: bool
) -> None:
    lines = render(analysis, verbosity=int(verbose), width=100)
    start = next(
        at
        for at, line in enumerate(lines)
        if line.text == "agreement of the answers to each sentence"
    )
    end = next(at for at, line in enumerate(lines) if "test_sentences[" in line.text and at > start)
    assert_snapshot(f"agreement{'_verbose' if verbose else ''}", lines[start:end])


def test_markdown_has_the_table_the_sentences_and_the_questions(analysis: Analysis) -> None:
    text = markdown(analysis)
    assert_text_snapshot("agreement.md", text[text.index("### agreement") :])


def test_the_json_summary_has_the_documented_keys(analysis: Analysis) -> None:
    data = data_of(document(analysis))
    agreement = section(data, "agreement")
    assert [row["model"] for row in table(agreement)] == ["gpt", "qwen", "all models"]
    first = table(agreement, "sentences")[0]
    assert first["answers"] == 6
    details = table(agreement, "sentences: entropy, and what was not compared")[0]
    assert (details["id"], details["without a formula"]) == (first["id"], 1)
    meanings = table(agreement, "meanings of the sentences that were read in several ways")
    readings = [row for row in meanings if row["id"] == first["id"] and row["meaning"]]
    assert [
        sum(row["answers"] or 0 for row in readings if row["meaning"] == number)
        for number in (1, 2)
    ] == [3, 2]
    assert table(section(data, "questions"), "what yes and no stand for")[0]["yes: formula"] in {
        row["formula"] for row in readings if row["meaning"] == 1
    }


def test_a_run_without_repeats_shows_no_agreement() -> None:
    rows = [sentence_row(WEAK), sentence_row(STRONG, item="requirements-2")]
    analysis = analyse(rows, Rules())
    assert not any(
        "agreement" in text for text in (*texts(analysis, verbosity=1), markdown(analysis))
    )
    assert not sections(data_of(document(analysis)), "agreement")


@pytest.mark.parametrize(
    ("attempts", "text"),
    [
        ([Attempt("gpt")], "gpt"),
        ([Attempt("gpt", 2, 1)], "gpt (repeat 3, paraphrase 1)"),
        (
            [Attempt("gpt"), Attempt("gpt", 0, 1), Attempt("qwen", 1)],
            "gpt (2 answers), qwen (repeat 2)",
        ),
    ],
)
def test_who_read_a_formula_in_words(attempts: list[Attempt], text: str) -> None:
    assert attempts_text(attempts) == text


def test_the_worst_sentences_come_first_also_without_any_meaning() -> None:
    read: dict[str, list[list[str | None]]] = {
        "gpt": [
            [WEAK, WEAK, STRONG],
            ["G bell", "G bell", "G bell"],
            [None, None, None],
            [STRONG, None, None],
            ["F bell", "F bell", None],
            [WEAK, STRONG, "F bell"],
        ]
    }
    lines = [line.text for line in render(analyse(rows_of(read, "r:"), Rules()), width=100)]
    start = lines.index("  sentences")
    shown = [line.split()[0] for line in lines[start + 2 : start + 5]]
    # No meaning at all, then two with one answer in three: of these, the one with more meanings is first.
    assert shown == ["r:3", "r:6", "r:4"]
    assert "  0      0.0 %  " in lines[start + 2]
    # The reasons are told apart, and each sentence that is not agreed on has one.
    assert "  no answer has a formula: r:3" in lines
    assert "  read in several ways: r:6, r:1" in lines
    assert "  one meaning, but some answers have no formula: r:4, r:5" in lines
    assert not any("r:2" in line for line in lines)


def test_few_sentences_that_are_not_agreed_on_are_in_the_table_alone(analysis: Analysis) -> None:
    assert not any("read in several ways: " in line.text for line in render(analysis, width=100))


def test_a_set_that_is_agreed_on_has_no_table_of_sentences_without_details() -> None:
    read: dict[str, list[list[str | None]]] = {"gpt": [["G bell", "G bell"], [WEAK, SAME]]}
    agreed = analyse(rows_of(read, "r:"), Rules())
    assert "  sentences" not in [line.text for line in render(agreed, width=100)]
    assert "  sentences" in [line.text for line in render(agreed, width=100, verbosity=1)]


def test_a_question_is_whole_with_details(analysis: Analysis) -> None:
    shown = " ".join(" ".join(texts(analysis, verbosity=1)).split())
    asked = list(author_questions(analysis))
    (rows,) = [block.rows for block in asked[0].blocks if isinstance(block, Table)][:1]
    assert len(rows) == 2
    assert all(" ".join(str(row.cells[1]).split()) in shown for row in rows)


def test_the_command_for_the_answers_names_the_results(analysis: Analysis) -> None:
    with_file = structs.replace(analysis, results=["out/my run.jsonl"])
    (command,) = [
        block
        for asked in author_questions(with_file)
        for block in asked.blocks
        if isinstance(block, Command)
    ]
    assert shlex.split(command.command)[4] == "out/my run.jsonl"
