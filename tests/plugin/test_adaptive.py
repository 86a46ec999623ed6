"""`--autoeval-adaptive`: sizes are chosen by earlier answers, the same ones however the run goes."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_autoeval.reporting.row import Row, without_times

from .conftest import Rows, Run, Suite, said

#: No server, no network, no words. What is asked fails or not by a draw of its own that leans on its size.
QUICK = """
import random
import pytest

@pytest.mark.autoeval("propositional", operators=range(0, 31), samples=20{more})
def test_quick(sample):
    chance = random.Random(f"{sample.operators} {sample.index}").random()
    assert chance < 1 / (1 + 2.718 ** ((sample.operators - 12) / 2))
"""
BASE = ("--autoeval-adaptive", "--autoeval-shrink-budget=0", "-p", "no:randomly")


def lasting(rows: list[dict[str, object]]) -> list[Row]:
    return [without_times(Row.from_json(row)) for row in rows]


def test_few_samples_find_the_horizon_and_the_report_says_the_same(suite: Suite, run: Run, rows: Rows) -> None:
    suite(QUICK, ", threshold=0.3, horizon={0.8: 5}")
    files = ("--autoeval-results=out.jsonl", "--autoeval-summary=run.json", "--junit-xml=junit.xml")
    result = run(*BASE, "--autoeval-precision=20%", *files)
    found = rows("out.jsonl")
    assert 60 <= len(found) < 620 / 4
    assert len([row for row in found if 7 <= row["operators"] <= 17]) > len(found) / 2
    indices: dict[int, list[int]] = {}
    for row in found:
        indices.setdefault(row["operators"], []).append(row["index"])
    assert all(sorted(some) == list(range(len(some))) for some in indices.values())
    assert max(map(len, indices.values())) > 3
    assert {row["planned"] for row in found} == {len(found)}
    assert found[0]["adaptive"]["most"] == 620
    assert result.ret == 0
    ended = f"adaptive: {len(found)} of at most 620 samples; horizon 80 % known to ±"
    result.stdout.fnmatch_lines(["* fitted *", f"*{ended}*"])
    [one] = json.loads(Path("run.json").read_text())["suites"]
    assert 0.3 < one["fitted_rate"]["low"] < one["fitted_rate"]["rate"] < one["fitted_rate"]["high"] < 0.6
    assert "fitted pass rate" in one["reason"]
    assert f'name="autoeval.rate" value="{one["fitted_rate"]["rate"]:.6g}"' in Path("junit.xml").read_text()


def test_the_same_samples_run_with_any_workers_and_concurrency(suite: Suite, run: Run, rows: Rows) -> None:
    suite(QUICK)
    found = {}
    for name, arguments in {"alone": (), "one": ("--autoeval-concurrency=1",), "two": ("-n", "2")}.items():
        run(*BASE, *arguments, f"--autoeval-results={name}.jsonl")
        found[name] = lasting(rows(f"{name}.jsonl"))
    assert len({len(some) for some in found.values()}) == 1
    assert found["one"] == found["alone"]
    assert found["two"] == found["alone"]


def test_calls_are_a_limit_and_a_run_replays(suite: Suite, run: Run, rows: Rows) -> None:
    suite()
    base = (
        *("--autoeval-adaptive=70", "--autoeval-precision=1%", "--autoeval-operators=0:20"),
        *("--autoeval-shrink-budget=0", "--autoeval-model=offline/student?strength=0.9"),
    )
    result = run(*base, "--autoeval-record-mode=once", "--autoeval-results=first.jsonl")
    first = rows("first.jsonl")
    assert 60 <= sum(len(row["calls"]) for row in first) <= 70
    ended = "*adaptive: ended before the precision of ±1 % was reached: 35 samples, 70 of at most 70 calls"
    result.stdout.fnmatch_lines(["*horizon 50 %", ended])
    run(*base, "--autoeval-record-mode=none", "--autoeval-results=second.jsonl")
    assert all(call["replayed"] for row in rows("second.jsonl") for call in row["calls"])
    assert lasting(rows("second.jsonl")) == lasting(first)
    run(*base, "--autoeval-plan").stdout.fnmatch_lines(["*35 * 70 *in all"])


def test_errors_say_nothing_of_the_model_and_end(suite: Suite, run: Run, rows: Rows) -> None:
    broken = "    if sample.index > 2:\n        raise OSError('no route to host')\n    assert"
    suite(QUICK.replace("    assert", broken))
    result = run(*BASE, "--autoeval-operators=8:16", "--autoeval-samples=10", "--autoeval-results=out.jsonl")
    assert result.ret == 1
    assert len(rows("out.jsonl")) <= 80
    result.stdout.fnmatch_lines(["*samples ended in an error*"])


def test_a_suite_with_no_choice_runs_whole(suite: Suite, run: Run, rows: Rows) -> None:
    suite(QUICK)
    result = run(*BASE, "--autoeval-operators=1:3", "--autoeval-results=out.jsonl")
    assert len(rows("out.jsonl")) == 40
    assert "adaptive" not in rows("out.jsonl")[0]
    result.stdout.fnmatch_lines(["note: --autoeval-adaptive: a suite with fewer than 3 sizes*runs all samples"])


def test_a_baseline_of_the_other_kind_is_refused_by_name(suite: Suite, run: Run) -> None:
    suite(QUICK)
    fixed = ("--autoeval-shrink-budget=0", "--autoeval-samples=1")
    adaptive = (*BASE, "--autoeval-operators=9:15", "--autoeval-samples=8")
    run(*fixed, "--autoeval-results=fixed.jsonl")
    run(*adaptive, "--autoeval-results=adaptive.jsonl")
    drop = "--autoeval-fail-on=drop:5%"
    for how, baseline, why in (
        (adaptive, "fixed", "this run is adaptive (--autoeval-adaptive), and the baseline is not"),
        (fixed, "adaptive", "the baseline is adaptive (--autoeval-adaptive), and this run is not"),
        (adaptive, "adaptive", "both runs are adaptive"),
    ):
        result = run(*how, f"--autoeval-baseline={baseline}.jsonl", drop)
        assert result.ret == 10
        assert f"not compared: {why}" in " ".join(said(result).split())
