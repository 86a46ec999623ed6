"""The names of horizons, and the measures besides the size over which suites have curves."""

from __future__ import annotations

from pytest_autoeval.statistics.horizon import Horizon

#: Other measures of complexity for which a suite has a curve, if they vary.
MEASURES = ("depth", "quantifiers", "alternation_depth", "temporal_depth", "states")


def horizon_name(horizon: Horizon) -> str:
    """``horizon 50 %``, or ``horizon 50 % above guessing`` if answers can be guessed."""
    return f"horizon {100.0 * horizon.level:.10g} %{'' if horizon.rate is None else ' above guessing'}"
