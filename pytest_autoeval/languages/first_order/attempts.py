"""The order in which first-order logic is searched for a proof or a counter-model, and the time that provers share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from pytest_autoeval.languages.isolation import OVER, GaveUpError, Worker


class Way(NamedTuple):
    """A way to a proof: whether z3 gets the normal form instead of the formulas, and z3's options."""

    normal: bool = False
    options: tuple[tuple[str, Any], ...] = ()


_WAYS = (
    Way(),
    Way(normal=True),
    Way(options=(("auto_config", False), ("smt.case_split", 3))),
    Way(options=(("tactics", ("simplify", "snf", "propagate-values", "simplify")),)),
)


class LargeSample(NamedTuple):
    """A search for a counter-model in a large sample of the models of some size, without z3."""

    size: int


class ProverSearch(NamedTuple):
    """A search for a proof by E, which ends after so many clauses: its measure of work, the same on each machine."""

    clauses: int


class InstanceSearch(NamedTuple):
    """A search by cvc5 for instances that contradict each other, for so many seconds of processor time."""

    seconds: float


#: An attempt (a sample, z3's search for a model of some size, or a proof), with the multiple of z3's work.
Attempt = tuple[int | LargeSample | Way | ProverSearch | InstanceSearch, float]
_FIRST_ATTEMPTS: tuple[Attempt, ...] = (
    # Where no sample refutes the relation, it mostly holds; most of the others fail in a model of two elements.
    (2, 1),
    (LargeSample(3), 0),
    (_WAYS[0], 0.5),
    (3, 1),
    # E makes about 100,000 clauses a second. Most of what z3 misses it proves within 20,000.
    (ProverSearch(20_000), 0),
    (_WAYS[1], 0.5),
    (_WAYS[2], 0.5),
    (_WAYS[3], 0.5),
    # What both miss, such as nested ↔ and definitions of set theory, cvc5 mostly refutes in half a second.
    (_WAYS[0], 1),
    (4, 1),
    (InstanceSearch(1.0), 0),
    (5, 2),
    (ProverSearch(500_000), 0),
    # The same with more work.
    (_WAYS[0], 4),
    (InstanceSearch(4.0), 0),
    (6, 4),
    (7, 4),
    (8, 4),
)
#: The number of turns of all ways and sizes, each with twice the work of the last. The time limit usually comes first.
TURNS = 12


def attempts(turns: int) -> Iterator[Attempt]:
    """The attempts in order; each turn gives z3 another random seed."""
    yield from _FIRST_ATTEMPTS
    for turn in range(1, turns):
        for normal, options in _WAYS:
            with_seed = (*options, ("smt.random_seed", turn))
            yield Way(normal, with_seed), 2**turn
        for size in range(2, 9 + turn):
            yield size, 2 ** (turn + 2)


class SharedTime:
    """The processor time of a session, which the provers share."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._ends = worker.seconds + (worker.limit or 0.0)

    @property
    def left(self) -> float:
        """The remaining seconds."""
        return max(0.0, self._ends - self._worker.seconds)

    def spend(self, seconds: float) -> None:
        """Takes seconds of another prover from those of z3. Raises :class:`GaveUpError` if none remain."""
        self._ends -= seconds
        if self.left <= 0:
            raise GaveUpError(OVER)
        self._worker.limit = self.left
