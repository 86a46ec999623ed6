"""`--autoeval-baseline` and `--autoeval-fail-on`: worse is caught, unchanged passes, too few samples say so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .conftest import Run, Suite, said

MANY = ("--autoeval-operators=4:7", "--autoeval-samples=30", "--autoeval-shrink-budget=0")
NAMED = "the baseline is base.jsonl"
GOOD, WORSE = "offline/student?strength=0.97", "offline/student?strength=0.85"


FEW = ("--autoeval-operators=4:7", "--autoeval-samples=3", "--autoeval-shrink-budget=0")
BASELINE = "--autoeval-baseline=base.jsonl"


@pytest.fixture
def before(suite: Suite, run: Run) -> Callable[..., None]:
    """Leaves the results of an earlier run, with these options."""

    def left(*size: str) -> None:
        suite()
        run(*size, f"--autoeval-model={GOOD}", "--autoeval-results=base.jsonl")

    return left


def test_a_model_that_became_worse_is_caught_and_one_that_did_not_passes(before: Callable[..., None], run: Run) -> None:
    before(*MANY)
    result = run(*MANY, f"--autoeval-model={WORSE}", BASELINE, "--autoeval-fail-on=drop:5%", "-n", "2")
    assert result.ret == 1
    for words in (NAMED, "significantly worse", f"compared with another model: {GOOD}"):
        assert words in " ".join(said(result).split())
    unchanged = run(*MANY, f"--autoeval-model={GOOD}", BASELINE, "--autoeval-fail-on=drop:5%")
    assert unchanged.ret == 0
    assert f"{GOOD} is not worse than in the baseline: " in said(unchanged)
    reported = run(*FEW, f"--autoeval-model={WORSE}", BASELINE)
    assert reported.ret == 0, "without a drop to fail on nothing is judged"
    assert NAMED in " ".join(said(reported).split())


def test_too_few_samples_are_neither_green_nor_red(before: Callable[..., None], run: Run) -> None:
    before(*FEW)
    result = run(*FEW, f"--autoeval-model={GOOD}", BASELINE, "--autoeval-fail-on=drop:5%", "--junitxml=junit.xml")
    text = " ".join(said(result).split())
    assert result.ret == 10
    assert f"whether {GOOD} is worse than in the baseline is open: " in text
    assert "a drop of 5 points or more is not ruled out; a decision needs about" in text
    assert " 1 passed in" in text  # the item is not judged alone
