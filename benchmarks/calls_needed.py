"""How many calls find a fall in 80 % of runs: if each suite is judged alone, and if the run is judged as a whole.

    python benchmarks/calls_needed.py [RUNS]

Simulates runs of 30 suites of round trips (two calls a pair) against a baseline. In each pair the answer changes by
chance in 10 % of cases, as often for better as for worse; suites that fell lose more pairs. Prints a table. Both
columns have the same error: at most 5 % of unchanged runs are red.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.stats import binom

from pytest_autoeval.judging.rules import Rules

SUITES = 30
CHURN = 0.1
POWER = 0.8
CALLS_A_PAIR = 2
RULES = Rules(drop=0.02)
#: What fell: the number of suites, and by how much.
FALLS = {
    "every suite, by 5 points": (SUITES, 0.05),
    "a third of the suites, by 10 points": (SUITES // 3, 0.10),
    "one suite, by 20 points": (1, 0.20),
}


def power(pairs: int, fallen: int, drop: float, runs: int) -> tuple[float, float]:
    """The shares of runs that are red with ``pairs`` in each suite: each suite alone, and by the gate of the run."""
    random = np.random.default_rng(pairs)
    lost_rate = np.full(SUITES, CHURN / 2)
    lost_rate[:fallen] += drop
    lost = random.binomial(pairs, lost_rate, size=(runs, SUITES))
    # The pairs that were not lost may be won.
    won = random.binomial(pairs - lost, CHURN / 2 / (1 - lost_rate))
    of_suites = _p_value(won, lost).min(axis=1)
    of_run = _p_value(won.sum(axis=1), lost.sum(axis=1))
    alone = of_suites < RULES.alpha / SUITES
    together = (of_run < RULES.level(1, SUITES)) | (of_suites < RULES.suite_level(SUITES))
    return float(alone.mean()), float(together.mean())


def _p_value(won: np.ndarray, lost: np.ndarray) -> np.ndarray:
    """McNemar's exact test, one-sided: at most ``won`` of the changed pairs were won."""
    return np.asarray(binom.cdf(won, won + lost, 0.5))


def calls_needed(fallen: int, drop: float, gate: int, runs: int) -> int:
    """The calls of the smallest run whose power is 80 %. ``gate``: 0 for each suite alone, 1 for the whole run."""
    low, high = 1, 2
    while power(high, fallen, drop, runs)[gate] < POWER:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if power(middle, fallen, drop, runs)[gate] < POWER:
            low = middle
        else:
            high = middle
    return high * SUITES * CALLS_A_PAIR


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    print(f"{SUITES} suites, {runs} runs\n{'what fell':40}{'each suite alone':>18}{'this gate':>12}")
    for what, (fallen, drop) in FALLS.items():
        alone, together = (calls_needed(fallen, drop, gate, runs) for gate in (0, 1))
        print(f"{what:40}{alone:>18,}{together:>12,}")


if __name__ == "__main__":
    main()
