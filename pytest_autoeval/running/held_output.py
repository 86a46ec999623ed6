"""Holds the output of test functions that run before their pytest item, for the report of that item.

Pytest captures the output of the whole process for the current item. Therefore what a test function writes while
another item runs is held. It is written when its own item begins. Bytes written to a file descriptor are not held, nor
is the output of other processes.
"""

from __future__ import annotations

import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from typing import Any
from weakref import WeakSet


class HeldOutput:
    """What was written in a context, in order, until it is released."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._held: list[tuple[Context, Callable[[], object]]] | None = []

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Holds what is written in this context and its copies."""
        token = _HOLDER.set(self)
        try:
            yield
        finally:
            _HOLDER.reset(token)

    def hold_back(self, write: Callable[[], object]) -> bool:
        """Holds a piece of output; returns False if it must be written at once."""
        with self._lock:
            if self._held is None:
                return False
            self._held.append((copy_context(), write))
            return True

    def release(self) -> None:
        """Writes everything, each piece in its own context, and stops holding."""
        with self._lock:
            # Under the lock, so that what is written meanwhile comes after what was held.
            held, self._held = self._held or (), None
            for context, write in held:
                context.run(write)


_HOLDER: ContextVar[HeldOutput | None] = ContextVar("autoeval_held_output", default=None)


def _try_hold(write: Callable[[], object]) -> bool:
    holder = _HOLDER.get()
    return holder is not None and holder.hold_back(write)


def hold_stream(stream: Any, name: str, clean: Callable[[str], str] = lambda text: text) -> None:
    """Patches a stream that replaces ``sys.stdout`` or ``sys.stderr`` (``name``), so that it holds output.

    Output that need not be held passes through ``clean`` and is written immediately.
    """
    write = stream.write

    def write_or_hold(text: str) -> int:
        # Pytest has another stream by the time at which the text is released.
        if not _try_hold(lambda: getattr(sys, name).write(text)):
            write(clean(text))
        return len(text)

    stream.write = write_or_hold


def hold_logs(handlers: list[logging.Handler]) -> None:
    """Makes handlers hold log records. Each record is held once."""
    held_records: WeakSet[logging.LogRecord] = WeakSet()

    def log_again(record: logging.LogRecord) -> None:
        # It passes the filter of each handler this time.
        held_records.discard(record)
        for handler in handlers:
            if record.levelno >= handler.level:
                handler.handle(record)

    def pass_or_hold(record: logging.LogRecord) -> bool:
        if record not in held_records and _try_hold(lambda: log_again(record)):
            held_records.add(record)
        return record not in held_records

    for handler in handlers:
        handler.addFilter(pass_or_hold)


def hold_warnings() -> None:
    """Patches ``warnings.showwarning`` to hold warnings. Undone when the current ``catch_warnings`` ends."""
    show = warnings.showwarning
    # An earlier item has set it, with `-p no:warnings`.
    if getattr(show, "__module__", None) == __name__:
        return

    def show_or_hold(*warning: Any, **details: Any) -> None:
        if not _try_hold(lambda: warnings.showwarning(*warning, **details)):
            show(*warning, **details)

    warnings.showwarning = show_or_hold
