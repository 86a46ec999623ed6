"""The parts of one run (`--autoeval-shard`): do the suites of several files belong together, and what is missing?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.record.joined_seeds import Seeds
from pytest_autoeval.record.lines import Sample, SampleKey, SuiteRecord
from pytest_autoeval.record.suite_names import named

_SHARD = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")
_BETWEEN = ", "
#: How many missing parts a message names.
_MOST_SHOWN = 10


@dataclass(slots=True)
class Joined:
    """The suites of several files that are one, each with its file and the lines of its samples."""

    parts: list[tuple[SuiteRecord, Path, Sequence[int]]] = field(default_factory=list)
    samples: dict[SampleKey | tuple[object, ...], tuple[Sample, str]] = field(default_factory=dict)
    torn: bool = False
    seeds: Seeds = field(default_factory=Seeds)

    @property
    def first(self) -> SuiteRecord:
        return self.parts[0][0]

    @property
    def counted(self) -> int:
        return sum(sample.counts != "shrunk" for sample, _ in self.samples.values())


class _Division(NamedTuple):
    """What the parts of one run of a suite have in common: their number, the settings, the samples of the whole."""

    parts: int
    settings: str | None
    planned: int | None


def _division(suite: SuiteRecord) -> _Division | None:
    if suite.run.shard is None:
        return None
    return _Division(shards_of(suite)[1], suite.run.settings, suite.asked.planned)


def check_division(group: Joined) -> None:
    """Raises :class:`AutoevalError` if the newest part of a suite and the first are not parts of one run."""
    (first, where, lines), (suite, file, own) = group.parts[0], group.parts[-1]
    place, other = (
        f"{path}:{some[0]}" if some else str(path) for path, some in ((file, own), (where, lines))
    )
    try:
        division, known = _division(suite), _division(first)
    except AutoevalError as problem:
        raise AutoevalError(f"{place}: {problem}") from None
    if division != known:
        raise AutoevalError(
            f"{place}: this sample of {named(suite.name, suite.model)} and that at {other} are not from parts "
            f"of one run: {_difference(division, known)}"
        )


def _difference(division: _Division | None, other: _Division | None) -> str:
    if division is None or other is None:
        return "one of them ran whole"
    if division.parts != other.parts:
        return f"one of {division.parts} parts, the other of {other.parts}"
    if division.planned != other.planned:
        return f"the whole has {division.planned} samples for one, {other.planned} for the other"
    return "their runs had different settings, such as seed, sizes, prompts or threshold"


def shards_of(suite: SuiteRecord) -> tuple[frozenset[int], int]:
    """The numbers of a suite's parts, and the number of all parts. Some parts that were joined are ``1/5, 3/5``.

    Raises :class:`AutoevalError` if it is not K/N.
    """
    pairs = set()
    for shard in str(suite.run.shard).split(_BETWEEN):
        match = _SHARD.fullmatch(shard)
        if match is None or int(match[1]) > int(match[2]):
            raise AutoevalError(f"the shard {suite.run.shard!r} is not K/N, as 2/5")
        pairs.add((int(match[1]), int(match[2])))
    totals = {total for _, total in pairs}
    if len(totals) > 1:
        raise AutoevalError(
            f"the shard {suite.run.shard!r} is of runs with different numbers of parts"
        )
    return frozenset(part for part, _ in pairs), totals.pop()


def joined_shards(suites: Sequence[SuiteRecord]) -> str:
    """The parts of one run that these suites are of, as the shard of the run."""
    parts = shards_of(suites[0])[1]
    return _BETWEEN.join(
        f"{part}/{parts}"
        for part in sorted({one for suite in suites for one in shards_of(suite)[0]})
    )


def refuse_parts(suites: Sequence[SuiteRecord]) -> None:
    """Raises :class:`AutoevalError` if the baseline has only parts of some suites."""
    part = next((suite.run.shard for suite in suites if suite.run.shard is not None), None)
    if part is not None:
        raise AutoevalError(
            f"the baseline is part {part} of a run; name the files of all its parts, or put them together first: "
            "python -m pytest_autoeval report PARTS… --results whole.jsonl"
        )


def incomplete(groups: Sequence[Joined], empty: int) -> dict[int, str]:
    """The numbers of divided suites that are not complete, with what is missing: ``part 2/5 is missing``.

    ``empty`` is the number of empty files; each may be a missing part.
    """
    given: dict[tuple[str, int], set[int]] = defaultdict(set)
    divided = {
        number: group for number, group in enumerate(groups, 1) if group.first.run.shard is not None
    }
    for group in divided.values():
        for suite, _, _ in group.parts:
            some, parts = shards_of(suite)
            given[suite.model, parts] |= some
    problems = {}
    for number, group in divided.items():
        suite = group.first
        parts = shards_of(suite)[1]
        missing = [part for part in range(1, parts + 1) if part not in given[suite.model, parts]]
        if group.torn:
            continue
        if len(missing) > empty:
            problems[number] = f"{_parts_text(missing, parts)} missing"
        elif group.counted != suite.asked.planned:
            problems[number] = f"samples of {named(suite.name, suite.model)} are missing"
    return problems


def _parts_text(numbers: Sequence[int], parts: int) -> str:
    shown = ", ".join(f"{number}/{parts}" for number in numbers[:_MOST_SHOWN])
    if len(numbers) == 1:
        return f"part {shown} is"
    hidden = len(numbers) - _MOST_SHOWN
    more = f" and {hidden} more" if hidden > 0 else ""
    return f"parts {shown}{more} are"
