"""The part that the tasks of this study alone add to a sample."""

from __future__ import annotations

from pytest_autoeval.record.sample_parts import Part


class Phrases(Part, frozen=True):
    """The propositions that were extracted from a sentence.

    Attributes:
        scores: ``precision``, ``recall``, ``f1``, ``jaccard`` and ``levenshtein``, 0 to 1.
        error_kind: ``semantic mismatch``, ``partial extraction``, ``over-extraction`` or ``complete failure``.
    """

    scores: dict[str, float] | None = None
    error_kind: str | None = None
