"""The purpose of a call that is not made for a drawn sample. A recording keeps it: not every run makes such calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: Empty for the calls of drawn samples, which every run makes. Others are ``shrinking``, and the names of wrappers.
Purpose = str

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
