"""The pipe between a worker of xdist and the process that leads the run.

Only the standard library is imported here: this is loaded in every run with workers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any, Protocol


class Channel(Protocol):
    """One end of a two-way pipe for bytes, as execnet gives it; thread-safe, see :func:`write_whole`."""

    def send(self, item: object) -> None:
        """Sends bytes; raises :class:`OSError` where the other end is gone."""

    def setcallback(self, callback: Callable[[Any], Any], endmarker: object = ...) -> None:
        """From now on what arrives is given to ``callback``, in order; at the end of the pipe the ``endmarker``."""


def write_whole(channel: Any) -> None:
    """Makes what several threads send over a socket arrive message by message, which execnet leaves to its callers."""
    io = channel.gateway._io  # noqa: SLF001  (xdist's own threads send over it too)
    if hasattr(io, "sock"):
        io.write = partial(_alone, Lock(), io.write)


def _alone(lock: Lock, write: Callable[[bytes], None], data: bytes) -> None:
    with lock:
        write(data)
