"""How an attempt ended, and what limits a run: the budget of attempts and cost."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from pytest_autoeval.models.base import CallError, ConfigurationError, LimitReachedError, ModelError
from pytest_autoeval.models.window import Ended

_CENT_DUST = 1e-9  # USD; sums of floats do not meet a limit exactly
_MARGIN = 2  # a call in flight is taken to cost so many times the dearest


class Seen(NamedTuple):
    """What a server did so far: how many attempts it answered, and how many calls it failed since the last answer."""

    answers: int
    failing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptEnd:
    """How an attempt ended, and what the limiter has to know of it.

    Args:
        ended: in a word.
        cost: USD, None if unknown.
        paid: the attempt may have been paid for without an answer: it timed out, or its answer says nothing.
        retry_after: seconds that the server asks to wait, None if it does not.
        alike: equal for refusals of one kind, such as ``400 invalid_value``.
        message: one line that says what the user has to mend, for the case that no call can succeed.
        call: equal for all attempts of one call, and for no other.
        at_once: one such refusal is enough to know that none can, as long as the model never answered.
    """

    ended: Ended
    cost: float | None = None
    paid: bool = False
    retry_after: float | None = None
    alike: str = ""
    message: str = ""
    call: object = None
    at_once: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An attempt without an answer.

    ``error`` is the call's, where it is not tried again; ``timed_out`` means that the answer was late, ``otherwise``
    that the next attempt asks in another way.
    """

    end: AttemptEnd
    error: ModelError
    timed_out: bool = False
    otherwise: bool = False

    @property
    def passes(self) -> bool:
        """Whether another attempt may succeed."""
        return self.otherwise or self.end.ended in {"limited", "failed", "unreached"}


def useless(error: ConfigurationError) -> Failure:
    """An attempt after which no call of its model can succeed."""
    return Failure(end=AttemptEnd(ended="useless", message=str(error)), error=error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What goes on between a run and its servers.

    ``window`` is how many attempts may be in flight now, ``highest`` how many at most; ``why_fewer`` is empty,
    ``rate limited``, ``server errors`` or ``rpm``; ``cost`` in USD.
    """

    attempts: int
    answered: int
    in_flight: int
    window: int
    highest: int
    why_fewer: str
    cost: float


@dataclass(slots=True)
class _Cost:
    """What calls of one model cost: how many are in flight, the dearest, and how many were priced since it was set.

    ``unknown`` calls may have been paid for before any price was known.
    """

    in_flight: int = 0
    dearest: float = 0.0
    priced: int = 0
    unknown: int = 0

    @property
    def reserved(self) -> float:
        """What calls in flight are taken to cost."""
        return self.in_flight * _MARGIN * self.dearest


class Budget:
    """Counts the attempts that were made and what they cost; replayed answers are never counted.

    With a limit to the cost, each attempt in flight reserves twice the cost of its model's dearest so far. There are at
    most as many in flight as attempts since one cost more than that: of costs in random order, one more does so on
    average. One at a time goes without a reserve: the first of a model, and the last that the rest may pay for.
    """

    def __init__(self, max_calls: int | None, max_cost: float | None) -> None:
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._models: defaultdict[str, _Cost] = defaultdict(_Cost)
        self.attempts = 0
        self.spent = 0.0

    def allows(self, model: str) -> bool:
        """Whether an attempt may start now; where it may not, one in flight has to end first.

        Raises :class:`LimitReachedError` where no further attempt may start.
        """
        if self._max_calls is not None and self.attempts >= self._max_calls:
            raise LimitReachedError(
                f"--autoeval-max-calls={self._max_calls} is reached: this run has made {self.attempts} calls; "
                "raise the limit, or replay recordings, which are free"
            )
        if self._max_cost is None:
            return True
        known, in_flight = self._models[model], sum(one.in_flight for one in self._models.values())
        rest = self._max_cost - self.spent + _CENT_DUST
        if in_flight == 0 and (rest < known.dearest or rest <= 2 * _CENT_DUST):
            raise LimitReachedError(
                f"--autoeval-max-cost={self._max_cost:g} is reached: this run has spent {self.spent:.4f} USD, "
                f"and the most expensive call of {model} cost {known.dearest:.4f} USD; "
                "raise the limit, or replay recordings, which are free"
            )
        reserved = sum(one.reserved for one in self._models.values())
        if not known.priced:
            return reserved <= rest and not any(one.in_flight and not one.priced for one in self._models.values())
        return in_flight == 0 or (known.in_flight < known.priced and reserved + _MARGIN * known.dearest <= rest)

    def start(self, model: str) -> None:
        """Counts an attempt, before it is made; :meth:`settle` must follow."""
        self.attempts += 1
        self._models[model].in_flight += 1

    def settle(self, model: str, cost: float | None, *, paid: bool = False) -> None:
        """Books what an attempt did cost, in USD. None is not known: as much as the dearest where it may be paid."""
        known = self._models[model]
        known.in_flight -= 1
        if cost is not None:
            known.priced = 1 if cost > _MARGIN * known.dearest else known.priced + 1
            known.dearest = max(known.dearest, cost)
            self.spent += cost
        known.unknown += paid and cost is None
        if known.priced:
            self.spent += known.unknown * known.dearest
            known.unknown = 0


def stopped() -> CallError:
    """The error of a call that a run which is being stopped does not make."""
    return CallError("the run was stopped before this call was made")
