"""The journal of a run: every paid answer, on disk as soon as it arrives, so that an interrupted run can continue.

Equal requests of a run get their answer from it: a run of thousands of answers does not keep them in memory.
"""

from __future__ import annotations

import json
import math
from binascii import unhexlify
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import IO, Any

from msgspec import Struct

from pytest_autoeval.given_file import read_given
from pytest_autoeval.made_once import made_once
from pytest_autoeval.models.protocols import ConfigurationError, json_or_none

#: The name of the file; earlier releases wrote several.
NAME, NAMES = "answers-run.jsonl", "answers-*.jsonl"
#: Where the key stands in a line: 64 hexadecimal digits after ``["``.
_KEY = slice(2, 66)
#: The types of a line's members: the key, the cost, the seconds, the answer.
_FORM = (str, int | float | None, int | float, object)
#: Made once: `json.dumps` with other separators makes an encoder for each answer.
_json_line = json.JSONEncoder(separators=(",", ":")).encode
#: Bytes of answers that are kept in memory where there is no folder. More go to a temporary file.
_IN_MEMORY = 1_000_000
#: Bytes to read at a time: most answers are shorter.
_PIECE = 4096


class JournalEntry(Struct, frozen=True):
    """An answer: the decoded response, its cost in USD (None if unknown), and the seconds it took.

    ``taken_over``: it comes from a run that this run continues; ``again``: this run used it before.
    """

    payload: Any
    cost: float | None
    seconds: float
    taken_over: bool = False
    again: bool = False


