"""The curve of a suite's pass rate over size, its horizons, and how reports show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_autoeval.judging.items import by_item
from pytest_autoeval.judging.passed_by_size import PassedBySize
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.statistics.horizon import Curve, Horizon
from pytest_autoeval.text import p_text, percent

#: In place of a horizon that may lie anywhere.
NOT_KNOWN = "not known"
#: Other measures of complexity for which a suite has a curve, if they vary.
MEASURES = ("depth", "quantifiers", "alternation_depth", "temporal_depth", "states")


def curves_of(samples: Sequence[Sample], size_name: str) -> dict[str, Curve]:
    """The curves over the size, named ``size_name``, and over each other measure for which one can be fitted."""
    items = by_item(samples)
    curves = {size_name: PassedBySize.of(items).curve}
    curves |= {name: PassedBySize.of(items, name).curve for name in MEASURES if name != size_name}
    return {name: curve for name, curve in curves.items() if curve is not None}


def horizon_lines(curve: Curve | None, unit: str, *, verbose: bool) -> Iterator[str]:
    """The horizon at 50 %; verbose shows all levels, and the method."""
    if curve is None:
        return
    first, *others = curve.horizons if verbose else curve.horizons[:1]
    more = (f", {level_text(other.level)}: {horizon_text(other)}" for other in others)
    yield f"{horizon_name(first)}: {horizon_text(first, unit)}{''.join(more)}"
    if verbose:
        yield _how(curve)


def _how(curve: Curve) -> str:
    if curve.method == "isotonic":
        return f"the smooth curve does not fit (p {p_text(curve.fit_p)}); the horizon is that of rates that never rise"
    lapse = "" if curve.lapse is None else f"; by it {percent(curve.lapse)} % of easy formulas fail"
    lapse += f", {percent(curve.guess)} % pass by guessing" if curve.chance and curve.guess is not None else ""
    return f"the curve fits the rates (p {p_text(curve.fit_p)}){lapse}"


def horizon_text(horizon: Horizon, unit: str = "") -> str:
    """A horizon with its 95 % interval: ``14.2 operators (12.6–16.1)``, ``> 40 operators``, ``depth 4.1 (3.0–…)``.

    A horizon below all sizes is ``< 2 operators``; one without any end of its interval is ``not known``.
    """
    if not horizon.known:
        measure = "" if unit == "operators" else unit.replace("_", " ")
        return f"{measure} {NOT_KNOWN}".strip()
    above = horizon.bound == "above"
    end = horizon.largest if above else horizon.least
    shown = f"{'>' if above else '<'} {end:g}" if horizon.value is None else _size_text(horizon.value)
    shown = f"{shown} {unit}" if unit == "operators" else f"{unit.replace('_', ' ')} {shown}".strip()
    if horizon.value is None and end in (horizon.low, horizon.high):
        return shown  # the whole interval lies out there
    ends = ("…" if end is None else _size_text(end) for end in (horizon.low, horizon.high))
    return f"{shown} ({'–'.join(ends)})"


def _size_text(size: float) -> str:
    """A size to one decimal."""
    return f"{float(f'{size:.7g}'):,.1f}"  # the page, too, has seven digits: 0.7499999999999999 is 0.75 in both


def horizon_name(horizon: Horizon) -> str:
    """``horizon 50 %``, or ``horizon 50 % above guessing`` if answers can be guessed."""
    return f"horizon {level_text(horizon.level)}{'' if horizon.rate is None else ' above guessing'}"


def level_text(level: float) -> str:
    """A level in percent: ``50 %``."""
    return f"{_percentage(level)} %"


def _percentage(level: float) -> str:
    return f"{100.0 * level:.10g}"


def horizon_data(horizon: Horizon) -> dict[str, Any]:
    """A horizon as plain basic types."""
    return {
        "value": horizon.value if horizon.known else None,
        "low": horizon.low,
        "high": horizon.high,
        "bound": horizon.bound if horizon.known else NOT_KNOWN,
        "rate": horizon.level if horizon.rate is None else horizon.rate,
    }
