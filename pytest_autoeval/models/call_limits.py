"""Outcomes of attempts, and the budget of a run: attempts and cost."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from msgspec import Struct

from pytest_autoeval.models.protocols import (
    CallError,
    ConfigurationError,
    LimitReachedError,
    ModelError,
)
from pytest_autoeval.models.window import Ended
from pytest_autoeval.text import count

#: USD; tolerance for rounding errors of sums.
_CENT_DUST = 1e-9
#: A call in flight reserves this multiple of the model's dearest call.
_MARGIN = 2


class Seen(NamedTuple):
    """What a run has seen of a server and a model when an attempt ends.

    Attributes:
        answers: the server's answered attempts.
        failing: the server's calls that failed since its last answer.
        model_answered: whether the model ever answered.
    """

    answers: int
    failing: int
    model_answered: bool


class AttemptEnd(Struct, frozen=True, kw_only=True):
    """The end of an attempt, as the limiter needs it.

    Args:
        ended: the outcome.
        cost: USD, None if unknown.
        paid: the attempt may have cost money without an answer: it timed out, or its answer is unusable.
        retry_after: seconds that the server asks to wait, or None.
        alike: equal for refusals of one kind, such as ``400 invalid_value``.
        message: one line that says what the user has to correct, in case no call can succeed.
        call: equal for all attempts of one call, and for no other.
        at_once: one such refusal shows that no call can succeed, unless the model answered before.
    """

    ended: Ended
    cost: float | None = None
    paid: bool = False
    retry_after: float | None = None
    alike: str = ""
    message: str = ""
    call: object = None
    at_once: bool = False


class Failure(Struct, frozen=True, kw_only=True):
    """An attempt without an answer.

    Attributes:
        end: the end of the attempt.
        error: the error of the call, if no other attempt is made.
        timed_out: the answer was late.
        retry_changed: the next attempt sends a different request.
        second_tries: further attempts that may mend a reply which is unusable or a refusal; each may cost money.
        is_outage: the reply is nothing that the model's server sends, so that a server that answered before is down.
    """

    end: AttemptEnd
    error: ModelError
    timed_out: bool = False
    retry_changed: bool = False
    second_tries: int = 0
    is_outage: bool = False

    @property
    def retryable(self) -> bool:
        """Whether another attempt may succeed."""
        return self.retry_changed or self.end.ended in {"limited", "failed", "unreached"}


def useless(error: ConfigurationError) -> Failure:
    """The failure of an attempt that shows that no call of its model can succeed."""
    return Failure(end=AttemptEnd(ended="useless", message=str(error)), error=error)


class Traffic(Struct, frozen=True, kw_only=True):
    """The current traffic of a run.

    ``window`` is how many attempts may be in flight now, ``highest`` the maximum; ``why_fewer`` is empty,
    ``rate limited``, ``server errors`` or ``rpm``; ``cost`` in USD.
    """

    attempts: int
    answered: int
    in_flight: int
    window: int
    highest: int
    why_fewer: str
    cost: float


class _Cost(Struct):
    """Costs of one model, in USD.

    Attributes:
        in_flight: the number of calls in flight.
        bounded: what the calls in flight with a known highest cost reserve, as a sum.
        unbounded: the number of calls in flight whose highest cost is unknown.
        dearest: the cost of the most expensive call.
        priced: the number of calls with a cost since one cost more than the others had reserved.
        unknown: the number of calls that may have cost money before any cost was known.
        exceeds: a call cost more than it could cost at most: the server does not keep to the limit of answers.
    """

    in_flight: int = 0
    bounded: float = 0.0
    unbounded: int = 0
    dearest: float = 0.0
    priced: int = 0
    unknown: int = 0
    exceeds: bool = False

    @property
    def usual(self) -> float:
        """What a call reserves of which nothing better is known."""
        return _MARGIN * self.dearest if self.priced else 0.0

    def reserve(self, most: float | None) -> float:
        """What a call reserves that can cost ``most``, or an unknown sum."""
        if most is None:
            return self.usual
        return max(most, self.usual) if self.exceeds else most

    @property
    def reserved(self) -> float:
        return self.bounded + self.unbounded * self.usual


class Budget:
    """Counts attempts and their cost; replayed answers are free.

    With a limit of the cost, each attempt in flight reserves what it can cost at most, if that is known: the run then
    never spends more than the limit, as long as the server keeps to the limit of answers.

    Otherwise an attempt reserves twice the cost of its model's dearest so far. No more attempts are in flight than were
    made since one cost more than that: of costs in random order, one more does so on average. One attempt at a time
    starts without a reserve: the first of a model, or the last that the rest may pay.
    """

    def __init__(self, max_calls: int | None, max_cost: float | None) -> None:
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._models: defaultdict[str, _Cost] = defaultdict(_Cost)
        self.attempts = 0
        self.spent = 0.0
        #: What calls without an answer can have cost beyond what is booked for them, in USD.
        self._doubtful = 0.0

    def allows(self, model: str, most: float | None = None) -> bool:
        """Whether an attempt may start now; if not, one in flight has to end first.

        ``most``: what it can cost at most, in USD; None if unknown.

        Raises :class:`LimitReachedError` if no further attempt may start.
        """
        if self._max_calls is not None and self.attempts >= self._max_calls:
            raise LimitReachedError(
                f"--autoeval-max-calls={self._max_calls} is reached: this run has made {count(self.attempts, 'call')}"
            )
        if self._max_cost is None:
            return True
        own = self._models[model]
        all_costs = self._models.values()
        # What is only doubtful counts as spent, so that the limit holds even if every such call was paid.
        available = self._max_cost - self.spent - self._doubtful + _CENT_DUST
        reserved = sum(costs.reserved for costs in all_costs)
        none_in_flight = not any(costs.in_flight for costs in all_costs)
        needed = own.dearest if most is None else own.reserve(most)
        # Only when nothing is in flight: an attempt that ends may cost less than it reserves.
        if none_in_flight and (available < needed or available <= 2 * _CENT_DUST):
            raise LimitReachedError(self._reached(model, own, most))
        if most is not None:
            return reserved + needed <= available
        # The first call of a model shows its cost, one model at a time.
        if not own.priced:
            a_first_call_runs = any(costs.unbounded and not costs.priced for costs in all_costs)
            return reserved <= available and not a_first_call_runs
        # The last attempt that the rest may pay starts without a reserve.
        if none_in_flight:
            return True
        return own.unbounded < own.priced and reserved + own.usual <= available

    def _reached(self, model: str, costs: _Cost, most: float | None) -> str:
        """The message of the error for a run that has reached the limit of its cost."""
        why = f"the most expensive call of {model} cost {costs.dearest:.4f} USD"
        if most is not None:
            why = (
                f"the next call of {model} may cost {costs.reserve(most):.4f} USD "
                "(less with a lower --autoeval-max-tokens)"
            )
        doubtful = (
            f" and up to {self._doubtful:.4f} for calls without an answer" if self._doubtful else ""
        )
        return (
            f"--autoeval-max-cost={self._max_cost:g} is reached: this run has spent {self.spent:.4f} USD{doubtful}, "
            f"and {why}"
        )

    def start(self, model: str, most: float | None = None) -> float | None:
        """Counts an attempt before it starts, and returns what it reserves; :meth:`settle` must follow with it.

        ``most``: as in :meth:`allows`.
        """
        # Before the attempt, so that no other one can take its place.
        self.attempts += 1
        costs = self._models[model]
        costs.in_flight += 1
        if most is None:
            costs.unbounded += 1
            return None
        reserve = costs.reserve(most)
        costs.bounded += reserve
        return reserve

    def settle(
        self, model: str, cost: float | None, *, paid: bool = False, reserve: float | None = None
    ) -> None:
        """Books the cost of an attempt in USD. An unknown cost counts as the dearest if the attempt may be paid."""
        costs = self._models[model]
        costs.in_flight -= 1
        if reserve is None:
            costs.unbounded -= 1
        else:
            # With nothing in flight it is exactly 0: the sums above leave rounding errors.
            costs.bounded = max(0.0, costs.bounded - reserve) if costs.in_flight else 0.0
            costs.exceeds = costs.exceeds or (cost is not None and cost > reserve + _CENT_DUST)
        if cost is not None:
            # A cost above what the others reserved shows that the earlier calls prove little: the count starts anew.
            costs.priced = 1 if cost > _MARGIN * costs.dearest else costs.priced + 1
            costs.dearest = max(costs.dearest, cost)
            self.spent += cost
        elif paid:
            costs.unknown += 1
            # Below, it is booked as the dearest call. It may have cost up to its reserve.
            self._doubtful += max(0.0, (reserve or 0.0) - costs.dearest)
        if costs.priced:
            self.spent += costs.unknown * costs.dearest
            costs.unknown = 0


def stopped() -> CallError:
    """The error of a call that is not made because the run is being stopped."""
    return CallError("the run was stopped before this call was made")
