"""No reader takes long for a text that repeats what its notation knows.

Each reader meets a part of the texts here. ``AUTOEVAL_PUMP=full`` tries all of them, and a number tries so many; both
print a table (``pytest tests/fuzz/test_pump.py -s``).
"""

from __future__ import annotations

import os
from random import Random

import pytest
from support.pumping import pump, shapes
from support.readers import READERS

#: How many texts each reader meets.
_ASKED = os.environ.get("AUTOEVAL_PUMP", "")
_COUNT = int(_ASKED) if _ASKED.isdecimal() else 60
#: A slow or busy machine may take so many times longer than an idle one.
_ROOM = 3


@pytest.mark.parametrize("name", READERS)
def test_repetitions_are_read_or_refused_in_time(name: str) -> None:
    reader = READERS[name]
    every = list(shapes(reader))
    tried = every if _ASKED == "full" else Random(0).sample(every, min(_COUNT, len(every)))
    found = pump(reader, tried)
    if _ASKED:
        print(f"{name} | {len(tried):,} | {found.slowest:.2f} s | {found.slowest_shape}")  # noqa: T201 - the table
    assert not found.problems
