"""How much processor time temporal pairs take, here and in another checkout, side by side.

Run with ``python benchmarks/temporal_speed.py --against CHECKOUT``. The pairs are drawn formulas with past, of 5, 20
and 50 operators: a third each beside another one, beside a near copy, beside an equivalent. Each round of each checkout
is a process of its own, and they take turns. Times are processor time, with the processes that decide: those that
ended, and the one that waits for the next pair. So a busy machine changes little. Printed are medians of the rounds.
Verdicts that differ end the script; a pair may be decided in one checkout only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_LONGEST = 20_000  # characters that are read
KINDS = ("unrelated", "near copy", "equivalent")
#: What runs in each checkout: decides the pairs of a file, and prints the seconds and the verdicts.
DECIDE = """
import gc, json, os, sys, time
from pathlib import Path
from pytest_autoeval.languages import language
from pytest_autoeval.languages.isolation import session

def processor_time():
    with session("time", 60.0) as worker:
        waiting = worker.call("process_time")
    ended = os.times()
    return time.process_time() + waiting + ended.children_user + ended.children_system

ltl = language("ltl")
pairs = json.loads(Path(sys.argv[1]).read_text("utf-8"))
formulas = [tuple(ltl.parse(text) for text in pair) for pair in pairs]
# these pairs need a search in each process, so that all is loaded
for pair in (("F (H a)", "a"), ("G (a -> X X X X X X X X X b)", "G (Y Y Y Y Y Y Y Y Y a -> b)")):
    ltl.equivalent(*pair)
gc.collect()
gc.freeze()
started = processor_time()
verdicts = [ltl.equivalent(*pair) for pair in formulas]
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
) -> tuple[dict[str, float], dict[str, Counter[str]]]:
    """The median seconds of each checkout, and the number of each verdict."""
    seconds: dict[str, list[float]] = {name: [] for name in checkouts}
    verdicts: dict[str, list[str]] = {}
    for _ in range(rounds):
        for name, checkout in checkouts.items():
            spent, verdicts[name] = run(checkout, file)
            seconds[name].append(spent)
    for outcomes in zip(*verdicts.values(), strict=True):
        assert len({*outcomes} - {"undecided"}) <= 1, "the checkouts disagree"
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    return medians, {name: Counter(outcomes) for name, outcomes in verdicts.items()}


def drawn_pairs(size: int, kind: str, count: int, seed: int) -> list[tuple[str, str]]:
    """Drawn formulas, each with a partner of a kind."""
    from equivalence_ltl import near_copy, rewritten

    from pytest_autoeval.generation.samples import sample_formulas
    from pytest_autoeval.languages.ltl.syntax import Temporal

    rng = random.Random(f"{seed} {kind}")
    drawn = sample_formulas("past_ltl", operators=size, count=count, seed=seed)
    formulas = [formula for formula in drawn if isinstance(formula, Temporal)]
    others = rng.sample(formulas, len(formulas))
    partner = {"near copy": near_copy, "equivalent": rewritten}
    partners = [partner[kind](formula, rng) for formula in formulas] if kind in partner else others
    texts = [(str(formula), str(other)) for formula, other in zip(formulas, partners, strict=True)]
    return [pair for pair in texts if max(map(len, pair)) <= _LONGEST]


def main() -> None:
    sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="another checkout to compare with")
    parser.add_argument("--sizes", type=int, nargs="+", default=[5, 20, 50])
    parser.add_argument(
        "--pairs", type=int, default=100, help="pairs of each size and kind; a fifth at size 50"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=48)
    arguments = parser.parse_args()
    checkouts = {"now": ROOT}
    if arguments.against:
        checkouts = {"against": arguments.against.resolve(), **checkouts}
    heads = "".join(f"{f'{name}, ms a pair':>22}" for name in checkouts)
    print(f"{'size':>4}  {'pairs':12}{heads}   ratio  verdicts")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pairs.json"
        for size in arguments.sizes:
            count = arguments.pairs // 5 if size >= 50 else arguments.pairs
            totals = dict.fromkeys(checkouts, 0.0)
            for kind in KINDS:
                pairs = drawn_pairs(size, kind, count, arguments.seed)
                file.write_text(json.dumps(pairs), "utf-8")
                seconds, verdicts = measure(checkouts, file, arguments.rounds)
                totals = {name: totals[name] + seconds[name] for name in checkouts}
                show(size, kind, len(pairs), seconds, verdicts)
            show(size, "all", len(KINDS) * count, totals, {})


def show(
    size: int, kind: str, count: int, seconds: dict[str, float], verdicts: dict[str, Counter[str]]
) -> None:
    times = "".join(f"{1000 * each / count:>22,.2f}" for each in seconds.values())
    first, *_, last = seconds.values()
    shown = "; ".join(
        f"{name}: {', '.join(f'{number} {outcome}' for outcome, number in sorted(counts.items()))}"
        for name, counts in verdicts.items()
    )
    print(f"{size:>4}  {kind:12}{times}{first / last:>7.1f}×  {shown}", flush=True)


if __name__ == "__main__":
    main()
