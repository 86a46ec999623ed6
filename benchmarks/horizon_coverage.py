"""How often the 95 % interval of a horizon holds the true one: ``python benchmarks/horizon_coverage.py [RUNS]``.

Each world draws formulas of all sizes from 0, fits the curve, and asks whether the interval of each horizon holds the
true one. A horizon beyond the sizes is held where that end is open, or where the interval lies beyond them altogether.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, inf, log, log1p

import numpy as np
from scipy.special import expit

from pytest_autoeval.statistics.horizon import LEVELS, Curve, Formula, Horizon, fit_curve


@dataclass(frozen=True, slots=True)
class World:
    """A model whose pass rate falls over sizes 0…``largest``: (1 − lapse) · σ((middle − size) / width)."""

    middle: float
    width: float
    lapse: float = 0.0
    largest: int = 40
    formulas: int = 400
    repeats: int = 1
    alike: float = 0.0  # the share of formulas whose repeats all end alike
    logarithmic: bool = False  # over log(1 + size), ``width`` on that scale

    def rate(self, sizes: np.ndarray) -> np.ndarray:
        """The probability to pass at each size."""
        middle, warped = (log1p(self.middle), np.log1p(sizes)) if self.logarithmic else (self.middle, sizes)
        return np.asarray((1 - self.lapse) * expit((middle - warped) / self.width))

    def horizon(self, level: float) -> float:
        """The true horizon, -inf where the level is reached nowhere."""
        top = 1 - self.lapse
        if top <= level:
            return -inf
        away = self.width * log((top - level) / level)
        return (1 + self.middle) * exp(away) - 1 if self.logarithmic else self.middle + away

    def draw(self, random: np.random.Generator) -> list[Formula]:
        """Formulas of all sizes, spread evenly, and how they passed."""
        size = np.arange(self.formulas) % (self.largest + 1)
        rate = self.rate(size)
        alike = random.random(self.formulas) < self.alike
        once = random.random(self.formulas) < rate
        passed = np.where(alike, once * self.repeats, random.binomial(self.repeats, rate))
        return [(float(x), int(k), self.repeats) for x, k in zip(size, passed, strict=True)]


WORLDS = {
    "steep": World(15, 1),
    "shallow": World(15, 6),
    "lapses of 5 %": World(15, 3, 0.05),
    "lapses of 15 %": World(15, 3, 0.15),
    "steep over log size": World(12, 0.4, 0.02, logarithmic=True),
    "hardly falls": World(45, 8, 0.02),
    "never fails": World(1000, 3),
    "always fails": World(-1000, 3),
    "100 formulas": World(15, 3, 0.03, formulas=100),
    "40 formulas of 8 sizes": World(4, 1, 0.03, largest=7, formulas=40),
    "2,000 formulas": World(15, 3, 0.05, formulas=2000),
    "80 formulas with 5 repeats, half alike": World(15, 3, 0.03, formulas=80, repeats=5, alike=0.5),
}


def holds(horizon: Horizon, true: float) -> bool:
    """Whether the interval of a horizon holds a size."""
    beyond = true > horizon.largest
    under = true < horizon.least
    low_holds = horizon.low is None or true >= horizon.low
    high_holds = horizon.high is None or true <= horizon.high
    # Without its far end, an interval that is bounded by a size drawn says only that the horizon lies beyond it.
    return (
        low_holds
        and high_holds
        and not (beyond and horizon.bound == "below" and horizon.high is not None)
        and not (under and horizon.bound == "above" and horizon.low is not None)
    )


def curves(world: World, runs: int, seed: int = 1) -> Iterator[Curve]:
    """The curves of so many runs in this world."""
    random = np.random.default_rng(seed)
    for _ in range(runs):
        curve = fit_curve(world.draw(random))
        if curve is not None:
            yield curve


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"{runs} runs each; a share of 95% is seen as ±{1.96 * (0.05 * 0.95 / runs) ** 0.5:.1%}.\n")
    print("| model | " + " | ".join(f"{level:.0%}: held, width" for level in LEVELS) + " | isotonic |")
    print("|---|---|---|---|---|")
    for name, world in WORLDS.items():
        found = list(curves(world, runs))
        cells = []
        for place, level in enumerate(LEVELS):
            horizons = [curve.horizons[place] for curve in found]
            held = sum(holds(horizon, world.horizon(level)) for horizon in horizons) / len(found)
            widths = [h.high - h.low for h in horizons if h.low is not None and h.high is not None]
            width = f"{np.median(widths):.1f}" if len(widths) > len(found) / 2 else "open"
            cells.append(f"{held:.1%}, {width}")
        isotonic = sum(curve.method == "isotonic" for curve in found) / len(found)
        print(f"| {name} | " + " | ".join(cells) + f" | {isotonic:.1%} |", flush=True)


if __name__ == "__main__":
    main()
