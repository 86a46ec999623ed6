"""How far the decision of temporal logic reaches in each family of problems, here and in another checkout.

Run with ``python benchmarks/temporal_cliffs.py --against CHECKOUT``. Printed is the largest number n up to which all
problems of a family are decided within the limit, with the seconds of the last one. A wrong verdict ends the script.
"""

from __future__ import annotations

import sys

from cliffs import ROOT, print_cliffs

#: Where each family begins, by what step it grows, and where it ends.
RANGES = {
    "random clauses": range(3, 25),
    "lift": range(2, 9),
    "counter never full": range(2, 16),
    "counter with carry": range(2, 14),
    "pigeons": range(2, 14),
    "right-nested until": range(3, 41),
    "fair promises": range(2, 31),
    "chosen promises": range(2, 31),
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
