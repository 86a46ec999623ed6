"""No single row changes what a file is: a row that lacks a cell is reported, and the other rows are used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval.datasets.checking import check
from pytest_autoeval.datasets.formulas import doubts_about, files_of_formulas, read_formulas
from pytest_autoeval.datasets.plain_sentences import has_sentences_alone, sentences_in

#: Two complete rows of each kind of file, and a third one; the cells that the third may lack.
_FILES: dict[str, tuple[list[dict[str, Any]], tuple[str, ...]]] = {
    "formulas": (
        [
            {"id": "a", "formula": "p1 → p2", "language": "propositional"},
            {"id": "b", "formula": "p1 ∧ p2", "language": "propositional"},
            {"id": "c", "formula": "p1 ∨ p2", "language": "propositional"},
        ],
        ("formula",),
    ),
    "formulas of no named language": (
        [
            {"id": "a", "formula": "p1 → p2"},
            {"id": "b", "formula": "p1 ∧ p2"},
            {"id": "c", "formula": "p1 ∨ p2"},
        ],
        ("formula",),
    ),
    "formulas of first-order logic": (
        [
            {"formula": "∀x P(x)", "language": "first_order"},
            {"formula": "∃x P(x)", "language": "first_order"},
            {"formula": "∀x Q(x)", "language": "first_order"},
        ],
        ("formula",),
    ),
    "pairs": (
        [
            {"formula": "p1 → p2", "other": "¬p1 ∨ p2"},
            {"formula": "p1 ∧ p2", "other": "p2 ∧ p1"},
            {"formula": "p1 ∨ p2", "other": "p2 ∨ p1"},
        ],
        ("formula", "other"),
    ),
    "pairs with the right answer": (
        [
            {"formula": "p1 → p2", "other": "¬p1 ∨ p2", "same": "yes", "language": "propositional"},
            {"formula": "p1 ∧ p2", "other": "p2 ∧ p1", "same": "yes", "language": "propositional"},
            {"formula": "p1 ∨ p2", "other": "p2", "same": "no", "language": "propositional"},
        ],
        ("formula", "other"),
    ),
    "sentences with formulas": (
        [
            {"sentence": "All dogs bark.", "formula": "∀x (Dog(x) → Bark(x))"},
            {"sentence": "All cats bark.", "formula": "∀x (Cat(x) → Bark(x))"},
            {"sentence": "All cows bark.", "formula": "∀x (Cow(x) → Bark(x))"},
        ],
        ("sentence", "formula"),
    ),
    "traces": (
        [
            {"formula": "G x1", "trace": "cycle{x1}", "satisfies": "yes"},
            {"formula": "F x1", "trace": "!x1; cycle{x1}", "satisfies": "yes"},
            {"formula": "F x2", "trace": "!x2; cycle{x2}", "satisfies": "yes"},
        ],
        ("formula", "trace", "satisfies"),
    ),
    "texts": (
        [
            {"text": "G x1", "well_formed": "yes"},
            {"text": "G (x1", "well_formed": "no"},
            {"text": "F x1", "well_formed": "yes"},
        ],
        ("text", "well_formed"),
    ),
    "questions": (
        [
            {"context": "Rex barks.", "question": "Does Rex bark?", "answer": "yes"},
            {"context": "Rex barks.", "question": "Is Rex mute?", "answer": "no"},
            {"context": "Rex barks.", "question": "Is Rex loud?", "answer": "yes"},
        ],
        ("context", "question", "answer"),
    ),
}


@pytest.mark.parametrize("form", ["empty", "null", "no key", "csv"])
@pytest.mark.parametrize(
    ("content", "column"),
    [(content, column) for content, (_, columns) in _FILES.items() for column in columns],
)
def test_a_row_that_lacks_a_cell_is_reported_and_the_others_are_used(
    tmp_path: Path, content: str, column: str, form: str
) -> None:
    rows, _ = _FILES[content]
    complete = check([_written(tmp_path / "complete", rows[:2], form)], candidates=2)
    lacking = {name: value for name, value in rows[2].items() if name != column}
    if form != "no key":
        lacking[column] = None if form == "null" else ""
    checked = check([_written(tmp_path / "lacking", [*rows[:2], lacking], form)], candidates=2)
    assert checked.data_sets == complete.data_sets
    assert checked.formulas == complete.formulas
    (file,) = checked.files
    (remark,) = file.reported
    assert repr(column) in remark.text
    # Without the key, a kind of row that has several columns is known by another one.
    told = ["the cell is empty", f"also needs the column {column!r}"]
    assert any(problem in remark.text for problem in told)


def test_a_row_with_a_sentence_leaves_the_formulas_of_its_file_as_they_are(tmp_path: Path) -> None:
    rows = [{"formula": "p1 → p2"}, {"formula": "p1 ∧ p2"}]
    further: dict[str, Any]
    for further in ({"sentence": "Rex barks.", "formula": "p1"}, {"sentence": "Rex barks."}, {}):
        file = _written(tmp_path, [*rows, further], "no key")
        assert files_of_formulas([file]) == [file]
        assert [row.text for row in read_formulas([file]).rows] == ["p1 → p2", "p1 ∧ p2"]
        (doubt,) = doubts_about([file])
        assert "propositional" in doubt.languages


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"sentence": "The lamp is on.", "formula": "G x1"}, "the row has more than a sentence"),
        ({"formula": "G x1"}, "there is no column 'sentence'"),
        ({"id": "c"}, "there is no column 'sentence'"),
        ({"sentence": None}, "column 'sentence': the cell is empty"),
        ({"sentence": ""}, "column 'sentence': the cell is empty"),
    ],
)
def test_a_row_of_another_kind_leaves_sentences_alone_as_they_are(
    tmp_path: Path, row: dict[str, Any], problem: str
) -> None:
    sentences = [{"sentence": "The pump runs."}, {"sentence": "The door is open."}]
    file = _written(tmp_path, [*sentences, row], "no key")
    assert has_sentences_alone(file)
    assert not files_of_formulas([file])
    read = sentences_in([file])
    assert [sentence.sentence for sentence in read.rows] == ["The pump runs.", "The door is open."]
    assert read.problems == (read.problems[0],)
    assert read.problems[0].startswith(f"{file}:3: {problem}")


def test_formulas_beside_most_sentences_make_a_file_of_both(tmp_path: Path) -> None:
    rows = [
        {"sentence": "All dogs bark.", "formula": "∀x (Dog(x) → Bark(x))"},
        {"sentence": "All cats bark.", "formula": "∀x (Cat(x) → Bark(x))"},
        {"sentence": "All cows bark."},
    ]
    assert not has_sentences_alone(_written(tmp_path, rows, "no key"))


def _written(folder: Path, rows: list[dict[str, Any]], form: str) -> Path:
    """The rows as JSON lines; in the form ``csv`` as a table."""
    folder.mkdir(exist_ok=True)
    if form == "csv":
        file = folder / "data.csv"
        header = list(rows[0])
        lines = [header, *([row[name] for name in header] for row in rows)]
        file.write_text("".join(",".join(line) + "\n" for line in lines), encoding="utf-8")
        return file
    file = folder / "data.jsonl"
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    file.write_text(text, encoding="utf-8")
    return file
