"""How fast equivalence of regular expressions is decided, next to a library that does the same.

Run with ``python benchmarks/equivalence_regex.py``; needs the extra ``test``. Both get the same pairs as text, both
parse them; medians over interleaved rounds. Required: at least ten times the library's rate.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable

import greenery

from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.languages import language

REGEX = language("regex")
Pair = tuple[str, str]


def pairs(depth: int, count: int, seed: int) -> list[Pair]:
    """Random expressions of one depth, half of them with an equivalent partner, half with another random one."""
    texts = [
        str(formula)
        for formula in sample_formulas("regex", operators=depth, count=count, seed=seed)
    ]
    others = texts[:]
    random.Random(seed).shuffle(others)
    return [
        (text, text.replace("0*", "0*0*").replace("1*", "1*1*") if index % 2 else other)
        for index, (text, other) in enumerate(zip(texts, others, strict=True))
    ]


def ours(pair: Pair) -> bool:
    return REGEX.equivalent(*pair).outcome == "equivalent"


def theirs(pair: Pair) -> bool:
    left, right = pair
    return bool(greenery.parse(left).equivalent(greenery.parse(right)))


def rate(decide: Callable[[Pair], bool], drawn: list[Pair]) -> tuple[float, list[bool]]:
    """Pairs a second, and the answers."""
    started = time.perf_counter()
    answers = [decide(pair) for pair in drawn]
    return len(drawn) / (time.perf_counter() - started), answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=20, help="pairs of each depth in a round")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print(f"{'depth':>5}  {'pairs/s':>10}  {'greenery':>10}  {'ratio':>7}")
    ratios = []
    for depth in (4, 8, 12, 16, 20):
        mine, other, each = [], [], []
        for seed in range(arguments.rounds):
            drawn = pairs(depth, arguments.pairs, seed)
            (my_rate, my_answers), (other_rate, other_answers) = (
                rate(ours, drawn),
                rate(theirs, drawn),
            )
            if my_answers != other_answers:
                raise SystemExit(f"depth {depth}, seed {seed}: the verdicts differ")
            mine.append(my_rate)
            other.append(other_rate)
            each.append(my_rate / other_rate)
        ratios.extend(each)
        print(
            f"{depth:>5}  {statistics.median(mine):>10,.0f}  {statistics.median(other):>10,.0f}"
            f"  {statistics.median(each):>6.1f}x"
        )
    print(f"median ratio: {statistics.median(ratios):.1f}x (required: 10x)")


if __name__ == "__main__":
    main()
