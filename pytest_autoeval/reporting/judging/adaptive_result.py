"""The result of an adaptive suite (`--autoeval-adaptive`): its fitted pass rate, and the precision of its horizons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pytest_autoeval.reporting.text import count, percent, threshold_text
from pytest_autoeval.statistics.horizon import Horizon, known_to


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveDesign:
    """The goal and the limits of an adaptive suite.

    ``sizes`` are those of the suite. It ends when the horizons at all ``levels`` are known to ``precision``, a rate, or
    after ``most`` samples or ``calls`` calls (None: no limit).
    """

    sizes: tuple[int, ...]
    most: int
    calls: int | None
    precision: float
    levels: tuple[float, ...]

    @classmethod
    def from_json(cls, *, sizes: Iterable[int], levels: Iterable[float], **others: Any) -> AdaptiveDesign:
        """The design from a results file."""
        return cls(sizes=tuple(sizes), levels=tuple(levels), **others)


@dataclass(frozen=True, slots=True)
class FittedRate:
    """The pass rate of an adaptive suite: the mean of the fitted curve over its sizes, with the 95 % interval."""

    rate: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """``87.5 % (73.9–94.5)``."""
        return f"{percent(self.rate)} % ({percent(self.low)}–{percent(self.high)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveResult:
    """The result of ``samples`` and ``calls`` of an adaptive suite. ``fitted`` is None if no curve fits.

    ``horizons`` are those at the levels of the ``design``.
    """

    design: AdaptiveDesign
    samples: int
    calls: int
    horizons: tuple[Horizon, ...] = ()
    fitted: FittedRate | None = None

    @property
    def reached(self) -> bool:
        """Whether all horizons are known to the requested precision."""
        return bool(self.horizons) and max(map(known_to, self.horizons)) <= self.design.precision

    @property
    def text(self) -> str:
        """How the suite ended: ``adaptive: 96 of at most 410 samples; horizon 50 % known to ±9 %``."""
        asked = f"{self.samples:,} of at most {count(self.design.most, 'sample')}"
        if self.design.calls is not None:
            asked = f"{count(self.samples, 'sample')}, {self.calls:,} of at most {count(self.design.calls, 'call')}"
        goal = f"the precision of ±{threshold_text(self.design.precision)} was reached"
        spent = "" if self.reached else f"ended before {goal}: "
        # Of a horizon with a wider interval the report shows only the interval.
        known = [
            f"horizon {percent(horizon.level, 0)} % {'' if horizon.rate is None else 'above guessing '}"
            f"{_known(horizon, 0 if self.reached else 1)}"
            for horizon in self.horizons
            if known_to(horizon) < 1 and horizon.known
        ]
        ends = [", ".join(known)] if known else [] if self.horizons else ["too few samples for a horizon"]
        return f"adaptive: {spent}{'; '.join([asked, *ends])}"


def _known(horizon: Horizon, decimals: int) -> str:
    known = known_to(horizon)
    return f"known to ±{percent(known, decimals)} %" if known > 0 else f"{horizon.bound} all sizes"
