"""`--autoeval-dataset`: data of one's own in place of the shipped ones, and what is said of those of no use."""

from __future__ import annotations

import json
import shlex
import sys

import pytest

from pytest_autoeval import Report, read_results

from .conftest import Rows, Run, marked, said

SUITE = """
import pytest

def performs(source, task, **more):
    @pytest.mark.autoeval(source, task=task, **more)
    def test(sample, perform):
        perform(sample)
    return test

test_future = performs("ltl_future", "translate")
test_past = performs("ltl_past", "translate_past")
test_propositions = performs("ltl_propositions", "propositions")
test_strings = performs("ltl_well_formedness", "well_formed", operators=[1], samples=2)
test_traces = performs("ltl_traces", "judge_trace", operators=[2], samples=2)
test_writing = performs("ltl_trace_writing", "write_trace", operators=[1], samples=2)
"""
HEADER = "Natural Language,Ground Truth,Atomic Proposition\n"
ALARM = 'The alarm never rings.,G !x1,"""the alarm rings"" : x1"\n'
DOOR = (
    '"Whenever the door opens, the light comes on later.",G (x1 -> F x2),'
    '"""the door opens"" : x1 , ""the light comes on"" : x2"\n'
)
BELL = 'The bell never rings.,G !x1,"""the bell rings"" : x1"\n'
TRACES = 'LTL Formula,Trace,Groups Truth\nF x1,cycle{!x1},Violating\nF x1,"[x1 = FALSE];[x1 = TRUE];...",Satisfying\n'
UNCLOSED = 'The lamp is off.,G (!x1,"""the lamp is on"" : x1"\n'
STRANGE = 'The lamp is off.,G !x9,"""the lamp is on"" : x1"\n'


@pytest.fixture(autouse=True)
def _suite(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite=SUITE)


def write(pytester: pytest.Pytester, name: str, text: str) -> str:
    """Writes a file of data, as it is; gives the option that names it."""
    (pytester.path / name).write_text(text, "utf-8")
    return f"--autoeval-dataset={name}"


