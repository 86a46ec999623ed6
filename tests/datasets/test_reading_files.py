"""Rows of CSV and JSON files; errors are reported with their place."""

from __future__ import annotations

import os
from pathlib import Path
from time import process_time

import pytest

from pytest_autoeval.datasets import DataSetError, file_problems
from pytest_autoeval.datasets.table_files import read_table
from pytest_autoeval.datasets.temporal_rows import TemporalRow, read_rows
from pytest_autoeval.languages import language

PUBLISHED = "Natural Language,Ground Truth,Atomic Proposition\n"
CARD = '"The door, if shut, opens later",G (x1 -> F x2),"""the door is shut"" : x1 , ""it opens"" : x2"\n'


def written(folder: Path, text: str | bytes, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def one_row(path: Path) -> TemporalRow:
    found = read_rows([path])
    assert found.problems == ()
    (row,) = found.rows
    return row


def problem_of(path: Path) -> str:
    """What is said of the only row, without the folder."""
    (problem,) = file_problems([path])
    return problem.removeprefix(f"{path.parent}/")


def refusal_of(path: Path) -> str:
    with pytest.raises(DataSetError) as caught:
        read_rows([path])
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(f"{path.parent}/")


def test_published_columns_make_a_sentence(tmp_path: Path) -> None:
    row = one_row(written(tmp_path, PUBLISHED + CARD))
    assert row.sentence == "The door, if shut, opens later"
    assert row.formula == language("ltl").parse("G (x1 -> F x2)")
    assert row.propositions == (("the door is shut", "x1"), ("it opens", "x2"))
    assert row.source == "data.csv:2"


@pytest.mark.parametrize(
    "header",
    [
        "natural language,GROUND TRUTH, Atomic  Proposition ",
        "sentence,formula,propositions",
        "\ufeffNatural Language,Ground Truth,Atomic Proposition",
    ],
)
def test_names_of_columns_are_read_whatever_their_case_and_spacing(
    tmp_path: Path, header: str
) -> None:
    assert one_row(written(tmp_path, f"{header}\n{CARD}")).sentence


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("data.csv", "sentence;formula;propositions\nIt rains;G x1;rain : x1\n"),
        ("data.tsv", "sentence\tformula\tpropositions\nIt rains\tG x1\train : x1\n"),
        ("data.csv", "notes,sentence,formula,propositions\r\n,It rains,G x1,rain : x1\r\n\r\n"),
        (
            "data.jsonl",
            '{"sentence": "It rains", "formula": "G x1", "propositions": {"rain": "x1"}, "weight": 3}\n\n',
        ),
        (
            "data.ndjson",
            '{"Natural Language": "It rains", "Ground Truth": "G x1", "Atomic Proposition": "rain : x1"}',
        ),
        (
            "data.json",
            '[\n{"sentence": "It rains", "formula": "G x1", "propositions": [["rain", "x1"]], "id": null}]',
        ),
    ],
)
def test_every_kind_of_file_says_the_same(tmp_path: Path, name: str, text: str) -> None:
    row = one_row(written(tmp_path, text, name))
    assert (row.sentence, str(row.formula), row.propositions) == (
        "It rains",
        "G x1",
        (("rain", "x1"),),
    )


def test_a_cell_over_several_lines_counts_them(tmp_path: Path) -> None:
    first = '"two\nlines",G x1,rain : x1\n'
    found = read_rows(
        [written(tmp_path, f"sentence,formula,propositions\n{first}It pours,G (x1,pour : x1\n")]
    )
    assert [row.source for row in found.rows] == ["data.csv:2"]
    assert found.problems[0].startswith(
        f"{tmp_path}/data.csv:4: column 'formula': line 1, column 6: "
    )


