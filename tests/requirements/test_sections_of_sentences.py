"""The sections about sentences: agreement, questions to their author, and what a set of them says as a whole."""

from __future__ import annotations

from typing import Any

import pytest
from support.analyses import analyse
from support.sections import check, column, note_text, of_kind, only, plain, tables, texts
from support.sentence_rows import rows_of, sentence_row

from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Command, Section, Verdict
from pytest_autoeval.requirements.agreement_sections import agreement, questions
from pytest_autoeval.requirements.whole_set_sections import set_document, whole_set

STRONG, WEAK, SAME = "G (door_open -> X red)", "G (door_open -> F red)", "G (!door_open | F red)"
READ: dict[str, list[list[str | None]]] = {
    "gpt": [["G bell", "G bell", "G bell"], [WEAK, SAME, WEAK], [STRONG, STRONG, WEAK]],
    "qwen": [["G bell", "G bell", "G bell"], [WEAK, WEAK, "F bell"], [WEAK, SAME, None]],
}


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyse(rows_of(READ, "r:"), Rules())


def test_each_model_and_all_together_have_a_mean(analysis: Analysis) -> None:
    means = tables(only(agreement(analysis)))["suites/test_sentences.py::test_sentences"]
    assert column(means, "model") == ["gpt", "qwen", "all models"]
    assert [line.total for line in means.rows] == [False, False, True]
    assert [plain(cell) for cell in column(means, "agreement")] == pytest.approx(
        [8 / 9, 7 / 9, 14 / 18]
    )
    assert column(means, "sentences") == [3, 3, 3]
    assert "entropy" not in " ".join(one.name for one in means.columns)
    in_statistics = tables(only(agreement(analysis)))[f"{means.title}: entropy"]
    assert in_statistics.level == "verbose"
    entropy = column(in_statistics, "entropy in bits")[0]
    assert isinstance(entropy, Figure)
    assert entropy.low is not None
    assert entropy.value is not None
    assert entropy.low <= entropy.value


def test_all_sentences_are_there_and_the_disputed_ones_come_first(analysis: Analysis) -> None:
    table = tables(only(agreement(analysis)))["sentences"]
    assert column(table, "id") == ["r:3", "r:2", "r:1"]
    assert [line.level for line in table.rows] == ["default", "default", "verbose"]
    assert [plain(cell) for cell in column(table, "meanings")] == [2, 2, 1]
    assert [plain(cell) for cell in column(table, "agreement")] == pytest.approx([3 / 6, 5 / 6, 1])
    details = tables(only(agreement(analysis)))["sentences: entropy, and what was not compared"]
    assert details.level == "verbose"
    assert column(details, "without a formula") == [1, 0, 0]
    assert column(table, "place")[0] == "requirements.md:5"


def test_the_formulas_of_a_meaning_stand_together_with_those_who_read_them(
    analysis: Analysis,
) -> None:
    table = tables(only(agreement(analysis)))[
        "meanings of the sentences that were read in several ways"
    ]
    listed = [line.cells[:6] for line in table.rows if line.cells[0] == "r:2"]
    assert listed == [
        ("r:2", 1, 5, SAME, "gpt (3 answers), qwen (2 answers)", 1),
        ("r:2", 1, None, WEAK, "gpt (2 answers), qwen (2 answers)", 4),
        ("r:2", 2, 1, "F bell", "qwen (repeat 3)", 1),
    ]
    assert [line.level for line in table.rows if line.cells[0] == "r:2"] == [
        "default",
        "verbose",
        "default",
    ]
    unread = [line.cells for line in table.rows if line.cells[3] is None]
    assert unread == [("r:3", None, 1, None, "qwen (repeat 3)", None, None)]


def test_a_question_has_both_formulas_and_the_command_that_lists_all(analysis: Analysis) -> None:
    section = only(questions(analysis))
    assert "2 questions for the author: the answer decides which meaning a sentence has" in texts(
        section
    )
    (command,) = of_kind(section, Command)
    assert command.command == (
        "python -m pytest_autoeval questions RESULTS.jsonl --csv requirements.answers.csv"
    )
    table = tables(section)["what yes and no stand for"]
    assert column(table, "id") == column(tables(section)[""], "id") == ["r:2", "r:3"]
    groups = [(one.group, one.name) for one in table.columns[1:5]]
    assert groups == [("yes", "formula"), ("yes", "read by"), ("no", "formula"), ("no", "read by")]
    assert {line.cells[1] for line in table.rows}.isdisjoint(line.cells[3] for line in table.rows)


def test_sentences_with_one_answer_have_no_section() -> None:
    alone = analyse([sentence_row("G bell")], Rules())
    assert not list(agreement(alone))
    assert not list(questions(alone))


