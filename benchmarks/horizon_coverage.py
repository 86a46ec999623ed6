"""How often the 95 % interval of a horizon holds the true one: ``python benchmarks/horizon_coverage.py [RUNS]``.

Each world draws formulas of all sizes from 0, fits the curve, and asks whether the interval of each horizon holds the
true one. A second table shows the verdicts on a fall of the horizon against a baseline.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import exp, inf, log, log1p

import numpy as np
from scipy.special import expit

from pytest_autoeval.statistics.horizon import LEVELS, Curve, Formula, Horizon, fit_curve
from pytest_autoeval.statistics.horizon_drop import Pair, judge_horizon_drop


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

DECISIONS = ("passed", "inconclusive", "failed")


def holds(horizon: Horizon, true: float) -> bool:
    """Whether the interval of a horizon holds a size."""
    return (horizon.low is None or true >= horizon.low) and (horizon.high is None or true <= horizon.high)


def curves(world: World, runs: int, seed: int = 1) -> Iterator[Curve]:
    """The curves of so many runs in this world."""
    random = np.random.default_rng(seed)
    for _ in range(runs):
        curve = fit_curve(world.draw(random), with_points=False)
        if curve is not None:
            yield curve


def coverage(runs: int) -> None:
    """Print how often each horizon is held, and how wide its interval is in the median."""
    print(f"{runs} runs each; a share of 95% is seen as ±{1.96 * (0.05 * 0.95 / runs) ** 0.5:.1%}.\n")
    print("| model | " + " | ".join(f"{level:.0%}: coverage, width" for level in LEVELS) + " | isotonic |")
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


def draw_pairs(world: World, fall: float, random: np.random.Generator) -> list[Pair]:
    """Formulas before and after the horizon at 50 % fell by a share; half of them share their luck."""
    after = replace(world, middle=world.middle - fall * world.horizon(0.5))
    size = np.arange(world.formulas) % (world.largest + 1)
    luck, other = random.random((2, world.formulas))
    again = np.where(random.random(world.formulas) < 0.5, luck, other)
    passed = zip(size, luck < world.rate(size), again < after.rate(size), strict=True)
    return [(float(x), (int(first), 1), (int(second), 1)) for x, first, second in passed]


def drops(runs: int) -> None:
    """Print the verdicts on a fall of the horizon by 10 %, and how often the interval holds the true change."""
    print("\n| formulas | true fall | significant | passed | inconclusive | failed | coverage | needed |")
    print("|---|---|---|---|---|---|---|---|")
    for formulas in (100, 400, 2000):
        for fall in (0.0, 0.1, 0.2):
            random = np.random.default_rng(1)
            world = World(15, 3, 0.03, formulas=formulas)
            judged = [judge_horizon_drop(draw_pairs(world, fall, random), drop=0.1, alpha=0.05) for _ in range(runs)]
            found = [result for result in judged if result is not None]
            counts = [
                sum(result.p_value < 0.05 for result in found),
                *(sum(result.decision == decision for result in found) for decision in DECISIONS),
                sum(result.low <= -fall <= result.high for result in found),
            ]
            needed = [result.needed for result in found if result.needed]
            cells = [*(f"{count / len(found):.1%}" for count in counts), f"{np.median(needed):.0f}" if needed else ""]
            print(f"| {formulas} | {fall:.0%} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    coverage(runs)
    drops(runs)


if __name__ == "__main__":
    main()
