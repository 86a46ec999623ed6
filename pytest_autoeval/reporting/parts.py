"""Suites whose parts ran separately (`--autoeval-shard`): which parts belong together, and which are missing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.reporting.items import Comparable, SuiteKey, by_suite
from pytest_autoeval.reporting.names import named
from pytest_autoeval.reporting.row import Row, counted

_SHARD = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")
#: How many missing parts a message names.
_MOST_SHOWN = 10


class _Division(NamedTuple):
    """What the parts of one run of a suite have in common: their number, the settings, the samples of the whole."""

    parts: int
    settings: str | None
    planned: int | None


class Divisions:
    """How suites were divided into parts. All rows of a suite must come from the same division."""

    def __init__(self) -> None:
        self._known: dict[Comparable, tuple[_Division | None, str]] = {}

    def add(self, row: Row, place: str) -> None:
        """Adds a row. Raises :class:`AutoevalError` if it and an earlier row of its suite are not parts of one run."""
        if row.kept:
            return
        try:
            division = None if row.shard is None else _Division(shard_of(row)[1], row.shard_settings, row.planned)
        except AutoevalError as problem:
            raise AutoevalError(f"{place}: {problem}") from None
        first, where = self._known.setdefault(Comparable.of(row), (division, place))
        if division != first:
            raise AutoevalError(
                f"{place}: this row of {named(row.suite, row.model)} and that at {where} are not from parts "
                f"of one run: {_difference(division, first)}"
            )


def _difference(division: _Division | None, other: _Division | None) -> str:
    if division is None or other is None:
        return "one of them ran whole"
    if division.parts != other.parts:
        return f"one of {division.parts} parts, the other of {other.parts}"
    if division.planned != other.planned:
        return f"the whole has {division.planned} samples for one, {other.planned} for the other"
    return "their runs had different settings, such as seed, sizes, prompts or threshold"


def shard_of(row: Row) -> tuple[int, int]:
    """The number of a row's part, and the number of parts. Raises :class:`AutoevalError` if it is not K/N."""
    match = _SHARD.fullmatch(str(row.shard))
    if match is None or int(match[1]) > int(match[2]):
        raise AutoevalError(f"the shard {row.shard!r} is not K/N, as 2/5")
    return int(match[1]), int(match[2])


def refuse_parts(rows: Iterable[Row]) -> None:
    """Raises :class:`AutoevalError` if the baseline has only parts of some suites."""
    if (part := next((row.shard for row in rows if row.shard is not None), None)) is not None:
        raise AutoevalError(
            f"the baseline is part {part} of a run; put all parts together first: "
            "python -m pytest_autoeval report PARTS… --results whole.jsonl"
        )


def incomplete(rows: Iterable[Row], known: Container[SuiteKey], empty: int) -> dict[SuiteKey, str]:
    """The suites and models that are not complete, with what is missing: ``part 2/5 is missing``.

    Suites in ``known`` are left out. ``empty`` is the number of empty files; each may be a missing part.
    """
    divided = {key: some for key, some in by_suite(counted(rows)).items() if some[0].shard is not None}
    given: dict[tuple[str, int], set[int]] = defaultdict(set)
    for (_, model), some in divided.items():
        for row in {row.shard: row for row in some if row.shard is not None}.values():
            number, parts = shard_of(row)
            given[model, parts].add(number)
    problems = {}
    for (suite, model), some in divided.items():
        parts = shard_of(some[0])[1]
        missing = [number for number in range(1, parts + 1) if number not in given[model, parts]]
        if (suite, model) in known:
            continue
        if len(missing) > empty:
            problems[suite, model] = f"{_parts_text(missing, parts)} missing"
        elif len(some) != some[0].planned:
            problems[suite, model] = f"samples of {named(suite, model)} are missing"
    return problems


def _parts_text(numbers: Sequence[int], parts: int) -> str:
    shown = ", ".join(f"{number}/{parts}" for number in numbers[:_MOST_SHOWN])
    more = f" and {len(numbers) - _MOST_SHOWN} more" if len(numbers) > _MOST_SHOWN else ""
    return f"part{'s' if len(numbers) > 1 else ''} {shown}{more} {'are' if len(numbers) > 1 else 'is'}"
