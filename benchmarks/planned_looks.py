"""What planned looks (`--autoeval-stop-early`) promise, cost and save, simulated.

    python benchmarks/planned_looks.py [--runs 2000] [--seed 1]

Prints Markdown tables. A suite is stopped at the first look that decides, as in a run.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable
from functools import partial

from pytest_autoeval.statistics.look_levels import LOOKS, fell_at, threshold_decision
from pytest_autoeval.statistics.paired import paired_test
from pytest_autoeval.statistics.pass_rate import PassRate

ALPHA = 0.05
#: The verdict and the number of samples that ran.
Ended = tuple[str, int]


def at_threshold(
    drawn: random.Random, samples: int, rate: float, threshold: float
) -> tuple[Ended, Ended]:
    """A suite with looks, and judged once."""
    outcomes = [drawn.random() < rate for _ in range(samples)]
    whole = PassRate(sum(outcomes), 0, samples).interval()
    once = (
        "passed"
        if whole.low >= threshold
        else "failed"
        if whole.high < threshold
        else "inconclusive"
    )
    verdict, ran = "inconclusive", samples
    for look in range(1, LOOKS + 1):
        ran = samples * look // LOOKS
        verdict = threshold_decision(PassRate(sum(outcomes[:ran]), 0, ran), threshold, look)
        if verdict != "inconclusive":
            break
    return (verdict, ran), (once, samples)


def against_baseline(
    drawn: random.Random, samples: int, churn: float, drop: float
) -> tuple[Ended, Ended]:
    """A suite of which a share ``churn`` changes either way without a reason, and a share ``drop`` is lost."""
    pairs = []
    for _ in range(samples):
        before = drawn.random() < 0.9
        after = (drawn.random() < 0.9) if drawn.random() < churn / 0.18 else before
        after = after and drawn.random() >= drop / 0.9
        pairs.append(((int(before), 1), (int(after), 1)))
    p_value = paired_test(pairs).p_value
    once = "failed" if p_value is not None and p_value < ALPHA else "open"
    verdict, ran = "open", samples
    for look in range(1, LOOKS + 1):
        ran = samples * look // LOOKS
        if fell_at(paired_test(pairs[:ran]).p_value, ALPHA, look):
            verdict = "failed"
            break
    return (verdict, ran), (once, samples)


def row(
    runs: int, simulate: Callable[[], tuple[Ended, Ended]], verdicts: tuple[str, ...]
) -> list[str]:
    """The share of each verdict with looks and without, and the share of samples that looks saved."""
    looked: Counter[str] = Counter()
    once: Counter[str] = Counter()
    ran = planned = 0
    for _ in range(runs):
        (verdict, samples), (alone, every) = simulate()
        looked[verdict] += 1
        once[alone] += 1
        ran, planned = ran + samples, planned + every
    shares = [
        f"{100 * counts[verdict] / runs:.1f} %" for verdict in verdicts for counts in (looked, once)
    ]
    return [*shares, f"{100 * (1 - ran / planned):.0f} %"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    drawn = random.Random(args.seed)
    print(
        "| threshold 85 %: samples, true rate | passed, with looks | once | failed, with looks | once | saved |"
    )
    print("|---|---|---|---|---|---|")
    for samples in (50, 100, 400):
        for rate in (0.65, 0.75, 0.85, 0.95, 0.99):
            cells = row(
                args.runs, partial(at_threshold, drawn, samples, rate, 0.85), ("passed", "failed")
            )
            print(f"| {samples}, {100 * rate:.0f} % |", " | ".join(cells), "|", flush=True)
    print(
        "\n| one suite against a baseline: pairs, churn, drop | failed, with looks | once | saved |"
    )
    print("|---|---|---|---|")
    for samples in (50, 100, 300):
        for churn, drop in ((0.1, 0.0), (0.2, 0.0), (0.1, 0.05), (0.1, 0.1), (0.1, 0.2)):
            cells = row(
                args.runs, partial(against_baseline, drawn, samples, churn, drop), ("failed",)
            )
            print(
                f"| {samples}, {100 * churn:.0f} %, {100 * drop:.0f} points |",
                " | ".join(cells),
                "|",
                flush=True,
            )


if __name__ == "__main__":
    main()
