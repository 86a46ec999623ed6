"""The purpose of a call that is not made for a drawn sample. A recording keeps it: not every run makes such calls."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from pytest_autoeval.lazy_pattern import lazy_pattern

#: Empty for the calls of drawn samples, which every run makes. Others are ``shrinking``, and the names of wrappers.
Purpose = str

#: Bytes of the last line of a recording.
_LONGEST = 100
#: It is the last line, so that a search for unused recordings need not parse whole files.
_LAST_LINE = lazy_pattern(rb"\npurpose: ([a-z ]+)\r?\n\Z")
_CURRENT: ContextVar[Purpose] = ContextVar("autoeval_purpose", default="")


@contextmanager
def calls_for(purpose: Purpose) -> Iterator[None]:
    """Inside this ``with`` the calls of this thread have this purpose."""
    token = _CURRENT.set(purpose)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current_purpose() -> Purpose:
    """The purpose of the calls of this thread."""
    return _CURRENT.get()


def read_purpose(file: Path) -> str:
    """The purpose in the last line of a recording; empty if it has none or cannot be read."""
    try:
        with file.open("rb") as recording:
            recording.seek(max(0, recording.seek(0, os.SEEK_END) - _LONGEST))
            found = _LAST_LINE.search(recording.read(_LONGEST))
    except OSError:
        return ""
    return found[1].decode() if found else ""
