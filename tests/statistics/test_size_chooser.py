"""Adaptive sampling: which sizes are asked, when it ends, and whether the interval that it ends with can be trusted."""

from __future__ import annotations

import random
from math import inf

import pytest
from adaptive_sampling import HELD_BACK, MODELS, SIZES, adaptive, answers, holds, horizons
from falling_models import random_of

from pytest_autoeval.statistics.horizon import Horizon, known_to
from pytest_autoeval.statistics.size_chooser import SizeChooser


def horizon(value: float | None, low: float | None, high: float | None, bound: str = "") -> Horizon:
    return Horizon(0.5, value, low, high, bound, 2.0, 40.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("known", "of"),
    [
        (0.1, horizon(20.0, 18.0, 22.0)),
        (0.125, horizon(32.0, 32.0, None)),
        (0.25, horizon(4.0, None, 4.0)),
        (0.1, horizon(None, 32.0, None, "above")),
        (19 / 40, horizon(None, None, None, "above")),
        (0.0, horizon(None, 40.0, None, "above")),
        (19 / 2, horizon(None, None, None, "below")),
        (0.0, horizon(None, None, 2.0, "below")),
        (1.0, horizon(None, None, 6.0, "below")),
    ],
)
def test_an_open_end_counts_as_the_end_of_the_sizes(known: float, of: Horizon) -> None:
    assert known_to(of) == pytest.approx(known)


def test_a_horizon_of_nothing_is_not_known() -> None:
    assert known_to(Horizon(0.5, 0.0, 0.0, 3.0, "", 0.0, 9.0)) == inf


def test_sizes_depend_on_results_and_not_on_their_order() -> None:
    one, other = (SizeChooser(range(30), precision=0.05) for _ in range(2))
    chance = random.Random(1)
    for _ in range(6):
        asked = one.next(one.batch)
        assert asked == other.next(other.batch)
        answered = answers(MODELS["shallow"], asked, random_of(asked))
        one.add(answered)
        other.add(chance.sample(answered, len(answered)))


def test_the_first_batch_covers_the_sizes_and_later_ones_the_horizon() -> None:
    chooser = SizeChooser(SIZES, precision=0.02)
    first = chooser.next(chooser.batch)
    assert (first[0], first[-1]) == (0, 40)
    while len(first) < 80:
        batch = chooser.next(chooser.batch)
        chooser.add((size, size < 15) for size in batch)
        first += batch
    assert all(10 <= size <= 20 for size in batch)


def test_a_size_that_is_used_up_is_left_out() -> None:
    chooser = SizeChooser([1, 2, 3, 4], precision=0.1)
    chooser.leave_out(2)
    chooser.leave_out(3)
    assert set(chooser.next(12)) == {1, 4}
    chooser.add([(1, True)] * 6 + [(4, False)] * 6)
    assert set(chooser.next(12)) <= {1, 4}
    chooser.leave_out(1)
    chooser.leave_out(4)
    assert chooser.done
    assert chooser.next(3) == []


@pytest.mark.parametrize("name", ["never failing", "always failing"])
def test_a_horizon_beyond_the_sizes_is_soon_known(name: str) -> None:
    answered = adaptive(MODELS[name], (0.5,), random_of(0))
    assert len(answered) == 20
    [found] = horizons(answered, (0.5,), 0.0)
    assert found.bound == ("above" if name == "never failing" else "below")


@pytest.mark.parametrize(("name", "runs"), [("with lapses", 11), ("yes/no", 4)])
def test_the_interval_it_ends_with_holds_the_true_horizon(name: str, runs: int) -> None:
    """`benchmarks/adaptive_sampling.py` measures how often; here it must not fall apart."""
    model, held, taken = MODELS[name], 0, 0
    for seed in range(runs):
        answered = adaptive(model, (0.5,), random_of(seed))
        [found] = horizons(answered, (0.5,), model.chance)
        assert known_to(found) <= 0.1
        held += holds(found, model.horizon(0.5, 40))
        taken += len(answered)
    assert held >= runs - 2
    assert taken / runs < 41 * 40 / (2 if model.chance else 8)


def test_no_model_held_back_is_among_those_that_rules_are_tuned_on() -> None:
    assert len(HELD_BACK) >= 3
    assert not {model.fall for model in HELD_BACK.values()} & {model.fall for model in MODELS.values()}
