"""Runs with few formulas in common: the message says why, it comes first, and it asks for no more samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from support.analyses import analyse, baseline_of
from support.result_rows import row

from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.whole_run import WholeRun
from pytest_autoeval.record.lines import Sample

PASS, FAIL = "equivalent", "different"


def run(
    numbers: Sequence[int],
    outcome: str = PASS,
    letter: str = "p",
    sizes: Sequence[int] = (2,),
    **changes: Any,
) -> list[Sample]:
    """A sample for each number, of each size."""
    return [
        row(outcome, index=number, formula=f"{letter}{size}_{number}", operators=size, **changes)
        for size in sizes
        for number in numbers
    ]


def whole_run(here: list[Sample], there: list[Sample], drop: float = 0.05) -> WholeRun:
    (found,) = analyse(here, Rules(drop=drop), baseline=baseline_of(there)).whole_runs
    return found


CAUSES: list[tuple[list[Sample], list[Sample], str]] = [
    (
        run(range(18), seed=0),
        [*run(range(16), letter="q", seed=1), *run(range(16, 18), seed=1)],
        "2 of 18 formulas are the same",
    ),
    (
        run(range(4), grammar="ksat"),
        run(range(4), letter="q"),
        "the baseline has the grammar propositional, this run ksat: 0 of 4 formulas are the same",
    ),
    (
        run(range(4), vocabulary="mine"),
        run(range(4), letter="q"),
        "the baseline has the vocabulary synthetic, this run mine: 0 of 4 formulas are the same",
    ),
    (
        run(range(2), sizes=(4, 5, 6, 7)),
        run(range(2), sizes=(0, 2, 4)),
        "the baseline has formulas of size 0, 2, 4, this run of size 4 to 7: 2 of 8 formulas are the same",
    ),
    (
        run(range(30), sizes=(3, 4)),
        run(range(3), sizes=(3, 4)),
        "the baseline has 3 formulas of each size, this run 30: 6 of 60 formulas are the same",
    ),
    (
        run(range(4)),
        run(range(4), letter="q"),
        "the runs have few formulas in common, though they were drawn alike: 0 of 4 formulas are the same",
    ),
]


@pytest.mark.parametrize(("here", "there", "message"), CAUSES)
def test_the_cause_comes_first(here: list[Sample], there: list[Sample], message: str) -> None:
    found = whole_run(here, there)
    (gate,) = found.gates
    if found.test is None:
        assert found.reason == f"offline/student is not compared with the baseline: {message}"
        assert gate.reason == f"not compared: {message}"
    else:
        of_seed = (
            "the baseline is of another seed (1; this run: 0); " if here is CAUSES[0][0] else ""
        )
        assert found.reason.startswith(f"{of_seed}{message}; ")
        assert gate.reason.startswith(f"{message}; not judged alone")
    assert found.verdict == "inconclusive"
    for text in (found.reason, gate.reason):
        assert "more samples" not in text


def test_a_suite_that_must_exclude_the_drop_says_the_cause_too() -> None:
    here, there, message = CAUSES[0]
    (gate,) = analyse(here, Rules(suite_drop=0.05), baseline=baseline_of(there)).comparisons
    assert gate.verdict == "inconclusive"
    rest = "not significantly worse, but the data cannot rule out a drop of 5 points or more"
    assert str(gate.conclusion) == f"{message}; {rest}"


def test_half_of_the_formulas_are_no_mismatch() -> None:
    found = whole_run(run(range(20)), run(range(10)))
    assert "a decision needs about" in found.reason
    assert "are the same" not in found.reason


def test_a_baseline_with_more_formulas_is_no_mismatch() -> None:
    found = whole_run(run(range(3)), run(range(30), sizes=(0, 1, 2)))
    assert "are the same" not in found.reason
    assert "more samples" in found.reason


def test_a_fall_is_said_before_what_the_runs_do_not_have_in_common() -> None:
    here, there = run(range(80), FAIL, seed=0), run(range(30), seed=0)
    found = whole_run(here, there)
    assert found.verdict == "failed"
    worse, _, rest = found.reason.partition("; ")
    assert "is worse than" in worse
    assert (
        "the baseline has 30 formulas of each size, this run 80: 30 of 80 formulas are the same"
        in rest
    )


def test_a_suite_without_a_pair_because_of_the_seed_is_not_new() -> None:
    """New suites do not keep a run from passing, and this one was left out by mistake."""
    here = [*run(range(60), suite="a"), *run(range(60), suite="b", letter="r", seed=0)]
    there = [*run(range(60), suite="a"), *run(range(60), suite="b", letter="q", seed=1)]
    found = whole_run(here, there, drop=0.1)
    assert ([gate.suite for gate in found.new], [gate.suite for gate in found.refused]) == (
        [],
        ["b"],
    )
    assert found.verdict == "inconclusive"
    assert "not compared: b" in found.reason
    assert found.gates[1].reason == "not compared: 0 of 60 formulas are the same"


def test_of_several_suites_the_cause_of_most_formulas_is_said() -> None:
    here = [*run(range(4), suite="a", grammar="ksat"), *run(range(20), suite="b", seed=3)]
    there = [*run(range(4), suite="a", letter="q"), *run(range(20), suite="b", letter="q")]
    reason = whole_run(here, there).reason
    assert reason.startswith("the baseline is of another seed in 1 of 2 suites (0; this run: 3); ")
    assert reason.endswith(": 0 of 24 formulas are the same")
