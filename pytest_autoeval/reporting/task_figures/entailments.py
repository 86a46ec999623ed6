"""Conclusions judged from premises: True, False or Uncertain, beside what the verifier says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures.wording import share
from pytest_autoeval.reporting.text import mean, ratio

LABELS = ("True", "False", "Uncertain")


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """The confusion matrix of three labels, and its rates.

    ``matrix`` is by the right label, then by the one that was answered; answers with no label are ``unreadable``, and
    in no rate. ``recall`` is of each right label, ``macro_f1`` the mean of the labels' F1 over those that are the right
    one of some row.
    """
    rows = [row for row in rows if row.expected in LABELS]
    readable = [row for row in rows if row.answered in LABELS]
    matrix = {right: dict.fromkeys(LABELS, 0) for right in LABELS}
    for row in readable:
        matrix[row.expected][row.answered] += 1
    expected = Counter(row.expected for row in readable)
    answered = Counter(row.answered for row in readable)
    f1 = [2 * matrix[label][label] / (expected[label] + answered[label]) for label in LABELS if expected[label]]
    return {
        "matrix": matrix,
        "readable": len(readable),
        "unreadable": len(rows) - len(readable),
        "accuracy": ratio(sum(matrix[label][label] for label in LABELS), len(readable)),
        "recall": {label: ratio(matrix[label][label], expected[label]) for label in LABELS},
        "macro_f1": mean(f1),
    }


def word(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    matrix = measures["matrix"]
    counts = (f"{right}: " + ", ".join(f"{matrix[right][given]} {given}" for given in LABELS) for right in LABELS)
    recall = ", ".join(f"{label} {share(measures['recall'][label])}" for label in LABELS)
    readable = f"{measures['readable']} readable ({measures['unreadable']} unreadable)"
    return [
        f"accuracy {share(measures['accuracy'])} of {readable}",
        f"macro F1 {share(measures['macro_f1'])}",
        f"recall: {recall}",
        *counts,
    ]
