"""What crosses from a worker of xdist to the leading process, and the baseline that goes the other way.

Samples and suites cross once, as the lines of the results. Everything else names them.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from sys import intern
from typing import Any

from msgspec.structs import replace

from pytest_autoeval.engine.events import Event, SampleEnded, SuiteStarted
from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.record.calls import SentMessage
from pytest_autoeval.record.coding import decoder, encoded
from pytest_autoeval.record.lines import AnyLine, Run, Sample, SampleKey, SuiteEnd, SuiteRecord


class Names:
    """The names under which one process refers to suites and samples that the other one has too, and lines."""

    def __init__(self, baseline: Baseline | None) -> None:
        self._of_baseline: list[SuiteRecord] = [] if baseline is None else baseline.suites
        self._numbers = {suite: number for number, suite in enumerate(self._of_baseline)}
        self._places = {
            id(sample): (number, index)
            for number, suite in enumerate(self._of_baseline)
            for index, sample in enumerate(suite.samples)
        }

    def name_of(self, value: object) -> tuple[Any, ...] | None:
        """The name of a suite or sample, or a line; None for another value."""
        if isinstance(value, SuiteRecord):
            number = self._numbers.get(value)
            return ("suite", value.number) if number is None else ("suite there", number)
        if isinstance(value, Sample):
            if id(value) in self._places:
                return ("sample there", *self._places[id(value)])
            # No other line has it.
            if value.counts == "shrunk":
                return "line", value.suite.number, encoded(value)
            return "sample", value.suite.number, value.key
        # Pickled defaults would no longer be left out of the file.
        if isinstance(value, SuiteEnd):
            return "line", value.suite, encoded(value)
        return None

    def of_run(self, suites: Mapping[int, SuiteRecord]) -> Callable[[tuple[Any, ...]], object]:
        """A function that returns the suite or sample of a name; ``suites`` are those of the run."""
        by_key: dict[int, dict[SampleKey, Sample]] = {}

        def named(name: tuple[Any, ...]) -> object:
            kind, number, *key = name
            match kind:
                case "suite":
                    return suites[number]
                case "suite there":
                    return self._of_baseline[number]
                case "sample there":
                    return self._of_baseline[number].samples[key[0]]
                case "line":
                    return decoder(suites)(key[0])
            # Made at most once an event: a suite grows while its samples come.
            if number not in by_key:
                by_key[number] = {sample.key: sample for sample in suites[number].samples}
            return by_key[number][key[0]]

        return named


class _Packer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, names: Names) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._names = names

    def persistent_id(self, obj: object) -> tuple[Any, ...] | None:
        return self._names.name_of(obj)


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, named: Callable[[tuple[Any, ...]], object]) -> None:
        super().__init__(file)
        self._named = named

    def persistent_load(self, pid: tuple[Any, ...]) -> object:
        return self._named(pid)


def packed(event: Event, names: Names) -> tuple[str, Any]:
    """The event as a topic and a value for the leader."""
    match event:
        case SuiteStarted(suite=suite, planned=planned):
            return "suite", (encoded(suite.asked), planned)
        case SampleEnded(sample=sample):
            return "sample", encoded(sample)
    file = io.BytesIO()
    _Packer(file, names).dump(event)
    return "event", file.getvalue()


class Receiver:
    """Unpacks the events of one worker; ``suites`` are those of the run so far."""

    def __init__(
        self, run: Run, suites: Mapping[int, SuiteRecord], names: Callable[[], Names]
    ) -> None:
        self._run, self._suites, self._names = run, suites, names
        # Made once: that takes longer than to decode a sample.
        self._decode = decoder(suites)

    def event(self, topic: str, value: Any) -> Event:
        """The event that the worker packed."""
        match topic:
            case "suite":
                line, planned = value
                suite: Any = self._decode(line)
                return SuiteStarted(suite=SuiteRecord(suite, self._run), planned=planned)
            case "sample":
                sample: Any = self._decode(value)
                return SampleEnded(sample=_with_shared_texts(sample))
        event: Event = _Unpacker(io.BytesIO(value), self._names().of_run(self._suites)).load()
        return event


def _with_shared_texts(sample: Sample) -> Sample:
    """The sample. Equal texts of messages are stored once in memory."""

    def shared(message: SentMessage) -> SentMessage:
        return (
            message
            if message.content is None
            else replace(message, content=intern(message.content))
        )

    calls = [
        call if call.messages is None else replace(call, messages=tuple(map(shared, call.messages)))
        for call in sample.calls
    ]
    return replace(sample, calls=tuple(calls))


def packed_suites(suites: Iterable[SuiteRecord]) -> list[list[bytes]]:
    """The lines of each suite, after the line of its run."""

    def lines(suite: SuiteRecord) -> Iterator[AnyLine]:
        yield suite.run
        yield suite.asked
        yield from suite.samples
        if suite.end is not None:
            yield suite.end

    return [[*map(encoded, lines(suite))] for suite in suites]


def unpacked_suites(suites: Sequence[Sequence[bytes]]) -> Iterator[SuiteRecord]:
    """The suites of these lines."""
    suites_by_number: dict[int, SuiteRecord] = {}
    decode = decoder(suites_by_number)
    runs: dict[bytes, Run] = {}
    for lines in suites:
        # Suites of one run share its line, as they do in a results file.
        run: Any = runs.get(lines[0]) or decode(lines[0])
        suite_line: Any = decode(lines[1])
        suite = SuiteRecord(suite_line, runs.setdefault(lines[0], run))
        suites_by_number[suite.number] = suite
        for line in map(decode, lines[2:]):
            if isinstance(line, SuiteEnd):
                suite.end = line
            elif isinstance(line, Sample):
                suite.samples.append(line)
        yield suite
