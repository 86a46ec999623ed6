"""The number that an author wrote before a sentence: taken where it is surely one, and named where it may be one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.program import Program

from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.plain_sentence_set import PlainSentenceSet
from pytest_autoeval.datasets.plain_sentences import sentences_in
from pytest_autoeval.datasets.sentence_numbers import ReadSentence, with_numbers

NUMBERS = ("A-7", "R12", "REQ-3.1", "SRS_BRK_008", "SYS-REQ-77", "A-9b", "REQ 10", "3.4.1")
#: What needs no other sentence to be a number: a sign, or a mark, sets it off.
SURE = ("{}: ", "{}:  ", "[{}] ", "[{}]: ", "({}) ", "{} – ", "{} - ", "{} — ", "{}. ", "{}) ")
MARKED = ("**{}** ", "**{}**: ", "**{}:** ", "`{}` ", "_{}_ ", "[{}](https://example.org) ")


def read_so(*texts: str) -> list[tuple[str, str, str]]:
    return [tuple(sentence) for sentence in with_numbers(map(ReadSentence, texts))]  # type: ignore[misc]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("form", SURE)
def test_a_number_that_a_sign_sets_off_is_taken(number: str, form: str) -> None:
    sentence = "The door is open."
    assert read_so(form.format(number) + sentence) == [(number, sentence, "")]


@pytest.mark.parametrize(
    "sentence",
    ["Not more than one door is open.", "May is a month.", "CAN messages are signed.", "A is on."],
)
def test_a_word_that_could_go_on_a_sentence_may_begin_one(sentence: str) -> None:
    for form in ("[R2] {}", "(R2) {}", "R2: {}"):
        assert read_so(form.format(sentence)) == [("R2", sentence, "")]


@pytest.mark.parametrize(
    "sentence",
    ["5 seconds later, the door is open.", "TLS 1.3 is used.", "CO2 stays below 800 ppm."],
)
def test_a_dash_sets_off_what_is_no_quantity(sentence: str) -> None:
    for number in ("REQ-1", "3.4.1", "REQ 10"):
        assert read_so(f"{number} - {sentence}") == [(number, sentence, "")]
        for other in (f"{number} - {number} is less than 5.", f"{number} – 5 – is less than 6."):
            assert read_so(other) == [("", other, number)]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("form", MARKED)
def test_a_number_in_bold_code_or_a_link_is_taken(tmp_path: Path, number: str, form: str) -> None:
    file = tmp_path / "a.md"
    file.write_text(f"- {form.format(number)}The door is open.\n", "utf-8")
    read = sentences_in([file])
    assert [(row.item, row.sentence) for row in read.rows] == [(number, "The door is open.")]
    assert not read.notes


def test_a_number_without_a_sign_needs_another_of_its_shape() -> None:
    assert read_so("A-7 The door is open.", "A-8 GPS is on.", "A-9 It rains.") == [
        ("A-7", "The door is open.", ""),
        ("A-8", "GPS is on.", ""),
        ("A-9", "It rains.", ""),
    ]
    # One that is set off counts too.
    assert read_so("3.4.1: The door is open.", "3.4.2 It rains.")[1] == ("3.4.2", "It rains.", "")
    for others in (["B-7 It rains."], ["A-7 It rains."], ["A-8 is open."], ["The lift moves."]):
        assert read_so("A-7 The door is open.", *others)[0][1:] == ("A-7 The door is open.", "A-7")


@pytest.mark.parametrize(
    ("text", "doubtful"),
    [
        ("R2 is closed.", ""),
        ("R2 – the second relay – is closed.", "R2"),
        ("R2, R3 and R4 are closed.", ""),
        ("R2 – R5 are closed.", "R2"),
        ("[R2] is closed.", ""),
        ("(R2) and (R3) are never both on.", ""),
        ("[R2] SHALL be closed.", "R2"),
        ("T1 - T2 is less than 5.", "T1"),
        ("T1 - 5 is more than T2.", "T1"),
        ("Note: It rains.", ""),
        ("Step 2: The door is open.", ""),
        ("3.5 seconds after the alarm, the door is open.", ""),
        ("24 hours later, the door is open.", ""),
        ("At 10:30, the door is open.", ""),
        ("(a) The door is open.", ""),
        ("R1 SHALL be closed.", "R1"),
        ("V-101 is closed.", "V-101"),
        ("R-12:the door is open.", "R-12"),
        ("10.30: the alarm sounds.", "10.30"),
        ("1. Mai ist Feiertag.", "1"),
        ("3.4.1 is installed.", "3.4.1"),
    ],
)
def test_a_sentence_that_is_not_clearly_numbered_is_not_changed(text: str, doubtful: str) -> None:
    other = text.replace("1", "7").replace("2", "8")
    # Also beside others of this shape.
    for sentence in read_so(text, other)[:1] + read_so(text):
        assert sentence == ("", text, doubtful)


WORDS = st.sampled_from(["R2", "A-7", "The", "is", "SHALL", "–", "3.4.1", "open.", "(R2)", "GPS"])


@given(st.lists(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), max_size=4))
def test_nothing_but_the_number_and_its_signs_is_removed(texts: list[str]) -> None:
    for text, (number, sentence, doubtful) in zip(texts, read_so(*texts), strict=True):
        removed = text.removesuffix(sentence)
        assert removed + sentence == text
        assert sentence
        assert removed.strip(" [](){}:.-–—") == number.strip()
        assert not (number and doubtful)


def test_what_looks_like_a_number_is_noted_once(tmp_path: Path, program: Program) -> None:
    file = tmp_path / "a.md"
    lines = ["V-101 is closed.", "V-102 is closed.", "R-1: It rains.", "10.30: the alarm sounds."]
    file.write_text("".join(f"- {line}\n" for line in lines), "utf-8")
    stays = "looks like a number, but stays in the sentence"
    notes = [
        f"{file}:1: 'V-101' {stays}, as in 1 more; write “V-101: …” if it is one",
        f"{file}:4: '10.30' {stays}; a number such as “R-1: …” is recognised",
    ]
    assert list(sentences_in([file]).notes) == notes
    # Where a run is planned or ends, and where the file is checked.
    assert list(PlainSentenceSet("a", "ltl", [file]).shortfalls) == notes
    printed = program("check", str(file)).out
    assert all(note in printed for note in notes)


def test_a_table_without_a_column_of_ids_has_numbers_too(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    rows = ["id,sentence", ",R-1: It rains.", "R-2,R-2: It pours.", "R-3,S-3: It hails."]
    file.write_text("\n".join(rows), "utf-8")
    assert [(row.item, row.sentence) for row in sentences_in([file]).rows] == [
        ("R-1", "It rains."),
        ("R-2", "It pours."),
        # The column counts. What else stands before the sentence is not clearly its number.
        ("R-3", "S-3: It hails."),
    ]


def test_a_number_that_stays_in_the_sentence_of_a_row_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id,sentence\n,R-1: It rains.\n,R-1: It pours.\nR-3,S-3: It hails.\n", "utf-8")
    read = sentences_in([file])
    assert [row.sentence for row in read.rows] == ["It rains.", "R-1: It pours.", "S-3: It hails."]
    assert read.notes == (
        f"{file}:3: 'R-1' stays in the sentence: another row has this id",
        f"{file}:4: 'S-3' stays in the sentence: the id of the row is 'R-3'",
    )


TABLE = """\
| id | text |
|---|:--|
| T-1 | The door is open. |
| **T-2** | It rains. |
"""


def test_a_table_of_requirements_in_markdown_is_named(tmp_path: Path, program: Program) -> None:
    file = tmp_path / "a.md"
    file.write_text(f"- The light is on.\n\n{TABLE}", "utf-8")
    advice = "A table of Markdown is no list: "
    notes = [f"{file}:{line}: 'T-{line - 4}' is a row of a table. {advice}" for line in (5, 6)]
    # They are rows that are left out, so that a run, its page and the check of a set name them.
    shown = sentences_in([file]).problems
    assert [line.startswith(note) for line, note in zip(shown, notes, strict=True)] == [True, True]
    printed = program("check", str(file)).out
    assert all(note in printed for note in notes)
    # A table may say which test belongs to a requirement of the list.
    file.write_text(f"- T-1: The light is on.\n\n{TABLE}", "utf-8")
    [shown_row] = sentences_in([file]).problems
    assert shown_row.startswith(notes[1])
    # A table of other things, or one in code, is no news.
    for text in (TABLE.replace("T-", "Version "), f"```\n{TABLE}```\n", f"<!--\n{TABLE}-->\n"):
        file.write_text(f"- The light is on.\n\n{text}", "utf-8")
        assert not sentences_in([file]).problems
    file.write_text(TABLE, "utf-8")
    with pytest.raises(
        DataSetError, match="save it as a CSV file with the columns id and sentence"
    ):
        sentences_in([file])
