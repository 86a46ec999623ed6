"""What the interval of a horizon promises, kept in simulation: the benchmark of the same name with fewer runs."""

from __future__ import annotations

from math import sqrt

import horizon_coverage as coverage
import pytest

from pytest_autoeval.features.horizon import fit as horizon

RUNS = 25


@pytest.mark.parametrize(
    "name",
    [
        "40 formulas of 8 sizes",
        "80 formulas with 5 repeats, half alike",
        "yes/no, steep",
        "yes/no, 100 formulas",
    ],
)
def test_the_interval_holds_the_horizon(name: str) -> None:
    world = coverage.WORLDS[name]
    curves = [
        curve for number in range(RUNS) if (curve := coverage.fitted((name, number))) is not None
    ]
    for place, level in enumerate(horizon.LEVELS):
        held = sum(coverage.holds(curve.horizons[place], world.horizon(level)) for curve in curves)
        assert held / RUNS >= 0.95 - 4 * sqrt(0.95 * 0.05 / RUNS)
