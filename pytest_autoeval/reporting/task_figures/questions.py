"""Questions of yes or no: is this string well-formed, does this trace satisfy this formula."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures.wording import rates, share
from pytest_autoeval.reporting.text import percent
from pytest_autoeval.statistics.classification import Confusion

_RATES = ("accuracy", "precision", "recall", "f1", "specificity", "false_positive_rate", "false_negative_rate")
_COMMON = {"precision": "precision", "recall": "recall", "f1": "F1"}


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """The confusion matrix and its rates; answers that say neither yes nor no are ``unreadable``, and in no rate.

    An answer of which the row says nothing (cut off, refused) is one of those. Rows with no right answer are left out.
    """
    return rates_of(confusion(rows), _RATES)


def rates_of(matrix: Confusion, names: Iterable[str]) -> dict[str, Any]:
    """The counts of a confusion matrix and some of its rates, by their names."""
    return {**asdict(matrix), "readable": matrix.readable, **{name: getattr(matrix, name) for name in names}}


def confusion(rows: Sequence[Row]) -> Confusion:
    """The confusion matrix of rows that have a right answer, yes or no; the others are left out."""
    asked = [row for row in rows if isinstance(row.expected, bool)]
    return Confusion.of((row.expected, row.answered if isinstance(row.answered, bool) else None) for row in asked)


def word_well_formedness(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence; positive is what is well-formed."""
    errors = {"false_positive_rate": "false positive rate", "false_negative_rate": "false negative rate"}
    return [*_opening(measures), rates(measures, _COMMON), rates(measures, errors), _closing(measures)]


def word_trace_judging(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence; positive is what satisfies."""
    return [
        *_opening(measures),
        rates(measures, _COMMON),
        f"soundness {share(measures['recall'])} (satisfying traces accepted)",
        f"completeness {share(measures['specificity'])} (violating traces rejected)",
        _closing(measures),
    ]


def _opening(measures: Mapping[str, Any]) -> list[str]:
    unreadable = f"{measures['unreadable']} unreadable"
    return [f"accuracy {share(measures['accuracy'])} of {measures['readable']} readable ({unreadable})"]


def _closing(measures: Mapping[str, Any]) -> str:
    return f"pass rate over all {measures['samples']}: {percent(measures['passed'] / measures['samples'])} %"
