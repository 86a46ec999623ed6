"""The samples of a page: an index that is read at once, and whole rows in pieces that are unpacked when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.page.encoding import packed
from pytest_autoeval.reporting.row import Row

CommandOf = Callable[[Row], str]

#: Rows of a piece: unpacking one must not be noticed, and pieces that are too small do not compress.
PIECE = 250
#: What a list shows of a sample, in characters.
_SHORT = 140
#: The largest whole number that JavaScript is exact about.
_EXACT = 2**53 - 1
#: What a sample is recognised by, in the order of preference.
_TITLES = ("formula", "sentence", "text", "trace", "description", "answer")


def index(rows: Sequence[Row]) -> str:
    """What the list needs to know of every sample, in columns; names stand once, and samples refer to them."""
    names = {"suite": sorted({row.suite for row in rows}), "model": sorted({row.model for row in rows})}
    outcomes = sorted(map(outcome_named, {row.outcome for row in rows}), key=lambda outcome: outcome.code)
    place = {key: {name: number for number, name in enumerate(found)} for key, found in names.items()}
    place["outcome"] = {outcome.name: number for number, outcome in enumerate(outcomes)}
    return packed(
        {
            "count": len(rows),
            "piece": PIECE,
            "suites": names["suite"],
            "models": names["model"],
            "outcomes": [
                {"name": one.name, "code": one.code, "kind": one.kind, "title": one.title} for one in outcomes
            ],
            "suite": [place["suite"][row.suite] for row in rows],
            "model": [place["model"][row.model] for row in rows],
            "outcome": [place["outcome"][row.outcome] for row in rows],
            "size": [row.operators for row in rows],
            "repeat": [row.repeat for row in rows],
            "text": [_title(row) for row in rows],
        }
    )


def pieces(rows: Sequence[Row], command_of: CommandOf | None = None) -> Iterator[str]:
    """The whole rows, :data:`PIECE` of them in each, with the command that reproduces each where it is known."""
    for start in range(0, len(rows), PIECE):
        piece = rows[start : start + PIECE]
        commands = [command_of(row) for row in piece] if command_of is not None else []
        yield packed({"rows": [exact(row) for row in piece], "commands": commands})


def exact(row: Row) -> dict[str, Any]:
    """The row as in the results file, with numbers that JavaScript would round as text."""
    data = row.to_json()
    return data | {key: str(value) for key, value in data.items() if isinstance(value, int) and abs(value) > _EXACT}


def _title(row: Row) -> str:
    text = next((str(value) for value in map(row.value, _TITLES) if value), "")
    return text if len(text) <= _SHORT else text[: _SHORT - 1] + "…"
