"""Whatever a changed real-looking text says, a reader reads it or refuses it as documented.

Each reader meets the same 150 texts in every run. ``AUTOEVAL_FUZZ_SECONDS=600`` gives each reader so long, with new
texts each time.
"""

from __future__ import annotations

import os
from random import Random
from time import monotonic

import pytest
from support.mutations import mutated
from support.pumping import seconds_of
from support.readers import READERS, Reader

_TEXTS = 150
_SECONDS = float(os.environ.get("AUTOEVAL_FUZZ_SECONDS", "0"))
#: A slow or busy machine may take so many times longer than an idle one.
_ROOM = 3


@pytest.mark.parametrize("name", READERS)
def test_changed_texts_are_read_or_refused_as_documented(name: str) -> None:
    reader = READERS[name]
    for text in reader.texts:
        seconds_of(reader, text)  # what it imports is imported
    for number in range(_TEXTS):
        _check(reader, mutated(reader, Random(f"{name} {number}")))
    end = monotonic() + _SECONDS
    while monotonic() < end:
        _check(reader, mutated(reader, Random()))


def _check(reader: Reader, text: str) -> None:
    try:
        seconds = seconds_of(reader, text)
    except Exception as error:
        error.add_note(f"the text: {text!r}")
        raise
    assert seconds < _ROOM * reader.seconds, repr(text)
