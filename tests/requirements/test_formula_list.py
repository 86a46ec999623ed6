"""All requirements with their formulas: as a section of a report, as CSV, and in `check -v`."""

from __future__ import annotations

import csv
from pathlib import Path

from support.program import Program
from support.result_rows import write_rows
from support.sentence_rows import GLOSSARY, sentence_row

WORDS = "The bell always rings."


def results(folder: Path) -> str:
    rows = [
        sentence_row("G bell", item="R-10", sentence="The bell rings.", source="a.md:10"),
        sentence_row("F bell", item="R-10", sentence="The bell rings.", source="a.md:10", repeat=1),
        sentence_row(
            "G F bell",
            item="R-10",
            sentence="The bell rings.",
            source="a.md:10",
            paraphrase=1,
            paraphrased=WORDS,
            outcome="different",
        ),
        sentence_row(None, item="R-9", sentence="It rains.", source="a.md:9"),
        sentence_row("red", item="R-11", sentence="The light is red.", source="a.md:11"),
    ]
    return write_rows(folder / "run.jsonl", rows)


def test_each_answer_has_a_row_in_the_order_of_the_file(tmp_path: Path, program: Program) -> None:
    run = results(tmp_path)
    program("report", run, "--csv", str(tmp_path / "tables"))
    [table] = (tmp_path / "tables").glob("formulas_*.csv")
    with table.open(encoding="utf-8", newline="") as file:
        rows = [
            [row[key] for key in ("id", "answer", "formula", "sentence")]
            for row in csv.DictReader(file)
        ]
    assert rows == [
        ["R-9", "", "", "It rains."],
        ["R-10", "", "G bell", "The bell rings."],
        ["R-10", "paraphrase 1", "G F bell", WORDS],
        ["R-10", "repeat 2", "F bell", "The bell rings."],
        ["R-11", "", "red", "The light is red."],
    ]
    title = "the formulas of the sentences"
    assert title not in program("report", run).out
    shown = program("report", run, "-v").out
    shown = shown.partition(title)[2]
    assert shown.index("It rains.") < shown.index(WORDS) < shown.index("The light is red.")


def test_the_list_has_no_empty_columns_and_tells_repeats_apart(
    tmp_path: Path, program: Program
) -> None:
    run = results(tmp_path)
    shown = program("report", run, "-v").out.partition("the formulas of the sentences")[2]
    assert "repeat 2" in shown
    assert "paraphrase 1" in shown
    markdown = program("report", run, "--markdown", "-").out
    listed = markdown.partition("the formulas of the sentences")[2]
    assert "repeat 2" in listed
    assert "| model |" not in listed
    # All answers stand in the details, and none is hidden there.
    assert "other answers in the details" not in markdown
    alone = [sentence_row("G bell", item="R-1"), sentence_row("G red", item="R-2", model="b")]
    once = write_rows(tmp_path / "once.jsonl", alone)
    program("report", once, "--csv", str(tmp_path / "once"))
    [table] = (tmp_path / "once").glob("formulas_*.csv")
    heading = table.read_text("utf-8").splitlines()[0].split(",")
    assert "answer" not in heading
    assert "model" in heading


def test_the_name_of_a_table_ends_in_a_whole_word(tmp_path: Path, program: Program) -> None:
    rows = [sentence_row("G bell"), sentence_row("F bell", repeat=1)]
    program("report", write_rows(tmp_path / "run.jsonl", rows), "--csv", str(tmp_path / "tables"))
    names = [table.stem for table in (tmp_path / "tables").glob("agreement_meanings_*.csv")]
    assert names == ["agreement_meanings_of_the_sentences_that_were_read_in"]


def test_check_lists_all_formulas_and_marks_those_that_failed(
    tmp_path: Path, program: Program
) -> None:
    texts = {"R-1": "The bell rings.", "R-2": "The light is red.", "R-3": "The bell is silent."}
    formulas = {"R-1": ("G bell", "equivalent"), "R-2": ("G red", "different")}
    formulas["R-3"] = ("G !bell", "equivalent")
    file = tmp_path / "a.md"
    file.write_text("".join(f"- {name}: {text}\n" for name, text in texts.items()), "utf-8")
    rows = [
        sentence_row(
            formula,
            item=name,
            sentence=texts[name],
            source=f"a.md:{line}",
            outcome=outcome,
            glossary=GLOSSARY,
        )
        for line, (name, (formula, outcome)) in enumerate(formulas.items(), start=1)
    ]
    run = write_rows(tmp_path / "run.jsonl", rows)
    shown = program("check", str(file), f"--formulas={run}", code=1).out
    assert "read the formulas first: 1 formula did not keep the meaning in the run (R-2)" in shown
    # R-2 is no part of the finding, so that only the list has its formula.
    assert "G red" not in shown
    shown = program("check", str(file), f"--formulas={run}", "-v", code=1).out
    listed = shown.partition("the formulas\n")[2]
    places = [listed.index(formula) for formula in ("G bell", "G red (", "G !bell")]
    assert places == sorted(places)
    data = program("check", str(file), f"--formulas={run}", "--json", code=1).data
    passed = [entry["passed"] for entry in data["sentences"]]
    assert passed == [True, False, True]
