"""How far the decision of regular expressions reaches in each family of problems, here and in another checkout.

Run with ``python benchmarks/regex_cliffs.py --against CHECKOUT``. Printed is the largest number n up to which all
problems of a family are decided within the limit, with the seconds of the last. A wrong verdict ends the script.
``--greenery`` shows how far greenery 4 comes, in a process that is stopped after the limit; needs the extra ``test``.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Iterable
from functools import reduce
from operator import add, and_, or_
from typing import Any

import greenery
from cliffs import ROOT, print_cliffs

from pytest_autoeval.languages.regex import LANGUAGE as REGEX
from pytest_autoeval.languages.regex.syntax import (
    Complement,
    Concat,
    Expression,
    Intersection,
    Union,
)

#: The numbers tried in each family.
RANGES: dict[str, Iterable[int]] = {
    "nested counters": [5, 10, 20, 30, 40, 50, 60, 80],
    "nested counters under ~": [5, 10, 20, 30, 40, 50, 60, 70],
    "required counters under &": [5, 10, 15, 20, 30, 40, 60, 80],
    "far symbol": [5, 8, 10, 12, 14, 20, 40, 99],
    "far symbol under ~": range(5, 21),
    "far symbol under ~ twice": [5, 8, 10, 12, 14, 20, 40, 99],
    "n symbols at once": range(2, 19),
    "n words, De Morgan": [2, 5, 10, 20, 40, 80, 120],
    "two long periods": [11, 23, 43, 61, 83],
    "union of n periods": [2, 3, 4, 6, 10, 15, 20, 25],
    "levels of complements": [2, 5, 10, 12, 20, 30, 39, 45],
}
#: What runs in each checkout: decides a pair, and prints the outcome, the method and the seconds.
DECIDE = """
import json, sys, time
from pytest_autoeval.languages import language
left, right, timeout = json.load(sys.stdin)
regex = language("regex")
started = time.process_time()
verdict = regex.equivalent(left, right, timeout=timeout)
print(json.dumps([str(verdict.outcome), verdict.method, time.process_time() - started]))
"""


def main() -> None:
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    from support.regex_families import REGEX_FAMILIES

    if "--greenery" in sys.argv:
        for family, numbers in RANGES.items():
            print(f"{family:28} greenery {reached_by_greenery(REGEX_FAMILIES[family], numbers)}")
        return
    print_cliffs(__doc__, DECIDE, REGEX_FAMILIES, RANGES)


def reached_by_greenery(
    problems: Callable[[int], Any], numbers: Iterable[int], timeout: float = 5.0
) -> str:
    """The last n that greenery decides within the limit of processor time."""
    last = "none"
    for n in numbers:
        problem = problems(n)
        queue: Any = multiprocessing.Queue()
        arguments = problem.left, problem.right, queue
        process = multiprocessing.Process(target=_decide_with_greenery, args=arguments)
        process.start()
        # Processor time of the child is not known here; the time on the clock may be three times as long.
        process.join(3 * timeout)
        if process.is_alive() or queue.empty():
            process.kill()
            return f"{last}, then undecided"
        equivalent, seconds = queue.get()
        if seconds > timeout:
            return f"{last}, then undecided"
        assert equivalent == problem.is_equivalence, n
        last = f"n = {n} in {seconds:.2f} s"
    return f"{last}, all that were tried"


def _decide_with_greenery(left: str, right: str, queue: Any) -> None:
    started = time.process_time()
    first, second = (_machine(REGEX.tree(text)) for text in (left, right))
    equivalent = first.equivalent(second)
    queue.put([bool(equivalent), time.process_time() - started])


def _machine(node: Expression) -> Any:
    """The automaton of an expression. greenery reads no ``&`` and no ``~``, but its automata have these operations."""
    if not any(isinstance(part, Intersection | Complement) for part in node.subformulas()):
        return greenery.parse(str(node)).to_fsm()
    machines = [_machine(child) for child in node.children()]
    if isinstance(node, Complement):
        return machines[0].everythingbut()
    if isinstance(node, Intersection):
        return reduce(and_, machines)
    if isinstance(node, Union):
        return reduce(or_, machines)
    if isinstance(node, Concat):
        return reduce(add, machines)
    raise TypeError(f"no family has & or ~ below {type(node).__name__}")


if __name__ == "__main__":
    main()
