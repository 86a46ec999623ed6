"""Falling rates, against scipy's isotonic regression."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from pytest_autoeval.statistics.isotonic import falling_rates


def test_falling_rates_are_those_of_scipy() -> None:
    random = np.random.default_rng(7)
    for _ in range(500):
        shape = (4, int(random.integers(1, 15)))
        total = random.integers(0, 30, shape).astype(float)
        passed = random.binomial(total.astype(int), 0.6).astype(float)
        weights = np.maximum(total, 1e-9)
        expected = [
            isotonic_regression(row / weight, weights=weight, increasing=False).x
            for row, weight in zip(passed, weights, strict=True)
        ]
        assert falling_rates(passed, total) == pytest.approx(np.array(expected), abs=1e-14)


def test_a_size_without_trials_has_the_rate_of_its_neighbours() -> None:
    rates = falling_rates(np.array([[9.0, 0.0, 5.0, 7.0]]), np.array([[10.0, 0.0, 10.0, 10.0]]))
    assert rates[0].tolist() == pytest.approx([0.9, 0.6, 0.6, 0.6])
