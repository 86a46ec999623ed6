"""What adaptive sampling promises and saves: simulated suites of sizes 0 to 40 for five kinds of model.

    python benchmarks/adaptive_sampling.py [RUNS [LEVELS [MODEL…]]]

LEVELS are those of the horizons that are to be known to ±10 %, as 0.5 (the default) or 0.5,0.8,0.9. Each line: the
share of runs in which the reported 95 % interval of each horizon holds the true one (promised: 93 to 97 %), and that of
the fitted rate the true rate over all sizes; how many formulas the adaptive runs took (median, and in 9 of 10 runs),
how many the fixed design takes for intervals as wide, and the share of the two. A run ends unknown after 3,000
formulas.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean, median, quantiles

from pytest_autoeval.statistics.adaptive import SizeChooser
from pytest_autoeval.statistics.horizon import Formula, Horizon, fit_curve, fitted_rate, known_to

SIZES = range(41)
PRECISION = 0.1
MOST = 3000
#: How many formulas of each size the fixed design is simulated with, and how often.
FIXED, TIMES = 40, 25


@dataclass(frozen=True)
class Model:
    """A model that passes at (1 − lapse) / (1 + exp((size − threshold) / width))."""

    threshold: float
    width: float
    lapse: float = 0.0

    def rate(self, size: int) -> float:
        """The probability to pass at a size."""
        return (1 - self.lapse) / (1 + exp(min(50.0, (size - self.threshold) / self.width)))

    def answers(self, sizes: Sequence[int], chance: random.Random) -> list[tuple[int, bool]]:
        """Each size with whether a formula of it passed."""
        return [(size, chance.random() < self.rate(size)) for size in sizes]

    def horizon(self, level: float) -> float:
        """The true horizon."""
        return self.threshold + self.width * log((1 - self.lapse) / level - 1)


MODELS = {
    "steep": Model(15, 1),
    "shallow": Model(15, 5),
    "with lapses": Model(15, 2, 0.05),
    "never failing": Model(400, 2),
    "always failing": Model(-100, 2),
}


def formulas_of(answers: Sequence[tuple[int, bool]]) -> list[Formula]:
    """The answers as the statistics take them."""
    return [(float(size), int(passed), 1) for size, passed in sorted(answers)]


def horizons(answers: Sequence[tuple[int, bool]], levels: Sequence[float]) -> tuple[Horizon, ...]:
    """The horizons as a report shows them."""
    curve = fit_curve(formulas_of(answers), levels=levels, with_points=False)
    return () if curve is None else curve.horizons


def holds(horizon: Horizon, true: float) -> bool:
    """Whether the interval holds the true horizon, or leaves it open where it lies beyond the sizes."""
    inside = min(max(true, horizon.least), horizon.largest)
    return (horizon.low is None or horizon.low <= inside) and (horizon.high is None or inside <= horizon.high)


def adaptive(model: Model, levels: Sequence[float], chance: random.Random) -> list[tuple[int, bool]]:
    """The answers of one adaptive run."""
    chooser = SizeChooser(SIZES, precision=PRECISION, levels=levels)
    answers: list[tuple[int, bool]] = []
    while not chooser.done and len(answers) < MOST:
        batch = model.answers(chooser.next(chooser.batch), chance)
        chooser.add(batch)
        answers += batch
    return answers


def main() -> None:
    """Prints the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    levels = tuple(map(float, sys.argv[2].split(","))) if len(sys.argv) > 2 else (0.5,)
    names = sys.argv[3:] or list(MODELS)
    heading = "".join(f"{f'held {level:.0%}':>10}" for level in levels)
    print(f"{'model':>15}{heading}{'rate':>10}{'median':>9}{'9 of 10':>9}{'fixed':>9}{'share':>8}")
    for name in names:
        model = MODELS[name]
        mean_rate = fmean(map(model.rate, SIZES))
        held, taken, widths = [0] * (len(levels) + 1), [], []
        for seed in range(runs):
            answers = adaptive(model, levels, random.Random(f"{name} {seed}"))
            found, fitted = horizons(answers, levels), fitted_rate(formulas_of(answers), SIZES)
            taken.append(len(answers))
            widths.append(max(map(known_to, found)))
            right = [holds(one, model.horizon(one.level)) for one in found]
            right.append(fitted is not None and fitted[1] <= mean_rate <= fitted[2])
            held = [number + one for number, one in zip(held, right, strict=True)]
        designs = (model.answers([*SIZES] * FIXED, random.Random(f"fixed {seed}")) for seed in range(TIMES))
        fixed_width = median(max(map(known_to, horizons(answers, levels))) for answers in designs)
        # The width falls with the square root of the number of formulas.
        fixed = len(SIZES) * FIXED * (fixed_width / width) ** 2 if (width := median(widths)) else len(SIZES)
        shown = "".join(f"{number / runs:10.1%}" for number in held)
        print(
            f"{name:>15}{shown}{median(taken):9.0f}{quantiles(taken, n=10)[-1]:9.0f}{fixed:9.0f}"
            f"{median(taken) / fixed:8.0%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
