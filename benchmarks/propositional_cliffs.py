"""How far the decision of propositional logic reaches in each family of problems, here and in another checkout.

Run with ``python benchmarks/propositional_cliffs.py --against CHECKOUT``. Printed is the largest number n up to which
all problems of a family are decided within the limit, with the seconds of the last. A wrong verdict ends the script.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The numbers tried in each family.
RANGES = {
    "satisfiable clauses": range(25, 401, 25),
    "threshold clauses": range(25, 301, 25),
    "unsatisfiable clauses": range(25, 351, 25),
    "reordered clauses": range(50, 1001, 50),
    "flat colouring": range(25, 401, 25),
    "pigeons": range(3, 12),
    "multipliers": range(2, 10),
    "parity": [10, 20, 40, 60, 80, 100, 150, 200, 400, 1000, 5000],
    "chained parity": [10, 20, 30, 40, 60, 80, 100, 150, 200, 300],
    "long chain": [10, 20, 50, 100, 149, 200, 500, 1000, 3000],
}
#: What runs in each checkout: decides a pair, and prints the outcome, the method and the seconds.
DECIDE = """
import json, sys, time
from pytest_autoeval.languages import language
left, right, timeout = json.load(sys.stdin)
logic = language("propositional")
started = time.perf_counter()
verdict = logic.equivalent(left, right, timeout=timeout)
print(json.dumps([str(verdict.outcome), verdict.method, time.perf_counter() - started]))
"""


def decided(checkout: Path, left: str, right: str, timeout: float) -> tuple[str, str, float]:
    done = subprocess.run(
        [sys.executable, "-c", DECIDE],
        input=json.dumps([left, right, timeout]),
        env={**os.environ, "PYTHONPATH": str(checkout)},
        cwd=checkout,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    if done.returncode:  # the text is longer or deeper than is read
        return "refused", "", 0.0
    outcome, method, seconds = json.loads(done.stdout)
    return outcome, method, seconds


def cliff(checkout: Path, family: str, timeout: float) -> str:
    """The last n that is decided, its seconds and its method."""
    from support.propositional_families import PROPOSITIONAL_FAMILIES

    last = "none"
    for n in RANGES[family]:
        problem = PROPOSITIONAL_FAMILIES[family](n)
        outcome, method, seconds = decided(checkout, problem.left, problem.right, timeout)
        if outcome in {"undecided", "refused"}:
            return f"{last}, then {outcome}"
        if problem.is_equivalence is not None:
            assert outcome == ("equivalent" if problem.is_equivalence else "different"), (family, n)
        last = f"n = {n} in {seconds:.2f} s ({outcome}, {method})"
    return f"{last}, all that were tried"


def main() -> None:
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="another checkout to compare with")
    parser.add_argument("--families", nargs="+", choices=RANGES, default=list(RANGES))
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds for a problem")
    arguments = parser.parse_args()
    checkouts = {"now": ROOT}
    if arguments.against:
        checkouts = {"against": arguments.against.resolve(), **checkouts}
    for family in arguments.families:
        for name, checkout in checkouts.items():
            print(f"{family:22} {name:8} {cliff(checkout, family, arguments.timeout)}", flush=True)


if __name__ == "__main__":
    main()
