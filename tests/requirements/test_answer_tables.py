"""`questions` on several files: each table has the questions of its own file, which is the one that a run reads."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path

import pytest
from support.program import Program
from support.result_rows import write_rows
from support.sentence_rows import sentence_row

from pytest_autoeval.datasets.author_answers import answers_by_sentence, read_questions

STRONG, WEAK = "G (door_open -> X red)", "G (door_open -> F red)"
#: A sentence of each file, and one that both have.
SENTENCES = {
    "brake.md": ("The brake is on.", "Both are on."),
    "pump.md": ("The pump is on.", "Both are on."),
}
BRAKE, PUMP = "brake.answers.csv", "pump.answers.csv"


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return write_results(tmp_path)


def write_results(folder: Path, suite: str = "") -> str:
    """Results in which each sentence was read in two ways: with a suite for each file, or one suite for both."""
    rows = []
    for (file, texts), formula in product(SENTENCES.items(), (WEAK, STRONG)):
        for line, text in enumerate(texts, start=1):
            place = f"{file}:{line}"
            about = {"item": place, "source": place, "sentence": text, "suite": suite or file}
            rows.append(sentence_row(formula, repeat=int(formula == STRONG), **about))
    return write_rows(folder / "results.jsonl", rows)


def sentences_in(name: str) -> list[tuple[str, str]]:
    with Path(name).open(encoding="utf-8", newline="") as file:
        return [(row["answer"], row["sentence"]) for row in csv.DictReader(file)]


def write_answers(name: str, answers: dict[str, str]) -> None:
    """Writes into a table the answer to each sentence that is given one."""
    path = Path(name)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["answer"] = answers.get(row["sentence"], row["answer"])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def moved(source: str, target: str) -> None:
    """Gives a table and its cases another name, as an earlier release wrote all questions into each table."""
    Path(source).rename(target)
    cases = source.replace(".csv", ".cases.json"), target.replace(".csv", ".cases.json")
    Path(cases[0]).rename(cases[1])


def test_each_table_has_the_questions_of_its_file(results: str, program: Program) -> None:
    first = program("questions", results, "--csv", BRAKE).err.splitlines()
    assert first[-3:] == [
        "2 questions in brake.answers.csv",
        "to answer: write yes or no into the column answer",
        "2 more questions on pump.md: --csv pump.answers.csv writes a table",
    ]
    program("questions", results, "--csv", PUMP)
    for file, name in (("brake.md", BRAKE), ("pump.md", PUMP)):
        assert {text for _, text in sentences_in(name)} == set(SENTENCES[file])
    # A table that no run reads has them all.
    other = program("questions", results, "--csv", "all.csv").err
    assert {text for _, text in sentences_in("all.csv")} == set().union(*SENTENCES.values())
    assert "a run reads only the answers in brake.answers.csv, beside brake.md\n" in other


def test_an_answer_in_the_table_of_another_file_is_taken_over(
    results: str, program: Program
) -> None:
    program("questions", results, "--csv", "all.csv")
    moved("all.csv", BRAKE)
    write_answers(BRAKE, dict.fromkeys(set().union(*SENTENCES.values()), "no"))
    # All is answered, but a run on the other file would not know it.
    shown = program("questions", results).err
    assert "1 question" in shown
    hint = "a run on pump.md does not read 1 answer in brake.answers.csv: --csv pump.answers.csv"
    assert hint in shown
    # The other file has the second sentence too, so that its answer stays its own.
    assert "to answer: --csv pump.answers.csv" in shown
    shown = program("questions", results, "--csv", PUMP).err
    assert "taken over from brake.answers.csv, which no longer needs it: 1 answer\n" in shown
    assert sorted(sentences_in(PUMP)) == [("", "Both are on."), ("no", "The pump is on.")]
    # What the run on the file reads.
    assert {text for _, text in answers_by_sentence(read_questions(Path(PUMP)))} == {
        "The pump is on.",
    }
    shown = program("questions", results).err
    assert "does not read" not in shown
    again = program("questions", results, "--csv", PUMP).err
    assert "taken over" not in again
    assert len(sentences_in(PUMP)) == 2


def test_opposite_answers_in_two_tables_are_refused(results: str, program: Program) -> None:
    program("questions", results, "--csv", "all.csv")
    moved("all.csv", BRAKE)
    program("questions", results, "--csv", PUMP)
    write_answers(BRAKE, {"The pump is on.": "yes"})
    write_answers(PUMP, {"The pump is on.": "no"})
    options: list[list[str]] = [[], ["--csv", PUMP], ["--csv", BRAKE], ["--csv", "all.csv"]]
    for more in options:
        refused = program("questions", results, *more, code=2).err
        assert "the same question on pump.md:1 has the opposite answer in" in refused
        assert BRAKE in refused
        assert PUMP in refused


def test_each_file_has_its_own_answer_on_a_sentence_of_both(results: str, program: Program) -> None:
    for name in (BRAKE, PUMP):
        program("questions", results, "--csv", name)
        write_answers(name, {"Both are on.": "yes" if name == BRAKE else "no"})
    shown = program("questions", results, "--csv", BRAKE).err
    assert "already answered, and not asked again: 1 answer in pump.answers.csv\n" in shown
    assert ("yes", "Both are on.") in sentences_in(BRAKE)
    assert ("no", "Both are on.") in sentences_in(PUMP)


def test_a_suite_on_both_files_asks_about_each_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program
) -> None:
    monkeypatch.chdir(tmp_path)
    results = write_results(tmp_path, "both")
    program("questions", results, "--csv", BRAKE)
    write_answers(BRAKE, {"Both are on.": "yes"})
    # The answer is about one file. What the other one means is open.
    program("questions", results, "--csv", PUMP)
    assert ("", "Both are on.") in sentences_in(PUMP)
    write_answers(PUMP, {"Both are on.": "no"})
    shown = program("questions", results, "--csv", PUMP).err
    assert "already answered, and not asked again: 1 answer in brake.answers.csv\n" in shown
    assert ("no", "Both are on.") in sentences_in(PUMP)


def test_with_another_phrase_it_is_another_question(results: str, program: Program) -> None:
    program("questions", results, "--csv", BRAKE)
    write_answers(BRAKE, {"Both are on.": "yes"})
    cases = Path(BRAKE.replace(".csv", ".cases.json"))
    text = cases.read_text("utf-8")
    cases.write_text(text.replace("the light is red", "the lamp is red"), "utf-8")
    # The answer is of another glossary, so that the question is open, and may get the opposite answer.
    assert "to answer: --csv brake.answers.csv" in program("questions", results).err
