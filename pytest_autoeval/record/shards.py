"""The parts of one run (`--autoeval-shard`): do the suites of several files belong together, and what is missing?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.record.joined_seeds import Seeds
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.suite_names import named

#: ``K/N``, with at most six digits each: `incomplete` goes through all numbers up to N.
_SHARD = lazy_pattern(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")
#: Between the parts of a run that were joined without the others.
_BETWEEN = ", "
#: How many missing parts a message names.
_MOST_SHOWN = 10


@dataclass(slots=True)
class Joined:
    """The suites of several files that are one, each with its file and the lines of its samples."""

    parts: list[tuple[SuiteRecord, Path, Sequence[int]]] = field(default_factory=list)
    samples: dict[tuple[object, ...], Sample] = field(default_factory=dict)
    torn: bool = False
    seeds: Seeds = field(default_factory=Seeds)

    @property
    def first(self) -> SuiteRecord:
        return self.parts[0][0]

    @property
    def counted(self) -> int:
        return sum(sample.counts != "shrunk" for sample in self.samples.values())

    def location_of(self, sample: Sample) -> str:
        """The file and the line of a sample of one of the parts."""
        # Sought only for a message: nearly all samples need no location.
        for suite, file, lines in reversed(self.parts):
            # 0 stands for a line that is not known.
            for candidate, line in zip_longest(suite.samples, lines, fillvalue=0):
                if candidate is sample:
                    return f"{file}:{line}"
        raise LookupError(f"{sample.key} is no sample of these suites")


class _Division(NamedTuple):
    """What the parts of one run of a suite have in common: their number, the settings, the samples of the whole."""

    total: int
    settings: str | None
    planned: int | None


def _division(suite: SuiteRecord) -> _Division | None:
    if suite.run.shard is None:
        return None
    return _Division(shards_of(suite)[1], suite.run.settings, suite.asked.planned)


def check_division(group: Joined) -> None:
    """Raises :class:`AutoevalError` if the newest part of a suite and the first are not parts of one run."""
    suite, file, lines = group.parts[-1]
    location = _location(file, lines)
    try:
        division, earlier_division = _division(suite), _division(group.first)
    except AutoevalError as problem:
        raise AutoevalError(f"{location}: {problem}") from None
    if division != earlier_division:
        _, earlier_file, earlier_lines = group.parts[0]
        raise AutoevalError(
            f"{location}: this sample of {named(suite.name, suite.model)} and that at "
            f"{_location(earlier_file, earlier_lines)} are not from parts of one run: "
            f"{_difference(division, earlier_division)}"
        )


def _location(file: Path, lines: Sequence[int]) -> str:
    """A file with the number of the first line of a suite in it, as editors open it."""
    return f"{file}:{lines[0]}" if lines else str(file)


def _difference(division: _Division | None, earlier: _Division | None) -> str:
    """Why two suites are not parts of one run. The settings come last: they cannot be shown, being a digest."""
    if division is None or earlier is None:
        return "one of them ran whole"
    if division.total != earlier.total:
        return f"one of {division.total} parts, the other of {earlier.total}"
    if division.planned != earlier.planned:
        return f"the whole has {division.planned} samples for one, {earlier.planned} for the other"
    return "their runs had different settings, such as seed, sizes, prompts or threshold"


def shards_of(suite: SuiteRecord) -> tuple[frozenset[int], int]:
    """The numbers of a suite's parts, and the number of all parts. Some parts that were joined are ``1/5, 3/5``.

    Raises :class:`AutoevalError` if it is not K/N.
    """
    numbers, totals = set(), set()
    for shard in str(suite.run.shard).split(_BETWEEN):
        match = _SHARD.fullmatch(shard)
        if match is None or int(match[1]) > int(match[2]):
            raise AutoevalError(f"the shard {suite.run.shard!r} is not K/N, as 2/5")
        numbers.add(int(match[1]))
        totals.add(int(match[2]))
    if len(totals) > 1:
        raise AutoevalError(
            f"the shard {suite.run.shard!r} is of runs with different numbers of parts"
        )
    return frozenset(numbers), totals.pop()


def joined_shards(suites: Sequence[SuiteRecord]) -> str:
    """The parts of one run that these suites are of, as the shard of the run."""
    _, total = shards_of(suites[0])
    numbers: set[int] = set()
    for suite in suites:
        numbers |= shards_of(suite)[0]
    return _BETWEEN.join(f"{number}/{total}" for number in sorted(numbers))


def refuse_parts(suites: Sequence[SuiteRecord]) -> None:
    """Raises :class:`AutoevalError` if the baseline has only parts of some suites."""
    shard = next((suite.run.shard for suite in suites if suite.run.shard is not None), None)
    if shard is not None:
        raise AutoevalError(
            f"the baseline is part {shard} of a run; name the files of all its parts, or put them together first: "
            "python -m pytest_autoeval report PARTS… --results whole.jsonl"
        )


def incomplete(groups: Sequence[Joined], empty: int) -> dict[int, str]:
    """The numbers of divided suites that are not complete, with what is missing: ``part 2/5 is missing``.

    ``empty`` is the number of empty files; each may be a missing part.
    """
    divided = {
        number: group for number, group in enumerate(groups, 1) if group.first.run.shard is not None
    }
    # By model, not by suite: a small suite may have no sample in a part that ran.
    present: dict[tuple[str, int], set[int]] = defaultdict(set)
    for group in divided.values():
        for suite, _, _ in group.parts:
            numbers, total = shards_of(suite)
            present[suite.model, total] |= numbers
    problems = {}
    for number, group in divided.items():
        if group.torn:  # the notes say it already
            continue
        suite = group.first
        _, total = shards_of(suite)
        missing = sorted(set(range(1, total + 1)) - present[suite.model, total])
        if len(missing) > empty:
            problems[number] = f"{_missing_text(missing, total)} missing"
        elif group.counted != suite.asked.planned:
            problems[number] = f"samples of {named(suite.name, suite.model)} are missing"
    return problems


def _missing_text(numbers: Sequence[int], total: int) -> str:
    """``part 2/5 is``, ``parts 2/5, 4/5 are``."""
    listed = ", ".join(f"{number}/{total}" for number in numbers[:_MOST_SHOWN])
    if len(numbers) == 1:
        return f"part {listed} is"
    hidden = len(numbers) - _MOST_SHOWN
    unlisted = f" and {hidden} more" if hidden > 0 else ""
    return f"parts {listed}{unlisted} are"
