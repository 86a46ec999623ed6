"""The horizon where answers may be guessed: against an independent fit, who only guesses, and falls of the horizon."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, xlog1py, xlogy

from pytest_autoeval.features.horizon.fit import Curve, Formula, fit_curve

SIZES = np.arange(41)


def rate(sizes: np.ndarray, middle: float, width: float, lapse: float, guess: float) -> np.ndarray:
    return np.asarray(guess + (1 - lapse - guess) * expit((middle - sizes) / width))


def draw(parameters: tuple[float, float, float, float], count: int, seed: int) -> list[Formula]:
    size = np.arange(count) % len(SIZES)
    passed = np.random.default_rng(seed).random(count) < rate(size, *parameters)
    return [(float(x), int(k), 1) for x, k in zip(size, passed, strict=True)]


def fitted(formulas: list[Formula], chance: float) -> Curve:
    curve = fit_curve(formulas, chance=chance)
    assert curve is not None
    return curve


def deviance(parameters: np.ndarray, formulas: list[Formula]) -> float:
    """Minus twice the log-likelihood of the curve over sizes, written out anew."""
    size, passed, total = np.array(formulas).T
    expected = np.clip(rate(size, *parameters), 1e-12, 1 - 1e-12)
    return float(-2 * np.sum(xlogy(passed, expected) + xlog1py(total - passed, -expected)))


@pytest.mark.parametrize(
    ("chance", "guess", "seed"), [(0.5, 0.42, 1), (0.5, 0.5, 2), (1 / 3, 0.33, 3), (0.2, 0.1, 9)]
)
def test_curve_and_interval_are_those_of_a_plain_search(
    chance: float, guess: float, seed: int
) -> None:
    formulas = draw((15, 2, 0.06, guess), 1200, seed)
    curve = fitted(formulas, chance)
    assert curve.scale == "linear"
    bounds = [(8, 24), (0.3, 9), (0, 0.45), (0, chance)]
    best = minimize(
        deviance,
        [15, 2, 0.05, chance * 0.9],
        args=(formulas,),
        bounds=bounds,
        method="Nelder-Mead",
        tol=1e-9,
    )
    assert (curve.lapse, curve.guess) == pytest.approx((best.x[2], best.x[3]), abs=2e-3)

    def horizon(parameters: np.ndarray) -> float:
        return float(parameters[0] - parameters[1] * np.log(4))  # four fifths of the way up

    # The ends: the least and the largest horizon of any curve whose deviance is not too high.
    rise = 3.8415 * (1 + 12 / (20 + 1200)) * (1 + 0.4 * (2 * chance) ** 4)
    within = {
        "type": "ineq",
        "fun": lambda parameters: best.fun + rise - deviance(parameters, formulas),
    }
    low, high = (
        horizon(
            minimize(
                lambda p, way=way: way * horizon(p), best.x, constraints=within, bounds=bounds
            ).x
        )
        for way in (1, -1)
    )
    found = curve.horizon(0.8)
    assert found.value == pytest.approx(horizon(best.x), abs=0.03)
    assert found.rate == pytest.approx(best.x[3] + 0.8 * (1 - best.x[2] - best.x[3]), abs=2e-3)
    # A curve over log size may lie within too.
    assert found.low is not None
    assert found.high is not None
    assert found.low <= low + 0.05
    assert found.high >= high - 0.05
    assert found.high - found.low <= 1.25 * (high - low)


def test_without_a_chance_nothing_changes() -> None:
    formulas = draw((15, 3, 0.05, 0.0), 300, 1)
    assert fit_curve(formulas, chance=0.0) == fit_curve(formulas)
    assert fitted(formulas, 0.0).horizon(0.5).rate is None


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("passing", [0.5, 0.3])
def test_who_only_guesses_has_no_horizon(passing: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    formulas = [
        (float(size), int(random.random() < passing), 1) for size in SIZES for _ in range(5)
    ]
    for horizon in fitted(formulas, 0.5).horizons:
        assert (horizon.value, horizon.bound, horizon.low, horizon.high) == (
            None,
            "below",
            None,
            None,
        )
        assert not horizon.known


def test_who_never_fails_does_not_guess() -> None:
    horizon = fitted([(float(size), 1, 1) for size in SIZES for _ in range(3)], 0.5).horizon(0.5)
    assert (horizon.bound, horizon.high, horizon.known) == ("above", None, True)
    assert horizon.low is not None
    assert horizon.low > 38


def test_a_level_is_a_share_of_what_a_model_knows() -> None:
    curve = fitted(draw((15, 2, 0.02, 0.5), 4000, 3), 0.5)
    half = curve.horizon(0.5)
    assert half.value == pytest.approx(15, abs=1)
    assert half.rate == pytest.approx(0.74, abs=0.03)
    assert fitted(draw((15, 2, 0.02, 0.5), 4000, 3), 0.0).horizon(0.5).value != half.value


def test_steps_have_a_horizon_above_guessing() -> None:
    size = np.arange(1600) % 41
    passed = np.random.default_rng(2).random(1600) < np.where(
        size < 8, 0.97, np.where(size < 25, 0.8, 0.5)
    )
    curve = fitted([(float(x), int(k), 1) for x, k in zip(size, passed, strict=True)], 0.5)
    half = curve.horizon(0.5)
    assert curve.method == "isotonic"
    assert half.low is not None
    assert half.high is not None
    assert half.low <= 24 <= half.high + 1


@pytest.mark.parametrize("chance", [-0.1, 1.0])
def test_an_impossible_chance_is_refused(chance: float) -> None:
    with pytest.raises(ValueError, match="a chance must be"):
        fit_curve([(1.0, 1, 1)] * 30, chance=chance)
