"""Rows with a trace: forms of traces and labels; wrong labels are left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval.datasets.rows import read_rows

WRONG = "column 'Groups Truth': says 'satisfying', but the trace cycle{!x1}"
PUBLISHED = "LTL Formula,Trace,Groups Truth\n"


def read(
    folder: Path, *rows: str, header: str = PUBLISHED
) -> tuple[list[tuple[str, bool | None]], list[str]]:
    """Traces with labels, and problems without the folder."""
    path = folder / "traces.csv"
    path.write_text(header + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    found = read_rows([path])
    problems = [problem.removeprefix(f"{folder}/") for problem in found.problems]
    return [(str(row.trace), row.satisfies) for row in found.rows], problems


@pytest.mark.parametrize(
    ("trace", "canonical"),
    [
        ('"[x1 = TRUE, x2 = FALSE];[x1 = FALSE, x2 = TRUE];..."', "cycle{x1 & !x2; !x1 & x2}"),
        (
            '"[x2 = FALSE];[x1 = TRUE];[x2 = TRUE];[x1 = TRUE];…"',
            "!x1 & !x2; cycle{x1 & !x2; !x1 & x2}",
        ),
        ("!x1; cycle{x1 & !x2; x2}", "!x1 & !x2; cycle{x1 & !x2; !x1 & x2}"),
    ],
)
def test_a_lost_loop_begins_at_the_earliest_equal_of_the_last_state(
    tmp_path: Path, trace: str, canonical: str
) -> None:
    assert read(tmp_path, f"G (x1 -> X x2),{trace},satisfying") == ([(canonical, True)], [])


@pytest.mark.parametrize("label", ["Violating", "No", "0"])
def test_labels_of_violating_traces(tmp_path: Path, label: str) -> None:
    assert read(tmp_path, f"F x1,cycle{{!x1}},{label}") == ([("cycle{!x1}", False)], [])


@pytest.mark.parametrize(
    "header",
    [
        "LTL Formula,Trace,Ground Truth\n",
        "Ground Truth,Trace,Groups Truth\n",
        "formula,trace,satisfies\n",
        "LTL Formula,Trace,Type\n",
        "formula,trace,label\n",
    ],
)
def test_other_names_of_the_columns(tmp_path: Path, header: str) -> None:
    assert read(tmp_path, "F x1,cycle{x1},yes", header=header) == ([("cycle{x1}", True)], [])


def test_a_file_of_traces_as_the_study_published_it(tmp_path: Path) -> None:
    rows = [
        f"F x{n},{trace},{label}"
        for n in range(3)
        for trace, label in ((f"cycle{{x{n}}}", "Positive"), (f"cycle{{!x{n}}}", "Negative"))
    ]
    found, problems = read(tmp_path, *rows, header="LTL Formula,Trace,Type\n")
    assert ([satisfies for _, satisfies in found], problems) == ([True, False] * 3, [])


def test_a_type_is_no_label_where_another_column_is_or_no_trace(tmp_path: Path) -> None:
    assert read(tmp_path, "Negative,F x1,cycle{x1},yes", header="Type,formula,trace,satisfies\n")[
        0
    ] == [("cycle{x1}", True)]
    header = "Type,LTL Formula,Trace,Ground Truth\n"
    assert read(tmp_path, "safety,F x1,cycle{x1},yes", header=header) == ([("cycle{x1}", True)], [])
    assert read(tmp_path, "safety,F x1", header="Type,formula\n") == ([("None", None)], [])


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("F x1,cycle{!x1},satisfying", f"{WRONG} violates F x1"),
        ("F x1,[x1 = FALSE];...,satisfying", f"{WRONG} (its loop closed by its last "),
        (
            "F x1,cycle{x1},perhaps",
            "column 'Groups Truth': 'perhaps' is neither yes nor no; use one of ",
        ),
        ("F x1,,yes", "column 'Trace': the cell is empty, but the row has a 'Groups Truth'"),
        ("F x1,[x1 = TRUE],yes", "column 'Trace': no trace was found: the trace has no loop"),
        (
            'F x1,"A remark.\ncycle{!x1}",no',
            "column 'Trace': only 'cycle{!x1}' is a trace; remove the rest",
        ),
    ],
)
def test_a_wrong_or_unreadable_trace_is_left_out_and_reported(
    tmp_path: Path, row: str, problem: str
) -> None:
    rows, problems = read(tmp_path, row)
    assert rows == []
    (told,) = problems
    assert told.startswith(f"traces.csv:2: {problem}")


def test_the_same_trace_with_both_labels_is_kept_as_it_is(tmp_path: Path) -> None:
    rows, problems = read(
        tmp_path, "F x1,cycle{x1},yes", "F x1,cycle{x1},yes", "F x1,cycle{x1; x1},yes"
    )
    assert rows[0] == ("cycle{x1}", True)
    assert problems[0] == "traces.csv:3: repeats traces.csv:2"
