"""An answer without the form of its task is asked for once more, by `--autoeval-reask` or its ini key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Rows, Run, Suite, said

JUDGE = """
import pytest

@pytest.mark.autoeval("judge_propositional", task="judge", operators=range(1, 4), samples=4, threshold=0.9)
def test_judge(sample, perform):
    perform(sample)
"""
#: Gives its reasons, or is cut off, and gives the label when it is asked for one line; it never wrote a formula.
MODEL = """
from pytest_autoeval.models.base import Reply

class Rambler:
    def complete(self, messages, *, repeat=0):
        if messages[-1].content.startswith("Answer with one line"):
            return "Answer: yes"
        if "First formula" not in messages[1].content:
            return "I would rather not."
        return Reply("Both say the same in every case.", finish_reason="{finish}")

def pytest_autoeval_register(registry):
    registry.add_model("rambler", Rambler)
"""
RAMBLER = ("--autoeval-model=rambler", "--autoeval-results=out.jsonl")


def rambler(pytester: pytest.Pytester, finish: str = "stop") -> None:
    pytester.makeconftest(MODEL.replace("{finish}", finish))


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
@pytest.mark.parametrize(("finish", "before"), [("stop", "unreadable answer"), ("length", "truncated")])
def test_the_label_is_asked_for_in_the_same_conversation(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows, finish: str, before: str, workers: tuple[str, ...]
) -> None:
    suite(JUDGE)
    rambler(pytester, finish)
    run(*RAMBLER, *workers).assert_outcomes(failed=1)
    plain = rows("out.jsonl")
    assert {(row["outcome"], len(row["calls"])) for row in plain} == {(before, 1)}
    assert not any("asked_again" in row for row in plain)

    result = run(
        *RAMBLER, "--autoeval-reask", "--autoeval-summary=out.json", "--autoeval-github-summary=out.md", *workers
    )
    found = rows("out.jsonl")
    assert {row["outcome"] for row in found} == {"correct", "wrong answer"}
    assert {(row["asked_again"], row["answer"], row["first_outcome"]) for row in found} == {
        (True, "Answer: yes", before)
    }
    assert {row["first_answer"] for row in found} == {"Both say the same in every case."}
    first, second = found[0]["calls"]
    assert (first["stage"], second["stage"]) == ("judge", "judge asked again")
    roles = [message["role"] for message in second["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert f"asked again {len(found)}" in said(result)
    assert f"{2 * len(found)} calls" in said(result)
    assert json.loads(Path("out.json").read_text("utf-8"))["suites"][0]["asked_again"] == len(found)
    assert "### Asked again" in Path("out.md").read_text("utf-8")


def test_an_answer_in_its_form_is_not_asked_for_again(suite: Suite, run: Run, rows: Rows) -> None:
    suite(JUDGE)
    run("--autoeval-reask", "--autoeval-results=out.jsonl").assert_outcomes(passed=1)
    assert {(row["asked_again"], len(row["calls"])) for row in rows("out.jsonl")} == {(False, 1)}


def test_the_ini_key_does_the_same(pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows) -> None:
    suite(JUDGE)
    rambler(pytester)
    pytester.makeini("[pytest]\nautoeval_reask = true\n")
    run(*RAMBLER)
    assert {row["asked_again"] for row in rows("out.jsonl")} == {True}


def test_a_formula_is_never_asked_for_again(suite: Suite, run: Run, rows: Rows, pytester: pytest.Pytester) -> None:
    suite()
    rambler(pytester)
    run(*RAMBLER, "--autoeval-reask").assert_outcomes(passed=1)
    assert {(row["outcome"], len(row["calls"])) for row in rows("out.jsonl")} == {("unparseable", 2)}
    assert not any("asked_again" in row for row in rows("out.jsonl"))


def test_the_refined_answer_is_the_one_that_is_asked_for_again(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    suite(JUDGE)
    rambler(pytester)
    result = run(*RAMBLER, "--autoeval-reask", "--autoeval-prompting=self-refine", "-v")
    stages = {tuple(call["stage"] for call in row["calls"]) for row in rows("out.jsonl")}
    assert stages == {("judge", "judge refined", "judge asked again")}
    assert [message["role"] for message in rows("out.jsonl")[0]["calls"][-1]["messages"]][-4:] == [
        *("assistant", "user", "assistant", "user")
    ]
    assert "refined right" not in said(result)  # what refining alone would have come to is not known


def test_a_recorded_run_is_replayed_and_a_run_of_the_other_setting_is_not_compared(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    suite(JUDGE)
    rambler(pytester)
    run(*RAMBLER, "--autoeval-reask", "--autoeval-record-mode=all").assert_outcomes(failed=1)
    replayed = run("--autoeval-model=rambler", "--autoeval-reask", "--autoeval-record-mode=none", "-v")
    assert "100.0 % replayed" in said(replayed)
    compared = run("--autoeval-model=rambler", "--autoeval-baseline=out.jsonl", "--autoeval-fail-on=drop:5%")
    shown = " ".join(said(compared).split())
    assert "this run has reask=off, and the baseline reask=on (--autoeval-reask)" in shown


def test_the_plan_counts_every_answer_as_asked_for_again(suite: Suite, run: Run) -> None:
    suite(JUDGE)
    plain, again = (
        said(run("--autoeval-plan", "--autoeval-model=gpt-5-mini", *more)) for more in ((), ("--autoeval-reask",))
    )
    (samples, calls), (_, more) = (
        next(line.split()[:2] for line in text.splitlines() if line.endswith("in all")) for text in (plain, again)
    )
    assert (int(calls), int(more)) == (int(samples), 2 * int(samples))
