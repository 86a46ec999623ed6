"""What the interval of a horizon promises, kept in simulation: the benchmark of the same name with fewer runs."""

from __future__ import annotations

import importlib.util
import sys
from math import sqrt
from pathlib import Path
from types import ModuleType

import pytest

from pytest_autoeval.statistics import horizon

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "horizon_coverage.py"
RUNS = 25


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("horizon_coverage", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


coverage = load()


@pytest.mark.parametrize("name", ["40 formulas of 8 sizes", "80 formulas with 5 repeats, half alike"])
def test_the_interval_holds_the_horizon(name: str) -> None:
    world = coverage.WORLDS[name]
    curves = list(coverage.curves(world, RUNS))
    for place, level in enumerate(horizon.LEVELS):
        held = sum(coverage.holds(curve.horizons[place], world.horizon(level)) for curve in curves)
        assert held / RUNS >= 0.95 - 4 * sqrt(0.95 * 0.05 / RUNS)
