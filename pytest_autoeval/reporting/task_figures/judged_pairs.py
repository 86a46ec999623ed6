"""Pairs of formulas that a model judged: does it call equivalent what is equivalent, and only that?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_autoeval.reporting.items import by_size
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures.questions import confusion, rates_of
from pytest_autoeval.reporting.task_figures.wording import rates, sequence, share

_RATES = ("accuracy", "precision", "recall", "specificity", "f1", "kappa")
#: Columns of a part that lists sizes: what a line under a heading has room for.
_WIDTH = 72


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """The confusion matrix, its rates and kappa: of all, and ``by_size``. Positive is a pair that means the same.

    An answer that says both, neither or nothing is ``unreadable``: it stands beside the matrix, and is in no rate.
    Rows with no right answer are left out.
    """
    sizes = [{"size": size, **rates_of(confusion(some), _RATES)} for size, some in by_size(rows).items()]
    return {**rates_of(confusion(rows), _RATES), "by_size": sizes}


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
