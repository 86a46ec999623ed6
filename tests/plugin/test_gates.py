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
