"""How often the 95 % interval of a horizon holds the true one: ``python benchmarks/horizon_coverage.py [RUNS]``.

Each world draws formulas of all sizes from 0, fits the curve, and asks whether the interval of each horizon holds the
true one. The worlds held back played no part in the choice of any method or constant. ``--method bootstrap`` measures
a plain bootstrap instead. ``--jobs N`` sets the number of processes; no figure depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from falling_models import Model, arguments, random_of, run_all

from pytest_autoeval.features.horizon.fit import LEVELS, Curve, Formula, Horizon, fit_curve
from pytest_autoeval.features.horizon.size_counts import (
    count_sizes,
    fit_counts,
    from_unit,
    resample,
    sums_by_size,
)
from pytest_autoeval.statistics.logistic import crossing, refit


@dataclass(frozen=True, slots=True)
class World:
    """A model, and the formulas of sizes 0…``largest`` that it is asked, spread evenly."""

    model: Model
    largest: int = 40
    formulas: int = 400
    repeats: int = 1
    alike: float = 0.0  # the share of formulas whose repeats all end alike

    def horizon(self, level: float) -> float:
        """The true horizon."""
        return self.model.horizon(level, self.largest)

    def draw(self, random: np.random.Generator) -> list[Formula]:
        """Formulas of all sizes, and how they passed."""
        size = np.arange(self.formulas) % (self.largest + 1)
        rate = self.model.rate(size)
        alike = random.random(self.formulas) < self.alike
        once = random.random(self.formulas) < rate
        passed = np.where(alike, once * self.repeats, random.binomial(self.repeats, rate))
        return [(float(x), int(k), self.repeats) for x, k in zip(size, passed, strict=True)]


WORLDS = {
    "steep": World(Model(15, 1)),
    "shallow": World(Model(15, 6)),
    "lapses of 5 %": World(Model(15, 3, 0.05)),
    "lapses of 15 %": World(Model(15, 3, 0.15)),
    "steep over log size": World(Model(12, 0.4, 0.02, fall="log")),
    "hardly falls": World(Model(45, 8, 0.02)),
    "never fails": World(Model(1000, 3)),
    "always fails": World(Model(-1000, 3)),
    "5 % of long formulas pass by luck": World(Model(15, 3, 0.02, 0.05)),
    "half steep, half shallow": World(Model(15, 1, 0.02, fall="mixed")),
    "100 formulas": World(Model(15, 3, 0.03), formulas=100),
    "40 formulas of 8 sizes": World(Model(4, 1, 0.03), largest=7, formulas=40),
    "2,000 formulas": World(Model(15, 3, 0.05), formulas=2000),
    "80 formulas with 5 repeats, half alike": World(
        Model(15, 3, 0.03), formulas=80, repeats=5, alike=0.5
    ),
    "yes/no, steep": World(Model(15, 1.5, 0.02, 0.5, 0.5)),
    "yes/no, shallow": World(Model(15, 5, 0.02, 0.5, 0.5)),
    "yes/no, lapses of 10 %, guesses of 35 %": World(Model(15, 3, 0.1, 0.35, 0.5)),
    "one of five": World(Model(15, 3, 0.05, 0.2, 0.2)),
    "yes/no, only guesses": World(Model(15, 3, 0.5, 0.5, 0.5)),
    "yes/no, never fails": World(Model(1000, 3, 0.02, 0.5, 0.5)),
    "yes/no, 100 formulas": World(Model(15, 3, 0.02, 0.5, 0.5), formulas=100),
    "Gompertz": World(Model(18, 5, 0.03, fall="Gompertz")),
    "two stairs": World(Model(16, 1.5, 0.02, fall="stairs")),
    "over log size, 8 % by luck": World(Model(10, 0.5, 0.02, 0.08, fall="log")),
    "yes/no, Gompertz": World(Model(18, 5, 0.03, 0.5, 0.5, fall="Gompertz")),
    "yes/no, two stairs": World(Model(16, 1.5, 0.02, 0.48, 0.5, fall="stairs")),
    "one of three, over log size": World(Model(10, 0.4, 0.04, 0.3, 1 / 3, fall="log")),
}

HELD_BACK = {
    "Weibull": World(Model(15, 2.5, 0.03, fall="Weibull")),
    "straight line": World(Model(15, 10, 0.02, fall="line")),
    "heavy tails": World(Model(15, 2, 0.02, fall="Cauchy")),
    "yes/no, Weibull": World(Model(15, 2.5, 0.03, 0.5, 0.5, fall="Weibull")),
    "one of three, straight line": World(Model(15, 10, 0.04, 0.3, 1 / 3, fall="line")),
}

#: How often the formulas are drawn anew for a plain bootstrap.
BOOTSTRAP_DRAWS = 399


def holds(horizon: Horizon, true: float) -> bool:
    """Whether the interval of a horizon holds a size."""
    return (horizon.low is None or true >= horizon.low) and (
        horizon.high is None or true <= horizon.high
    )


def fitted(run: tuple[str, int]) -> Curve | None:
    """The curve of a run in a world, which is named."""
    world = (WORLDS | HELD_BACK)[run[0]]
    return fit_curve(world.draw(random_of(*run)), chance=world.model.chance, with_points=False)


def bootstrapped(run: tuple[str, int]) -> list[tuple[float, float]] | None:
    """The ends of the horizons of a run by a plain bootstrap: formulas drawn anew, and the curve fitted to each draw.

    The simpler method, which the intervals of :func:`fit_curve` are measured against. An end outside the sizes is
    infinite.
    """
    world = (WORLDS | HELD_BACK)[run[0]]
    chance = world.model.chance
    counts = count_sizes(world.draw(random_of(*run)))
    rows, draws = resample(counts.formulas, BOOTSTRAP_DRAWS)
    passed, total = sums_by_size(rows, draws, 1), sums_by_size(rows, draws, 2)
    fits = []
    for curve in fit_counts(counts, chance):
        start = np.repeat(curve.parameters[None, :], len(draws), axis=0)
        parameters, heights = refit(start, curve.units, passed, total, chance=chance)
        fits.append((curve.scale, parameters, heights))
    better = fits[0][2] >= fits[1][2]
    ends = []
    for level in LEVELS:
        places = []
        for scale, parameters, _ in fits:
            unit = crossing(parameters, level)
            size = from_unit(scale, unit.clip(0, 1), counts.sizes)
            places.append(np.where(unit < 0, -np.inf, np.where(unit > 1, np.inf, size)))
        sizes = np.where(better, places[0], places[1])
        low, high = np.quantile(sizes, (0.025, 0.975), method="inverted_cdf")
        ends.append((float(low), float(high)))
    return ends


def coverage_of_bootstrap(worlds: dict[str, World], runs: int, jobs: int) -> None:
    """Print how often each horizon is held by the interval of a plain bootstrap, and how wide it is in the median."""
    print("| model | " + " | ".join(f"{level:.0%}: bootstrap, width" for level in LEVELS) + " |")
    print("|---|---|---|---|", flush=True)
    for name, results in run_all(bootstrapped, ((name, runs) for name in worlds), jobs):
        cells = []
        for place, level in enumerate(LEVELS):
            true = worlds[name].horizon(level)
            ends = [result[place] for result in results]
            held = sum(low <= true <= high for low, high in ends) / len(ends)
            width = np.median([high - low for low, high in ends])
            cells.append(f"{held:.1%}, {width:.1f}" if np.isfinite(width) else f"{held:.1%}, open")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def coverage(worlds: dict[str, World], runs: int, jobs: int) -> None:
    """Print how often each horizon is held, and how wide its interval is in the median."""
    print(
        "| model | "
        + " | ".join(f"{level:.0%}: coverage, width" for level in LEVELS)
        + " | isotonic |"
    )
    print("|---|---|---|---|---|", flush=True)
    for name, curves in run_all(fitted, ((name, runs) for name in worlds), jobs):
        found = [curve for curve in curves if curve is not None]
        cells = []
        for place, level in enumerate(LEVELS):
            horizons = [curve.horizons[place] for curve in found]
            held = sum(holds(horizon, worlds[name].horizon(level)) for horizon in horizons) / len(
                found
            )
            widths = [h.high - h.low for h in horizons if h.low is not None and h.high is not None]
            width = f"{np.median(widths):.1f}" if len(widths) > len(found) / 2 else "open"
            cells.append(f"{held:.1%}, {width}")
        isotonic = sum(curve.method == "isotonic" for curve in found) / len(found)
        print(f"| {name} | " + " | ".join(cells) + f" | {isotonic:.1%} |", flush=True)


def main() -> None:
    """Prints the tables; ``--only`` names worlds, separated by semicolons."""
    given = arguments(__doc__, "only", "method")
    print(
        f"{given.runs} runs each; a share of 95% is seen as ±{1.96 * (0.05 * 0.95 / given.runs) ** 0.5:.1%}.\n"
    )
    only = set(filter(None, given.only.split(";")))
    for heading, worlds in (("", WORLDS), ("\nHeld back:\n", HELD_BACK)):
        chosen = {name: world for name, world in worlds.items() if not only or name in only}
        if chosen:
            print(heading)
            measure = coverage_of_bootstrap if given.method == "bootstrap" else coverage
            measure(chosen, given.runs, given.jobs)


if __name__ == "__main__":
    main()