def test_the_users_rows_stand_in_place_of_the_shipped_ones(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    options = [
        write(pytester, "wishes.csv", HEADER + ALARM + DOOR),
        write(pytester, "traces.csv", TRACES),
    ]
    result = run(*options, "--autoeval-results=out.jsonl", "--autoeval-threshold=1")
    assert result.ret == pytest.ExitCode.OK
    asked = {(row["suite"].partition("::")[2], row["source"]) for row in rows("out.jsonl")}
    assert asked == {
        *(("test_future", f"wishes.csv:{line}") for line in (2, 3)),
        *(("test_propositions", f"wishes.csv:{line}") for line in (2, 3)),
        *(("test_traces", f"traces.csv:{line}") for line in (2, 3)),
        *(("test_writing", source) for source in ("wishes.csv:2", "wishes.csv:3", "traces.csv:2")),
    }
    for missing, needs in (
        (
            "ltl_past",
            "the columns sentence, formula, propositions, and an operator of the past in the formula",
        ),
        ("ltl_well_formedness", "the columns text, well_formed"),
    ):
        reason = f"nothing in wishes.csv, traces.csv fits the data set {missing}: it needs {needs}"
        result.stdout.fnmatch_lines([f"skipped: 1 suite: --autoeval-dataset: {reason}"])


def test_rows_that_cannot_be_read_are_left_out_and_told(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    wrong = "F x1,cycle{!x1},Satisfying\nF x1,cycle{,Violating\nF x1,cycle{!x1},perhaps\n"
    options = [
        write(pytester, "wishes.csv", HEADER + UNCLOSED + ALARM + STRANGE + ALARM),
        write(pytester, "traces.csv", TRACES + wrong),
    ]
    result = run(*options, "--autoeval-results=out.jsonl", "-k", "future or traces", "-v")
    assert result.ret == pytest.ExitCode.OK
    assert {row["source"] for row in rows("out.jsonl")} == {
        "wishes.csv:3",
        "traces.csv:2",
        "traces.csv:3",
    }
    result.stdout.fnmatch_lines(
        [
            "  rows of data that were left out: 6",
            "    wishes.csv:2: column 'Ground Truth': * is never closed*",
            "    wishes.csv:4: column 'Atomic Proposition': no phrase for x9 of the formula",
            "    wishes.csv:5: repeats wishes.csv:3",
            "    traces.csv:4: column 'Groups Truth': says 'Satisfying', but the trace cycle{!x1} violates F x1",
            "    traces.csv:5: column 'Trace': *",
            "    traces.csv:6: column 'Groups Truth': 'perhaps' is neither yes nor no*",
        ],
        consecutive=True,
    )


ROWS_LEFT_OUT = "rows of data that were left out: 2"


def test_the_record_has_the_rows_left_out_and_every_report_shows_them(
    pytester: pytest.Pytester, run: Run
) -> None:
    files = ["--autoeval-results=out.jsonl", "--junitxml=j.xml"]
    option = write(pytester, "wishes.csv", HEADER + UNCLOSED + ALARM + ALARM)
    result = run(option, *files, "-k", "future")
    assert said(result).count(ROWS_LEFT_OUT) == 1
    expected = ("wishes.csv:4: repeats wishes.csv:3", "wishes.csv:2: column 'Ground Truth'")
    results = read_results(pytester.path / "out.jsonl")
    (end,) = [suite.end for suite in results.suites]
    assert end is not None
    assert len(end.rows_left_out) == 2
    # The folder of the run is no part of a record that others read.
    assert all(any(row.startswith(start) for row in end.rows_left_out) for start in expected)
    report = Report(results)
    # The page is drawn from the same document.
    for shown in (
        str(report),
        report.markdown().replace("`", ""),
        json.dumps(report.summary()),
    ):
        assert ROWS_LEFT_OUT in shown
        assert all(start in shown for start in expected)
    junit = (pytester.path / "j.xml").read_text("utf-8")
    assert 'name="autoeval.rows_of_data_left_out" value="2"' in junit
    shown_again = pytester.run(sys.executable, "-m", "pytest_autoeval", "report", "out.jsonl")
    assert ROWS_LEFT_OUT in shown_again.stdout.str()


def test_a_results_file_without_rows_left_out_is_read_and_many_rows_are_for_verbose(
    pytester: pytest.Pytester, run: Run
) -> None:
    whole = "".join(f'The bell is x{n}.,G !x{n},"""the bell rings"" : x{n}"\n' for n in range(3, 5))
    result = run(
        write(pytester, "wishes.csv", HEADER + whole + STRANGE * 7),
        "--autoeval-results=out.jsonl",
        "-k",
        "future",
    )
    assert "rows of data that were left out: 7" in said(result)
    assert "and 2 other rows; -v shows them" in said(result)
    path = pytester.path / "out.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in lines:
        line.pop("rows_left_out", None)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    report = Report(read_results(path))
    assert "left out" not in str(report)


def test_a_file_that_is_no_data_is_a_usage_error(pytester: pytest.Pytester, run: Run) -> None:
    result = run(write(pytester, "a.csv", ""))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in said(result).splitlines() if line.strip()]
    assert line.startswith("ERROR: --autoeval-dataset: ")
    assert "a.csv: the file is empty" in line


@pytest.mark.parametrize("arguments", [("-n", "0"), ("-n", "2"), ("--autoeval-plan",)])
def test_a_run_that_no_suite_can_use_the_data_in_is_a_usage_error(
    pytester: pytest.Pytester, run: Run, arguments: tuple[str, ...]
) -> None:
    result = run(write(pytester, "wishes.csv", HEADER + UNCLOSED + STRANGE), *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--autoeval-dataset: nothing in wishes.csv fits the data set ltl_future" in said(result)
    assert "rows of data that were left out: 2" in said(result)
    assert "  wishes.csv:2: column 'Ground Truth'" in said(result)
    assert "Traceback" not in said(result)


def test_all_rows_are_asked_whatever_the_marker_says_and_options_choose_among_them(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    marked = 'performs("ltl_future", "translate", operators=[9], samples=1)'
    pytester.makepyfile(test_suite=SUITE + f"\ntest_marked = {marked}\n")
    option = write(pytester, "wishes.csv", HEADER + ALARM + DOOR + BELL)
    for choice, sources in (
        ((), [2, 3, 4]),
        (("--autoeval-samples=1",), [2, 3]),
        (("--autoeval-operators=3",), [3]),
    ):
        run(option, *choice, "--autoeval-results=out.jsonl", "-k", "marked")
        assert sorted(row["source"] for row in rows("out.jsonl")) == [
            f"wishes.csv:{line}" for line in sources
        ]


def test_the_plan_counts_the_users_rows_and_tells_those_left_out(
    pytester: pytest.Pytester, run: Run
) -> None:
    option = write(pytester, "wishes.csv", HEADER + ALARM + DOOR + STRANGE)
    result = run(option, "--autoeval-plan")
    result.stdout.re_match_lines([r" +2 +2 .*::test_future\[", r" +4 +4 .*::test_writing\["])
    result.stdout.fnmatch_lines(["rows of data that were left out: 1", "  wishes.csv:4: *"])


def test_a_typed_formula_asks_about_its_rows_and_a_typed_line_about_one(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    option = write(pytester, "wishes.csv", HEADER + ALARM + DOOR + BELL)
    for typed, lines in ("G(!(x1))", [2, 4]), ("wishes.csv:4", [4]):
        run(
            option,
            f"--autoeval-formula={typed}",
            "--autoeval-results=out.jsonl",
            "-k",
            "future or traces",
        )
        assert [row["source"] for row in rows("out.jsonl")] == [
            f"wishes.csv:{line}" for line in lines
        ]


def test_the_command_of_a_failure_asks_the_same_row_again(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    option = write(pytester, "wishes.csv", HEADER + ALARM + BELL)
    result = run(option, "--autoeval-model=offline/globally-for-eventually", "-k", "future")
    assert (
        run(*command(result), "--autoeval-results=again.jsonl").ret == pytest.ExitCode.TESTS_FAILED
    )
    (row,) = rows("again.jsonl")
    assert (row["source"], row["translation"], row["outcome"]) == (
        "wishes.csv:2",
        "F !x1",
        "different",
    )


@pytest.mark.parametrize("arguments", [("-n", "0"), ("-n", "2"), ("--autoeval-plan",)])
def test_a_file_that_no_suite_takes_stops_the_run_before_a_call(
    pytester: pytest.Pytester, run: Run, arguments: tuple[str, ...]
) -> None:
    pytester.makepyfile(test_suite=marked('"ltl", operators=[1], samples=3', "TRIP"))
    result = run(
        write(pytester, "wishes.csv", HEADER + ALARM), "--autoeval-results=out.jsonl", *arguments
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (
        "--autoeval-dataset: no suite of this run takes wishes.csv; a suite over a data set takes rows"
        in said(result)
    )
    assert "INTERNALERROR" not in said(result)


def test_a_mistyped_formula_is_told_though_a_suite_of_strings_takes_it(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(
        test_suite=SUITE + '\ntest_alone = performs("ltl_future", "translate_sentence")\n'
    )
    result = run("--autoeval-formula=G (x1 ->", "-n", "2")
    assert result.ret == pytest.ExitCode.OK
    told = [line for line in result.stdout.lines if line.startswith("skipped: ")]
    reason = "--autoeval-formula: 'G (x1 ->' is not a formula for the data set ltl_future: line 1, column 9: "
    assert len(told) == 5
    assert any(line.startswith(f"skipped: 2 suites: {reason}") for line in told)


def command(result: pytest.RunResult) -> list[str]:
    """The arguments of the first command that a run shows."""
    line = next(line for line in result.stdout.lines if line.lstrip().startswith("reproduce"))
    return shlex.split(line.partition("pytest ")[2])


def test_a_task_and_data_that_do_not_go_together_are_told_in_a_line(
    pytester: pytest.Pytester, run: Run
) -> None:
    mine = 'performs("ltl_future", "judge_trace", operators=[1], samples=2)'
    pytester.makepyfile(test_suite=SUITE + f"\ntest_mine = {mine}\n")
    result = run("-k", "mine")
    assert result.ret != pytest.ExitCode.OK
    assert "2 × the sample has no 'trace' (str)" in said(result)
    assert "raise " not in said(result)


STORY = {
    "premises": ["Everyone who is tall is kind.", "Ann is tall."],
    "premises-FOL": ["∀x (Tall(x) → Kind(x))", "Tall(ann)"],
    "conclusion": "Ann is kind.",
    "conclusion-FOL": "Kind(ann)",
}
CONCLUDE = """
import pytest

@pytest.mark.autoeval("fol_entailment", task="entailment_formulas")
def test_conclusion(sample, perform):
    perform(sample)

@pytest.mark.autoeval("fol_ranking", task="ranking_formulas")
def test_ranking(sample, perform):
    perform(sample)
"""


def test_what_is_left_out_of_one_suite_is_told_where_another_runs(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(test_own=CONCLUDE)
    (pytester.path / "mixed.jsonl").write_text(json.dumps(STORY | {"label": "False"}))
    result = run("--autoeval-dataset=mixed.jsonl")
    assert result.ret == pytest.ExitCode.OK
    told = said(result)
    assert "mixed.jsonl:1" in told
    assert (
        "skipped: 1 suite: --autoeval-dataset: the data set fol_entailment has nothing of size 2"
        in told
    )
    assert "domain {1}" in told  # a model of the premises that the label rules out
    assert "note: fol_ranking: 2 of size 0 without candidates: no negation normal form (2)" in told
