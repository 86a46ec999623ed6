"""Python's search for reference cycles, made rarer while suites run."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: A run makes many objects and hardly any cycles. With Python's own thresholds the search takes a fifth of its
#: processor time from ten thousand samples on, and finds nothing.
RARELY = (200_000, 50, 50)


@contextmanager
def rarer_collections(*, is_last: bool = False) -> Iterator[None]:
    """Searches for cycles rarely until the block ends. A search that is turned off stays off.

    After a block that ``is_last``, what it made is left to Python's next search of all objects.
    """
    usual = gc.get_threshold()
    if usual[0]:
        gc.set_threshold(*map(max, usual, RARELY))
    try:
        yield
    finally:
        # Two searches would follow at once, through all that the block made: 0.3 s after 3,000 samples. Only after the
        # last one: of many blocks, what each leaves behind would add up.
        if is_last:
            _count_as_old()
        gc.set_threshold(*usual)


def _count_as_old() -> None:
    """Moves all objects to the oldest generation, as if several searches had gone through them."""
    # Objects that somebody else has frozen must stay frozen.
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
