"""`--autoeval-api-seeds`: one repeat for each seed, which is sent, recorded and joined."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.chat_server import ChatServer
from support.program import Program

from pytest_autoeval import AutoevalError, read_results, run_suites
from pytest_autoeval.record.lines import SuiteRecord

from .conftest import Run, Suite, said

STUDENT = "--autoeval-model=offline/student?strength=0.8"


def test_each_repeat_sends_its_seed(
    suite: Suite, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    suite()
    with ChatServer() as server:
        address = f"--autoeval-base-url={server.url}"
        run(
            "--autoeval-model=m",
            address,
            "--autoeval-api-seeds=26,3",
            "--autoeval-results=out.jsonl",
        )
        assert {request.body["seed"] for request in server.requests} == {26, 3}
    results = read_results("out.jsonl")
    assert [one.asked.api_seeds for one in results.suites] == [(26, 3)]
    assert {sample.repeat for sample in results.samples} == {0, 1}


def test_runs_with_other_seeds_are_one_with_more_repeats(
    suite: Suite, run: Run, program: Program
) -> None:
    suite()
    assert run(STUDENT, "--autoeval-api-seeds=3,12,26", "--autoeval-results=all.jsonl").ret == 0
    for seed in ("12", "3", "26"):
        assert (
            run(STUDENT, f"--autoeval-api-seeds={seed}", f"--autoeval-results={seed}.jsonl").ret
            == 0
        )
    [together] = read_results("all.jsonl").suites
    [joined] = read_results(["12.jsonl", "3.jsonl", "26.jsonl"]).suites
    assert joined.asked.api_seeds == (12, 3, 26)
    assert joined.asked.planned == together.asked.planned

    def answers(record: SuiteRecord, seeds: tuple[int, ...]) -> set[tuple[object, ...]]:
        return {(one.size, one.index, seeds[one.repeat], one.answer) for one in record.samples}

    assert answers(joined, (12, 3, 26)) == answers(together, (3, 12, 26))
    shown = program("report", "12.jsonl", "3.jsonl", "26.jsonl").text
    assert "pass rate over repeats" in shown
    assert "± " in shown or "±" in shown
    again = program("report", "12.jsonl", "12.jsonl", "3.jsonl").text
    assert "occurred twice with the same content and counted once" in again


def test_a_run_with_seeds_is_not_joined_with_one_without(suite: Suite, run: Run) -> None:
    suite()
    run(STUDENT, "--autoeval-api-seeds=0", "--autoeval-results=with.jsonl")
    run(STUDENT, "--autoeval-results=without.jsonl")
    assert len(read_results(["with.jsonl", "without.jsonl"]).suites) == 2


def test_a_counterexample_is_asked_again_with_the_seeds(suite: Suite, run: Run) -> None:
    suite()
    run(
        STUDENT,
        "--autoeval-api-seeds=3,12",
        "--autoeval-summary=out.json",
        "--autoeval-threshold=1",
    )
    assert "--autoeval-api-seeds=3,12" in Path("out.json").read_text("utf-8")
    assert "--autoeval-repeats" not in Path("out.json").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--autoeval-api-seeds=3,3",), "'3,3' has a seed twice"),
        (("--autoeval-api-seeds=x",), "'x' is not an integer ≥ 0"),
        (
            ("--autoeval-api-seeds=3,4", "--autoeval-repeats=2"),
            "cannot be combined with --autoeval-repeats",
        ),
        (
            ("--autoeval-api-seeds=3", '--autoeval-parameters={"seed": 1}'),
            "cannot be combined with --autoeval-parameters: they have a seed too",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(
    suite: Suite, run: Run, options: tuple[str, ...], problem: str
) -> None:
    suite()
    result = run(*options)
    assert result.ret == 4
    assert problem in said(result)


@pytest.mark.parametrize("more", [{"repeats": 2}, {"parameters": {"seed": 1}}])
def test_a_run_without_pytest_refuses_it_too(more: dict[str, Any]) -> None:
    with pytest.raises(AutoevalError, match=r"api_seeds= cannot be combined with \w+=: "):
        list(
            run_suites(["propositional"], ["offline/faithful"], samples=1, api_seeds="3,4", **more)
        )
