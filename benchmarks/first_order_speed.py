"""How many first-order pairs are decided in a second, here and in another checkout, side by side.

Run with ``python benchmarks/first_order_speed.py --before CHECKOUT``. The pairs are drawn formulas of 5, 20 and 50
operators: a third each beside another one, beside a near copy, beside an equivalent. Each round of each checkout is a
process of its own, and they take turns. Seconds are processor time, with z3's process and without the start of both,
so that a busy machine changes little. Printed are medians of the rounds; the verdicts must agree.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("unrelated", "near copy", "equivalent")
#: What runs in each checkout: decides the pairs of a file, and prints the seconds and the verdicts.
DECIDE = """
import gc, json, sys, time
from pathlib import Path
from pytest_autoeval.languages import language
from pytest_autoeval.languages.isolation import session

def processor_time():
    with session("time", 60.0) as worker:
        return time.process_time() + worker.call("process_time")

first_order = language("first_order")
pairs = json.loads(Path(sys.argv[1]).read_text("utf-8"))
formulas = [tuple(first_order.parse(text) for text in pair) for pair in pairs]
# only z3 decides this pair, so that it is loaded
first_order.equivalent("∀x. ∀y. (R(x, y) → R(y, x))", "∀x. ∀y. (R(x, y) ↔ R(y, x))")
gc.collect()
gc.freeze()
started = processor_time()
verdicts = [first_order.equivalent(*pair) for pair in formulas]
print(json.dumps([processor_time() - started, [str(verdict.outcome) for verdict in verdicts]]))
"""


def run(checkout: Path, file: Path) -> tuple[float, list[str]]:
    """The processor time for the pairs of a file, and their verdicts."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    command = [sys.executable, "-c", DECIDE, str(file)]
    done = subprocess.run(
        command, env=environment, cwd=checkout, stdout=subprocess.PIPE, check=True
    )
    seconds, verdicts = json.loads(done.stdout)
    return seconds, verdicts


def measure(
    checkouts: dict[str, Path], file: Path, rounds: int
) -> tuple[dict[str, float], Counter[str]]:
    """The median seconds of each checkout, and the number of each verdict."""
    seconds: dict[str, list[float]] = {name: [] for name in checkouts}
    verdicts: dict[str, list[str]] = {}
    for _ in range(rounds):
        for name, checkout in checkouts.items():
            spent, verdicts[name] = run(checkout, file)
            seconds[name].append(spent)
    first, *others = verdicts.values()
    for other in others:
        for one, same in zip(first, other, strict=True):
            assert one == same or "undecided" in (one, same)
    return {name: statistics.median(times) for name, times in seconds.items()}, Counter(first)


def main() -> None:
    sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
    from equivalence_logic import pairs

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="another checkout to compare with")
    parser.add_argument("--sizes", type=int, nargs="+", default=[5, 20, 50])
    parser.add_argument("--pairs", type=int, default=300, help="pairs of each size")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=48)
    arguments = parser.parse_args()
    checkouts = {"now": ROOT}
    if arguments.before:
        checkouts = {"before": arguments.before.resolve(), **checkouts}
    print(
        f"{'size':>4}  {'pairs':12}"
        + "".join(f"{f'{name}, pairs/s':>18}" for name in checkouts)
        + "   ratio  verdicts"
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pairs.json"
        for size in arguments.sizes:
            drawn = pairs("first_order", size, arguments.pairs, arguments.seed)
            totals = dict.fromkeys(checkouts, 0.0)
            for index, kind in enumerate(KINDS):
                texts = [(str(left), str(right)) for left, right in drawn[index::3]]
                file.write_text(json.dumps(texts), "utf-8")
                seconds, verdicts = measure(checkouts, file, arguments.rounds)
                totals = {name: totals[name] + seconds[name] for name in checkouts}
                show(size, kind, len(texts), seconds, dict(verdicts))
            show(size, "all", len(drawn), totals, {})


def show(
    size: int, kind: str, count: int, seconds: dict[str, float], verdicts: dict[str, int]
) -> None:
    rates = "".join(f"{count / each:>18,.0f}" for each in seconds.values())
    first, *_, last = seconds.values()
    shown = ", ".join(f"{number} {name}" for name, number in sorted(verdicts.items()))
    print(f"{size:>4}  {kind:12}{rates}{first / last:>7.1f}×  {shown}", flush=True)


if __name__ == "__main__":
    main()
