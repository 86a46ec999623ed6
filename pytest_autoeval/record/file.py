"""The results file: JSON Lines, the log of a run. `docs/reference/results.md` describes every line."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from sys import intern
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec.structs import replace

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.given_file import check_given
from pytest_autoeval.line_file import LineFile
from pytest_autoeval.record.coding import LineError, decoder, encoded
from pytest_autoeval.record.lines import AnyLine, Message, Run, RunEnd, Sample, Suite, SuiteEnd, SuiteRecord, Text
from pytest_autoeval.written_file import RESULTS, target_of, write_file

if TYPE_CHECKING:
    from filelock import FileLock

_BOM = b"\xef\xbb\xbf"
#: System texts shorter than this, in characters, have no line of their own.
_SHORTEST = 64
#: Hexadecimal digits of a digest: enough for millions of texts.
_DIGITS = 16


class ResultsError(AutoevalError):
    """A results file cannot be written or read. The message names the file, and the line if there is one."""


@dataclass(kw_only=True)
class Results:
    """What a results file holds.

    Attributes:
        runs: its runs: one, or those that were joined in the file.
        suites: the suites, each with its samples.
        end: the end of the run; None if the run was killed.
        torn: the number of the last line if it is incomplete, because its writer was killed; it is left out.
        ends_without_suite: the ends of suites that never started: left out, or without a sample.
        lines: the numbers of the lines of samples, in their order.
    """

    runs: list[Run] = field(default_factory=list)
    suites: list[SuiteRecord] = field(default_factory=list)
    end: RunEnd | None = None
    torn: int | None = None
    ends_without_suite: list[SuiteEnd] = field(default_factory=list)
    lines: dict[int, list[int]] = field(default_factory=dict, repr=False)

    @property
    def run(self) -> Run:
        """The run; the first one of several. Raises :class:`ResultsError` for an empty file."""
        if not self.runs:
            raise ResultsError("there is no run in these results")
        return self.runs[0]

    @property
    def samples(self) -> list[Sample]:
        """The samples of all suites."""
        return [sample for suite in self.suites for sample in suite.samples]

    def rows(self) -> list[dict[str, Any]]:
        """One flat dict for each sample, for pandas: what its suite asked, its own values, and ``part.field``.

        ``suite`` is the name of the suite and ``number`` its number. Values are plain basic types.
        """
        return [row for suite in self.suites for row in _rows(suite)]


def _rows(suite: SuiteRecord) -> Iterator[dict[str, Any]]:
    asked = {"suite": suite.name, **{key: value for key, value in _fields(suite.asked) if key != "name"}}
    for sample in suite.samples:
        own = {key: value for key, value in _fields(sample) if key not in ("suite", "parts")}
        parts = {
            f"{name}.{key}": value
            for name, part in sample.parts.items()
            for key, value in (part if isinstance(part, dict) else msgspec.to_builtins(part)).items()
        }
        yield {"started": suite.run.started, **asked, **own, **parts}


def _fields(line: Suite | Sample) -> Iterator[tuple[str, Any]]:
    for name in line.__struct_fields__:
        value = getattr(line, name)
        yield name, value if isinstance(value, str | int | float | None) else msgspec.to_builtins(value, enc_hook=str)


def read_file(path: Path | str) -> Results:
    """Reads a results file, also of older releases. Raises :class:`ResultsError` if it cannot be read, for a line of
    another form (only the last one may be incomplete) and for another schema version.
    """
    path = Path(path)
    results = Results()
    try:
        check_given(path)
        with path.open("rb") as file:
            is_old = _is_version_1(file.readline())
            file.seek(0)
            if is_old:
                _read_rows(path, file, results)
            else:
                _Reader(path, results).read(file)
    except OSError as error:
        raise ResultsError(f"{path}: results cannot be read: {error.strerror}") from None
    return results


def first_run(path: Path) -> Run | None:
    """The run of a results file, from its first line; None if the file is empty. Raises :class:`ResultsError`."""
    try:
        check_given(path)
        with path.open("rb") as file:
            line = file.readline()
            if _is_version_1(line):
                return _run_of_row(path, line)
            results = Results()
            _Reader(path, results).read([line])
    except OSError as error:
        raise ResultsError(f"{path}: results cannot be read: {error.strerror}") from None
    return results.runs[0] if results.runs else None


def is_results(beginning: bytes) -> bool:
    """Whether a file that begins so holds results of a run."""
    return RESULTS.is_kind_of(beginning.removeprefix(_BOM)) and bool(beginning.strip())


def _is_version_1(line: bytes) -> bool:
    """Whether a file whose first line this is holds rows of schema version 1, which had no kind."""
    return b'"schema_version"' in line and b'"kind":"run"' not in line.replace(b" ", b"")


def _read_rows(path: Path, lines: Iterable[bytes], results: Results) -> None:
    """Reads a file of schema version 1."""
    from pytest_autoeval.record.version_1 import RowError, Rows

    rows, places = Rows(), []
    for number, line in enumerate(lines, 1):
        text = line.removeprefix(_BOM) if number == 1 else line
        if not text.strip():
            continue
        try:
            suite = rows.add(text)
        except RowError as problem:
            if problem.torn and not line.endswith(b"\n"):
                results.torn = number
                break
            raise ResultsError(f"{path}:{number}: {problem}") from None
        if suite is not None:
            places.append((suite, number))
    results.runs, results.suites = rows.finish(whole=results.torn is None)
    for suite, number in places:
        results.lines.setdefault(suite.number, []).append(number)


def _run_of_row(path: Path, line: bytes) -> Run | None:
    from pytest_autoeval.record.version_1 import RowError, run_of

    try:
        return run_of(line.removeprefix(_BOM))
    except RowError as problem:
        raise ResultsError(f"{path}: {problem}") from None


class _Reader:
    """Reads the lines of a file into results."""

    def __init__(self, path: Path, results: Results) -> None:
        self._path, self._results = path, results
        self._numbered: dict[int, SuiteRecord] = {}
        self._texts: dict[str, str] = {}
        self._decode = decoder(self._numbered)

    def read(self, lines: Iterable[bytes]) -> None:
        for number, line in enumerate(lines, 1):
            text = line.removeprefix(_BOM) if number == 1 else line
            if not text.strip():
                continue
            try:
                self._take(self._decode(text), number)
            except LineError as problem:
                if problem.torn and not line.endswith(b"\n"):  # a whole line ends in a line break
                    self._results.torn = number
                    return
                raise ResultsError(f"{self._path}:{number}: {problem}{self._hint(problem)}") from None

    def _hint(self, problem: LineError) -> str:
        is_results = self._path.suffix == ".jsonl" or not problem.torn
        return "" if is_results else "; give the results of a run (--autoeval-results=RUN.jsonl)"

    def _take(self, line: AnyLine, number: int) -> None:
        results = self._results
        if not results.runs and not isinstance(line, Run):
            raise LineError("the first line is not that of the run")
        match line:
            case Run():
                results.runs.append(line)
                self._numbered.clear()
            case Suite():
                self._start(SuiteRecord(line, results.runs[-1]))
            case Text():
                self._texts[line.digest] = intern(line.content)
            case Sample():
                line.suite.samples.append(self._filled(line))
                results.lines.setdefault(line.suite.number, []).append(number)
            case SuiteEnd():
                if line.suite in self._numbered:
                    self._numbered[line.suite].end = line
                else:
                    results.ends_without_suite.append(line)
            case RunEnd():
                results.end = line

    def _start(self, suite: SuiteRecord) -> None:
        """A suite starts. If it has started before, its worker died, and all of it runs again."""
        suites, earlier = self._results.suites, self._numbered.get(suite.number)
        if earlier is None:
            suites.append(suite)
        else:
            suites[suites.index(earlier)] = suite
            self._results.lines.pop(suite.number, None)
        self._numbered[suite.number] = suite

    def _filled(self, sample: Sample) -> Sample:
        """The sample with the texts that stand in lines of their own."""
        calls = tuple(
            replace(call, messages=tuple(map(self._whole, call.messages))) if call.messages else call
            for call in sample.calls
        )
        return replace(sample, calls=calls)

    def _whole(self, message: Message) -> Message:
        if message.digest is None:
            return message
        return Message(role=message.role, content=self._texts.get(message.digest, ""))


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
            in_use = FileLock(target.with_name(f".{target.name}.lock"), blocking=False, thread_local=False)
            try:
                in_use.acquire()
            except Timeout:
                raise ResultsError(f"{self.path}: another run is writing its results to this file") from None
            self._in_use = in_use
            earlier = _set_aside(target) if target.exists() and _is_interrupted(target) else None
            write_file(self.path, [], RESULTS)
        return earlier

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ResultsError(f"{self.path}: results cannot be written: {error.strerror}") from None

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
            with suppress(PermissionError):  # Windows removes no open file; there the lock does it itself
                Path(self._in_use.lock_file).unlink(missing_ok=True)
            self._in_use.release()


def write_results(path: Path, results: Results) -> None:
    """Writes results that were read or joined. Raises :class:`ResultsError`."""
    try:
        write_file(path, _all_lines(results), RESULTS)
    except OSError as error:
        raise ResultsError(f"{path}: results cannot be written: {error.strerror}") from None


def _all_lines(results: Results) -> Iterator[bytes]:
    texts: set[str] = set()
    for run in results.runs:
        texts.clear()
        yield encoded(run)
        for suite in results.suites:
            if suite.run is run:
                ends = () if suite.end is None else (suite.end,)
                for line in (suite.asked, *suite.samples, *ends):
                    yield from lines_of(line, texts)
    yield from map(encoded, results.ends_without_suite)
    if results.end is not None:
        yield encoded(results.end)


def lines_of(line: AnyLine, known: set[str]) -> Iterator[bytes]:
    """A line as it is written, after the lines of long system texts in it that are not ``known`` yet."""
    if not isinstance(line, Sample):
        yield encoded(line)
        return
    calls = []
    for call in line.calls:
        messages = []
        for message in call.messages or ():
            content = message.content or ""
            if message.role == "system" and len(content) >= _SHORTEST:
                digest = sha256(content.encode("utf-8", "replace")).hexdigest()[:_DIGITS]
                if digest not in known:
                    known.add(digest)
                    yield encoded(Text(digest=digest, content=content))
                messages.append(Message(role=message.role, digest=digest))
            else:
                messages.append(message)
        calls.append(replace(call, messages=tuple(messages)) if messages else call)
    yield encoded(replace(line, calls=tuple(calls)))


class _Place(msgspec.Struct, gc=False):
    """Where a line belongs in a sorted file."""

    kind: Literal["run", "text", "suite", "sample", "suite_end", "run_end"]
    suite: int = 0
    number: int = 0
    size: int = 0
    index: int = 0
    repeat: int = 0
    paraphrase: int = 0
    digest: str = ""


_ORDER = {"run": 0, "text": 1, "suite": 2, "sample": 2, "suite_end": 2, "run_end": 3}
_IN_SUITE = {"suite": 0, "sample": 1, "suite_end": 2}


def _sorted(descriptor: int) -> Iterator[bytes]:
    """The lines of a file in order, without those of a suite that was started again."""
    places, decode = [], msgspec.json.Decoder(_Place).decode
    latest: dict[int, int] = {}
    start = 0
    with os.fdopen(os.dup(descriptor), "rb") as file:
        for line in file:
            place = decode(line)
            suite = place.suite or place.number
            if place.kind == "suite":
                latest[suite] = start
            key = (_ORDER[place.kind], suite, _IN_SUITE.get(place.kind, 0), place.digest)
            within = (place.size, place.index, place.repeat, place.paraphrase)
            places.append(((*key, *within), start, len(line), suite))
            start += len(line)
        for _, at, length, suite in sorted(places):
            if at >= latest.get(suite, 0):
                file.seek(at)
                yield file.read(length)


def _is_interrupted(file: Path) -> bool:
    """Whether a results file is of a run that did not end well."""
    with file.open("rb") as lines:
        first = lines.readline()
        if _is_version_1(first):
            return any(b', "unfinished": true' in line for line in itertools.chain([first], lines))
        last = first
        for line in lines:
            last = line
    if not last.strip():
        return False
    try:
        end = decoder({})(last)
    except LineError:
        return True
    return not isinstance(end, RunEnd) or end.interrupted


def _set_aside(file: Path) -> Path:
    """Renames the results of an interrupted run by the time of their last change; returns the new name."""
    when = datetime.fromtimestamp(file.stat().st_mtime).astimezone()
    name = f"{file.name}.interrupted-{when:%Y%m%d-%H%M%S}"
    names = (file.with_name(f"{name}{f'-{number}' if number else ''}") for number in itertools.count())
    return file.rename(next(name for name in names if not name.exists()))


def read_results(files: Path | str | Sequence[Path | str]) -> Results:
    """Reads the results of a run.

    Args:
        files: a results file, or several: the parts of one run, or runs that are one baseline.

    Returns:
        The results: ``run``, ``suites`` and ``samples`` are typed; ``rows()`` gives flat dicts.

    Raises:
        AutoevalError: a file cannot be read, or the files do not belong together.
    """
    from pytest_autoeval.record.merging import merge

    if isinstance(files, str | Path):
        return read_file(files)
    return merge([Path(file) for file in files]).results
