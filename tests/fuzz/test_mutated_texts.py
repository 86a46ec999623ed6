"""Whatever a changed real-looking text says, a reader reads it or refuses it as documented.

Each reader meets some texts here, fewer than ten seconds' worth: all readers together have a minute of continuous
integration. ``AUTOEVAL_FUZZ_SECONDS=600`` gives each reader so long, with new texts each time.
"""

from __future__ import annotations

import os
from random import Random
from time import monotonic

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support.mutations import mutated
from support.pumping import seconds_of
from support.readers import READERS, Reader

_SECONDS = float(os.environ.get("AUTOEVAL_FUZZ_SECONDS", "0"))
#: A slow or busy machine may take so many times longer than an idle one.
_ROOM = 3


@pytest.mark.parametrize("name", READERS)
def test_changed_texts_are_read_or_refused_as_documented(name: str) -> None:
    reader = READERS[name]
    for text in reader.texts:
        seconds_of(reader, text)  # what it imports is imported
    _try_some(reader, settings(max_examples=150))
    end = monotonic() + _SECONDS
    while monotonic() < end:
        _try_some(reader, settings(max_examples=1_000, derandomize=False))


def _try_some(reader: Reader, usual: settings) -> None:
    @given(random=st.randoms(use_true_random=False))
    @settings(usual, suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink], database=None)
    def check(random: Random) -> None:
        text = mutated(reader, random)
        assert seconds_of(reader, text) < _ROOM * reader.seconds, repr(text)

    check()