class EarlierAnswers:
    """The answers of the runs that a run continues; each is read when it is needed. Thread-safe.

    Args:
        folders: those of the runs. The first answer to a request counts.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._lock = Lock()
        #: The keys of the answers that this run used.
        self._given: set[bytes] = set()
        self._is_closed = False

    @property
    def taken_over(self) -> int:
        """Number of answers that this run used."""
        return len(self._given)

    def find(self, key: bytes) -> JournalEntry | None:
        """The answer to a request, or None."""
        if self._is_closed:  # at the end of the run, when a body may still ask
            return None
        for file, starts in self._indexes:
            start = starts.get(key)
            if start is not None:
                return self._read(file, start, key)
        return None

    def close(self) -> None:
        """Closes the files; nothing can be found any more."""
        with self._lock:
            self._is_closed = True
            # Files that nobody needed are not opened now.
            for file, _ in vars(self).get("_indexes", ()):
                file.close()

    def _read(self, file: IO[bytes], start: int, key: bytes) -> JournalEntry | None:
        with self._lock:
            if self._is_closed:
                return None
            file.seek(start)
            again = key in self._given
            answer = _entry(key, file.readline(), taken_over=True, again=again)
            if answer is not None:
                self._given.add(key)
        return answer

    @made_once
    def _indexes(self) -> list[tuple[IO[bytes], dict[bytes, int]]]:
        """The files, each with the first byte of the line of each answer."""
        indexes: list[tuple[IO[bytes], dict[bytes, int]]] = []
        for folder in self._folders:
            for path in sorted(folder.glob(NAMES)):
                if path.is_file():
                    file = path.open("rb")
                    indexes.append((file, _starts(file)))
        return indexes


def _starts(file: Iterable[bytes]) -> dict[bytes, int]:
    """The first byte of the line of each answer, by its key."""
    starts: dict[bytes, int] = {}
    start = 0
    for line in file:
        # A kill may have cut off the last line, and a damaged one may have no key.
        if line.endswith(b"\n"):
            with suppress(ValueError):
                starts.setdefault(unhexlify(line[_KEY]), start)
        start += len(line)
    return starts


class Journal:
    """The answers of this run and of the runs that it continues. One process has one journal, used by one thread.

    A key is the SHA-256 of everything that identifies a request. The first answer to a request counts.

    Args:
        folder: where to write; None: a temporary file.
        earlier: the folders of the runs to continue.
    """

    def __init__(self, folder: Path | None, earlier: Sequence[Path] = ()) -> None:
        self.folder = folder
        self.earlier = tuple(earlier)
        #: Any thread may look up what is in them.
        self.earlier_answers = EarlierAnswers(self.earlier)
        #: Position of each answer: the first byte of its line.
        self._places: dict[bytes, int] = {}
        self._file: IO[bytes] | None = None  # always at its end, but for the moment of a look-up
        self._end = 0

    @property
    def taken_over(self) -> int:
        """Number of answers of earlier runs that this run used."""
        return self.earlier_answers.taken_over

    def find(self, key: bytes) -> JournalEntry | None:
        """The answer that this run or an earlier one got, or None."""
        if (start := self._places.get(key)) is not None and self._file is not None:
            answer = _entry(key, _line_at(self._file, start), again=True)
            self._file.seek(self._end)
            return answer
        return self.earlier_answers.find(key)

    def keep(self, key: bytes, answer: JournalEntry) -> None:
        """Writes an answer, whole or not at all; raises :class:`ConfigurationError`, which ends the run."""
        line = _json_line([key.hex(), answer.cost, answer.seconds, answer.payload]) + "\n"
        with _writing(self.folder, NAME):
            if self._file is None:
                self._file = _opened(self.folder)
                self._end = self._file.tell()
            try:
                rest = line.encode()
                # Without a buffer a write may take only a part of the line.
                while rest:
                    rest = rest[self._file.write(rest) :]
            except OSError:
                # Half a line, as on a full disk, would spoil the next answer.
                self._file.truncate(self._end)
                self._file.seek(self._end)
                raise
        # Only now, when the whole line is written.
        self._places.setdefault(key, self._end)
        self._end += len(line)

    def close(self) -> None:
        """Closes the file; the journal cannot be used any more."""
        if self._file is not None:
            self._file.close()
            self._file, self._places = None, {}
        self.earlier_answers.close()

    def decision(self, name: str) -> bool | None:
        """The decision of the first continued run that made one under this name, or None."""
        files = (folder / name for folder in self.earlier)
        values = (json_or_none(read_given(file)) for file in files if file.is_file())
        return next((decision for decision in values if isinstance(decision, bool)), None)

    def decide(self, name: str, decision: bool) -> None:
        """Saves a decision for runs that continue this one; raises :class:`ConfigurationError`."""
        if self.folder is not None:
            with _writing(self.folder, ""):
                (self.folder / name).write_text(json.dumps(decision), "utf-8")


def _opened(folder: Path | None) -> IO[bytes]:
    return (
        SpooledTemporaryFile(_IN_MEMORY)
        if folder is None
        # Without a buffer: a kill of this process loses no answer that was paid.
        else (folder / NAME).open("a+b", buffering=0)
    )


def _entry(
    key: bytes, line: bytes, *, taken_over: bool = False, again: bool = False
) -> JournalEntry | None:
    """The answer to a request in a line; None if it is damaged, and the request is then made again."""
    answer = json_or_none(line)
    if (
        not isinstance(answer, list)
        or len(answer) != len(_FORM)
        or not all(map(isinstance, answer, _FORM))
    ):
        return None
    own_key, cost, seconds, payload = answer
    # A forked process shares the position in the file with its parent, which may move it before the line is read.
    if own_key != key.hex():
        return None
    if not all(number is None or 0 <= number < math.inf for number in (cost, seconds)):
        return None
    return JournalEntry(payload, cost, seconds, taken_over, again)


def _line_at(file: IO[bytes], start: int) -> bytes:
    """The line that begins there. `readline` would read a file without a buffer byte by byte."""
    file.seek(start)
    line = bytearray()
    while piece := file.read(_PIECE):
        beginning, line_break, _ = piece.partition(b"\n")
        line += beginning
        if line_break:
            break
    return bytes(line)


@contextmanager
def _writing(folder: Path | None, file: str) -> Iterator[None]:
    """Names what cannot be written: a ``file`` of a folder, or the folder itself if the name is empty."""
    try:
        yield
    except OSError as error:
        place = "a temporary file" if folder is None else folder / file
        raise ConfigurationError(f"{place}: answers cannot be kept: {error.strerror}") from None
