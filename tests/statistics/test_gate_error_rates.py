"""What the gates promise, kept in simulation: the benchmark of the same name with fewer runs.

Each bound is the promise, plus or minus four standard deviations of what so many runs show.
"""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any

import gate_error_rates
import numpy as np
import pytest
from gate_rates.cells import Cell, Figures, Promise, Results, Table, Value, markdown
from gate_rates.verdicts import judged
from gate_rates.worlds import World
from support.analyses import analyse, baseline_of
from support.result_rows import row

from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample


def share(measure: str, figure: str, runs: int, **arguments: Any) -> float:
    figures = gate_error_rates.MEASURES[measure](runs, np.random.default_rng(1), **arguments)
    count, total = figures[figure]  # type: ignore[misc]
    return float(count / total)


def at_most(promised: float, number: int) -> float:
    return promised + 4 * sqrt(promised * (1 - promised) / number)


def at_least(promised: float, number: int) -> float:
    return promised - 4 * sqrt(promised * (1 - promised) / number)


WORLDS: dict[str, dict[str, Any]] = {
    "one suite": {"formulas": 200},
    "five suites": {"suites": 5, "formulas": 60},
    "repeats": {"formulas": 60, "repeats": 5, "repeats_after": 5, "alike": 0.5},
    "1 and 5 repeats": {"formulas": 60, "repeats_after": 5, "alike": 0.5},
    "5 and 1 repeats": {"formulas": 60, "repeats": 5, "alike": 0.0},
    "shared formulas": {"suites": 4, "formulas": 60, "shared": 4, "correlation": 1.0},
    "documents": {"formulas": 60, "rows": 10, "correlation": 1.0},
    "errors": {"formulas": 60, "errors": 0.03},
    "errors instead of failures": {"formulas": 60, "errors": 0.03, "hiding": True},
    "two models": {"suites": 3, "models": 2},
    "looks": {"formulas": 100, "looks": True},
}


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_an_unchanged_model_is_seldom_red(world: dict[str, Any]) -> None:
    assert share("verdicts", "red", 200, asked=0.05, **world) <= at_most(0.05, 200)


@pytest.mark.parametrize("figure", ["green", "each"])
@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_with_the_drop_in_question_a_model_is_seldom_green(
    world: dict[str, Any], figure: str
) -> None:
    assert share("verdicts", figure, 200, asked=0.05, drop=0.05, **world) <= at_most(0.05, 200)


def test_without_clusters_shared_formulas_would_mislead_the_gate() -> None:
    """What the clusters are for: the same run, judged as if all formulas were different."""
    together, apart = World(suites=8, shared=8, correlation=1.0), World(suites=8)
    reds = 0
    for run in together.runs(200, np.random.default_rng(2)):
        reds += judged(apart, Rules(drop=0.05), run)[0].fell
    assert reds / 200 > 0.15


def test_a_fall_of_all_suites_is_found_with_far_fewer_answers() -> None:
    asked = {"suites": 10, "drop": 0.05, "falling": "all", "churn": 0.1}
    old, new = (
        gate_error_rates.MEASURES["calls_needed"](60, np.random.default_rng(3), old=old, **asked)[
            "calls"
        ]
        for old in (True, False)
    )
    assert isinstance(old, float)
    assert isinstance(new, float)
    assert new < 0.5 * old


def _samples(world: World, codes: Any, *, after: bool) -> list[Sample]:
    """One of the two runs of a simulated comparison, as the samples of a results file."""
    samples = []
    repeats = world.repeats_after if after else world.repeats
    for suite, formulas in enumerate(codes):
        for number, code in enumerate(formulas.tolist()):
            sides = divmod(code, world.base_after)
            passed, lost = divmod(sides[after], repeats + 1)
            outcomes = (
                ["equivalent"] * passed
                + ["error"] * lost
                + ["different"] * (repeats - passed - lost)
            )
            name = f"p{number}" if world.shared > 1 else f"p{suite}_{number}"
            samples += [
                row(
                    outcome,
                    suite=f"t.py::test_{suite}",
                    model="m",
                    index=number,
                    repeat=repeat,
                    formula=name,
                )
                for repeat, outcome in enumerate(outcomes)
            ]
    return samples


@pytest.mark.parametrize(
    "world",
    [
        World(suites=4, formulas=40, churn=0.2, drop=0.1),
        World(suites=4, formulas=40, shared=4, correlation=1.0, drop=0.1),
        World(suites=2, formulas=40, repeats_after=3, alike=0.5, errors=0.05, drop=0.1),
    ],
    ids=["apart", "shared formulas", "repeats and errors"],
)
def test_the_simulation_judges_as_the_product(world: World) -> None:
    rules = Rules(drop=0.05)
    for codes in world.runs(4, np.random.default_rng(4)):
        (simulated,) = judged(world, rules, codes)
        baseline = baseline_of(_samples(world, codes, after=False))
        (whole,) = analyse(_samples(world, codes, after=True), rules, baseline=baseline).whole_runs
        assert whole.bounds == simulated.whole
        assert whole.verdict == simulated.decision
        assert sorted(gate.suite for gate in whole.by_themselves) == [
            f"t.py::test_{suite}" for suite, fell in enumerate(simulated.alone) if fell
        ]
        assert len(whole.fallen) == sum(simulated.listed)


