"""Python's search for reference cycles, made rarer while suites run."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: A run makes many objects and hardly any cycles. With Python's own thresholds the search takes a fifth of its
#: processor time from ten thousand samples on, and finds nothing.
RARELY = (200_000, 50, 50)


@contextmanager
def rarer_collections() -> Iterator[None]:
    """Searches for cycles rarely until the block ends. A search that is turned off stays off."""
    usual = gc.get_threshold()
    if usual[0]:
        gc.set_threshold(*map(max, usual, RARELY))
    try:
        yield
    finally:
        gc.set_threshold(*usual)
