"""Corrections of p-values for multiple comparisons."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: rejecting adjusted p-values below α keeps the family-wise error rate at most α.

    The order is kept. The correction holds under any dependence.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
    (1979), 65-70.
    """
    if any(not 0.0 <= p <= 1.0 for p in p_values):
        raise ValueError(f"a p-value must lie in 0…1: {list(p_values)}")
    number = len(p_values)
    adjusted = [1.0] * number
    by_p_value = sorted(range(number), key=p_values.__getitem__)
    # A test is rejected only if all with smaller p-values are, so that no adjusted value is below an earlier one.
    largest = 0.0
    for rank, index in enumerate(by_p_value):
        corrected = (number - rank) * p_values[index]
        largest = max(largest, min(1.0, corrected))
        adjusted[index] = largest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float], rate: float) -> list[bool]:
    """Which tests are listed so that the expected share of wrong ones among them is at most ``rate``.

    The order is kept. It holds for independent tests, and for tests that depend positively on each other.

    Source: Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal Statistical
    Society B 57 (1995), 289-300.
    """
    if any(not 0.0 <= p <= 1.0 for p in p_values):
        raise ValueError(f"a p-value must lie in 0…1: {list(p_values)}")
    number = len(p_values)
    # The largest p-value below its line counts: those below it are listed too, even if they are above their own lines.
    largest = -1.0
    for rank, p_value in enumerate(sorted(p_values), 1):
        if p_value <= rate * rank / number:
            largest = p_value
    return [p_value <= largest for p_value in p_values]
