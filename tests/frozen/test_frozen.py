"""A part of what is frozen is compared in each run of the tests; `freeze.py` compares all of it."""

from __future__ import annotations

import pytest
from frozen.freeze import FROZEN, differences


@pytest.mark.parametrize(("name", "share"), [("pairs", 0.02), ("readings", 0.1), ("reports", 0.08)])
def test_a_part_of_what_is_frozen_is_as_it_was(name: str, share: float) -> None:
    assert name in FROZEN
    assert differences(name, share) == []
