"""`--autoeval-interface=paper`: round trips and the judge are asked in the form of the ∀uto∃val paper."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from support.flat_rows import lasting_rows
from support.program import Program

from .conftest import FAITHFUL, Rows, Run, said

SUITES = """
from pytest_autoeval import autoeval

@autoeval("propositional", operators=range(3), samples=2)
def test_propositional(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@autoeval("first_order", operators=range(3), samples=2)
def test_first_order(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@autoeval("regex", depth=range(1, 4), samples=2)
def test_regex(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@autoeval("judge_first_order", task="judge", operators=range(1, 3), samples=4)
def test_judge(sample, perform):
    perform(sample)
"""
TEMPORAL = """
from pytest_autoeval import autoeval

@autoeval("ltl", operators=range(2), samples=2)
def test_temporal(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@autoeval("judge_ltl", task="judge", operators=[1], samples=2)
def test_temporal_judge(sample, perform):
    perform(sample)
"""
OUT = "--autoeval-results=out.jsonl"
PAPER, PLAIN = "--autoeval-interface=paper", "--autoeval-interface=plain"


@pytest.mark.parametrize("prompting", ["zero-shot", "few-shot", "self-refine"])
def test_the_offline_model_passes_in_this_form(
    pytester: pytest.Pytester, run: Run, rows: Rows, prompting: str
) -> None:
    pytester.makepyfile(test_suite=SUITES)
    run(
        FAITHFUL, PAPER, OUT, f"--autoeval-prompting={prompting}", "--autoeval-threshold=100%"
    ).assert_outcomes(passed=4)
    written = rows("out.jsonl")
    assert {row["interface"] for row in written} == {"paper"}
    assert {row["suite"].partition("::")[2] for row in written} == {
        "test_propositional",
        "test_first_order",
        "test_regex",
        "test_judge",
    }
    assert all(row["compliant"] for row in written if row.get("task") is None)
    for row in written:
        for call in row["calls"]:
            first = call["messages"][0]
            assert first["role"] == "user"
            assert ("[EXAMPLE 2]" in first["content"]) is (prompting == "few-shot")


def test_no_names_are_given_with_a_description(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    pytester.makepyfile(test_suite=SUITES)
    run(FAITHFUL, PAPER, OUT)
    prompts = {"informalize": "", "autoformalize": ""}
    for row in rows("out.jsonl"):
        for call in row["calls"]:
            if call["stage"] in prompts:
                prompts[call["stage"]] += call["messages"][0]["content"]
    names = ("Propositions: ", "Predicates: ", "Constants: ", "Alphabet: ")
    assert all(name in prompts["informalize"] for name in names)
    assert not any(name in prompts["autoformalize"] for name in names)


def test_lists_of_variables_are_compliant_in_this_form_alone(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    pytester.makeconftest("""
        from pytest_autoeval.models import Reply

        class Lists:
            def complete(self, messages, repeat=0):
                reads = any(word in messages[-1].content for word in ("[DESCRIPTION]", "Description:"))
                return Reply("∀x1 x2. pred1(x1, x2)" if reads else "For all x1 and x2, pred1 holds of x1 and x2.")

        def pytest_autoeval_register(registry):
            registry.add_model("lists", Lists)
    """)
    pytester.makepyfile(test_suite=SUITES)
    run(
        "--autoeval-model=lists",
        PAPER,
        PLAIN,
        OUT,
        "-k",
        "test_first_order",
        "--autoeval-shrink-budget=0",
    )
    answers = [row for row in rows("out.jsonl") if row["answer"] == "∀x1 x2. pred1(x1, x2)"]
    assert {(row["interface"], row["compliant"]) for row in answers} == {
        ("paper", True),
        ("plain", False),
    }


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_both_forms_in_one_run_are_compared(
    pytester: pytest.Pytester, run: Run, rows: Rows, workers: tuple[str, ...]
) -> None:
    pytester.makepyfile(test_suite=SUITES)
    result = run(
        "--autoeval-model=offline/student?strength=0.6",
        PLAIN,
        PAPER,
        OUT,
        "-k",
        "not judge",
        *workers,
    )
    result.assert_outcomes(passed=6)
    forms = {(row["suite"].partition("::")[2], row["interface"]) for row in rows("out.jsonl")}
    tests = ("test_propositional", "test_first_order", "test_regex")
    assert forms == {(f"{test}[{form}]", form) for test in tests for form in ("plain", "paper")}
    shown = " ".join(said(result).split())
    assert "differences of the variants, on the same formulas" in shown
    table = shown.partition("pass rates by interface and prompting")[2]
    assert (
        table.index(" paper ") < table.index(" plain ") < table.index("differences of the variants")
    )


def test_without_the_option_and_with_plain_the_same_is_asked(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(test_suite=SUITES)
    run(FAITHFUL, OUT, "-k", "not judge")
    run(FAITHFUL, PLAIN, "--autoeval-results=plain.jsonl", "-k", "not judge")
    before, after = lasting_rows("out.jsonl"), lasting_rows("plain.jsonl")
    assert not any("interface" in row for row in before)
    assert {row.pop("interface") for row in after} == {"plain"}
    assert before == after


def test_a_plain_run_is_comparable_with_one_without_the_option(
    pytester: pytest.Pytester, run: Run, program: Program
) -> None:
    pytester.makepyfile(test_suite=SUITES)
    run(FAITHFUL, OUT, "-k", "not judge")
    baseline = ("--autoeval-baseline=out.jsonl", "-k", "not judge")
    for options in ([PLAIN], [PAPER, "--autoeval-baseline-variant=plain"]):
        result = run(
            FAITHFUL,
            *options,
            *baseline,
            "--autoeval-fail-on=drop:90%",
            "--autoeval-results=new.jsonl",
        )
        assert result.ret == 0
        assert "not compared" not in said(result)
    refused = " ".join(said(run(FAITHFUL, PAPER, *baseline)).split())
    assert (
        "this run has the interface paper, and the baseline plain (--autoeval-interface)" in refused
    )
    joined = program("report", "out.jsonl", "new.jsonl").text
    assert "test_propositional[paper]" in joined
    assert "test_propositional[plain]" in joined


def test_temporal_logic_is_left_out_with_the_reason(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_suite=SUITES, test_temporal=TEMPORAL)
    result = run(FAITHFUL, PAPER)
    result.assert_outcomes(passed=4, skipped=2)
    shown = " ".join(said(result).split())
    languages = "first_order, propositional, regex, not for ltl"
    assert f"the round trip has the interface paper for {languages}" in shown
    assert f"the task judge has the interface paper for {languages}" in shown
    both = run(FAITHFUL, PAPER, PLAIN, "-k", "test_temporal and not judge", "test_temporal.py")
    both.assert_outcomes(passed=1, skipped=1)


def test_a_prompt_of_ones_own_gives_the_form_to_a_language(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    pytester.makepyfile(test_temporal=TEMPORAL)
    own = Path("own", "informalize", "ltl.paper.toml")
    (pytester.path / own).parent.mkdir(parents=True)
    (pytester.path / own).write_text(
        "user = 'Describe this.\\n\\nFormula:\\n${formula}'\n", "utf-8"
    )
    run(FAITHFUL, PAPER, OUT, "--autoeval-prompts=own", "-k", "not judge").assert_outcomes(passed=1)
    stages = {call["stage"]: call["messages"] for row in rows("out.jsonl") for call in row["calls"]}
    assert stages["informalize"][0]["content"].startswith("Describe this.")
    # The other half has no file of this form, and is asked as usual.
    assert stages["autoformalize"][0]["role"] == "system"


def test_the_command_of_a_failure_asks_in_the_same_form(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(test_suite=SUITES)
    shown = run(
        "--autoeval-model=offline/or-for-and", PLAIN, PAPER, OUT, "-k", "test_propositional", "-v"
    )
    commands = [
        line.partition("reproduce ")[2]
        for line in shown.outlines
        if line.startswith("    reproduce ")
    ]
    forms = {word for command in commands for word in shlex.split(command) if "interface" in word}
    assert forms == {PLAIN, PAPER}


def test_the_option_without_a_prompt_of_this_form_has_no_effect(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile("""
        from pytest_autoeval import autoeval

        @autoeval("propositional", operators=[1], samples=1, verified=False)
        def test_own(sample, llm):
            assert llm.ask("What is this?")
    """)
    shown = " ".join(said(run(FAITHFUL, PAPER)).split())
    assert (
        "--autoeval-interface (it needs a task or a round trip with this form of its prompt)"
        in shown
    )