def set_data(**changes: Any) -> dict[str, Any]:
    """The data of a set of three sentences in which nothing was found."""
    sentences = [
        {
            "item": f"r:{n}",
            "number": str(n),
            "sentence": f"Sentence {n}.",
            "source": f"r:{n}",
            "formula": f"F p{n}",
            "outcome": None,
            "passed": None,
        }
        for n in (1, 2, 3)
    ]
    return {
        "file": "door.md",
        "model": "gpt-5",
        "language": "ltl",
        "sentences": sentences,
        "without_formula": [],
        "contradicts_answer": [],
        "unchecked_answers": [],
        "rows_left_out": [],
        "strict": False,
        "doubtful_numbers": [],
        "repeated_ids": [],
        "satisfiable": True,
        "kept": ["r:1", "r:2", "r:3"],
        "never_true": [],
        "always_true": [],
        "contradictions": [],
        "repeats": [],
        "consequences": [],
        "rules": [],
        "all_vacuous": False,
        "vacuous": [],
        "collisions": [],
        "excluded": [],
        "can_meet": [],
        "triples": {"can_meet": 0, "not_asked": 0},
        "permissions": [],
        "undecided": {},
        "stopped": "",
        "witness": {},
        "witness_text": "The door is open at first.",
        "names_used_once": [],
        "unused_names": [],
        **changes,
    }


CONTRADICTION = {"sentences": ["r:1", "r:2"], "proved": "smallest"}


@pytest.mark.parametrize(
    ("changes", "state", "text"),
    [
        ({}, "passed", "the sentences can all hold together, and none is trivial"),
        (
            {"contradictions": [CONTRADICTION], "satisfiable": False, "always_true": ["r:3"]},
            "failed",
            "found: 1 contradiction, 1 sentence that is always true",
        ),
        ({"never_true": ["r:1", "r:2"]}, "failed", "found: 2 sentences that can never be true"),
        (
            {"undecided": {"alone": [["r:2"]]}},
            "inconclusive",
            "the sentences can all hold together",
        ),
        (
            {"satisfiable": None},
            "inconclusive",
            "no contradiction was found, but whether all sentences can hold together was not decided",
        ),
    ],
)
def test_the_verdict_on_a_set(changes: dict[str, Any], state: str, text: str) -> None:
    verdict = subjects(**changes)["the sentences as a set"].blocks[0]
    assert isinstance(verdict, Verdict)
    assert (verdict.state, note_text(verdict)) == (state, text)
    assert set_document(set_data(**changes), 3).state == state


def subjects(**changes: Any) -> dict[str, Section]:
    """The sections about a set by their titles."""
    sections = list(whole_set(set_data(**changes)))
    for section in sections:
        check(section)
        assert section.name == "whole set"
    return {section.title: section for section in sections}


def test_a_set_in_which_nothing_was_found_has_a_case_in_which_it_holds() -> None:
    found = subjects()
    assert list(found) == [
        "the sentences as a set",
        "all sentences can hold together, as here",
        "the formulas",
    ]
    assert texts(found["all sentences can hold together, as here"]) == [
        "The door is open at first."
    ]


def test_contradictions_name_their_sentences_and_what_was_proved() -> None:
    later = {"sentences": ["r:2", "r:3"], "proved": "smallest"}
    found = subjects(contradictions=[CONTRADICTION, later], satisfiable=False, kept=["r:1"])
    assert texts(found["contradictions"]) == [
        "these 2 contradict each other (no smaller set does):",
        "r:1: Sentence 1.",
        "F p1",
        "r:2: Sentence 2.",
        "F p2",
        "these 2 contradict each other (of the sentences that are not above: no smaller set does):",
        "r:2: Sentence 2.",
        "F p2",
        "r:3: Sentence 3.",
        "F p3",
    ]
    assert texts(found["the others can hold together"]) == [
        "without 2, 3",
        "The door is open at first.",
    ]


def test_repetitions_and_consequences_refer_to_other_sentences() -> None:
    consequence = {"sentence": "r:3", "premises": ["r:1"], "proved": "minimal"}
    found = subjects(repeats=[["r:1", "r:2"], ["r:1", "r:2", "r:3"]], consequences=[consequence])
    repeats = texts(found["repeated: the same meaning"])
    assert [text for text in repeats if "repeat" in text] == [
        "2 repeats 1",
        "2, 3 repeat 1",
    ]
    assert texts(found["follows from others"]) == [
        "r:3: Sentence 3.",
        "F p3",
        "follows from 1 (none of them can be left out, but another, smaller set may do)",
    ]


def test_what_is_missing_or_open_is_said() -> None:
    found = subjects(
        without_formula=[
            {"item": "r:4", "number": "4", "sentence": "Sentence 4.", "why": "unparseable"}
        ],
        undecided={"together": [], "repeats": [["r:1", "r:2"]]},
        stopped="time",
        names_used_once=[{"name": "bell", "item": "r:1"}],
        unused_names=["lamp", "door"],
    )
    extent, stopped = texts(found["the sentences as a set"])
    assert extent == (
        "door.md: 4 sentences, 3 with a formula by gpt-5 (ltl); a number alone is a line of it"
    )
    assert stopped.startswith("The time limit (--seconds) ended the check")
    assert texts(found["without a formula, left out"]) == ["r:4: Sentence 4. (unparseable)"]
    assert texts(found["undecided within the time limits"]) == [
        "whether the sentences can hold together",
        "whether two sentences mean the same: 1 and 2",
    ]
    assert texts(found["names in one sentence only"]) == ["bell (1)"]
    assert texts(found["names of the glossary that no formula uses"]) == ["lamp, door"]
