"""`--autoeval-baseline` and `--autoeval-fail-on`: worse is caught, unchanged passes, too few samples say so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.program import Program

from pytest_autoeval import AutoevalError, Report, run_suites
from pytest_autoeval.record.file import read_file

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


def text_of(result: pytest.RunResult) -> str:
    return " ".join(said(result).split())


def test_a_model_that_became_worse_is_caught_and_one_that_did_not_passes(
    before: Callable[..., None], run: Run
) -> None:
    before(*MANY)
    result = run(
        *MANY, f"--autoeval-model={WORSE}", BASELINE, "--autoeval-fail-on=drop:5%", "-n", "2"
    )
    assert result.ret == 1
    for words in (
        NAMED,
        "significantly worse",
        f"the baseline is of another model ({GOOD})",
        f"{WORSE} is worse than {GOOD}",
    ):
        assert words in text_of(result)
    unchanged = run(*MANY, f"--autoeval-model={GOOD}", BASELINE, "--autoeval-fail-on=drop:5%")
    assert unchanged.ret == 0
    assert f"{GOOD} is not worse than in the baseline: 0.0 points over 90 pairs" in text_of(
        unchanged
    )
    reported = run(*FEW, f"--autoeval-model={WORSE}", BASELINE)
    assert reported.ret == 0, "without a drop to fail on nothing is judged"
    assert NAMED in text_of(reported)
    assert text_of(reported).count(f"the baseline is of another model ({GOOD})") == 1


def test_too_few_samples_are_neither_green_nor_red(before: Callable[..., None], run: Run) -> None:
    before(*FEW)
    result = run(
        *FEW,
        f"--autoeval-model={GOOD}",
        BASELINE,
        "--autoeval-fail-on=drop:5%",
        "--autoeval-results=now.jsonl",
    )
    assert "a drop of 5 points or more is not ruled out; a decision needs about" in text_of(result)
    end = read_file("now.jsonl").end
    assert end is not None
    assert end.verdict == "inconclusive"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_several_runs_are_one_baseline(
    suite: Suite, run: Run, report: Program, workers: str
) -> None:
    """Files and folders, live, with workers and in `report`."""
    suite()
    for number in (1, 2, 3):
        run(*FEW, f"--autoeval-model={GOOD}", f"--autoeval-results=runs/{number}.jsonl")
    against = (
        "--autoeval-baseline=runs",
        "--autoeval-baseline=runs/2.jsonl",
        "--autoeval-fail-on=drop:5%",
    )
    result = run(
        *FEW, f"--autoeval-model={GOOD}", *against, "--autoeval-results=now.jsonl", "-n", workers
    )
    for words in (
        "the baseline is 3 runs: 1.jsonl, 2.jsonl, 3.jsonl",
        "the repeats differ: 1 (baseline: 3)",
        "over 9 pairs",
    ):
        assert words in text_of(result)
    again = report(
        "now.jsonl", "--baseline=runs", "--baseline=runs/2.jsonl", "--fail-on=drop:5%", code=10
    ).out
    assert "the baseline is 3 runs: 1.jsonl, 2.jsonl, 3.jsonl" in again
    assert (
        text_of(result).partition("whether")[2][:200]
        == " ".join(again.split()).partition("whether")[2][:200]
    )


def test_parts_of_a_run_in_a_folder_are_one_baseline(suite: Suite, run: Run) -> None:
    suite()
    for part in (1, 2):
        run(
            *FEW,
            f"--autoeval-model={GOOD}",
            f"--autoeval-shard={part}/2",
            f"--autoeval-results=parts/{part}.jsonl",
        )
    result = run(*FEW, f"--autoeval-model={GOOD}", "--autoeval-baseline=parts")
    assert "the baseline is 1 run: 1.jsonl, 2.jsonl" in text_of(result)
    assert "the repeats differ" not in text_of(result)
    refused = run(*FEW, "--autoeval-baseline=parts/1.jsonl")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert "the baseline is part 1/2 of a run" in text_of(refused)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            ("--autoeval-baseline=empty",),
            "empty: there are no results in this folder (*.jsonl",
        ),
        (("--autoeval-baseline=mixed",), "mixed/notes.jsonl:1"),
        (
            ("--autoeval-baseline=base.jsonl", "--autoeval-results=link.jsonl"),
            "would overwrite the baseline",
        ),
        (
            ("--autoeval-baseline=mixed", "--autoeval-results=mixed/new.jsonl"),
            "would be in the folder of the baseline",
        ),
        (
            (BASELINE, "--autoeval-baseline-model=gpt-5-mni"),
            f"--autoeval-baseline-model: there is no model of the baseline 'gpt-5-mni'; known are: {GOOD}",
        ),
    ],
)
def test_a_baseline_that_cannot_be_used_is_refused_before_anything_runs(
    before: Callable[..., None], run: Run, options: tuple[str, ...], complaint: str
) -> None:
    before(*FEW)
    Path("link.jsonl").symlink_to("base.jsonl")
    Path("empty", "below").mkdir(parents=True)
    Path("mixed").mkdir()
    Path("mixed", "notes.jsonl").write_text("{}\n", encoding="utf-8")
    kept = Path("base.jsonl").read_bytes()
    result = run(*FEW, *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert complaint in text_of(result)
    assert Path("base.jsonl").read_bytes() == kept


def test_a_new_model_is_compared_with_the_named_model_of_the_baseline(
    suite: Suite, run: Run, report: Program
) -> None:
    suite()
    models = (f"--autoeval-model={GOOD}", f"--autoeval-model={WORSE}")
    run(*FEW, *models, "--autoeval-results=base.jsonl")
    new = "--autoeval-model=offline/faithful"
    unnamed = text_of(run(*FEW, new, BASELINE, "--autoeval-results=now.jsonl"))
    several = (
        f"the baseline has several models for this suite, but not offline/faithful: {WORSE}, {GOOD}"
    )
    assert f"not compared: {several} (--autoeval-baseline-model=NAME names one)" in unnamed
    for workers in ("0", "2"):
        named = text_of(
            run(*FEW, new, BASELINE, f"--autoeval-baseline-model={WORSE}", "-n", workers)
        )
        assert f"the baseline is of another model ({WORSE})" in named
    told = report("now.jsonl", "--baseline=base.jsonl", f"--baseline-model={WORSE}").out
    assert f"the baseline is of another model ({WORSE})" in " ".join(told.split())
    wrong = report("now.jsonl", "--baseline=base.jsonl", "--baseline-model=other", code=2).err
    assert "there is no model of the baseline 'other'; known are:" in wrong


def test_another_seed_is_said_first(before: Callable[..., None], run: Run) -> None:
    before(*FEW)
    result = run(
        *FEW,
        f"--autoeval-model={GOOD}",
        BASELINE,
        "--autoeval-fail-on=drop:5%",
        "--autoeval-seed=3",
    )
    text = text_of(result)
    assert text.count("the baseline is of another seed (0; this run: 3)") == 1
    assert "0 of 9 formulas are the same" in text
    assert "more samples" not in text_of(result)


def test_suites_without_pytest_take_several_baselines(
    before: Callable[..., None], tmp_path: Path
) -> None:
    before(*FEW)
    options: dict[str, Any] = {
        "operators": "4:7",
        "samples": 3,
        "models": [GOOD],
        "shrink_budget": 0,
    }
    for number in (1, 2):
        Report(run_suites(["propositional"], **options)).write_results(
            tmp_path / "runs" / f"{number}.jsonl"
        )
    for baseline in (
        tmp_path / "runs",
        [tmp_path / "runs" / "1.jsonl", str(tmp_path / "runs" / "2.jsonl")],
    ):
        report = Report(
            run_suites(["propositional"], **options, baseline=baseline, fail_on="drop:5%")
        )
        assert report.analysis.baseline_name == "2 runs: 1.jsonl, 2.jsonl"
        (gate,) = report.analysis.comparisons
        assert {len(pair.before) for pair in gate.compared.pairs} == {2}
    one = Report(
        run_suites(["propositional"], **options, baseline=str(tmp_path / "runs" / "1.jsonl"))
    )
    assert one.analysis.baseline_name == "1.jsonl"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"fail_on": "drop:5%"}, "fail_on= needs baseline=, the results to compare with"),
        ({"baseline_model": "m"}, "baseline_model= needs baseline="),
        ({"baseline": "nowhere.jsonl"}, "nowhere.jsonl: there is no such file"),
        (
            {"baseline": "base.jsonl", "baseline_model": "m"},
            "there is no model of the baseline 'm'",
        ),
    ],
)
def test_suites_without_pytest_refuse_a_baseline_before_anything_is_paid(
    before: Callable[..., None], options: dict[str, Any], problem: str
) -> None:
    before(*FEW)
    with pytest.raises(AutoevalError, match=problem):
        next(run_suites(["propositional"], ["offline/faithful"], **options))
