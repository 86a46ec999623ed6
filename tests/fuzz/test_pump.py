"""No reader takes long for a text that repeats what its notation knows.

All texts take hours, so each reader meets as many here as fit into half a second of processor time, always in the same
order. ``AUTOEVAL_PUMP=60`` gives each reader so many seconds, ``AUTOEVAL_PUMP=full`` tries everything; both print a
table (``pytest tests/fuzz/test_pump.py -s``).
"""

from __future__ import annotations

import os
from math import inf
from random import Random

import pytest
from support.pumping import pump, shapes
from support.readers import READERS

_ASKED = os.environ.get("AUTOEVAL_PUMP", "")
_SECONDS = inf if _ASKED == "full" else float(_ASKED or 0.5)
#: A slow or busy machine may take so many times longer than an idle one.
_ROOM = 3


@pytest.mark.parametrize("name", READERS)
def test_repetitions_are_read_or_refused_in_time(name: str) -> None:
    reader = READERS[name]
    every = list(shapes(reader))
    Random(0).shuffle(every)
    found = pump(reader, every, _SECONDS, _ROOM)
    if _ASKED:
        tried = f"{found.shapes:,} of {len(every):,} repetitions, {found.inputs:,} inputs"
        print(f"{name} | {tried} | {found.slowest:.2f} s | {found.slowest_shape}")  # noqa: T201 - the table
    assert found.shapes
    assert not found.problems
