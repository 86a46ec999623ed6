"""How often stopping early errs, and what it saves: simulated runs at several true pass rates.

    python benchmarks/stopping_early.py

Each line: runs of so many samples with a threshold, looked at after every twentieth part; the share of runs in which
the early verdict is not that of the whole run (promised: at most 5 %), and the mean share of the samples that were not
needed, beside what would be saved by stopping only where the rest can change nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from math import ceil

from pytest_autoeval.statistics.sequential import reaches

RUNS = 2000
ALPHA = 0.05
Answer = Callable[[int, int], bool | None]


def simulated(rate: float, planned: int, needed: int, answer: Answer) -> tuple[float, float]:
    """The share of wrong verdicts in many runs, and of the samples that they did without."""
    looks = [*range(max(planned // 20, 20), planned, max(planned // 20, 20)), planned]
    wrong, saved = 0, 0.0
    for seed in range(RUNS):
        chance = random.Random(f"{rate} {planned} {seed}")
        trials = [chance.random() < rate for _ in range(planned)]
        seen, early = next((n, found) for n in looks if (found := answer(sum(trials[:n]), n)) is not None)
        wrong += early is not (sum(trials) >= needed)
        saved += 1 - seen / planned
    return wrong / RUNS, saved / RUNS


def main() -> None:
    """Prints the table."""
    print(f"{'samples':>8} {'threshold':>9} {'true rate':>9} {'wrong':>7} {'saved':>7} {'when certain':>13}")
    for planned, threshold in ((100, 0.9), (200, 0.9), (650, 0.9), (650, 0.5)):
        needed = ceil(planned * threshold)

        @cache
        def tested(passes: int, seen: int, planned: int = planned, needed: int = needed) -> bool | None:
            return reaches(needed, passes=passes, seen=seen, planned=planned, alpha=ALPHA)

        def certain(passes: int, seen: int, planned: int = planned, needed: int = needed) -> bool | None:
            return passes >= needed if passes >= needed or passes + planned - seen < needed else None

        near = (-0.2, -0.1, -0.05, 0.0, 0.03, 0.05, 0.08) if threshold > 0.5 else (-0.2, -0.05, 0.0, 0.05, 0.2)
        for distance in near:
            rate = threshold + distance
            wrong, saved = simulated(rate, planned, needed, tested)
            _, surely = simulated(rate, planned, needed, certain)
            print(f"{planned:8} {threshold:9.0%} {rate:9.0%} {wrong:7.2%} {saved:7.1%} {surely:13.1%}")


if __name__ == "__main__":
    main()
