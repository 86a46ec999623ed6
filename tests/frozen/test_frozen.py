"""A part of what is frozen is compared in each run of the tests; `freeze.py` compares all of it."""

from __future__ import annotations

import pytest
from frozen.freeze import FROZEN, differences, same


@pytest.mark.parametrize(("name", "share"), [("pairs", 0.02), ("readings", 0.1), ("reports", 0.08)])
def test_a_part_of_what_is_frozen_is_as_it_was(name: str, share: float) -> None:
    assert name in FROZEN
    assert differences(name, share) == []


def test_numbers_are_compared_up_to_their_last_digits() -> None:
    known = {"rate": [0.25, {"low": 1.5, "n": 3}], "text": "0.25"}
    assert same(known, {"rate": [0.25 + 1e-12, {"low": 1.5, "n": 3}], "text": "0.25"})
    assert not same(known, {"rate": [0.2501, {"low": 1.5, "n": 3}], "text": "0.25"})
    assert not same(known, {"rate": [0.25, {"low": 1.5, "n": 4}], "text": "0.25"})
    assert not same(known, {"rate": [0.25, {"low": 1.5}], "text": "0.25"})
    assert not same(known, {"rate": [0.25], "text": "0.25"})
