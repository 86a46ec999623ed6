"""A small curve of accuracy over size, of one character for each size or range of sizes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from pytest_autoeval.statistics import PassRate

_BLOCKS = "▁▂▃▄▅▆▇█"
#: Tenths, rounded down; the asterisk is the whole.
_DIGITS = "0123456789*"
_EMPTY = " "


def curve(by_size: Mapping[int, PassRate], columns: int, *, unicode: bool) -> str:
    """The curve with the smallest size before it and the largest after it, in at most ``columns`` columns.

    The scale is absolute: the lowest block is 0 %, and the full block means that every sample passed.
    Undecided samples count as not passed. Empty where there is no size.
    """
    if not by_size:
        return ""
    sizes = sorted(by_size)
    first, last = str(sizes[0]), str(sizes[-1])
    if len(sizes) == 1:
        return f"{first} {_level(by_size[sizes[0]], unicode=unicode)}"
    room = max(2, columns - len(first) - len(last) - 2)
    levels = (_level(rate, unicode=unicode) for rate in _buckets(by_size, sizes, min(room, len(sizes))))
    return f"{first} {''.join(levels)} {last}"


def _buckets(by_size: Mapping[int, PassRate], sizes: list[int], number: int) -> list[PassRate]:
    """Neighbouring sizes put together, in ``number`` groups as equal as can be."""
    bounds = [position * len(sizes) // number for position in range(number + 1)]
    groups = [[by_size[size] for size in sizes[low:high]] for low, high in pairwise(bounds)]
    return [
        PassRate(
            sum(rate.passed for rate in group),
            sum(rate.undecided for rate in group),
            sum(rate.total for rate in group),
        )
        for group in groups
    ]


def _level(rate: PassRate, *, unicode: bool) -> str:
    if not rate.total:
        return _EMPTY
    levels = _BLOCKS if unicode else _DIGITS
    # In integers, so that no rounding decides a level; only a rate of 1 reaches the highest.
    return levels[rate.passed * (len(levels) - 1) // rate.total]
