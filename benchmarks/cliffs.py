"""How far a decision procedure reaches in families of problems: what the two scripts of cliffs share."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def decided(checkout: Path, program: str, problem: Any, timeout: float) -> tuple[str, str, float]:
    """The outcome, the method and the seconds that a program prints which runs in a checkout."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command,
        input=json.dumps([problem.left, problem.right, timeout]),
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


def cliff(
    checkout: Path,
    program: str,
    problems: Callable[[int], Any],
    numbers: Iterable[int],
    timeout: float,
) -> str:
    """The last n whose problem is decided, its seconds and its method. A wrong verdict is an `AssertionError`."""
    last = "none"
    for n in numbers:
        problem = problems(n)
        outcome, method, seconds = decided(checkout, program, problem, timeout)
        if outcome in {"undecided", "refused"}:
            return f"{last}, then {outcome}"
        if problem.is_equivalence is not None:
            assert outcome == ("equivalent" if problem.is_equivalence else "different"), n
        last = f"n = {n} in {seconds:.2f} s ({outcome}, {method})"
    return f"{last}, all that were tried"


def print_cliffs(
    description: str | None,
    program: str,
    families: Mapping[str, Callable[[int], Any]],
    ranges: Mapping[str, Iterable[int]],
) -> None:
    """Reads the arguments of the script, and prints a line for each family and checkout."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--against", type=Path, help="another checkout to compare with")
    parser.add_argument("--families", nargs="+", choices=ranges, default=list(ranges))
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds for a problem")
    arguments = parser.parse_args()
    checkouts = {"now": ROOT}
    if arguments.against:
        checkouts = {"against": arguments.against.resolve(), **checkouts}
    for family in arguments.families:
        for name, checkout in checkouts.items():
            reached = cliff(checkout, program, families[family], ranges[family], arguments.timeout)
            print(f"{family:22} {name:8} {reached}", flush=True)
