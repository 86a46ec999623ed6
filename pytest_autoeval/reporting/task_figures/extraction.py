"""Propositions found in sentences: how far the phrases are those of the reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures.wording import rates, share
from pytest_autoeval.reporting.text import tally

_FOUND = {"precision": "precision", "recall": "recall", "f1": "F1"}
_ALIKE = {"jaccard": "Jaccard", "levenshtein": "Levenshtein"}
_FAILED = "complete failure"


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """The means of the scores over all sentences, the phrases matched of all, and the kinds of error, counted.

    A sentence whose answer holds no phrases at all scores 0, and is a complete failure.
    """
    return {
        **{name: sum(_score(row, name) for row in rows) / len(rows) for name in (*_FOUND, *_ALIKE)},
        "matched": sum(round(_score(row, "recall") * _number(row)) for row in rows),
        "phrases": sum(_number(row) for row in rows),
        "errors": dict(sorted(Counter(filter(None, map(_error, rows))).items())),
    }


def word(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    errors = tally(measures["errors"]) or "none"
    return [
        f"mean of {measures['samples']}: {rates(measures, _FOUND)}",
        rates(measures, _ALIKE),
        f"phrases matched {measures['matched']} of {measures['phrases']}",
        f"all right {share(measures['passed'] / measures['samples'])}",
        f"errors: {errors}",
    ]


def _number(row: Row) -> int:
    return len(row.facts.get("propositions") or ())


def _score(row: Row, name: str) -> float:
    return float((row.facts.get("scores") or {}).get(name) or 0.0)


def _error(row: Row) -> str | None:
    return row.facts.get("error_kind") if row.facts.get("scores") else _FAILED