@pytest.mark.parametrize("samples", [50, 400])
@pytest.mark.parametrize("threshold", [0.85, 0.97])
@pytest.mark.parametrize("looks", [False, True])
def test_at_the_threshold_neither_side_errs_more_often_than_promised(
    threshold: float, samples: int, looks: bool
) -> None:
    asked = {
        "samples": samples,
        "rate": threshold,
        "at": threshold,
        "rule": "interval",
        "looks": looks,
    }
    for figure in ("passed", "failed"):
        assert share("threshold", figure, 500, **asked) <= at_most(0.025, 500)


@pytest.mark.parametrize("size", [{"repeats": 5}, {"rows": 10}], ids=["repeats", "documents"])
def test_the_interval_of_a_rate_errs_seldom_because_it_knows_of_clusters(
    size: dict[str, int],
) -> None:
    asked = {"formulas": 60, "correlation": 1.0, "rate": 0.8, **size}
    for side in ("above", "below"):
        assert share("clustered", f"aware {side}", 300, **asked) <= at_most(0.025, 300)
    assert share("clustered", "naive below", 300, **asked) > 0.1


@pytest.mark.parametrize("measure", ["mean_over_suites", "mean_rank"])
def test_the_interval_of_a_mean_over_suites_holds_it_also_if_they_share_formulas(
    measure: str,
) -> None:
    more = {"rate": 0.85} if measure == "mean_over_suites" else {}
    asked = {"suites": 8, "formulas": 60, "shared": 8, "correlation": 1.0, **more}
    assert share(measure, "aware", 100, **asked) >= at_least(0.9, 100)
    assert share(measure, "naive", 100, **asked) < 0.9


def test_repeats_that_agree_mislead_the_conditional_test_alone() -> None:
    asked = {"formulas": 60, "repeats_after": 5}
    both, conditional = (
        share("unequal_repeats", name, 200, **asked) for name in ("both", "conditional")
    )
    assert both <= at_most(0.05, 200)
    assert conditional > 0.1


@pytest.mark.parametrize(
    "world", [{"formulas": 100}, {"formulas": 60, "repeats": 5, "repeats_after": 5, "alike": 0.5}]
)
def test_the_power_that_is_named_is_the_power_that_a_run_has(world: dict[str, Any]) -> None:
    for figure in ("found", "enough to find", "enough to exclude"):
        assert share("power", figure, 150, level_of=5, drop=0.08, **world) >= at_least(0.8, 150)


# ---- the script ----


def test_the_script_prints_each_promise_and_goes_on_where_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept.jsonl"
    asked = [
        "--runs",
        "40",
        "--only",
        "few-samples",
        "--only",
        "others",
        "--jobs",
        "1",
        "--results",
        str(kept),
    ]
    assert gate_error_rates.main(asked) == 0
    printed = capsys.readouterr()
    assert "### Rule `point`: how often chance decides\n" in printed.out
    assert "| 2 equal models on 6 suites: any pair is marked | ≤ 5.0 % |" in printed.out
    lines = kept.read_text(encoding="utf-8").splitlines()
    kept.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    assert gate_error_rates.main(asked) == 0
    again = capsys.readouterr()
    assert again.out == printed.out
    assert again.err.startswith("1/1 cells")
    assert kept.read_text(encoding="utf-8").splitlines() == lines
    assert gate_error_rates.main([*asked[2:], "--runs", "30", "--print"]) == 0
    assert "…" in capsys.readouterr().out, "other numbers of runs are other cells"


def _held(runs: int, random: np.random.Generator, *, times: int) -> Figures:
    return {"red": (times, runs)}


@pytest.mark.parametrize(
    ("times", "shown"), [(50, "5.0 %"), (57, "5.7 % ≈"), (90, "9.0 % **broken**")]
)
def test_a_broken_promise_has_a_mark_unless_chance_explains_it(
    tmp_path: Path, times: int, shown: str
) -> None:
    cell = Cell("held", {"times": times})
    table = Table("Falls", ["suites", "red"], [["one", Value(cell, "red", Promise(0.05))]])
    results = Results(tmp_path / "kept.jsonl", runs=1000, seed=1)
    results.simulate([cell], {"held": _held}, jobs=1)
    text, broken = markdown(table, results, 0.001)
    assert f"| one | {shown} |" in text
    assert broken == (["Falls: one: red: 9.0 %"] if "broken" in shown else [])
    assert json.loads((tmp_path / "kept.jsonl").read_text())["figures"] == {"red": [times, 1000]}


def test_a_promise_of_at_least_is_broken_from_below() -> None:
    promise = Promise(0.8, at_least=True)
    assert str(promise) == "≥ 80.0 %"
    assert promise.broken_by((60, 100), 0.001)
    assert promise.missed_by((79, 100))
    assert not promise.broken_by((79, 100), 0.001)
    assert not promise.missed_by((80, 100))
