"""Pairs of formulas that a model judged: does it call equivalent what is equivalent, and only that?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures.questions import confusion
from pytest_autoeval.reporting.task_figures.wording import rates, sequence, share

_RATES = ("accuracy", "precision", "recall", "specificity", "f1", "kappa")
#: Columns of a part that lists sizes: what a line under a heading has room for.
_WIDTH = 72


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """The confusion matrix, its rates and kappa: of all, and ``by_size``. Positive is a pair that means the same.

    An answer that says both, neither or nothing is ``unreadable``: it stands beside the matrix, and is in no rate.
    Rows with no right answer are left out.
    """
    sizes: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row.operators is not None:
            sizes[row.operators].append(row)
    return {**_measured(rows), "by_size": [{"size": size, **_measured(sizes[size])} for size in sorted(sizes)]}


def word(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    right = {block["size"]: block["accuracy"] for block in measures["by_size"]}
    readable = f"{measures['readable']} readable ({measures['unreadable']} unreadable)"
    kappa = "–" if measures["kappa"] is None else f"{measures['kappa']:.2f}"
    return [
        f"accuracy {share(measures['accuracy'])} of {readable}",
        f"kappa {kappa}",
        f"same meaning: {measures['true_positive']} yes, {measures['false_negative']} no",
        f"different meaning: {measures['false_positive']} yes, {measures['true_negative']} no",
        rates(measures, {"precision": "precision", "recall": "recall", "specificity": "specificity", "f1": "F1"}),
        *sequence("accuracy by size", right, _WIDTH),
    ]


def _measured(rows: Sequence[Row]) -> dict[str, Any]:
    matrix = confusion(rows)
    return {**asdict(matrix), "readable": matrix.readable, **{name: getattr(matrix, name) for name in _RATES}}
