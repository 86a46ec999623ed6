"""The results file while its run lasts: a log of lines that is sorted at the end."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

import msgspec

from pytest_autoeval.line_file import LineFile
from pytest_autoeval.record.coding import LineError, decoder
from pytest_autoeval.record.file import ResultsError, is_version_1, lines_of
from pytest_autoeval.record.lines import AnyLine, RunEnd
from pytest_autoeval.record.whole_types import whole_type
from pytest_autoeval.written_file import RESULTS, target_of, write_file

if TYPE_CHECKING:
    from filelock import FileLock


class ResultsFile:
    """A results file that many threads write at once. Only the process that leads the run writes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = LineFile(path)
        self._in_use: FileLock | None = None
        self._lock = Lock()
        self._texts: set[str] = set()
        self._finished = False

    def start(self) -> Path | None:
        """Makes a new file and the folders above it. No other run can start one there before :meth:`close`.

        If the old file is from an interrupted run, it is renamed, and its new name is returned; otherwise it is
        replaced. Raises :class:`ResultsError`, also if another run is writing to the file.
        """
        from filelock import FileLock, Timeout

        with self._writing():
            target = target_of(self.path, RESULTS)
            target.parent.mkdir(parents=True, exist_ok=True)
            in_use = FileLock(
                target.with_name(f".{target.name}.lock"), blocking=False, thread_local=False
            )
            try:
                in_use.acquire()
            except Timeout:
                raise ResultsError(
                    f"{self.path}: another run is writing its results to this file"
                ) from None
            self._in_use = in_use
            # Only with the lock: what looks interrupted may be a run that is under way.
            earlier = _set_aside(target) if target.exists() and _is_interrupted(target) else None
            write_file(self.path, [], RESULTS)
        return earlier

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ResultsError(
                f"{self.path}: results cannot be written: {error.strerror}"
            ) from None

    def append(self, line: AnyLine) -> None:
        """Appends one line, completely or not at all; raises :class:`ResultsError`.

        After :meth:`finish` nothing is appended: a sample that was under way at Ctrl-C is in no count of the run.
        """
        with self._lock, self._writing():
            if self._finished:
                return
            try:
                for text in lines_of(line, self._texts):
                    self._lines.append(text)
            except (TypeError, ValueError) as error:
                raise ResultsError(f"a line of results is not JSON: {error}") from None

    def finish(self) -> None:
        """Sorts the lines, so that every order of execution gives the same file.

        The file is replaced as a whole: a reader sees either the old or the new one.
        """
        with self._lock, self._writing():
            self._finished = True
            self._lines.close()  # Windows replaces no open file
            with self.path.open("rb") as file:
                write_file(self.path, _sorted(file.fileno()), RESULTS)

    def close(self) -> None:
        """Lets other runs start a file there."""
        if self._in_use is not None:
            # Windows removes no open file; there the lock does it itself.
            with suppress(PermissionError):
                Path(self._in_use.lock_file).unlink(missing_ok=True)
            # Only behind the removal: after this the file may be that of another run.
            self._in_use.release()


# Without a part in the search for reference cycles: a file may have a million lines, and a place refers to nothing.
class _Place(msgspec.Struct, gc=False):
    """Where a line belongs in a sorted file. Of a whole line only these keys are decoded, which is fast."""

    kind: Literal["run", "text", "suite", "sample", "suite_end", "run_end"]
    suite: int = 0
    number: int = 0
    size: int = 0
    index: int = 0
    repeat: int = 0
    paraphrase: int = 0
    digest: str = ""


#: Texts stand in front: a reader must have them before the first sample that names them.
_ORDER = {"run": 0, "text": 1, "suite": 2, "sample": 2, "suite_end": 2, "run_end": 3}
#: A suite, then its samples, then its end: a reader needs the suite before its samples.
_IN_SUITE = {"suite": 0, "sample": 1, "suite_end": 2}


def _sorted(descriptor: int) -> Iterator[bytes]:
    """The lines of a file in order, without those of a suite that was started again.

    Only the offsets of lines are in memory: a file may have gigabytes of messages.
    """
    lines = []
    decode = msgspec.json.Decoder(whole_type(_Place)).decode
    latest_start: dict[int, int] = {}
    offset = 0
    # A duplicate: closing it here leaves the file of the caller open.
    with os.fdopen(os.dup(descriptor), "rb") as file:
        for line in file:
            place = decode(line)
            suite = place.suite or place.number
            if place.kind == "suite":
                latest_start[suite] = offset
            key = (_ORDER[place.kind], suite, _IN_SUITE.get(place.kind, 0), place.digest)
            in_suite = (place.size, place.index, place.repeat, place.paraphrase)
            lines.append(((*key, *in_suite), offset, len(line), suite))
            offset += len(line)
        for _, offset, length, suite in sorted(lines):
            if offset >= latest_start.get(suite, 0):
                file.seek(offset)
                yield file.read(length)


def _is_interrupted(file: Path) -> bool:
    """Whether a results file is of a run that did not end well."""
    with file.open("rb") as lines:
        line = lines.readline()
        if is_version_1(line):
            return any(b', "unfinished": true' in row for row in itertools.chain([line], lines))
        for line in lines:  # noqa: B007 (the last one counts)
            pass
    if not line.strip():
        return False
    try:
        end = decoder({})(line)
    except LineError:  # torn, or of a sample, whose suite the decoder does not know
        return True
    return not isinstance(end, RunEnd) or end.interrupted


def _set_aside(file: Path) -> Path:
    """Renames the results of an interrupted run by the time of their last change; returns the new name."""
    changed = datetime.fromtimestamp(file.stat().st_mtime).astimezone()
    name = f"{file.name}.interrupted-{changed:%Y%m%d-%H%M%S}"
    new = file.with_name(name)
    for number in itertools.count(1):  # two runs may be interrupted in one second
        if not new.exists():
            break
        new = file.with_name(f"{name}-{number}")
    return file.rename(new)
