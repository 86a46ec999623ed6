"""Does a verdict depend on how busy the machine is? Decides hard pairs with a short limit, quietly and under load.

    python benchmarks/verdicts_under_load.py [--limit 2] [--pairs 64] [--rounds 3]

The pairs are of temporal logic, drawn from a seed; some take longer than the limit. Under load two processes for each
core compute beside the run. The number of decided pairs, and their verdicts, should be the same in every round.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from pytest_autoeval import language, sample_formulas

LANGUAGE = language("ltl")


def pairs(number: int) -> list[tuple[str, str]]:
    """What happens again and again, four times over: said at once, and said of the moment after."""
    chance, found = random.Random(7), []
    drawn = {size: sample_formulas("past_ltl", size, 60, seed=3) for size in (16, 20, 24, 28)}
    for at in range(number):
        formulas = chance.sample(drawn[16 + 4 * (at % 4)], 4)
        said = [
            " & ".join(form.format(one) for one in formulas)
            for form in ("G (F ({}))", "G (F (X ({})))")
        ]
        found.append((said[0], said[1]))
    return found


def verdicts(asked: list[tuple[str, str]], limit: float) -> list[str]:
    """The verdicts, several at a time as in a run."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(
            threads.map(
                lambda pair: LANGUAGE.equivalent(pair[0], pair[1], timeout=limit).outcome, asked
            )
        )


def busy() -> None:
    """Computes for ever."""
    while True:
        pass


def main() -> None:
    """Prints a line for each round."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--limit", type=float, default=2.0, help="seconds for a verdict (default %(default)s)"
    )
    parser.add_argument("--pairs", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    asked = pairs(given.pairs)
    first: list[str] = []
    for load in (0, 2 * (os.cpu_count() or 1)):
        others = [multiprocessing.Process(target=busy, daemon=True) for _ in range(load)]
        for other in others:
            other.start()
        for number in range(given.rounds):
            started = time.monotonic()
            found = verdicts(asked, given.limit)
            first = first or found
            counts = Counter(found)
            decided = len(found) - counts["undecided"]
            changed = sum(one != another for one, another in zip(first, found, strict=True))
            print(
                f"{load} busy processes, round {number + 1}: {decided} of {len(found)} decided, "
                f"{changed} other verdicts than in the first round, {time.monotonic() - started:.0f} s"
            )
        for other in others:
            other.terminate()


if __name__ == "__main__":
    main()
