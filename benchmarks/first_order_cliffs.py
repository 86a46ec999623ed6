"""How far the decision of first-order logic reaches in each family of problems: with z3 alone, with E, and with cvc5.

Run with ``python benchmarks/first_order_cliffs.py``. Printed is the largest number n up to which all problems of a
family are decided within the limit, with the seconds and the method of the last. A prover that is not installed is left
out. A wrong verdict ends the script. ``--against CHECKOUT`` shows another checkout, with all its provers.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from cliffs import ROOT, cliff

#: The numbers tried in each family.
RANGES = {
    "one rule": range(2, 17),
    "differences of sets": range(1, 9),
    "distributivity of sets": range(1, 9),
    "detachment": range(1, 9),
    "biconditionals": range(2, 9),
    "cycles": [2, 5, 10, 20, 30, 39],
    "order": range(3, 16, 2),
}
#: What runs in each checkout: decides a pair, and prints the outcome, the method and the seconds.
DECIDE = """
import json, sys, time
from pytest_autoeval.languages import language
left, right, timeout = json.load(sys.stdin)
logic = language("first_order")
logic.equivalent("∀x. ∀y. (R(x, y) → R(y, x))", "∀x. ∀y. (R(x, y) ↔ R(y, x))")
started = time.perf_counter()
verdict = logic.equivalent(left, right, timeout=timeout)
print(json.dumps([str(verdict.outcome), verdict.method, time.perf_counter() - started]))
"""
WITHOUT_E = """
from pytest_autoeval.languages.first_order import prover
prover.prover_path = lambda: None
"""
WITHOUT_CVC5 = """
from pytest_autoeval.languages.first_order import instantiating
instantiating.solver_is_installed = lambda: False
"""


def main() -> None:
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    from support.first_order_families import FIRST_ORDER_FAMILIES

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="another checkout to compare with")
    parser.add_argument("--families", nargs="+", choices=RANGES, default=list(RANGES))
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds for a problem")
    arguments = parser.parse_args()
    has_e = bool(find_spec("eprover") or shutil.which("eprover"))
    has_cvc5 = bool(find_spec("cvc5"))
    ways = {"z3 alone": (ROOT, f"{WITHOUT_E}{WITHOUT_CVC5}{DECIDE}")}
    if has_e:
        ways["z3 and E"] = (ROOT, f"{WITHOUT_CVC5}{DECIDE}")
    if has_cvc5:
        ways["z3 and cvc5"] = (ROOT, f"{WITHOUT_E}{DECIDE}")
    if has_e and has_cvc5:
        ways["z3, E and cvc5"] = (ROOT, DECIDE)
    if arguments.against:
        ways["against"] = (arguments.against.resolve(), DECIDE)
    for family in arguments.families:
        for way, (checkout, program) in ways.items():
            problems, numbers = FIRST_ORDER_FAMILIES[family], RANGES[family]
            reached = cliff(checkout, program, problems, numbers, arguments.timeout)
            print(f"{family:24}{way:16}{reached}", flush=True)


if __name__ == "__main__":
    main()
