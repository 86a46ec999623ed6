"""`horizon=` in the marker: the gate of a suite, in its run and in a report."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from pytest_autoeval.engine.option_values import drop
from pytest_autoeval.running.report_command import main

from .conftest import Rows, Run, Suite, said

#: Of the formulas of each size all pass up to size 4, half of them at 5, none from 6 on.
UP_TO_FIVE = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(10), samples=4, horizon=HORIZON)
def test_up_to_five(sample):
    assert sample.operators < 5 or (sample.operators == 5 and sample.index % 2)
"""
WRONG = ("3", "{}", "{0.9: -1}", "{1.0: 4}", "{0: 4}", "{'high': 4}", "{True: 4}", "{0.9: True}", "{0.9: float('nan')}")


@pytest.mark.parametrize(
    ("asked", "rule", "code"),
    [
        ("{0.5: 4}", "point", 0),
        ("{0.5: 4, 0.9: 7}", "point", 1),
        ("{0.5: 5}", "interval", 10),
        ("{0.5: 8}", "interval", 1),
    ],
)
def test_a_suite_must_carry_as_far_as_its_marker_asks(suite: Suite, run: Run, asked: str, rule: str, code: int) -> None:
    suite(UP_TO_FIVE.replace("HORIZON", asked))
    outputs = ("--autoeval-results=out.jsonl", "--autoeval-summary=run.json")
    result = run(f"--autoeval-gate={rule}", *outputs)
    assert result.ret == code, said(result)
    assert main(["out.jsonl", f"--gate={rule}", "--summary=report.json"]) == code
    in_run, in_report = (json.loads(Path(name).read_text("utf-8"))["suites"][0] for name in ("run.json", "report.json"))
    assert in_run == in_report
    assert in_run["horizon_gate"]["verdict"] == {0: "passed", 1: "failed", 10: "inconclusive"}[code]


def test_a_suite_of_which_a_horizon_is_asked_does_not_stop_early(suite: Suite, run: Run) -> None:
    suite(UP_TO_FIVE.replace("HORIZON", "{0.5: 4}, threshold=0.01"))
    result = run("--autoeval-stop-early")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*autoeval-stop-early: a suite with horizon= in its marker runs all samples*"])
    assert "stopped early" not in said(result)
    typed = run("--autoeval-formula=p1")
    assert typed.ret == 0, "what was typed has the sizes that somebody chose"


def test_a_marker_that_asks_for_no_horizon_is_told_in_a_line(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(**{f"test_{at}": UP_TO_FIVE.replace("HORIZON", text) for at, text in enumerate(WRONG)})
    told = said(run())
    for text in WRONG:
        shown = text.replace("float('nan')", "nan")
        assert f"horizon={shown} is not a dict from rates between 0 and 1 to sizes ≥ 0, such as {{0.9: 10}}" in told


@pytest.mark.parametrize(
    ("text", "falls"),
    [
        ("drop:5%", {"drop": 0.05}),
        ("horizon:0.1", {"horizon": 0.1}),
        (" horizon:10% , drop:5%", {"drop": 0.05, "horizon": 0.1}),
    ],
)
def test_a_drop_may_be_one_of_the_rate_of_the_horizon_or_of_both(text: str, falls: dict[str, float]) -> None:
    assert drop(text) == falls


@pytest.mark.parametrize(
    "text", ["", "5%", "drop:5", "drop:x", "drop:5%,drop:6%", "drop:5%,", "horizon:0%", "horizon:100%", "rate:5%"]
)
def test_any_other_drop_is_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="is not a drop above 0"):
        drop(text)


CONFTEST = '''
from zlib import crc32

from pytest_autoeval.models import Reply
from pytest_autoeval.tasks import Task
from pytest_autoeval.tasks.base import Judgement

class Coin(Task):
    name = "coin"
    chance = CHANCE

    def slots(self, trial):
        return {"formula": f"{trial.about.operators}: {trial.about.formula}"}

    def judge(self, answer, trial):
        return Judgement(outcome="correct" if answer == "yes" else "wrong answer")

class Tosses:
    """Knows formulas of less than eight operators, and tosses a coin for others."""

    def complete(self, messages, repeat=0):
        asked = messages[-1].content
        return Reply("yes" if int(asked.split(":")[0]) < 8 or crc32(asked.encode()) % 2 else "no")

def pytest_autoeval_register(registry):
    registry.add_task(Coin())
    registry.add_prompts("own")
    registry.add_model("tosses", Tosses)
'''
COIN = """
import pytest

@pytest.mark.autoeval("propositional", task="coin", operators=range(17), samples=15)
def test_coin(sample, perform):
    perform(sample)
"""


def coin(pytester: pytest.Pytester, chance: str) -> None:
    pytester.makeconftest(CONFTEST.replace("CHANCE", chance))
    pytester.makepyfile(COIN)
    (pytester.path / "own" / "coin").mkdir(parents=True)
    (pytester.path / "own" / "coin" / "propositional.toml").write_text("user = '${formula}'\n", encoding="utf-8")


@pytest.mark.parametrize("more", [(), ("--autoeval-adaptive", "--autoeval-precision=30%")])
def test_a_report_finds_the_horizon_of_a_task_with_a_chance_from_its_file_alone(
    pytester: pytest.Pytester, run: Run, rows: Rows, more: tuple[str, ...]
) -> None:
    coin(pytester, "0.5")
    options = ("--autoeval-model=tosses", "--autoeval-shrink-budget=0", *more)
    run(*options, "--autoeval-results=out.jsonl", "--autoeval-summary=run.json")
    assert {row["chance"] for row in rows("out.jsonl")} == {0.5}
    Path("conftest.py").unlink()
    assert main(["out.jsonl", "--summary=report.json"]) == 0
    in_run, in_report = (json.loads(Path(name).read_text("utf-8"))["suites"][0] for name in ("run.json", "report.json"))
    assert in_run == in_report
    half = in_run["horizon"]["50"]
    assert (in_run["curves"][0]["chance"], half["bound"]) == (0.5, "")
    assert 6.5 < half["value"] < 9
    assert 0.65 < half["rate"] < 0.85

    # A file from before the key: the level is a pass rate, which a coin hardly falls to.
    old = [{key: value for key, value in row.items() if key != "chance"} for row in rows("out.jsonl")]
    Path("old.jsonl").write_text("".join(json.dumps(row) + "\n" for row in old), encoding="utf-8")
    assert main(["old.jsonl", "--summary=old.json"]) == 0
    [suite] = json.loads(Path("old.json").read_text("utf-8"))["suites"]
    assert suite["curves"][0]["chance"] == 0
    assert suite["horizon"]["50"]["rate"] == 0.5
    assert suite["horizon"]["50"]["value"] != half["value"]


def test_a_chance_that_is_no_rate_is_an_error_that_names_the_task(pytester: pytest.Pytester, run: Run) -> None:
    coin(pytester, "50")
    assert "the task coin: its chance is 50, not a number ≥ 0 and below 1" in said(run("--autoeval-model=tosses"))
