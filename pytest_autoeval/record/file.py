"""The results file: JSON Lines, the log of a run. `docs/reference/results.md` describes every line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from sys import intern
from typing import Any

import msgspec
from msgspec.structs import replace

from pytest_autoeval.errors import AutoevalError, did_you_mean
from pytest_autoeval.given_file import check_given
from pytest_autoeval.record.calls import SentMessage
from pytest_autoeval.record.coding import LineError, decoder, encoded
from pytest_autoeval.record.lines import (
    AnyLine,
    Run,
    RunEnd,
    Sample,
    Suite,
    SuiteEnd,
    SuiteRecord,
    Text,
)
from pytest_autoeval.record.shared_values import SharedValues
from pytest_autoeval.written_file import RESULTS, write_file

#: Some editors write these three bytes, the mark of UTF-8, in front of a file.
_BOM = b"\xef\xbb\xbf"
#: System texts shorter than this, in characters, have no line of their own: a digest with its line is about as long.
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
        lines: the numbers of the lines of samples, in their order, by suite: numbers of suites are those of their run.
    """

    runs: list[Run] = field(default_factory=list)
    suites: list[SuiteRecord] = field(default_factory=list)
    end: RunEnd | None = None
    torn: int | None = None
    ends_without_suite: list[SuiteEnd] = field(default_factory=list)
    lines: dict[SuiteRecord, list[int]] = field(default_factory=dict, repr=False)

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

        ``suite`` is the name of the suite and ``number`` its number; ``passed`` says whether the sample passed. Values
        are plain basic types.
        """
        return [row for suite in self.suites for row in _rows(suite)]


def _rows(suite: SuiteRecord) -> Iterator[dict[str, Any]]:
    of_suite = {"suite": suite.name} | _plain_fields(suite.asked)
    del of_suite["name"]
    for sample in suite.samples:
        of_sample = _plain_fields(sample, leave_out=("suite", "parts"))
        row = {"started": suite.run.started, **of_suite, **of_sample, "passed": sample.passed}
        for name, values_of_part in sample.parts.items():
            for key, value in msgspec.to_builtins(values_of_part).items():
                row[f"{name}.{key}"] = value
        yield row


def _plain_fields(line: Suite | Sample, leave_out: Collection[str] = ()) -> dict[str, Any]:
    """The fields of a line, as plain basic types."""
    fields: dict[str, Any] = {}
    for name in line.__struct_fields__:
        if name in leave_out:
            continue
        value = getattr(line, name)
        if not isinstance(value, str | int | float | None):  # most are, and need no conversion
            value = msgspec.to_builtins(value, enc_hook=str)
        fields[name] = value
    return fields


def read_file(path: Path | str, *, keep_messages: bool = True) -> Results:
    """Reads a results file, also of older releases. Raises :class:`ResultsError` if it cannot be read, for a line of
    another form (only the last one may be incomplete) and for another schema version.

    Without ``keep_messages``, calls lack the messages that were sent, which few reports show.
    """
    path = Path(path)
    results = Results()
    try:
        check_given(path)
        with path.open("rb") as file:
            is_old = is_version_1(file.readline())
            file.seek(0)
            if is_old:
                _read_rows(path, file, results)
            else:
                _Reader(path, results, keep_messages=keep_messages).read(file)
    except OSError as error:
        raise ResultsError(
            f"{path}: results cannot be read: {error.strerror}{near_file(path)}"
        ) from None
    return results


def near_file(path: Path) -> str:
    """The end of a message: the results file that the name of a missing one may mean."""
    if path.exists() or not path.parent.is_dir():
        return ""
    near = did_you_mean(path.name, sorted(file.name for file in path.parent.glob("*.jsonl")))
    return near and f".{near}"


def first_run(path: Path) -> Run | None:
    """The run of a results file, from its first line; None if the file is empty. Raises :class:`ResultsError`."""
    try:
        check_given(path)
        with path.open("rb") as file:
            line = file.readline()
            if is_version_1(line):
                return _run_of_row(path, line)
            results = Results()
            _Reader(path, results).read([line])
    except OSError as error:
        raise ResultsError(
            f"{path}: results cannot be read: {error.strerror}{near_file(path)}"
        ) from None
    return results.runs[0] if results.runs else None


def is_results(beginning: bytes) -> bool:
    """Whether a file that begins so holds results of a run."""
    return RESULTS.is_kind_of(beginning.removeprefix(_BOM)) and bool(beginning.strip())


def is_version_1(line: bytes) -> bool:
    """Whether a file whose first line this is holds rows of schema version 1, which had no kind."""
    return b'"schema_version"' in line and b'"kind":"run"' not in line.replace(b" ", b"")


def _read_rows(path: Path, lines: Iterable[bytes], results: Results) -> None:
    """Reads a file of schema version 1."""
    # Only files of older releases need it.
    from pytest_autoeval.record.version_1 import SuitesFromRows

    rows = SuitesFromRows()
    for number, line in enumerate(lines, 1):
        text = line.removeprefix(_BOM) if number == 1 else line
        if not text.strip():
            continue
        try:
            suite = rows.add(text)
        except LineError as problem:
            if problem.torn and not line.endswith(b"\n"):  # a whole line ends in a line break
                results.torn = number
                break
            raise ResultsError(f"{path}:{number}: {problem}") from None
        if suite is not None:
            results.lines.setdefault(suite, []).append(number)
    results.runs, results.suites = rows.finish(whole=results.torn is None)


def _run_of_row(path: Path, line: bytes) -> Run | None:
    from pytest_autoeval.record.version_1 import run_of

    try:
        return run_of(line.removeprefix(_BOM))
    except LineError as problem:
        raise ResultsError(f"{path}: {problem}") from None


class _Reader:
    """Reads the lines of a file into results."""

    def __init__(self, path: Path, results: Results, *, keep_messages: bool = True) -> None:
        self._path, self._results = path, results
        self._numbered: dict[int, SuiteRecord] = {}
        self._values = SharedValues(keep_messages=keep_messages)
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
                raise ResultsError(f"{self._path}:{number}: {problem}{self._hint}") from None

    @property
    def _hint(self) -> str:
        """What to give instead of a file that does not begin like results."""
        if self._results.runs:
            return ""
        hint = "; give the results of a run (--autoeval-results=RUN.jsonl)"
        # Such as JSON lines of another program.
        if self._path.suffix in {".csv", ".tsv", ".jsonl", ".json"}:
            hint += (
                ". A judge takes answers of another program: name their columns formula and other, and give the file "
                "as data (--autoeval-dataset)"
            )
        return hint

    def _take(self, line: AnyLine, number: int) -> None:
        results = self._results
        if not results.runs and not isinstance(line, Run):
            raise LineError("the first line is not that of the run")
        match line:
            case Run():
                results.runs.append(line)
                self._numbered.clear()  # a number of a suite holds in its run alone
            case Suite():
                self._start(SuiteRecord(line, results.runs[-1]))
            case Text():
                # Several files share it.
                self._values.texts[line.digest] = intern(line.content)
            case Sample():
                line.suite.samples.append(self._values.sample(line))
                results.lines.setdefault(line.suite, []).append(number)
            case SuiteEnd():
                if line.suite in self._numbered:
                    self._numbered[line.suite].end = line
                else:
                    results.ends_without_suite.append(line)
            case RunEnd():
                results.end = line

    def _start(self, suite: SuiteRecord) -> None:
        """A suite starts. If it has started before, its worker died, and all of it runs again."""
        suites = self._results.suites
        earlier = self._numbered.get(suite.number)
        if earlier is None:
            suites.append(suite)
        else:
            suites[suites.index(earlier)] = suite
            self._results.lines.pop(earlier, None)
        self._numbered[suite.number] = suite


def write_results(path: Path, results: Results) -> None:
    """Writes results that were read or joined. Raises :class:`ResultsError`."""
    try:
        write_file(path, _all_lines(results), RESULTS)
    except OSError as error:
        raise ResultsError(f"{path}: results cannot be written: {error.strerror}") from None


def _all_lines(results: Results) -> Iterator[bytes]:
    for run in results.runs:
        digests: set[str] = set()  # each run has its own texts, as in its own file
        yield encoded(run)
        for suite in results.suites:
            if suite.run is not run:
                continue
            yield encoded(suite.asked)
            for sample in suite.samples:
                yield from lines_of(sample, digests)
            if suite.end is not None:
                yield encoded(suite.end)
    yield from map(encoded, results.ends_without_suite)
    if results.end is not None:
        yield encoded(results.end)


def lines_of(line: AnyLine, digests: set[str]) -> Iterator[bytes]:
    """A line as it is written, after the lines of the long system texts in it.

    ``digests`` are those of the texts that have a line already; the new ones are added.
    """
    if not isinstance(line, Sample):
        yield encoded(line)
        return
    calls = []
    for call in line.calls:
        messages = []
        for message in call.messages or ():
            content = message.content or ""
            if message.role == "system" and len(content) >= _SHORTEST:
                # Half of a pair of surrogates, which a model can write, has no bytes.
                digest = sha256(content.encode("utf-8", "replace")).hexdigest()[:_DIGITS]
                if digest not in digests:
                    digests.add(digest)
                    yield encoded(Text(digest=digest, content=content))
                messages.append(SentMessage(role=message.role, digest=digest))
            else:
                messages.append(message)
        calls.append(replace(call, messages=tuple(messages)) if messages else call)
    yield encoded(replace(line, calls=tuple(calls)))
