"""Every answer that was paid for, on disk the moment it arrives, so that a run that is cut off can be continued."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from pytest_autoeval.line_file import LineFile
from pytest_autoeval.models.base import ConfigurationError

_KEY = slice(2, 66)  # of a line: 64 hexadecimal digits behind ["


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer as it came: what the server or the model said, its cost in USD (None if unknown), and its seconds."""

    payload: Any
    cost: float | None
    seconds: float


class Journal:
    """The answers of one process, and those of the earlier runs that this run continues; thread-safe.

    A key is the SHA-256 of all that identifies a request, in hexadecimal.

    Args:
        folder: where the answers of this run are kept; None: they are not.
        earlier: the folders of the runs that are continued. The first answer to a request counts.
    """

    def __init__(self, folder: Path | None, earlier: Sequence[Path] = ()) -> None:
        self._folder = folder
        self._earlier = tuple(earlier)
        self._places = _places(self._earlier)
        self._lock = Lock()
        # No other process of this run has that name, nor had it.
        name = f"answers-{os.getpid()}-{time.monotonic_ns()}.jsonl"
        self._file = None if folder is None else LineFile(folder / name)
        #: How many answers of earlier runs were given out.
        self.taken_over = 0

    def find(self, key: str) -> Kept | None:
        """The answer of an earlier run, None where it has none."""
        if (place := self._places.get(key)) is None:
            return None
        file, start, length = place
        with file.open("rb") as lines:
            lines.seek(start)
            _, cost, seconds, payload = json.loads(lines.read(length))
        with self._lock:
            self.taken_over += 1
        return Kept(payload, cost, seconds)

    def keep(self, key: str, answer: Kept) -> None:
        """Writes an answer down, in one piece or not at all; raises :class:`ConfigurationError`, which ends the run."""
        if self._file is None:
            return
        line = json.dumps([key, answer.cost, answer.seconds, answer.payload], separators=(",", ":")) + "\n"
        with _writing(self._file.path):
            self._file.append(line.encode())

    def decision(self, name: str) -> bool | None:
        """What the first of the continued runs decided in some matter; None where there was none."""
        files = (folder / name for folder in self._earlier)
        return next((json.loads(file.read_text("utf-8")) for file in files if file.exists()), None)

    def decide(self, name: str, decision: bool) -> None:
        """Writes down what this run decided, for those that continue it; raises :class:`ConfigurationError`."""
        if self._folder is not None:
            with _writing(self._folder):
                (self._folder / name).write_text(json.dumps(decision), "utf-8")


@contextmanager
def _writing(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ConfigurationError(f"{place}: answers cannot be kept: {error.strerror}") from None


def _places(folders: Sequence[Path]) -> dict[str, tuple[Path, int, int]]:
    """Where the answers in some folders stand: the file, the first byte and the number of bytes, by key."""
    places: dict[str, tuple[Path, int, int]] = {}
    for file in (file for folder in folders for file in sorted(folder.glob("answers-*.jsonl"))):
        start = 0
        for line in file.read_bytes().splitlines(keepends=True):
            if line.endswith(b"\n"):  # a kill may have cut the last one short
                places.setdefault(line[_KEY].decode(), (file, start, len(line)))
            start += len(line)
    return places
