"""`--autoeval-formula`: the command under a counterexample, and one's own questions."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from support.documents_read import counterexamples, read_summary
from support.page_blocks import PageBlocks
from support.program import Program

from pytest_autoeval.report.blocks import Counterexample

from .conftest import Rows, Run, Suite, said

TWO_LANGUAGES = """
import pytest

@pytest.mark.autoeval("propositional", operators=2)
def test_logic(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@pytest.mark.autoeval("regex", depth=2)
def test_regex(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)
"""


def test_several_formulas_replace_the_drawn_ones(suite: Suite, run: Run, rows: Rows) -> None:
    suite()
    typed = [f"--autoeval-formula={text}" for text in ("p1 & p2", "~~p3", "p1 ∧ p2")]
    result = run(*typed, "--autoeval-results=out.jsonl", "-v")
    result.assert_outcomes(passed=1)
    assert sorted(row["formula"] for row in rows("out.jsonl")) == ["p1 ∧ p2", "¬¬p3"]
    result.stdout.fnmatch_lines(["*::test_round_trip?offline/faithful?*PASSED*"])


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_suite_of_another_language_skips_it_and_says_why(
    suite: Suite, run: Run, workers: str
) -> None:
    suite(TWO_LANGUAGES)
    result = run("--autoeval-formula=p1 → p2", "-rs", "-n", workers)
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(
        ["SKIPPED*--autoeval-formula: 'p1 → p2' is not a formula for the grammar regex: *"]
    )


@pytest.mark.parametrize("arguments", [("-n", "0"), ("-n", "2"), ("--autoeval-plan",)])
def test_what_no_suite_takes_is_a_usage_error(
    suite: Suite, run: Run, arguments: tuple[str, ...]
) -> None:
    suite(TWO_LANGUAGES)
    result = run("--autoeval-formula=p1 ∧", *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (
        "--autoeval-formula: 'p1 ∧' is not a formula for the grammar propositional: line 1, column 5"
        in said(result)
    )
    assert "--autoeval-formula: 'p1 ∧' is not a formula for the grammar regex" in said(result)
    assert "Traceback" not in said(result)


def test_the_command_of_a_counterexample_reproduces_exactly_it(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite(
        """
        import pytest

        class TestTone:
            @pytest.mark.parametrize("tone", ["plain", "formal"])
            @pytest.mark.autoeval("propositional", operators=[3], samples=5)
            def test_it(self, sample, round_trip, assert_equivalent, tone):
                assert_equivalent(round_trip(sample), sample.formula)
        """
    )
    monkeypatch.chdir(pytester.mkdir("below"))
    shown = run(
        "..", "--autoeval-model=offline/or-for-and", "--autoeval-prompting=few-shot", "-k", "formal"
    )
    commands = [
        line.partition("reproduce ")[2]
        for line in shown.outlines
        if line.startswith("    reproduce ")
    ]
    assert len(commands) == 1
    program, *arguments = shlex.split(commands[0])
    assert program == "pytest"
    assert "--autoeval-prompting=few-shot" in arguments
    again = run(*arguments, "--autoeval-results=out.jsonl")
    again.assert_outcomes(failed=1)  # a typed formula must pass, whatever the suite is judged by
    assert [(row["formula"], row["outcome"]) for row in rows("below/out.jsonl")] == [
        ("p1 ∧ p2", "different")
    ]


def test_a_wildcard_of_a_typed_expression_means_the_alphabet_of_the_sample(
    suite: Suite, run: Run, rows: Rows
) -> None:
    suite(TWO_LANGUAGES)
    result = run("--autoeval-formula=a.b*", "--autoeval-results=out.jsonl", "-k", "regex")
    result.assert_outcomes(passed=1)
    assert [(row["formula"], row["outcome"]) for row in rows("out.jsonl")] == [
        ("a[01ab]b*", "equivalent")
    ]


ALL = (
    "--autoeval-temperature=0.5",
    "--autoeval-max-tokens=300",
    "--autoeval-copies=count",
    "--autoeval-seed=3",
    *("--autoeval-timeout=77", "-oautoeval_verify_timeout=30"),
)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_each_command_has_all_that_was_asked_for_and_no_secret(
    suite: Suite, run: Run, report: Program, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    secret = "a-key-that-nobody-may-see-0815"
    monkeypatch.setenv("OPENAI_ORG_ID", secret)
    suite(more=", threshold=1")
    outputs = (
        "--autoeval-results=r.jsonl",
        "--autoeval-html=run.html",
        "--autoeval-summary=run.json",
    )
    parameters = json.dumps({"user": secret, "api_key": "another-secret-4711", "top_p": 0.9})
    model = (
        "--autoeval-model=offline/or-for-and",
        f"--autoeval-parameters={parameters}",
        "-n",
        workers,
    )
    result = run(*model, *ALL, *outputs, "--autoeval-github-summary=run.md", apart=True)
    report("r.jsonl", "--html=report.html", "--markdown=report.md", "--summary=report.json", code=1)
    shown = [
        line.partition("reproduce ")[2]
        for line in result.outlines
        if line.startswith("    reproduce ")
    ]
    shown += [next(counterexamples(read_summary(f"{name}.json")))[1]["command"] for name in NAMES]
    for name in NAMES:
        page = PageBlocks(Path(f"{name}.html").read_text("utf-8"))
        shown.append(page.shown_blocks(Counterexample)[0].command)
        text = Path(f"{name}.md").read_text("utf-8")
        shown.append(next(line for line in text.splitlines() if "--autoeval-formula=" in line))
    for command in shown:
        for option in (*ALL[:-1], "--override-ini=autoeval_verify_timeout=30", "top_p"):
            assert option in command
    for file in ("r.jsonl", *(f"{name}.{end}" for name in NAMES for end in ("json", "md", "html"))):
        content = Path(file).read_text("utf-8")
        assert secret not in content
        assert "another-secret" not in content
    assert secret not in said(result)


NAMES = ("run", "report")
