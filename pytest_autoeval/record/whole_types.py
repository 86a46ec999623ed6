"""Types that threads may read at once.

msgspec learns the fields of a type when it first reads the type, and the type has them before they are complete. If
another thread reads the type at that moment, the process crashes (msgspec 0.22).
"""

from __future__ import annotations

from threading import RLock
from typing import TypeVar

import msgspec

T = TypeVar("T")

#: Held while msgspec learns a type. Two types may have a third one in common, so there is one lock for all.
_LEARNING = RLock()


def whole_type(kind: T) -> T:
    """The type, after msgspec has learned all of it.

    Raises :class:`TypeError` if msgspec cannot read the type.
    """
    with _LEARNING:
        msgspec.json.Decoder(kind)
    return kind
