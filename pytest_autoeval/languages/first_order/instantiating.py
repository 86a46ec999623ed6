"""Runs the solver cvc5 in a process of its own, with a limit of time and memory. It comes with the extra ``prover``."""

from __future__ import annotations

import time
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

from pytest_autoeval.languages.isolation import BACKSTOP, GaveUpError, Worker, killing_after

#: cvc5's own measure of work, about that of a second on a slow machine.
_WORK_A_SECOND = 200_000


class InstancesAnswer(NamedTuple):
    """The instances with which a solver refutes a script, as text; None if it does not. With its name, and seconds."""

    instances: str | None = None
    solver: str = "cvc5"
    seconds: float = 0.0


@cache
def solver_is_installed() -> bool:
    """Whether cvc5 can be imported."""
    return find_spec("cvc5") is not None


def find_instances(script: str, seconds: float) -> InstancesAnswer:
    """Asks cvc5 for instances that refute a script, for at most ``seconds`` of processor time."""
    # Its own measure of work stops it first on a fast machine. It does not count the search for terms.
    work = int(seconds * _WORK_A_SECOND)
    # Not one of the pool: z3's worker waits meanwhile, and an error of cvc5 must not end it.
    worker = Worker()
    started = time.monotonic()
    loaded = 0.0
    try:
        worker.load("pytest_autoeval.languages.first_order.cvc5_solver")
        loaded, started = worker.seconds, time.monotonic()
        worker.limit = seconds
        with killing_after(BACKSTOP * seconds, worker.kill):
            version, instances = worker.call("instances", script, work)
    except GaveUpError:
        return InstancesAnswer(seconds=min(time.monotonic() - started, seconds))
    finally:
        worker.kill()
        worker.abandon()
    return InstancesAnswer(instances, f"cvc5 {version}", worker.seconds - loaded)
