"""Each fault is caught by its gate, and the smallest counterexample shows that fault and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., pytest.RunResult]


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_a_failure_shrinks_to_one_negation_over_one_connective(
    suite: Callable[..., Path], run: Run, workers: tuple[str, ...]
) -> None:
    suite(more=", threshold=0.99")
    result = run("--autoeval-model=offline/negation-scope", "--autoeval-samples=10", *workers)
    assert result.ret == 1
    result.stdout.re_match_lines([r".*¬\(p\d+ [∧∨] p\d+\).*"])
    result.stdout.fnmatch_lines(
        ["*pytest test_suite.py::test_round_trip --autoeval-model=offline/negation-scope*--autoeval-formula=*"]
    )


def test_the_command_of_a_counterexample_reproduces_it(suite: Callable[..., Path], run: Run) -> None:
    suite(more=", threshold=0.99")
    result = run("--autoeval-model=offline/or-for-and", "--autoeval-formula=p1 ∧ p2")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*p1 ∨ p2*"])


def test_budget_zero_turns_shrinking_off(suite: Callable[..., Path], run: Run) -> None:
    suite(more=", threshold=0.99")
    result = run("--autoeval-model=offline/or-for-and", "--autoeval-shrink-budget=0")
    assert result.ret == 1
    result.stdout.no_fnmatch_line("*shrinking*")
