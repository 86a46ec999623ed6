"""Round trips over the formulas of a file: with `--autoeval-dataset`, or named by the marker."""

from __future__ import annotations

import json
import shlex

import pytest

from pytest_autoeval.generation.generate_command import main as generate

from .conftest import Rows, Run, marked, said

#: A round trip in two languages, with sizes and samples of its own.
TRIPS = """
from pytest_autoeval import autoeval

@autoeval("propositional", operators=range(5, 7), samples=1)
def test_propositional(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@autoeval("regex", depth=range(5, 7), samples=1)
def test_regex(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)
"""
FORMULAS = """\
formula,language,id
p1 & p2,propositional,both
pump → (p1 ∨ valve),propositional,
0*1,regex,
"""


def asked(rows: list[dict[str, object]]) -> set[tuple[object, ...]]:
    return {(row["formula"], row["operators"], row["source"], row["outcome"]) for row in rows}


def test_the_formulas_of_a_file_are_asked_about_in_their_languages(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    pytester.makepyfile(test_suite=TRIPS)
    (pytester.path / "mine.csv").write_text(FORMULAS)
    result = run(
        "--autoeval-dataset=mine.csv", "--autoeval-results=out.jsonl", "--autoeval-repeats=2"
    )
    assert result.ret == pytest.ExitCode.OK
    assert asked(rows("out.jsonl")) == {
        ("p1 ∧ p2", 1, "mine.csv:2", "equivalent"),
        ("pump → (p1 ∨ valve)", 2, "mine.csv:3", "equivalent"),
        ("0*1", 2, "mine.csv:4", "equivalent"),
    }
    assert len(rows("out.jsonl")) == 6


@pytest.mark.parametrize("source", ["propositional", "mine.csv"])
def test_a_row_without_a_formula_is_reported_and_the_others_are_asked(
    pytester: pytest.Pytester, run: Run, rows: Rows, source: str
) -> None:
    (pytester.path / "mine.csv").write_text("formula,id\np1 & p2,a\np1 | p2,b\n,c\n")
    marker = f"""
from pytest_autoeval import autoeval

@autoeval({source!r}, language="propositional")
def test_propositional(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)
"""
    pytester.makepyfile(test_suite=marker)
    options = ["--autoeval-dataset=mine.csv"] if source == "propositional" else []
    result = run(*options, "--autoeval-results=out.jsonl")
    assert result.ret == pytest.ExitCode.OK
    assert {(row["formula"], row["outcome"]) for row in rows("out.jsonl")} == {
        ("p1 ∧ p2", "equivalent"),
        ("p1 ∨ p2", "equivalent"),
    }
    assert "mine.csv:4: column 'formula': the cell is empty" in said(result)


def test_a_text_with_a_formula_on_each_line_is_asked_in_its_language(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    pytester.makepyfile(test_suite=TRIPS)
    (pytester.path / "mine.txt").write_text("# published\n(01)*\n0*1\n")
    result = run("--autoeval-dataset=mine.txt", "--autoeval-results=out.jsonl")
    assert result.ret == pytest.ExitCode.OK
    sources = {(row["formula"], row["source"], row["outcome"]) for row in rows("out.jsonl")}
    assert sources == {("(01)*", "mine.txt:2", "equivalent"), ("0*1", "mine.txt:3", "equivalent")}
    assert "nothing in mine.txt fits the grammar propositional" in said(result)


def test_what_generate_writes_is_asked_as_a_drawn_formula_is(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(
        test_suite=marked('"propositional", operators=range(2, 4), samples=3, trivial=True', "TRIP")
    )
    generate(["propositional", "--operators", "2:4", "--count", "3", "--out", "drawn.jsonl"])
    recordings = "--autoeval-cassettes=recordings"
    assert run(recordings, "--autoeval-record-mode=all").ret == pytest.ExitCode.OK
    given = run(
        "--autoeval-dataset=drawn.jsonl",
        recordings,
        "--autoeval-record-mode=none",
        "--autoeval-threshold=1",
    )
    assert given.ret == pytest.ExitCode.OK  # no request differs from a recorded one
    assert "unused recordings" not in said(given)


def test_one_item_can_be_asked_again_by_its_id_its_line_or_its_text(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    pytester.makepyfile(test_suite=TRIPS)
    (pytester.path / "mine.csv").write_text(FORMULAS)
    for typed, formula in (
        ("both", "p1 ∧ p2"),
        ("mine.csv:3", "pump → (p1 ∨ valve)"),
        ("p1 & p2", "p1 ∧ p2"),
    ):
        options = (
            "-k",
            "propositional",
            f"--autoeval-formula={typed}",
            "--autoeval-results=out.jsonl",
        )
        run("--autoeval-dataset=mine.csv", *options)
        assert [row["formula"] for row in rows("out.jsonl")] == [formula]


def test_a_failure_is_shrunk_and_its_command_asks_again(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    pytester.makepyfile(test_suite=TRIPS)
    (pytester.path / "mine.csv").write_text(
        "Logic,language\n(p1 ∧ p2) → (p3 ∧ pump),propositional\n"
    )
    named = ("--autoeval-dataset=mine.csv", "--autoeval-columns=formula=Logic")
    result = run(
        *named,
        "--autoeval-model=offline/or-for-and",
        "--autoeval-threshold=1",
        "-k",
        "propositional",
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    line = next(line for line in result.stdout.lines if line.lstrip().startswith("reproduce"))
    arguments = shlex.split(line.partition("pytest ")[2])
    assert set(named) <= set(arguments)
    assert run(*arguments, "--autoeval-results=again.jsonl").ret == pytest.ExitCode.TESTS_FAILED
    (row,) = rows("again.jsonl")
    assert (row["outcome"], "source" in row) == ("different", False)


def test_a_shrunk_formula_is_asked_again_although_an_item_has_it_as_its_id(
    pytester: pytest.Pytester, run: Run
) -> None:
    (pytester.path / "mine.csv").write_text("id,formula,language\n10,0*1,regex\n11,0(10)*1,regex\n")
    pytester.makepyfile(
        test_suite="""
        from pytest_autoeval import autoeval

        @autoeval("mine.csv", threshold=0.9)
        def test_regex(sample, llm):
            llm.informalize(sample)
            assert "10" not in sample.text
        """
    )
    result = run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    (command,) = {line for line in said(result).splitlines() if "reproduce" in line}
    words = shlex.split(command)
    assert words[-1] == "--autoeval-formula=(10)"
    again = run(words[-1])
    assert again.ret == pytest.ExitCode.TESTS_FAILED
    # The id is still one.
    assert run("--autoeval-formula=10").ret == pytest.ExitCode.OK
    # Also if the run did not ask about the item, or if the user typed the formula.
    for choice in ("--autoeval-formula=11", words[-1]):
        shown = said(run(choice))
        (command,) = {line for line in shown.splitlines() if "reproduce" in line}
        assert shlex.split(command)[-1] == "--autoeval-formula=(10)"


def test_a_suite_of_another_language_is_left_out(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_suite=TRIPS)
    (pytester.path / "mine.jsonl").write_text(json.dumps({"formula": "0*1", "language": "regex"}))
    result = run("--autoeval-dataset=mine.jsonl")
    assert result.ret == pytest.ExitCode.OK
    assert (
        "nothing in mine.jsonl fits the grammar propositional: it needs formulas of the language propo"
        in said(result)
    )
    assert (
        run("--autoeval-dataset=mine.jsonl", "-k", "propositional").ret
        == pytest.ExitCode.USAGE_ERROR
    )


def test_formulas_that_two_suites_would_read_in_two_languages_are_refused(
    pytester: pytest.Pytester, run: Run
) -> None:
    trip = marked('"{}"', "TRIP").partition("\n")[2]
    text = (
        "import pytest\n"
        + trip.replace("{}", "ltl")
        + trip.replace("{}", "propositional").replace("test_it", "test_b")
    )
    pytester.makepyfile(test_suite=text)
    (pytester.path / "mine.csv").write_text("formula\np1 & p2\n")
    result = run("--autoeval-dataset=mine.csv")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "such as p1 & p2; add a column 'language'" in said(result)
    assert "or run the suites of one language" in said(result)
    assert run("--autoeval-dataset=mine.csv", "-k", "test_b").ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    ("marker", "formulas"),
    [
        ('"mine.csv", columns={"formula": "Logic"}, language="ltl"', ["G pump"]),
        ('"mine.csv", columns={"formula": "Logic"}, language="ltl", operators=[7]', None),
        ('"named.csv"', ["p1 ∧ p2"]),
    ],
)
def test_a_marker_names_a_file_of_formulas(
    pytester: pytest.Pytester, run: Run, rows: Rows, marker: str, formulas: list[str] | None
) -> None:
    pytester.makepyfile(test_suite=marked(marker, "TRIP"))
    (pytester.path / "mine.csv").write_text("Logic\nG(pump)\n")
    (pytester.path / "named.csv").write_text("formula,language\np1 & p2,propositional\n")
    result = run("--autoeval-results=out.jsonl")
    if formulas is None:
        assert "there are formulas of size 1" in said(result)
    else:
        assert [row["formula"] for row in rows("out.jsonl")] == formulas


@pytest.mark.parametrize(
    ("marker", "problem"),
    [
        (
            '"mine.csv"',
            "add a column 'language' (such as first_order or ltl or regex); or give language=",
        ),
        ('"mine.csv", language="ltl", exclude="tautology"', "exclude= is for grammars, and"),
        ('"propositional", columns={"formula": "f"}', "columns= names the columns of a file"),
        ('"mine.csv", columns={"formla": "f"}', "Did you mean 'formula'"),
        (
            '"propositional", depth=range(3, 8)',
            "in propositional a size is the number of operators",
        ),
        ('"ltl_future", task="translate", depth=[1]', "in ltl a size is the number of operators"),
        ('"mine.csv", language="ltl", depth=[1]', "in ltl a size is the number of operators"),
    ],
)
def test_a_marker_that_cannot_be_meant_is_refused(
    pytester: pytest.Pytester, run: Run, marker: str, problem: str
) -> None:
    body, takes = (
        ("perform(sample)", "sample, perform") if "task=" in marker else ("TRIP", "sample")
    )
    pytester.makepyfile(test_suite=marked(marker, body, takes))
    (pytester.path / "mine.csv").write_text("formula\nG(pump)\n")
    result = run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert problem in said(result)


def test_columns_without_files_are_refused(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_suite=TRIPS)
    result = run("--autoeval-columns=formula=Logic")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--autoeval-columns: needs --autoeval-dataset" in said(result)


def test_the_ini_file_may_name_columns(pytester: pytest.Pytester, run: Run, rows: Rows) -> None:
    pytester.makeini("[pytest]\nautoeval_columns = formula=Logic\nautoeval_dataset = mine.csv\n")
    pytester.makepyfile(test_suite=TRIPS)
    (pytester.path / "mine.csv").write_text("Logic,language\np1 & p2,propositional\n")
    run("--autoeval-results=out.jsonl", "-k", "propositional")
    assert [row["formula"] for row in rows("out.jsonl")] == ["p1 ∧ p2"]
