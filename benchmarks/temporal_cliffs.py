"""How far the decision of temporal logic reaches in each family of problems, here and in another checkout.

Run with ``python benchmarks/temporal_cliffs.py --against CHECKOUT``. Printed is the largest number n up to which all
problems of a family are decided within the limit, with the seconds of the last one. A wrong verdict ends the script.
"""

from __future__ import annotations

import sys

from cliffs import ROOT, print_cliffs

#: Where each family begins, by what step it grows, and where it ends.
RANGES = {
    "random clauses": [6, 12, 18, 24, 32, 40, 50, 64, 80, 120, 200, 300],
    "lift": [4, 6, 8, 10, 12, 14, 16, 20, 24, 28],
    "counter never full": range(5, 16),
    "counter with carry": range(6, 12),
    "pigeons": range(5, 14),
    "right-nested until": [3, 10, 20, 40, 80, 140],
    "fair promises": [10, 18, 22, 26, 30, 40, 50],
    "chosen promises": [10, 22, 30, 50, 100, 150, 200],
    "responses": [10, 50, 100, 200, 400, 700, 1000, 2000],
    "later response": [10, 50, 100, 200, 400, 700, 1000, 2000],
    "remembered responses": range(4, 14),
    "chain of responses": [10, 20, 50, 100, 150, 200, 300],
    "disagreement": [10, 20, 50, 100, 200, 400, 1000, 2000],
    "useless choices": [10, 100, 400, 1000, 2000],
    "pigeons in turn": range(3, 10),
    "patterns": [5, 10, 15, 20, 30, 50, 75, 100, 200, 300, 400],
}
#: What runs in each checkout: decides a pair, and prints the outcome, the method and the seconds.
DECIDE = """
import json, sys, time
from pytest_autoeval.languages import language
left, right, timeout = json.load(sys.stdin)
ltl = language("ltl")
ltl.equivalent("F (H a)", "a")
started = time.perf_counter()
verdict = ltl.equivalent(left, right, timeout=timeout)
print(json.dumps([str(verdict.outcome), verdict.method, time.perf_counter() - started]))
"""


def main() -> None:
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    from support.temporal_families import FAMILIES

    print_cliffs(__doc__, DECIDE, FAMILIES, RANGES)


if __name__ == "__main__":
    main()
