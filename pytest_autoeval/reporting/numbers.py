"""Numbers as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_autoeval.statistics import PassRate


def percent(rate: float, decimals: int = 1) -> str:
    """A rate in percent, without its sign. Only a whole rate is shown as ``100.0``, and only zero as ``0.0``."""
    step = 10.0**-decimals
    shown = round(100.0 * rate, decimals)
    if rate < 1.0 and shown >= 100.0:
        shown = 100.0 - step
    if rate > 0.0 and shown <= 0.0:
        shown = step
    return f"{shown:.{decimals}f}"


def ratio(part: int, whole: int) -> float | None:
    """A part of a whole as a fraction; None where there is no whole."""
    return part / whole if whole else None


def mean(values: Sequence[float]) -> float | None:
    """The mean of some values; None where there is none."""
    return sum(values) / len(values) if values else None


def threshold_text(threshold: float) -> str:
    """A threshold in percent, as it was given."""
    return f"{100.0 * threshold:.10g} %"


def percent_below(rate: float, threshold: float) -> str:
    """A rate below a threshold in percent, with as many decimals as it takes to see that it is below."""
    texts = [percent(rate, decimals) for decimals in range(1, 7)]
    return next((text for text in texts if float(text) < round(100.0 * threshold, 8)), texts[-1])


def points(difference: float) -> str:
    """A difference of two rates in percentage points, without its sign: ``4.1 points``."""
    shown = f"{abs(100.0 * difference):.1f}"
    return f"{shown} point" + ("" if shown == "1.0" else "s")


def drop_text(drop: float) -> str:
    """A drop in percentage points, as it was given: ``5 points``."""
    shown = f"{100.0 * drop:.10g}"
    return f"{shown} point" + ("" if shown == "1" else "s")


def signed_points(difference: float) -> str:
    """A difference of two rates in percentage points, with its sign and without a unit: ``−5.6``, ``+0.2``, ``0.0``."""
    shown = f"{100.0 * difference:+.1f}"
    return "0.0" if float(shown) == 0.0 else shown.replace("-", "−")


def p_text(p_value: float | None) -> str:
    """A p-value: three decimals, more where it is small; never 0."""
    if p_value is None:
        return "–"
    if p_value < 0.0001:
        return "< 0.0001"
    return f"{p_value:.4f}" if p_value < 0.01 else f"{p_value:.3f}"


def rate_text(rate: PassRate) -> str:
    """A pass rate, or its two bounds, with the 95 % interval: ``87.5 % (73.9–94.5)``."""
    interval = rate.interval()
    return f"{bounds_text(rate)} % ({percent(interval.low)}–{percent(interval.high)})"


def bounds_text(rate: PassRate) -> str:
    """A pass rate in percent, or its two bounds where some samples are undecided."""
    lower, upper = percent(rate.lower), percent(rate.upper)
    return lower if rate.lower == rate.upper else f"{lower}–{upper}"


def count(number: int, thing: str) -> str:
    """A number of things: ``1 sample``, ``1,200 samples``."""
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def tally(counts: Mapping[str, int]) -> str:
    """Named counts, largest first: ``different 4, unparseable 1``."""
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{name} {number}" for name, number in ordered)
