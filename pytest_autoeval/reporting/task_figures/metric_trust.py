"""How far an older metric of a translation goes with the verifier's verdict, on the rows at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures import translation
from pytest_autoeval.reporting.text import p_text
from pytest_autoeval.reporting.text_metrics.comparison import DECIDED, trust_in


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """The measures of :func:`translation.measure`, and the LE score beside the verdict.

    ``le_score`` is the mean of the scores; ``le_equivalent`` and ``le_different`` of the translations that the verifier
    calls so; ``le_correlation`` the point-biserial correlation of score and verdict, ``le_p_value`` its two-sided
    p-value: None where either is the same for all.
    """
    scored = [row for row in rows if row.outcome in DECIDED and row.le_score is not None]
    trust = trust_in("LE", "translations", scored, [row.le_score for row in scored if row.le_score is not None])
    return {
        **translation.measure(rows),
        "le_scored": trust.count,
        "le_score": trust.mean,
        "le_equivalent": trust.equivalent,
        "le_different": trust.different,
        "le_correlation": trust.correlation.coefficient,
        "le_p_value": trust.correlation.p_value,
    }


def word(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    parts = translation.word(measures)
    if not measures["le_scored"]:
        return parts
    means = [f"{measures['le_score']:.2f} of {measures['le_scored']}"]
    if measures["le_different"] is not None:
        means.append(f"{measures['le_different']:.2f} of wrong ones")
    parts.append(f"LE score: mean {', '.join(means)}")
    if measures["le_correlation"] is not None:
        parts.append(f"LE with the verdict: r = {measures['le_correlation']:.2f} (p {p_text(measures['le_p_value'])})")
    return parts
