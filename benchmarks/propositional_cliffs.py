"""How far the decision of propositional logic reaches in each family of problems, here and in another checkout.

Run with ``python benchmarks/propositional_cliffs.py --against CHECKOUT``. Printed is the largest number n up to which
all problems of a family are decided within the limit, with the seconds of the last. A wrong verdict ends the script.
"""

from __future__ import annotations

import sys

from cliffs import ROOT, print_cliffs

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


def main() -> None:
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    from support.propositional_families import PROPOSITIONAL_FAMILIES

    print_cliffs(__doc__, DECIDE, PROPOSITIONAL_FAMILIES, RANGES)


if __name__ == "__main__":
    main()
