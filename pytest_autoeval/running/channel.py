"""The pipe between a worker of xdist and the process that leads the run.

Only the standard library is imported here, since every run with workers loads this module.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any, Protocol


class Channel(Protocol):
    """One end of a two-way pipe for bytes, as execnet gives it; thread-safe, see :func:`write_whole`."""

    def send(self, item: object) -> None:
        """Sends bytes; raises :class:`OSError` if the other end is closed."""

    def setcallback(self, callback: Callable[[Any], Any], endmarker: object = ...) -> None:
        """Passes what arrives to ``callback``, in order, and at the end of the pipe the ``endmarker``."""


def write_whole(channel: Any) -> None:
    """Makes messages of several threads arrive whole on a socket; execnet leaves this to its callers."""
    io = channel.gateway._io  # noqa: SLF001  (xdist's own threads send over it too)
    if hasattr(io, "sock"):
        io.write = partial(_alone, Lock(), io.write)


def _alone(lock: Lock, write: Callable[[bytes], None], data: bytes) -> None:
    with lock:
        write(data)
