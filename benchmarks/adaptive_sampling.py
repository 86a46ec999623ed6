"""What adaptive sampling promises and saves: simulated suites of sizes 0 to 40 for several kinds of model.

    python benchmarks/adaptive_sampling.py [RUNS] [--levels=0.5,0.8] [--models="steep;shallow"] [--jobs=N]

The levels are those of the horizons that are to be known to ±10 %. Each line: the share of runs in which the reported
95 % interval of each horizon holds the true one (promised: 93 to 97 %), and that of the fitted rate the true rate over
all sizes; how many formulas the adaptive runs took (median, and in 9 of 10 runs), how many the fixed design takes for
intervals as wide, and the share of the two. A run ends unknown after 3,000 formulas. The models held back played no
part in the choice of any rule or constant. No figure depends on the number of processes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import median, quantiles
from typing import NamedTuple

import numpy as np
from falling_models import Model, arguments, random_of, run_all

from pytest_autoeval.statistics.horizon import Formula, Horizon, fit_curve, fitted_rate, known_to
from pytest_autoeval.statistics.size_chooser import SizeChooser

SIZES = range(41)
PRECISION = 0.1
MOST = 3000
#: How many formulas of each size the fixed design is simulated with, and how often.
FIXED, TIMES = 40, 25

MODELS = {
    "steep": Model(15, 1),
    "shallow": Model(15, 5),
    "with lapses": Model(15, 2, 0.05),
    "never failing": Model(400, 2),
    "always failing": Model(-100, 2),
    "5 % by luck": Model(15, 2, 0.02, 0.05),
    "yes/no": Model(15, 2, 0.02, 0.5, 0.5),
    "one of five": Model(15, 2, 0.05, 0.2, 0.2),
    "yes/no, only guesses": Model(15, 2, 0.5, 0.5, 0.5),
    "Gompertz": Model(18, 5, 0.03, fall="Gompertz"),
    "over log size": Model(12, 0.3, 0.02, fall="log"),
}

HELD_BACK = {
    "Weibull": Model(15, 2.5, 0.03, fall="Weibull"),
    "straight line": Model(15, 10, 0.02, fall="line"),
    "heavy tails": Model(15, 2, 0.02, fall="Cauchy"),
    "yes/no, Weibull": Model(15, 2.5, 0.03, 0.5, 0.5, fall="Weibull"),
}


class Run(NamedTuple):
    """How many formulas a run took, how precisely it knows the horizons, and which intervals hold the truth."""

    taken: int
    width: float
    held: list[bool]


def answers(model: Model, sizes: Sequence[int], random: np.random.Generator) -> list[tuple[int, bool]]:
    """Each size with whether a formula of it passed."""
    passed = random.random(len(sizes)) < model.rate(np.array(sizes))
    return list(zip(sizes, passed.tolist(), strict=True))


def formulas_of(answered: Sequence[tuple[int, bool]]) -> list[Formula]:
    """The answers as the statistics take them."""
    return [(float(size), int(passed), 1) for size, passed in sorted(answered)]


def horizons(answered: Sequence[tuple[int, bool]], levels: Sequence[float], chance: float) -> tuple[Horizon, ...]:
    """The horizons as a report shows them."""
    curve = fit_curve(formulas_of(answered), levels=levels, chance=chance, with_points=False)
    return () if curve is None else curve.horizons


def holds(horizon: Horizon, true: float) -> bool:
    """Whether the interval holds the true horizon, or leaves it open where it lies beyond the sizes."""
    inside = min(max(true, horizon.least), horizon.largest)
    return (horizon.low is None or horizon.low <= inside) and (horizon.high is None or inside <= horizon.high)


def adaptive(model: Model, levels: Sequence[float], random: np.random.Generator) -> list[tuple[int, bool]]:
    """The answers of one adaptive run."""
    chooser = SizeChooser(SIZES, precision=PRECISION, levels=levels, chance=model.chance)
    answered: list[tuple[int, bool]] = []
    while not chooser.done and len(answered) < MOST:
        batch = answers(model, chooser.next(chooser.batch), random)
        chooser.add(batch)
        answered += batch
    return answered


def adaptive_run(levels: Sequence[float], run: tuple[str, int]) -> Run:
    """One adaptive run of a model, which is named."""
    model = (MODELS | HELD_BACK)[run[0]]
    answered = adaptive(model, levels, random_of(*run))
    found = horizons(answered, levels, model.chance)
    rate = fitted_rate(formulas_of(answered), SIZES, model.chance)
    held = [holds(one, model.horizon(one.level, SIZES[-1])) for one in found]
    held.append(rate is not None and rate[1] <= model.rate(np.array(SIZES)).mean() <= rate[2])
    return Run(len(answered), max(map(known_to, found)), held)


def fixed_width(model: Model, levels: Sequence[float], name: str) -> float:
    """The median of how precisely the fixed design knows the horizons."""
    designs = [answers(model, [*SIZES] * FIXED, random_of("fixed", name, seed)) for seed in range(TIMES)]
    return median(max(map(known_to, horizons(design, levels, model.chance))) for design in designs)


def table(models: Mapping[str, Model], runs: int, levels: Sequence[float], jobs: int) -> None:
    """Prints a line for each model as soon as it is known."""
    heading = "".join(f"{f'held {level:.0%}':>10}" for level in levels)
    print(f"{'model':>22}{heading}{'rate':>10}{'median':>9}{'9 of 10':>9}{'fixed':>9}{'share':>8}", flush=True)
    for name, found in run_all(partial(adaptive_run, levels), ((name, runs) for name in models), jobs):
        held = "".join(f"{sum(column) / runs:10.1%}" for column in zip(*(one.held for one in found), strict=True))
        taken, width = [one.taken for one in found], median(one.width for one in found)
        # The width falls with the square root of the number of formulas.
        fixed = len(SIZES) * FIXED * (fixed_width(models[name], levels, name) / width) ** 2 if width else len(SIZES)
        share = f"{median(taken) / fixed:8.0%}" if np.isfinite(fixed) else f"{'–':>8}"
        shown = f"{fixed:9.0f}" if np.isfinite(fixed) else f"{'–':>9}"
        print(f"{name:>22}{held}{median(taken):9.0f}{quantiles(taken, n=10)[-1]:9.0f}{shown}{share}", flush=True)


def main() -> None:
    """Prints both tables."""
    given = arguments(__doc__, "levels", "models")
    levels = tuple(map(float, (given.levels or "0.5").split(",")))
    only = set(filter(None, given.models.split(";")))
    for heading, models in (("", MODELS), ("\nHeld back:", HELD_BACK)):
        chosen = {name: model for name, model in models.items() if not only or name in only}
        if chosen:
            print(heading)
            table(chosen, given.runs, levels, given.jobs)


if __name__ == "__main__":
    main()
