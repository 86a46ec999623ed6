"""How much a run may ask: hard limits on calls and cost, over all threads of all workers together."""

from __future__ import annotations

from pytest_autoeval.models.base import LimitReachedError
from pytest_autoeval.models.state import Record, RunState

_CENT_DUST = 1e-9  # USD; sums of floats do not meet a limit exactly


class Budget:
    """Counts the calls that were made and what they cost; replayed answers are never counted.

    A call in flight is taken to cost as much as the dearest one so far, so that many at once do not overshoot.

    Args:
        max_calls: calls that the run may make; None: any number.
        max_cost: USD that the run may spend; None: any sum.
        state: where the workers keep the count.
    """

    def __init__(self, max_calls: int | None, max_cost: float | None, state: RunState) -> None:
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._state = state

    @property
    def limits_cost(self) -> bool:
        """Whether a cost limit was set, which needs a price for each model."""
        return self._max_cost is not None

    def reserve(self) -> None:
        """Takes one call out of the budget, before it is made; :meth:`settle` must follow.

        Raises :class:`LimitReachedError`, and takes nothing, where the budget does not allow the call.
        """
        if self._max_calls is not None or self._max_cost is not None:
            self._state.update("budget", self._reserved)

    def settle(self, cost: float) -> None:
        """Books what a reserved call did cost, in USD; 0 for one that failed."""

        def book(record: Record) -> Record:
            return {
                **record,
                "in_flight": record["in_flight"] - 1,
                "spent": record["spent"] + cost,
                "dearest": max(record["dearest"], cost),
            }

        if self._max_calls is not None or self._max_cost is not None:
            self._state.update("budget", book)

    def _reserved(self, record: Record) -> Record:
        record = record or {"calls": 0, "in_flight": 0, "spent": 0.0, "dearest": 0.0}
        if self._max_calls is not None and record["calls"] >= self._max_calls:
            raise LimitReachedError(
                f"--autoeval-max-calls={self._max_calls} is reached: this run has made {record['calls']} calls; "
                "raise the limit, or replay recordings, which are free"
            )
        if self._max_cost is not None:
            expected = record["spent"] + (record["in_flight"] + 1) * record["dearest"]
            if expected > self._max_cost + _CENT_DUST or record["spent"] > self._max_cost - _CENT_DUST:
                raise LimitReachedError(
                    f"--autoeval-max-cost={self._max_cost:g} is reached: this run has spent {record['spent']:.4f} USD, "
                    f"with {record['in_flight']} calls in flight and {record['dearest']:.4f} USD for the dearest; "
                    "raise the limit, or replay recordings, which are free"
                )
        return {**record, "calls": record["calls"] + 1, "in_flight": record["in_flight"] + 1}
