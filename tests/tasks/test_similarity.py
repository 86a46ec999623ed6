"""The cosine of the angle between two vectors, whatever numbers are in them."""

from __future__ import annotations

import math
import random

import pytest

from pytest_autoeval.tasks.similarity import cosine


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ((1.0, 0.0), (3.0, 0.0), 1.0),
        ((1.0, 0.0), (0.0, 2.0), 0.0),
        ((1.0, 0.0), (-5.0, 0.0), -1.0),
        ((1.0, 1.0), (1.0, 0.0), math.sqrt(0.5)),
        ((1e300, 1e300), (1e300, 1e300), 1.0),
        ((1e-320, 0.0), (1e300, 0.0), 1.0),
        ((3.0,), (2.0,), 1.0),
    ],
)
def test_known_angles(left: tuple[float, ...], right: tuple[float, ...], expected: float) -> None:
    assert cosine(left, right) == pytest.approx(expected)
    assert cosine(right, left) == cosine(left, right)


@pytest.mark.parametrize(
    "vector", [(0.0, 0.0), (math.nan, 1.0), (1.0, math.inf), (-math.inf, 0.0), (), (1.0,), (1.0, 2.0, 3.0)]
)
def test_what_has_no_angle_to_a_vector_of_the_plane(vector: tuple[float, ...]) -> None:
    assert cosine((1.0, 2.0), vector) is None
    assert cosine(vector, (1.0, 2.0)) is None


def test_length_is_of_no_account_and_the_cosine_never_leaves_its_range() -> None:
    numbers = random.Random(7)
    for _ in range(200):
        left, right = ([numbers.uniform(-1, 1) for _ in range(384)] for _ in range(2))
        value = cosine(left, right)
        assert value is not None
        assert -1 <= value <= 1
        assert value == pytest.approx(
            math.fsum(x * y for x, y in zip(left, right, strict=True)) / (math.hypot(*left) * math.hypot(*right))
        )
        scaled = cosine([1000 * x for x in left], right)
        assert scaled == pytest.approx(value)
        assert cosine(left, left) == pytest.approx(1.0)