def test_a_formula_is_read_as_the_model_checker_reads_it_and_else_as_we_do(tmp_path: Path) -> None:
    text = "formula\na <-> b -> c\na V b\n□(a → b) W c\n"
    formulas = [str(row.formula) for row in read_rows([written(tmp_path, text)]).rows]
    assert formulas == ["(a <-> b) -> c", "a R b", "G (a -> b) W c"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("It rains,G (x1,rain : x1", "column 'Ground Truth': line 1, column 6: "),
        (
            "It rains,G (x1 & x2 & x3),rain : x1",
            "column 'Atomic Proposition': no phrase for x2, x3 of the formula",
        ),
        (
            "It rains,G x1,rain",
            "column 'Atomic Proposition': write the propositions as `\"phrase\" : x1 , ",
        ),
        (
            "It rains,G x1,",
            "column 'Atomic Proposition': the cell is empty, but the row has a 'Natural Language'",
        ),
        ("It rains,G x1,rain : x1,and more", "4 cells, but the header names 3 columns"),
        ('It rains,G x1,"rain" : x1', "not CSV: ',' expected after '\"'"),
    ],
)
def test_a_row_that_cannot_be_read_is_reported_with_line_and_column(
    tmp_path: Path, row: str, problem: str
) -> None:
    path = written(tmp_path, f"{PUBLISHED}{CARD}{row}\nIt pours,G x1,pour : x1\n")
    assert problem_of(path).startswith(f"data.csv:3: {problem}")
    assert [row.source for row in read_rows([path]).rows] == ["data.csv:2", "data.csv:4"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ('{"formula": "G x1"', "column 19: not JSON: Expecting ',' delimiter"),
        (
            '{"formula": "a", "formula": "b"}',
            "not JSON: the key 'formula' occurs twice in one object",
        ),
        ('{"formula": 3}', "column 'formula': must be text, not 3"),
        ('{"comment": "none"}', "column 'formula': the cell is empty"),
    ],
)
def test_a_line_of_json_that_cannot_be_read_is_reported(
    tmp_path: Path, row: str, problem: str
) -> None:
    path = written(tmp_path, f'{{"formula": "F x1"}}\n{row}\n', "data.jsonl")
    assert problem_of(path).startswith(f"data.jsonl:2: {problem}")


def test_items_on_one_line_have_their_columns(tmp_path: Path) -> None:
    path = written(
        tmp_path, '[{"formula": "F x1"}, {"formula": "F ("}, {"formula": "G x1"}]', "data.json"
    )
    found = read_rows([path])
    assert [row.source for row in found.rows] == ["data.json:1", "data.json:1:43"]
    assert found.problems[0].startswith(f"{path}:1:23: column 'formula': ")


@pytest.mark.parametrize(
    ("name", "text", "refusal"),
    [
        ("data.csv", "", "data.csv: the file is empty"),
        ("data.csv", PUBLISHED, "data.csv: the file has a header, but no rows"),
        (
            "data.csv",
            "Satz,Formel\nEs regnet,G x1\n",
            "data.csv: these columns make no row; known columns: 'sentence' ",
        ),
        ("data.csv", "sentence,sentence\na,b\n", "data.csv:1: two columns are called 'sentence'"),
        (
            "data.csv",
            b"sentence,formula\n\xff\xfe\n",
            "data.csv:2: not UTF-8 at byte 17; save the file as UTF-8 (in Excel: CSV UTF-8)",
        ),
        (
            "data.json",
            '[{"formula": "a"},\n {"formula" "b"}]',
            "data.json: line 2, column 13: not JSON: ",
        ),
        (
            "data.json",
            '{"formula": "a"}\n{"formula": "b"}',
            "data.json: line 2, column 1: not JSON: Extra data",
        ),
        ("data.json", "[" * 100_000, "data.json: not JSON: "),
        (
            "data.xlsx",
            "x",
            "data.xlsx: the name of a data file ends in .csv, .tsv, .jsonl, .json or .txt",
        ),
    ],
)
def test_a_file_without_any_use_is_refused(
    tmp_path: Path, name: str, text: str | bytes, refusal: str
) -> None:
    assert refusal_of(written(tmp_path, text, name)).startswith(refusal)


def test_many_columns_and_keys_take_no_longer_than_many_rows(tmp_path: Path) -> None:
    names = [f"{number:x}" for number in range(20_000)]
    wide = written(tmp_path, ",".join(names) + "\n1\n")
    twice = "{" + "".join(f'"{name}": 1, ' for name in names) + '"ff": 1}'
    start = process_time()
    assert "and 19988 more" in refusal_of(wide)
    assert "'ff' occurs twice" in refusal_of(written(tmp_path, f"[{twice}]", "keys.json"))
    assert process_time() - start < 2


@pytest.mark.parametrize(
    ("header", "row", "has", "needs", "unknown"),
    [
        (
            "LTL Formula,Trace,Verdict,Satisfys",
            "F x1,cycle{x1},so,so",
            "Trace",
            "satisfies",
            "'Verdict', 'Satisfys'",
        ),
        ("Trace,Type", "cycle{x1},Positive", "Trace", "formula", ""),
        ("trace,formula", "cycle{x1},x1", "trace", "satisfies", ""),
        ("String,Well-Formed", "x1,yes", "Well-Formed", "text", "'String'"),
        ("text", "x1", "text", "well_formed", ""),
        ("Sentence", "It rains", "Sentence", "propositions", ""),
        ("Atomic Propositions", "a : x1", "Atomic Propositions", "sentence", ""),
        (
            PUBLISHED.replace("tion\n", "ton"),
            "It rains,G x1,r : x1",
            "Natural Language",
            "propositions",
            "'Atomic Propositon'",
        ),
        ("premises,premises-FL,label", "P,P,True", "premises", "premises-FOL", "'premises-FL'"),
        ("premises_fol,label", "P,True", "premises_fol", "premises", ""),
        ("conclusion,conclusion-FOL", "P,P", "conclusion", "premises", ""),
        ("formla,other", "x1,x2", "other", "formula", "'formla'"),
        ("ontology,formula", "{},P", "ontology", "sentence", ""),
    ],
)
def test_a_column_that_all_rows_lack_is_one_message(
    tmp_path: Path, header: str, row: str, has: str, needs: str, unknown: str
) -> None:
    path = written(tmp_path, f"{header}\n" + f"{row}\n" * 20)
    with pytest.raises(DataSetError) as caught:
        file_problems([path])
    told = str(caught.value)
    assert told.startswith(f"{path}: rows with '{has}' also need the column '{needs}'")
    assert told.count("also need the column") == 1
    assert told.partition("unknown columns: ")[2].partition("; if one")[0] == unknown


