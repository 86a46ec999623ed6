"""Does a verdict depend on how busy the machine is? Decides hard pairs with a short limit, quietly and under load.

    python benchmarks/verdicts_under_load.py [--limit 2] [--pairs 64] [--rounds 3]

The pairs are formulas of first-order logic with 12 to 20 operators, drawn from a seed, each beside one that differs in
one place or is another way to say it. Under load two processes for each core compute beside the run. The number of
pairs that are decided, and their verdicts, should be the same in every round.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from pytest_autoeval import Formula, language, sample_formulas

LANGUAGE = language("first_order")


def pairs(number: int) -> list[tuple[Formula, Formula]]:
    """Formulas of one shape and size, two by two: most differ, and models that show it are hard to find."""
    chance = random.Random(7)
    drawn = [one for size in range(12, 21) for one in sample_formulas("first_order", size, 40, seed=3)]
    found = []
    while len(found) < number:
        one, other = chance.sample(drawn, 2)
        both = LANGUAGE.parse(f"({one}) ∧ (({one}) → ({other}))")
        found.append((both, LANGUAGE.parse(f"({other}) ∧ (({other}) → ({one}))")))
        found.append((both, LANGUAGE.parse(f"({one}) ∧ ({other})")))
    return found[:number]


def verdicts(asked: list[tuple[Formula, Formula]], limit: float) -> list[str]:
    """The verdicts, several at a time as in a run."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(lambda pair: LANGUAGE.equivalent(*pair, timeout=limit).outcome, asked))


def busy() -> None:
    """Computes for ever."""
    while True:
        pass


def main() -> None:
    """Prints a line for each round."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=2.0, help="seconds for a verdict (default %(default)s)")
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
