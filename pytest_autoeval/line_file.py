"""A file of lines that is only appended to."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock

#: Windows opens descriptors in text mode by default.
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)


class LineFile:
    """A file that is opened once, at the first line, and then written by its descriptor; thread-safe.

    If another file takes its name later, that file is not touched: a process that outlives its run writes into no other
    run's file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        self._descriptor: int | None = None

    def append(self, line: bytes) -> None:
        """Appends a line completely or not at all, in a single write, so that lines of several writers never mix.

        Raises :class:`OSError`, for example if the device is full.
        """
        with self._lock:
            if self._descriptor is None:
                self._descriptor = os.open(self.path, _APPEND, 0o666)
            written = 0
            try:
                while written < len(line):
                    written += os.write(self._descriptor, line[written:])
            except OSError:
                if written:
                    os.ftruncate(self._descriptor, os.fstat(self._descriptor).st_size - written)
                raise

    def close(self) -> None:
        """Closes the file; a further line would open it again."""
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    def __del__(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
