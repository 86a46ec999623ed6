"""What a gate counts: undecided samples are not passed, and errors let nothing pass."""

from __future__ import annotations

import pytest

from .conftest import Rows, Run, Suite

#: Serial, irreflexive and transitive: true in infinite models alone, so that no search for a finite one can refute ⊥.
ENDLESS = "(∀x. ∃y. R(x, y)) ∧ (∀x. ¬R(x, x)) ∧ (∀x. ∀y. ∀z. ((R(x, y) ∧ R(y, z)) → R(x, z)))"
UNDECIDED = f"""
import pytest

@pytest.mark.autoeval("first_order", operators=2, samples=4, threshold=THRESHOLD)
def test_endless(sample, assert_equivalent):
    hopeless = sample.index == 0
    assert_equivalent("⊥" if hopeless else sample.formula, "{ENDLESS}" if hopeless else sample.formula)
"""


@pytest.mark.parametrize(("threshold", "passes"), [("0.75", True), ("0.8", False)])
def test_undecided_samples_count_as_not_passed(
    suite: Suite, run: Run, rows: Rows, threshold: str, passes: bool
) -> None:
    suite(UNDECIDED.replace("THRESHOLD", threshold))
    result = run("--autoeval-verify-timeout=0.5", "--autoeval-results=out.jsonl")
    assert [row["outcome"] for row in rows("out.jsonl")] == ["undecided", "equivalent", "equivalent", "equivalent"]
    assert result.ret == (0 if passes else 1)
    result.stdout.fnmatch_lines(["*75.0*100.0*"])
    if not passes:
        result.stdout.fnmatch_lines(["*undecided samples count as not passed*"])


def test_a_gate_shows_its_threshold_and_interval(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.99")
    result = run("--autoeval-model=offline/refusal", "--autoeval-shrink-budget=0")
    result.stdout.fnmatch_lines(["*pass rate 0.0 % (0 of 16; 95 % interval 0.0–19.4 %) is below the threshold 99 %"])


def test_a_failing_body_fails_the_gate_without_a_threshold(suite: Suite, run: Run) -> None:
    suite(
        """
        import pytest

        @pytest.mark.autoeval("propositional", operators=[1, 2], samples=2)
        def test_it(sample):
            if sample.operators == 2:
                raise KeyError(sample.text)
        """
    )
    result = run("-rA")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*2 of 4 samples ended in an error*", "FAILED test_suite.py::test_it?offline/faithful? - KeyError*"]
    )
