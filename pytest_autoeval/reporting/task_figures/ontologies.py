"""Ontologies extracted from sentences: are the symbols found, each with the right number of places?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures.wording import rates, share
from pytest_autoeval.reporting.text import ratio

_RATES = {"symbols_precision": "precision", "symbols_recall": "recall", "symbols_f1": "F1"}
_LISTED = ("missing", "surplus", "wrong_arity")


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """The means over all sentences; one whose answer lists no symbol scores 0.

    ``arity_right`` is of the matched symbols of all sentences. ``missing``, ``surplus`` and ``wrong_arity`` count
    symbols, ``whole`` is the share of sentences with none of these.
    """
    matched = sum(len(row.facts.get("matched") or ()) for row in rows)
    counts = {key: sum(len(row.facts.get(key) or ()) for row in rows) for key in _LISTED}
    return {
        **{key: sum(float(row.facts.get(key) or 0.0) for row in rows) / len(rows) for key in _RATES},
        "matched": matched,
        **counts,
        "arity_right": ratio(matched - counts["wrong_arity"], matched),
        "whole": sum(row.outcome == "correct" for row in rows) / len(rows),
    }


def word(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    return [
        f"symbols, mean of {measures['samples']}: {rates(measures, _RATES)}",
        f"arity right {share(measures['arity_right'])} of {measures['matched']} matched",
        f"missing {measures['missing']}, surplus {measures['surplus']}",
        f"whole signature right {share(measures['whole'])}",
    ]
