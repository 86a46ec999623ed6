"""What the record of a run holds: what was asked, the parts of a task of the user's, and suites by their numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from support.documents_read import read_summary, sections
from support.program import Program

from pytest_autoeval import read_results
from pytest_autoeval.record.lines import RunEnd

Suite: TypeAlias = Callable[..., Path]
Run: TypeAlias = Callable[..., pytest.RunResult]

CONFTEST = """
from pytest_autoeval import Judgement, Part, Task


class Scores(Part, frozen=True):
    right: float
    by_kind: dict[str, int]


class Problem(Part, frozen=True):
    text: str | None = None


class Kinds(Part, frozen=True):
    names: list[str]


class Lengths(Task):
    name = "lengths"

    def slots(self, trial):
        return {"formula": str(trial.about.formula)}

    def judge(self, answer, trial):
        trial.add(Kinds(names=["short", "long"]))
        scores = Scores(right=SCORE, by_kind={"short": len(answer)})
        return Judgement(outcome="correct", parts=(scores, Problem(text=answer)))


class Fixed:
    def complete(self, messages, *, repeat=0):
        return "seven"


def pytest_autoeval_register(registry):
    registry.add_task(Lengths())
    registry.add_prompts("prompts")
    registry.add_model("fixed", Fixed)
"""
TASK = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(1, 3), samples=2, task="lengths", threshold=1.0)
def test_lengths(sample, perform):
    perform(sample)
"""
PROMPT = 'system = "Say how long a formula is."\nuser = "Formula: ${formula}"\n'


def project(score: str) -> None:
    Path("conftest.py").write_text(CONFTEST.replace("SCORE", score), "utf-8")
    Path("prompts/lengths").mkdir(parents=True)
    Path("prompts/lengths/propositional.toml").write_text(PROMPT, "utf-8")


def test_a_task_with_parts_of_any_names_runs(suite: Suite, run: Run, report: Program) -> None:
    project("0.5")
    suite(TASK)
    assert run("--autoeval-model=fixed", "--autoeval-results=r.jsonl").ret == 0
    (recorded,) = read_results("r.jsonl").suites
    assert recorded.asked.task == "lengths"
    assert len(recorded.samples) == 4
    for sample in recorded.samples:
        assert sample.outcome == "correct"
        assert [*sample.parts] == ["kinds", "problem", "scores"]
    flat = read_results("r.jsonl").rows()[0]
    assert (flat["scores.right"], flat["problem.text"], flat["kinds.names"]) == (
        0.5,
        "seven",
        ["short", "long"],
    )
    assert "the suite passed" in report("r.jsonl", "--summary=s.json").err


def test_a_part_that_cannot_be_written_is_an_error_of_its_sample(suite: Suite, run: Run) -> None:
    project('"half"')
    suite(TASK)
    ran = run("--autoeval-model=fixed", "--autoeval-results=r.jsonl")
    assert ran.ret == 1
    (recorded,) = read_results("r.jsonl").suites
    errors = {sample.error for sample in recorded.samples}
    assert {sample.outcome for sample in recorded.samples} == {"error"}
    assert all(
        "the part 'scores' cannot be written: Expected `float`, got `str`" in (error or "")
        for error in errors
    )


def test_the_record_says_what_was_asked(suite: Suite, run: Run) -> None:
    suite()
    asked = (
        "--autoeval-temperature=0.7",
        "--autoeval-max-tokens=300",
        '--autoeval-parameters={"seed": 5, "key": "k"}',
    )
    assert run("--autoeval-results=r.jsonl", "--autoeval-seed=3", *asked).ret == 0
    results = read_results("r.jsonl")
    (recorded,) = results.suites
    line = recorded.asked
    assert (line.temperature, line.max_tokens, line.parameters_sent["seed"]) == (0.7, 300, 5)
    assert "k" not in line.parameters_sent.values()
    assert (line.number, line.prompting, line.language, line.planned) == (
        1,
        "zero-shot",
        "propositional",
        16,
    )
    assert results.run.seed == 3
    assert {sample.seed for sample in results.samples} == {3}
    assert all(
        call.model and call.prompt_digest for sample in results.samples for call in sample.calls
    )
    assert results.end == RunEnd(
        verdict="reported",
        exit_code=0,
        reasons=("16 of 16 samples passed; no threshold was given",),
    )


def test_a_baseline_that_was_asked_differently_is_said_first(
    suite: Suite, run: Run, report: Program
) -> None:
    suite()
    run("--autoeval-results=before.jsonl", "--autoeval-temperature=0.1")
    run("--autoeval-results=after.jsonl", "--autoeval-temperature=1", "--autoeval-max-tokens=300")
    said = report("after.jsonl", "--baseline=before.jsonl").out
    assert said.count("the temperature differs: 1.0 (baseline: 0.1)") == 1


def test_two_suites_with_one_display_name_are_two_in_every_report(
    suite: Suite, run: Run, report: Program
) -> None:
    suite(more=", threshold=0.9")
    run(
        "--autoeval-results=r.jsonl",
        "--autoeval-model=offline/faithful",
        "--autoeval-model=offline/negation-scope",
    )
    text = Path("r.jsonl").read_text("utf-8").replace("offline/negation-scope", "offline/faithful")
    Path("r.jsonl").write_text(text, "utf-8")
    outputs = ("--summary=s.json", "--markdown=s.md", "--html=s.html")
    shown = report("r.jsonl", *outputs, code=1).err
    suites = sections(read_summary("s.json"), "suite")
    assert [one["suite"]["model"] for one in suites] == ["offline/faithful", "offline/faithful"]
    assert len({one["suite"]["number"] for one in suites}) == 2
    assert {one["state"] for one in suites} == {"passed", "failed"}
    assert "1 of 2 suites failed" in shown
    assert "1 of 2 suites failed" in Path("s.md").read_text("utf-8")
    assert "1 of 2 suites failed" in Path("s.html").read_text("utf-8")
