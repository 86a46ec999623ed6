"""The horizon: the fit and its intervals against independent ones, what lies outside the sizes, and degenerate data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, xlog1py, xlogy

from pytest_autoeval.features.horizon.fit import LEVELS, Curve, Formula, fit_curve
from pytest_autoeval.features.horizon.passed_by_size import PassedBySize

SIZES = np.arange(41)


def draw(
    rate: Callable[[np.ndarray], np.ndarray], count: int, *, seed: int = 1, repeats: int = 1
) -> list[Formula]:
    """Formulas of sizes 0…40 whose trials pass independently at the rate of their size."""
    size = np.arange(count) % len(SIZES)
    passed = np.random.default_rng(seed).binomial(repeats, rate(size))
    return [(float(x), int(k), repeats) for x, k in zip(size, passed, strict=True)]


def falling(middle: float, width: float, lapse: float = 0.0) -> Callable[[np.ndarray], np.ndarray]:
    return lambda size: (1 - lapse) * expit((middle - size) / width)


def fitted(formulas: list[Formula]) -> Curve:
    curve = fit_curve(formulas)
    assert curve is not None
    return curve


@pytest.mark.extra("statsmodels")
def test_without_lapses_the_curve_is_that_of_a_generalised_linear_model() -> None:
    import statsmodels.api as sm

    formulas = draw(falling(18, 5), 1000, seed=3)
    curve = fitted(formulas)
    assert curve.lapse == 0.0
    size, passed, total = np.array(formulas).T
    glm = sm.GLM(
        np.column_stack((passed, total - passed)),
        sm.add_constant(size),
        family=sm.families.Binomial(),
    ).fit()
    for point in curve.points:
        assert point.rate == pytest.approx(glm.predict([[1.0, point.size]])[0], abs=1e-4)


def deviance(parameters: np.ndarray, formulas: list[Formula]) -> float:
    """Minus twice the log-likelihood of the curve over sizes, written out anew."""
    size, passed, total = np.array(formulas).T
    middle, width, lapse = parameters
    rate = np.clip((1 - lapse) * expit((middle - size) / width), 1e-12, 1 - 1e-12)
    return float(-2 * np.sum(xlogy(passed, rate) + xlog1py(total - passed, -rate)))


def test_horizon_and_interval_are_those_of_a_plain_search() -> None:
    formulas = draw(falling(15, 3, 0.08), 600, seed=2)
    curve = fitted(formulas)
    assert curve.scale == "linear"
    bounds = [(10, 20), (1, 8), (0, 0.19)]
    best = minimize(
        deviance, [15, 3, 0.1], args=(formulas,), bounds=bounds, method="Nelder-Mead", tol=1e-9
    )
    assert curve.lapse == pytest.approx(best.x[2], abs=1e-3)

    def horizon(parameters: np.ndarray) -> float:
        middle, width, lapse = parameters
        return float(middle - width * np.log(0.8 / (0.2 - lapse)))

    value = horizon(best.x)
    # The ends: the least and the largest horizon of any curve whose deviance is at most 3.84 higher.
    within = {
        "type": "ineq",
        "fun": lambda parameters: best.fun + 3.8415 - deviance(parameters, formulas),
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
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=0.02)


def test_an_interval_holds_what_another_hill_of_the_likelihood_allows() -> None:
    passed = dict(zip(range(1, 20, 3), (2, 0, 3, 1, 1, 0, 0), strict=True))
    formulas = [
        (float(size), int(number < times), 1)
        for size, times in passed.items()
        for number in range(3)
    ]
    likeliest, other = (13.2, 0.3, 0.5), (10.34, 2.51, 0.17)
    assert deviance(np.array(other), formulas) < deviance(np.array(likeliest), formulas) + 3.84
    horizon = fitted(formulas).horizon(0.8)
    assert horizon.high is not None
    assert horizon.high > 2.1


def test_horizons_fall_as_the_level_rises() -> None:
    for seed in range(5):
        values = [
            horizon.value for horizon in fitted(draw(falling(15, 3), 200, seed=seed)).horizons
        ]
        assert None not in values
        assert values == sorted(values, reverse=True)  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("rate", "bound", "sure"),
    [(lambda size: 1.0 + 0 * size, "above", "low"), (lambda size: 0.0 * size, "below", "high")],
)
def test_what_lies_outside_the_sizes_is_a_bound(
    rate: Callable[[np.ndarray], np.ndarray], bound: str, sure: str
) -> None:
    horizon = fitted(draw(rate, 400)).horizon(0.5)
    assert (horizon.value, horizon.bound) == (None, bound)
    ends = {"low": horizon.low, "high": horizon.high}
    assert ends.pop(sure) == {"low": horizon.largest, "high": horizon.least}[sure]
    assert [*ends.values()] == [None]


def test_few_formulas_that_all_pass_leave_the_lower_end_inside() -> None:
    horizon = fitted([(float(size), 1, 1) for size in range(1, 31)]).horizon(0.9)
    assert (horizon.bound, horizon.high) == ("above", None)
    assert horizon.low is not None
    assert 1 < horizon.low < 30


def test_where_all_pass_the_ends_are_those_of_a_plain_search() -> None:
    curve = fitted([(float(size), 1, 1) for size in range(21)])
    # The sizes at which the least deviance of a curve through that level is 3.84 · (1 + 12 / 41), on the log scale.
    assert [horizon.low for horizon in curve.horizons][:2] == pytest.approx(
        [18.99, 15.74], abs=0.05
    )
    # 21 passes at a rate of 90 % at all sizes have a deviance of 4.4.
    assert curve.horizon(0.9).low is None


def test_a_level_above_what_small_sizes_reach_is_below() -> None:
    curve = fitted(draw(falling(20, 3, 0.2), 800))
    assert curve.horizon(0.9).bound == "below"
    assert curve.horizon(0.5).bound == ""


def test_data_that_a_size_separates() -> None:
    curve = fitted([(float(size), int(size <= 10), 1) for size in range(41) for _ in range(10)])
    for horizon in curve.horizons:
        assert horizon.value is not None
        assert 10 <= horizon.value <= 11
        assert horizon.low is not None
        assert horizon.high is not None
        assert 9.5 <= horizon.low < horizon.value < horizon.high <= 11.5


def test_repeats_that_agree_do_not_narrow_the_interval() -> None:
    once = draw(falling(15, 3), 300, seed=2)
    repeated = [(size, 5 * passed, 5) for size, passed, _ in once]
    one, other = fitted(once).horizon(0.5), fitted(repeated).horizon(0.5)
    assert (other.low, other.high) == pytest.approx((one.low, one.high), rel=0.02)
    independent = fitted(draw(falling(15, 3), 300, repeats=5, seed=2)).horizon(0.5)
    assert independent.high - independent.low < 0.7 * (one.high - one.low)  # type: ignore[operator]


def test_where_no_logistic_curve_fits_the_rates_only_fall() -> None:
    def stairs(size: np.ndarray) -> np.ndarray:
        return np.where(size < 8, 0.95, np.where(size < 25, 0.65, 0.05))

    curve = fitted(draw(stairs, 800))
    assert curve.method == "isotonic"
    assert curve.fit_p is not None
    assert curve.fit_p < 0.01
    rates = [point.rate for point in curve.points]
    assert rates == sorted(rates, reverse=True)
    half = curve.horizon(0.5)
    assert half.value is not None
    assert half.low is not None
    assert half.low <= half.value <= 25
    assert half.value > 22


def test_where_the_logistic_curve_is_in_doubt_the_interval_holds_what_only_falls() -> None:
    def stairs(size: np.ndarray) -> np.ndarray:
        return np.asarray((expit((8 - size) / 1.5) + expit((24 - size) / 1.5)) / 2)

    found = [
        curve
        for seed in range(12)
        if (curve := fitted(draw(stairs, 400, seed=seed))).method == "logistic"
    ]
    doubted = [
        curve.horizon(0.5) for curve in found if curve.fit_p is not None and curve.fit_p < 0.2
    ]
    assert len(doubted) >= 3
    # Between the stairs about half pass: the horizon may lie anywhere there.
    assert all(
        one.low is not None and one.high is not None and one.high - one.low > 5 for one in doubted
    )


def test_the_scale_is_the_one_that_foretells_better() -> None:
    assert fitted(draw(falling(20, 3), 2000)).scale == "linear"
    assert (
        fitted(draw(lambda size: expit((np.log1p(10) - np.log1p(size)) / 0.4), 2000)).scale == "log"
    )


def test_too_little_for_a_curve() -> None:
    assert fit_curve([(float(size), 1, 1) for size in range(19)]) is None
    assert fit_curve([(float(size % 2), 1, 1) for size in range(50)]) is None
    assert fit_curve([(float(size), 0, 0) for size in range(50)]) is None


def test_order_does_not_matter() -> None:
    formulas = draw(falling(15, 3), 100)
    assert fit_curve(formulas[::-1]) == fit_curve(formulas)


@pytest.mark.parametrize("formula", [(-1.0, 1, 1), (float("nan"), 1, 1), (1.0, 2, 1)])
def test_impossible_formulas_are_refused(formula: Formula) -> None:
    with pytest.raises(ValueError, match="a size must be"):
        fit_curve([formula])


@pytest.mark.parametrize("seed", range(12))
def test_without_any_failure_the_horizon_is_known_without_the_fit(seed: int) -> None:
    random = np.random.default_rng(seed)
    sizes = sorted(random.choice(40, size=random.integers(3, 12), replace=False).tolist())
    most = int(random.choice([1, 1, 2, 5]))
    counts: Counter[Formula] = Counter()
    for size in sizes:
        # With fewer at the largest size, the fit has to say.
        for _ in range(int(random.choice([8, 20, 40] if size == sizes[-1] else [1, 3, 20]))):
            trials = int(random.integers(1, most + 1))
            counts[size, trials, trials] += 1
    passed = PassedBySize(tuple(sorted(counts.items())))
    known = {level: passed._horizon_beyond_all_sizes(level) for level in LEVELS}
    assert known[0.5] is not None
    curve = passed.curve
    assert curve is not None
    for level, horizon in known.items():
        assert horizon in (None, curve.horizon(level))
        assert passed.horizon(level) == curve.horizon(level)


@pytest.mark.parametrize(
    ("counts", "chance"),
    [
        ({(size, 1, 1): 40 for size in (1, 2)}, 0.0),
        ({(size, 1, 1): 6 for size in (1, 2, 3)}, 0.0),
        ({**{(size, 1, 1): 40 for size in (1, 2, 3)}, (3, 0, 1): 1}, 0.0),
        ({(size, 1, 1): 40 for size in (1, 2, 3)}, 0.2),
        ({(1, 1, 1): 40, (2, 1, 1): 40, (3, 1, 1): 2}, 0.0),
    ],
    ids=["two sizes", "few formulas", "a failure", "guesses", "few at the largest size"],
)
def test_otherwise_the_horizon_is_that_of_the_fit(
    counts: dict[Formula, int], chance: float
) -> None:
    passed = PassedBySize(tuple(sorted(counts.items())), chance)
    assert passed._horizon_beyond_all_sizes(0.5) is None
    curve = passed.curve
    assert passed.horizon(0.5) == (None if curve is None else curve.horizon(0.5))
