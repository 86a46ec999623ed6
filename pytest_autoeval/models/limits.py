"""What limits a run: the words between the limiter and those who ask it, and the budget of attempts and cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from pytest_autoeval.models.base import CallError, ConfigurationError, LimitReachedError, ModelError
from pytest_autoeval.models.window import Ended

_CENT_DUST = 1e-9  # USD; sums of floats do not meet a limit exactly


class Grant(NamedTuple):
    """One attempt may start: in which episode of its server, and after how many answers of that server."""

    episode: int
    answers: int


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
        retry_after: seconds that the server asks to wait, None if it does not.
        alike: equal for refusals of one kind, such as ``400 invalid_value``.
        message: one line that says what the user has to mend, for the case that no call can succeed.
        call: equal for all attempts of one call, and for no other.
        at_once: one such refusal is enough to know that none can, as long as the model never answered.
    """

    ended: Ended
    cost: float | None = None
    retry_after: float | None = None
    alike: str = ""
    message: str = ""
    call: str = ""
    at_once: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An attempt without an answer.

    ``error`` is the call's, where it is not tried again; ``timed_out`` means that the answer was late.
    """

    end: AttemptEnd
    error: ModelError
    timed_out: bool = False

    @property
    def passes(self) -> bool:
        """Whether another attempt may succeed."""
        return self.end.ended in {"limited", "failed", "unreached"}


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


class RunLimits(Protocol):
    """The limits of a run, as whoever asks a model sees them: the limiter itself, or a worker's way to it."""

    def acquire(self, server: str, model: str) -> Grant:
        """Returns when one attempt may start; :meth:`release` must follow.

        Raises :class:`LimitReachedError` where the budget is spent, :class:`ConfigurationError` where no call of this
        model can succeed, :class:`CallError` where the run is being stopped.
        """

    def release(self, server: str, model: str, grant: Grant, end: AttemptEnd) -> Seen:
        """Ends an attempt; returns what the server did so far, zeros after an answer.

        Raises :class:`ConfigurationError` where it is now known that no call can succeed.
        """

    def pause(self, seconds: float) -> None:
        """Waits, outside of any attempt; raises :class:`CallError` where the run is being stopped."""

    def agree(self, name: str, value: Any) -> Any:
        """The first value that any worker gave under a name. None gives nothing: it only asks."""

    def close(self) -> None:
        """Stops the run: whoever waits gets a :class:`CallError`, and no further attempt starts."""


class Budget:
    """Counts the attempts that were made and what they cost; replayed answers are never counted. Not thread-safe.

    An attempt in flight is taken to cost as much as the dearest one so far, so that many at once do not overshoot.
    """

    def __init__(self, max_calls: int | None, max_cost: float | None) -> None:
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._in_flight = 0
        self._dearest = 0.0
        self.attempts = 0
        self.spent = 0.0

    def reserve(self) -> None:
        """Takes one attempt out of the budget, before it is made; :meth:`settle` must follow.

        Raises :class:`LimitReachedError`, and takes nothing, where the budget does not allow the attempt.
        """
        if self._max_calls is not None and self.attempts >= self._max_calls:
            raise LimitReachedError(
                f"--autoeval-max-calls={self._max_calls} is reached: this run has made {self.attempts} calls; "
                "raise the limit, or replay recordings, which are free"
            )
        if self._max_cost is not None:
            expected = self.spent + (self._in_flight + 1) * self._dearest
            if expected > self._max_cost + _CENT_DUST or self.spent > self._max_cost - _CENT_DUST:
                raise LimitReachedError(
                    f"--autoeval-max-cost={self._max_cost:g} is reached: this run has spent {self.spent:.4f} USD, "
                    f"with {self._in_flight} calls in flight and {self._dearest:.4f} USD for the most expensive call; "
                    "raise the limit, or replay recordings, which are free"
                )
        self.attempts += 1
        self._in_flight += 1

    def settle(self, cost: float) -> None:
        """Books what a reserved attempt did cost, in USD; 0 for one that failed."""
        self._in_flight -= 1
        self.spent += cost
        self._dearest = max(self._dearest, cost)


def stopped() -> CallError:
    """The error of a call that a run which is being stopped does not make."""
    return CallError("the run was stopped before this call was made")
