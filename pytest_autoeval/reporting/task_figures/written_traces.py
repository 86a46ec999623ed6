"""Written traces: does what was written satisfy, or violate, the formula as it was asked to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures.wording import rates, share
from pytest_autoeval.reporting.text import mean, ratio
from pytest_autoeval.statistics.classification import Confusion

_SATISFYING = "satisfying"
_VIOLATING = "violating"


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """The shares of right traces, as asked for, and the confusion matrix of the traces that could be read.

    Positive is a trace that was asked to satisfy. ``accuracy`` is of all answers, a trace that could not be read being
    wrong; precision and F1 are of those that could.
    """
    rows = [row for row in rows if row.expected in (_SATISFYING, _VIOLATING)]
    matrix = Confusion.of((row.expected == _SATISFYING, _satisfies(row)) for row in rows)
    return {
        **asdict(matrix),
        "asked": len(rows),
        "satisfying": sum(row.expected == _SATISFYING for row in rows),
        "violating": sum(row.expected == _VIOLATING for row in rows),
        "satisfying_right": _right(rows, _SATISFYING),
        "violating_right": _right(rows, _VIOLATING),
        "malformed": sum(row.outcome == "malformed trace" for row in rows),
        "unreadable_rate": ratio(matrix.unreadable, len(rows)),
        "accuracy": matrix.accuracy_of_all,
        "accuracy_of_readable": matrix.accuracy,
        "precision": matrix.precision,
        "f1": matrix.f1,
    }


def word(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    silent = measures["unreadable"] - measures["malformed"]
    malformed = f"malformed {share(measures['unreadable_rate'])}" + (f" ({silent} without a trace)" if silent else "")
    readable = {"accuracy_of_readable": "accuracy", "precision": "precision", "f1": "F1"}
    return [
        f"right {share(measures['accuracy'])} of {measures['asked']}",
        f"satisfying right {share(measures['satisfying_right'])} of {measures['satisfying']}",
        f"violating right {share(measures['violating_right'])} of {measures['violating']}",
        malformed,
        f"of the readable: {rates(measures, readable)}",
    ]


def _satisfies(row: Row) -> bool | None:
    """Whether the trace satisfies the formula; None where there is no trace."""
    if row.outcome not in ("correct", "wrong answer"):
        return None
    wanted, right = row.expected == _SATISFYING, row.outcome == "correct"
    return wanted if right else not wanted


def _right(rows: Sequence[Row], wanted: str) -> float | None:
    return mean([row.outcome == "correct" for row in rows if row.expected == wanted])
