"""What the gates promise, kept in simulation: the benchmark of the same name with fewer runs.

Each bound is the promise, plus or minus four standard deviations of what so many runs show.
"""

from __future__ import annotations

import importlib.util
import sys
from math import sqrt
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "gate_error_rates.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gate_error_rates", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


rates = load()
WORLDS: dict[str, dict[str, Any]] = {
    "one trial": {"formulas": 200},
    "no churn": {"formulas": 120, "churn": 0.0},
    "repeats, formulas break": {"formulas": 60, "repeats": 5, "noisy": 0.7, "churn": 0.02},
    "repeats, all weaken": {"formulas": 60, "repeats": 5, "noisy": 1.0, "breaking": False},
}
UNEQUAL: dict[str, dict[str, Any]] = {
    "1 and 5, independent": {"formulas": 60, "repeats_after": 5, "noisy": 1.0},
    "10 and 1, independent": {"formulas": 60, "repeats": 10, "repeats_after": 1, "noisy": 1.0, "breaking": False},
    "1 and 5, repeats agree": {"formulas": 60, "repeats_after": 5},
}


def runs(number: int, seed: int) -> object:
    return rates.Runs(number, np.random.default_rng(seed))


def at_most(promised: float, number: int) -> float:
    return promised + 4 * sqrt(promised * (1 - promised) / number)


def at_least(promised: float, number: int) -> float:
    return promised - 4 * sqrt(promised * (1 - promised) / number)


@pytest.mark.parametrize("samples", [50, 400])
def test_at_the_threshold_the_interval_gate_is_seldom_sure(samples: int) -> None:
    verdicts = rates.threshold_gate(0.85, samples, 0.85, runs(1000, 1), interval=True)
    assert verdicts["passed"] + verdicts["failed"] <= at_most(0.05, 1000)
    assert verdicts["passed"] <= at_most(0.03, 1000)


def test_with_repeats_it_is_so_only_because_it_knows_of_them() -> None:
    world = rates.World(40, 5, 0.85, noisy=0.5, churn=0.0)
    aware = rates.repeated_gate(world, 0.85, runs(300, 2), aware=True)
    naive = rates.repeated_gate(world, 0.85, runs(300, 2), aware=False)
    assert aware["passed"] + aware["failed"] <= at_most(0.06, 300)
    assert naive["passed"] + naive["failed"] >= 0.15


@pytest.mark.parametrize("threshold", [0.9, 0.97])
@pytest.mark.parametrize("samples", [30, 100])
def test_at_a_high_threshold_neither_side_errs_more_often_than_promised(threshold: float, samples: int) -> None:
    verdicts = rates.threshold_gate(threshold, samples, threshold, runs(4000, 1), interval=True)
    assert verdicts["passed"] <= at_most(0.025, 4000)
    assert verdicts["failed"] <= at_most(0.025, 4000)


@pytest.mark.parametrize("world", [*WORLDS.values(), *UNEQUAL.values()], ids=[*WORLDS, *UNEQUAL])
def test_without_a_drop_the_baseline_gate_fails_at_most_at_its_level(world: dict[str, Any]) -> None:
    verdicts = rates.baseline_gate(rates.World(**world), [0.0], runs(200, 3))
    assert sum(verdict["failed"] for verdict in verdicts) / 200 <= at_most(0.05, 200)


@pytest.mark.parametrize("world", [*WORLDS.values(), *UNEQUAL.values()], ids=[*WORLDS, *UNEQUAL])
def test_with_the_drop_asked_about_it_seldom_passes(world: dict[str, Any]) -> None:
    verdicts = rates.baseline_gate(rates.World(**world), [0.05], runs(150, 4))
    assert sum(verdict["passed"] for verdict in verdicts) / 150 <= at_most(0.05, 150)


def test_over_five_suites_the_level_is_that_of_all_together() -> None:
    verdicts = rates.baseline_gate(rates.World(150), [0.0] * 5, runs(100, 5))
    assert sum(verdict["failed"] > 0 for verdict in verdicts) / 100 <= at_most(0.05, 100)


def test_with_the_drop_in_every_suite_at_most_the_level_of_runs_passes_any() -> None:
    verdicts = rates.baseline_gate(rates.World(150), [0.05] * 5, runs(200, 5))
    assert sum(verdict["passed"] > 0 for verdict in verdicts) / 200 <= at_most(0.05, 200)


def test_enough_power_would_pass_more_often_than_the_interval() -> None:
    """The verdict "no significant drop" was a pass. It let more runs pass at exactly the drop than the level allows."""
    verdicts = rates.baseline_gate(rates.World(500), [0.05], runs(1000, 6))
    assert sum(verdict["old rule"] for verdict in verdicts) > 0
    assert sum(verdict["passed"] for verdict in verdicts) / 1000 <= at_most(0.025, 1000)


def test_several_gates_on_a_suite_fail_no_more_often_than_one() -> None:
    assert rates.two_gates([rates.World(150)] * 3, runs(300, 7)) <= at_most(0.05, 300)


def test_repeats_that_agree_mislead_the_conditional_test_alone() -> None:
    flips, conditional, gate = rates.tests_of_unequal_repeats(rates.World(60, repeats_after=5), runs(200, 8))
    assert gate <= at_most(0.05, 200)
    assert flips <= gate <= conditional
    assert conditional > 0.1


@pytest.mark.parametrize("suites", [1, 5])
@pytest.mark.parametrize("name", WORLDS)
def test_the_drop_that_is_called_detectable_is_found(name: str, suites: int) -> None:
    drop, power = rates.power_at_detectable(rates.World(**WORLDS[name]), runs(150, 6), suites)
    assert 0.02 < drop < (0.18 if suites == 1 else 0.25)
    assert power >= at_least(0.8, 150)


@pytest.mark.parametrize("suites", [1, 5])
@pytest.mark.parametrize("name", WORLDS)
def test_the_pairs_that_are_called_needed_find_the_drop_or_exclude_it(name: str, suites: int) -> None:
    needed, power, excluded = rates.power_at_needed(rates.World(**WORLDS[name]), 0.08, runs(150, 7), suites)
    assert 40 < needed < 400
    assert power >= at_least(0.8, 150)
    assert excluded >= at_least(0.8, 150)
