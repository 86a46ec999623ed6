"""Repeats of one formula: pass@k, pass^k, and the spread of rates."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, fsum
from statistics import stdev

from msgspec import Struct


class Spread(Struct, frozen=True):
    """Mean and sample standard deviation of ``count`` rates; the deviation of a single rate is None."""

    mean: float
    deviation: float | None
    count: int


def pass_at_k(passed: int, total: int, k: int) -> float:
    """The probability that at least one of ``k`` attempts succeeds, from ``passed`` of ``total`` repeats; unbiased.

    Source: M. Chen et al., "Evaluating large language models trained on code" (2021), section 2.1.
    """
    _check(passed, total, k)
    return 1.0 - comb(total - passed, k) / comb(total, k)


def pass_hat_k(passed: int, total: int, k: int) -> float:
    """The probability that all of ``k`` attempts succeed (pass^k), from ``passed`` of ``total`` repeats; unbiased.

    Source: S. Yao et al., "τ-bench: a benchmark for tool-agent-user interaction in real-world domains" (2024).
    """
    _check(passed, total, k)
    return comb(passed, k) / comb(total, k)


def spread(rates: Sequence[float]) -> Spread:
    """Mean and standard deviation of rates, for example of repeats or batches; raises :class:`ValueError` for none."""
    if not rates:
        raise ValueError("there are no rates to take the mean of")
    mean = fsum(rates) / len(rates)
    deviation = stdev(rates) if len(rates) > 1 else None
    return Spread(mean, deviation, len(rates))


def _check(passed: int, total: int, k: int) -> None:
    if not 0 <= passed <= total:
        raise ValueError(f"passed must lie in 0…total: {passed} of {total}")
    if not 1 <= k <= total:
        raise ValueError(f"k must lie in 1…total: {k}, and there are {total} repeats")
