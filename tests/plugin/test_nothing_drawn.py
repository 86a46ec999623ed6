"""A run that asks nothing is never green: a suite without a sample fails, with the reason."""

from __future__ import annotations

import pytest
from support.documents_read import read_summary, sentences
from support.documents_read import suite as suite_in

from .conftest import Run, Suite, said

ENDLESS = """
import pytest

@pytest.mark.autoeval("own.lark", operators=range(4), samples=2, language="propositional")
def test_own(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)
"""
GRAMMARS = {
    "no such size": ('start: "p1 ∧ p2 ∧ p3 ∧ p4 ∧ p5 ∧ p6"', "there are formulas of size 5"),
    "far larger": (f'start: "{" ∧ ".join(["p1"] * 30)}"', "there are none of size 0 to 22"),
}


@pytest.mark.parametrize("case", GRAMMARS)
@pytest.mark.parametrize("options", [[], ["--autoeval-threshold=0.9", "-n2"]])
def test_a_grammar_that_has_no_formula_of_the_sizes_fails(
    pytester: pytest.Pytester, suite: Suite, run: Run, case: str, options: list[str]
) -> None:
    suite(ENDLESS)
    grammar, hint = GRAMMARS[case]
    (pytester.path / "own.lark").write_text(f"{grammar}\n", "utf-8")
    result = run(*options, "--autoeval-summary=run.json")
    result.assert_outcomes(failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    reason = f"own.lark has nothing of size 0, 1, 2, 3; {hint}"
    assert said(result).count(reason) >= 1
    shown = suite_in(read_summary(pytester.path / "run.json"))
    assert shown["state"] == "failed"
    assert any(reason in text for text in sentences(shown, "verdict"))
    assert run("--autoeval-plan").ret == pytest.ExitCode.USAGE_ERROR


def test_it_is_not_the_failure_that_xfail_expects(suite: Suite, run: Run) -> None:
    suite(
        ENDLESS.replace("own.lark", "ksat")
        .replace("range(4)", "[3]")
        .replace("@", "@pytest.mark.xfail\n@", 1)
    )
    run().assert_outcomes(failed=1)


def test_a_marker_that_leaves_out_all_formulas_fails(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    (pytester.path / "own.lark").write_text('start: "p1 ∨ ¬p1"\n', "utf-8")
    suite(ENDLESS.replace("samples=2", "exclude='tautology'"))
    result = run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "has nothing of size 0, 1, 2, 3; all formulas of these sizes are trivial" in said(result)


DATA_SET = """
from pytest_autoeval.datasets.data_set import WrittenDataSet

def pytest_autoeval_register(registry):
    registry.add_data_set(WrittenDataSet("mine", "propositional", ["a.csv:3: no formula"]))
"""


def test_a_data_set_of_which_no_row_is_usable_fails(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    pytester.makeconftest(DATA_SET)
    suite(
        ENDLESS.replace(
            '"own.lark", operators=range(4), samples=2, language="propositional"', '"mine"'
        )
    )
    result = run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "the data set mine has nothing of these sizes; a.csv:3: no formula" in said(result)


def test_sizes_that_were_typed_may_leave_out_a_suite_but_not_all(suite: Suite, run: Run) -> None:
    ksat = ENDLESS.replace("own.lark", "ksat").replace("test_own", "test_ksat")
    suite(ksat + ENDLESS.replace("own.lark", "propositional"))
    run("--autoeval-operators=3").assert_outcomes(passed=1, skipped=1)
    alone = run("--autoeval-operators=3", "-k", "ksat")
    assert alone.ret == pytest.ExitCode.USAGE_ERROR
    assert "the grammar ksat has nothing of size 3" in said(alone)