def test_a_typo_in_a_column_is_named_with_the_column_that_is_meant(tmp_path: Path) -> None:
    told = refusal_of(written(tmp_path, "id,sentense\nR1,It rains\n"))
    hint = "Did you mean 'sentence' instead of 'sentense'?"
    option = "--autoeval-columns=sentence=sentense"
    assert told.endswith(f"unknown columns: 'sentense'. {hint} Rename it, or write {option}")


def test_copies_out_of_pdfs_are_read_as_they_look(tmp_path: Path) -> None:
    row = one_row(
        written(
            tmp_path,
            f"{PUBLISHED}It\u2009is green\x02.,G\u2009x1\u00a0& x2,“gre\x02en”\u2009x1; “it\x1fis” : x2\n",
        )
    )
    assert row.sentence == "It is green."
    assert str(row.formula) == "G x1 & x2"
    assert row.propositions == (("green", "x1"), ("it is", "x2"))


def test_atoms_in_another_case_are_those_of_the_formula_with_one_hint(tmp_path: Path) -> None:
    rows = ["a,G x2,one : X2", "b,x1 U X2,one : x1; two : x2", "c,F x1,one : X1"]
    found = read_rows([written(tmp_path, PUBLISHED + "\n".join(rows))])
    assert found.problems == ()
    assert [row.propositions[-1][1] for row in found.rows] == ["x2", "X2", "x1"]
    (note,) = found.notes
    assert note.removeprefix(f"{tmp_path}/") == (
        "data.csv:2: column 'Atomic Proposition': X2 is read as x2, as the formula has it; 2 more rows like it"
    )


@pytest.mark.parametrize("row", ["a,G (x2 & X2),one : X2", "a,G aB,one : ab; two : AB"])
def test_case_counts_if_it_distinguishes_atoms(tmp_path: Path, row: str) -> None:
    assert ": no phrase for " in problem_of(written(tmp_path, f"{PUBLISHED}{row}\n"))


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert refusal_of(tmp_path / "none.csv") == "none.csv: there is no such file"
    (tmp_path / "folder.csv").mkdir()
    assert refusal_of(tmp_path / "folder.csv") == "folder.csv: this is a folder; name a file"


def test_repeated_rows_and_ids_are_left_out(tmp_path: Path) -> None:
    first = written(
        tmp_path, '{"id": "a", "formula": "F x1"}\n{"formula": "F (x1)"}\n', "first.jsonl"
    )
    second = written(
        tmp_path, '{"id": "a", "formula": "G x1"}\n{"id": "b", "formula": "G x2"}\n', "second.jsonl"
    )
    found = read_rows([first, second, first])
    assert [row.source for row in found.rows] == ["first.jsonl:1", "second.jsonl:2"]
    assert found.problems == (
        f"{first}:2: repeats first.jsonl:1",
        f"{second}:1: the id 'a' is already used by first.jsonl:1",
    )


def test_a_sentence_has_one_meaning(tmp_path: Path) -> None:
    rows = [
        "It rains always.,G x1,rain : x1",
        "it  rains always,F x1,Rain : x1",
        "It rains always.,!F !x1,rain : x1",
        "It rains always.,F x1,it rains : x1",
        "It rains always.,,rain : x1",
    ]
    path = written(tmp_path, PUBLISHED + "\n".join(rows))
    found = read_rows([path])
    assert [row.source for row in found.rows] == [f"data.csv:{line}" for line in (2, 4, 5, 6)]
    assert found.problems == (
        f"{path}:3: data.csv:2 has G x1 for the same sentence, which is not equivalent to F x1",
    )


def test_only_ordinary_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.csv")
    for name, message in {
        "fifo.csv": "this is not an ordinary file",
        "\ud800.csv": "no file can have this name",
    }.items():
        with pytest.raises(DataSetError, match=f"cannot be read: {message}"):
            read_table(tmp_path / name)
