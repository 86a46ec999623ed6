"""Properties: `@given(formula=formulas(…))`, where no failure is allowed and Hypothesis shrinks."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run, Suite, said

PROPERTIES = """
from pathlib import Path
from hypothesis import given, settings
from pytest_autoeval import formulas

@given(formula=formulas("propositional", max_operators=6))
def test_every_formula_survives(formula, round_trip, assert_equivalent):
    assert_equivalent(round_trip(formula), formula)

class TestRegex:
    @settings(max_examples=7, database=None)
    @given(formula=formulas("regex", min_operators=1, max_operators=3))
    def test_every_expression_survives(self, formula, llm, assert_equivalent):
        with Path("examples.txt").open("a") as file:
            print(formula, file=file)
        assert_equivalent(llm.autoformalize(llm.informalize(formula), like=formula), formula)
"""
RANDOM_MODEL = """
from random import SystemRandom

class Fickle:
    def complete(self, messages, *, repeat=0):
        return SystemRandom().choice(["p1", "p2", "p1 ∧ p2", "¬p1", "nothing", "0*"])

def pytest_autoeval_register(registry):
    registry.add_model("fickle", Fickle)
"""


def test_a_faithful_model_passes_and_settings_are_honoured(suite: Suite, run: Run) -> None:
    suite(PROPERTIES)
    run(apart=True).assert_outcomes(passed=2)
    assert len(Path("examples.txt").read_text(encoding="utf-8").splitlines()) == 7


def test_a_fault_fails_with_the_smallest_formula(suite: Suite, run: Run) -> None:
    suite(PROPERTIES)
    result = run("--autoeval-model=offline/or-for-and", "-k", "every_formula", apart=True)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*MeaningLostError: not equivalent",
            "*given:    p1 ∧ p2",
            "*model's:  p1 ∨ p2",
            "*formula=And('p1 ∧ p2'),",
        ]
    )
    assert "Flaky" not in said(result)
    assert "Explanation" not in said(result)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_model_that_varies_makes_no_flaky_error(
    pytester: pytest.Pytester, suite: Suite, run: Run, workers: str
) -> None:
    pytester.makeconftest(RANDOM_MODEL)
    suite(PROPERTIES)
    result = run("--autoeval-model=fickle", "-n", workers, apart=True)
    result.assert_outcomes(failed=2)
    assert "Flaky" not in said(result)
    assert "MeaningLostError" in said(result)


def test_a_property_is_no_pass_rate_test(suite: Suite, run: Run) -> None:
    suite(
        """
        import pytest
        from hypothesis import given
        from pytest_autoeval import formulas

        @pytest.mark.autoeval("propositional")
        @given(sample=formulas("propositional", max_operators=2))
        def test_both(sample):
            pass
        """
    )
    result = run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "use @pytest.mark.autoeval (pass rate) or @given (property), not both" in said(result)
