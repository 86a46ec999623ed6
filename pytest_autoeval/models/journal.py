"""Every answer that was paid for, on disk the moment it arrives, so that a run that is cut off can be continued."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from pytest_autoeval.given_file import read_given
from pytest_autoeval.line_file import LineFile
from pytest_autoeval.models.base import ConfigurationError

if TYPE_CHECKING:
    from filelock import FileLock

_KEY = slice(2, 66)  # of a line: 64 hexadecimal digits behind ["
_FORM = (str, int | float | None, int | float, object)  # of a line: the key, the cost, the seconds, the answer


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer as it came: what the server or the model said, its cost in USD (None if unknown), and its seconds.

    ``taken_over``: a run gave it that this run continues.
    """

    payload: Any
    cost: float | None
    seconds: float
    taken_over: bool = False


class Journal:
    """The answers of one process, those of processes of this run that died, and those of earlier runs; thread-safe.

    A key is the SHA-256 of all that identifies a request, in hexadecimal.

    Without a ``folder`` no answer is kept. ``earlier`` are the folders of the runs that are continued. The first answer
    to a request counts.
    """

    def __init__(self, folder: Path | None, earlier: Sequence[Path] = ()) -> None:
        self._folder = folder
        self._earlier = tuple(earlier)
        self._unread = list(earlier)
        #: Where answers stand: the file, the first byte and the number of bytes, by key.
        self._places: dict[str, tuple[Path, int, int]] = {}
        self._seen: set[Path] = set()
        self._lock = Lock()
        # No other process of this run has that name, nor had it.
        name = f"answers-{os.getpid()}-{time.monotonic_ns()}.jsonl"
        self._file = None if folder is None else LineFile(folder / name)
        #: Held from the first answer on, as long as this process lives.
        self._alive = None if folder is None else _lock_of(folder / name)
        #: How many answers of earlier runs were given out.
        self.taken_over = 0

    def find(self, key: str) -> Kept | None:
        """The answer of an earlier run, or of a process of this run that died; None where there is none."""
        with self._lock:
            while self._unread:
                self._read(_answers_in(self._unread.pop(0)))
            if key not in self._places and self._folder is not None:
                self._read(file for file in _answers_in(self._folder) if file not in self._seen and _is_dead(file))
            if key not in self._places:
                return None
            file, start, length = self._places[key]
        with file.open("rb") as lines:
            lines.seek(start)
            answer = _value(lines.read(length))
        if not isinstance(answer, list) or len(answer) != len(_FORM) or not all(map(isinstance, answer, _FORM)):
            return None
        _, cost, seconds, payload = answer
        taken_over = file.parent != self._folder
        with self._lock:
            self.taken_over += taken_over
        return Kept(payload, cost, seconds, taken_over)

    def keep(self, key: str, answer: Kept) -> None:
        """Writes an answer down, in one piece or not at all; raises :class:`ConfigurationError`, which ends the run."""
        if self._file is None or self._alive is None:
            return
        line = json.dumps([key, answer.cost, answer.seconds, answer.payload], separators=(",", ":")) + "\n"
        with _writing(self._file.path):
            with self._lock:
                if not self._alive.is_locked:
                    self._file.path.parent.stat()  # the lock would make the folder
                    self._alive.acquire()
            self._file.append(line.encode())

    def close(self) -> None:
        """Its process, or the worker that it was kept for, is gone: others may give its answers out."""
        if self._alive is not None:
            self._alive.release()

    def _read(self, files: Iterable[Path]) -> None:
        for file in files:
            self._seen.add(file)
            start = 0
            for line in read_given(file).splitlines(keepends=True):
                if line.endswith(b"\n"):  # a kill may have cut the last one short
                    self._places.setdefault(line[_KEY].decode("ascii", "replace"), (file, start, len(line)))
                start += len(line)

    def decision(self, name: str) -> bool | None:
        """What the first of the continued runs decided in some matter; None where there was none."""
        files = (folder / name for folder in self._earlier)
        found = (_value(read_given(file)) for file in files if file.is_file())
        return next((decision for decision in found if isinstance(decision, bool)), None)

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


def _lock_of(answers: Path) -> FileLock:
    from filelock import FileLock

    return FileLock(f"{answers}.lock", blocking=False, thread_local=False)


def _is_dead(answers: Path) -> bool:
    """Whether the process is gone that wrote some answers: one that lives counts its answers itself."""
    try:
        with _lock_of(answers):
            return True
    except TimeoutError:
        return False


def _answers_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.glob("answers-*.jsonl") if file.is_file())


def _value(text: bytes) -> Any:
    """The value of JSON; None where the text is damaged, so that its answer is asked for again."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
