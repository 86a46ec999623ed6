"""Rows with a trace: forms of traces and labels; wrong labels are left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.datasets.temporal_rows import read_rows

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


def read_json(folder: Path, **row: Any) -> tuple[list[tuple[str, bool | None]], list[str]]:
    path = folder / "traces.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    found = read_rows([path])
    return [(str(row.trace), row.satisfies) for row in found.rows], [
        one.partition(": ")[2] for one in found.problems
    ]


@pytest.mark.parametrize(
    ("trace", "canonical"),
    [
        ([["x1"], [], ["x1", "x2"]], "x1 & !x2; !x1 & !x2; cycle{x1 & x2}"),
        (
            [{"x1": True}, {"x1": False, "x2": False}, {"x2": True, "x1": True}],
            "x1 & !x2; !x1 & !x2; cycle{x1 & x2}",
        ),
        ('[["x1"], [], ["x1", "x2"]]', "x1 & !x2; !x1 & !x2; cycle{x1 & x2}"),
        ("x1 & !x2; !x1; x1 & x2", "x1 & !x2; !x1 & !x2; cycle{x1 & x2}"),
        (
            "[x1 = TRUE, x2 = FALSE];[x1 = FALSE, x2 = FALSE];[x1 = TRUE, x2 = TRUE];...",
            "x1 & !x2; !x1 & !x2; cycle{x1 & x2}",
        ),
        ([[], ["x2"]], "!x1 & !x2; cycle{!x1 & x2}"),
    ],
)
def test_the_last_state_of_a_finite_trace_repeats_if_the_row_says_so(
    tmp_path: Path, trace: Any, canonical: str
) -> None:
    formula, row = "F (x1 | x2)", {"trace": trace, "satisfies": True}
    assert read_json(tmp_path, formula=formula, **row, last_state="repeats") == (
        [(canonical, True)],
        [],
    )


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            {"trace": [["x1"]]},
            "a list of states is finite: if its last state repeats for ever, say so in the column",
        ),
        (
            {"trace": "x1; !x1"},
            "write the loop as cycle{…}; if its last state repeats for ever, say so in the column",
        ),
        ({"trace": [["x1"]], "last_state": "stays"}, "'stays' is not 'repeats'"),
        ({"trace": "cycle{x1}", "last_state": "repeats"}, "the trace has a loop"),
        ({"trace": [], "last_state": "repeats"}, "a list of states is written"),
        ({"trace": ["x1"], "last_state": "repeats"}, "a list of states is written"),
        ({"trace": [{"x1": 1}], "last_state": "repeats"}, "must be true or false"),
        ({"trace": [["x 1"]], "last_state": "repeats"}, "'x 1' is not the name of a proposition"),
        (
            {"trace": [["x1"], []], "last_state": "repeats", "formula": "G x1"},
            "(its last state repeated) violates G x1",
        ),
    ],
)
def test_a_finite_trace_that_does_not_say_how_it_goes_on_is_refused(
    tmp_path: Path, row: dict[str, Any], problem: str
) -> None:
    rows, (told,) = read_json(tmp_path, **{"formula": "F x1", "satisfies": True, **row})
    assert not rows
    assert problem in told


@given(states=st.lists(st.sets(st.sampled_from(["x1", "x2"])), min_size=1, max_size=4))
def test_lists_of_states_and_traces_with_the_last_state_as_loop_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, states: list[set[str]]
) -> None:
    written = [
        " & ".join(f"{'' if name in state else '!'}{name}" for name in ("x1", "x2"))
        for state in states
    ]
    folder, formula = tmp_path_factory.mktemp("traces"), "G (x1 | !x1) & G (x2 | !x2)"
    listed = read_json(
        folder,
        formula=formula,
        trace=list(map(sorted, states)),
        satisfies=True,
        last_state="repeats",
    )
    assert listed[1] == []
    text = "; ".join((*written[:-1], f"cycle{{{written[-1]}}}"))
    assert listed == read_json(folder, formula=formula, trace=text, satisfies=True)
