"""One model at one path of a server: recordings answer first, then the server does, within the limits of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

from pytest_autoeval.models.base import CallError, ConfigurationError
from pytest_autoeval.models.completion import decode
from pytest_autoeval.models.connection import Connection
from pytest_autoeval.models.folders import folder_of
from pytest_autoeval.models.limits import Budget
from pytest_autoeval.models.prices import Price
from pytest_autoeval.models.recording import Recordings
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.state import RunState
from pytest_autoeval.models.throttle import Slots


class Metered(Protocol):
    """What was read in a response: at least the tokens, None where the server reported none."""

    @property
    def prompt_tokens(self) -> int | None:
        """Those of what was asked."""
        ...

    @property
    def completion_tokens(self) -> int | None:
        """Those of the answer."""
        ...


Content = TypeVar("Content", bound=Metered)


@dataclass(frozen=True, slots=True)
class Answered(Generic[Content]):
    """What a response says, and what it took; the fields are those of :class:`~pytest_autoeval.models.base.Reply`."""

    content: Content
    cost: float | None
    seconds: float
    replayed: bool


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What all models and workers of a run share: calls in flight, the budget, and what no call can escape."""

    slots: Slots
    budget: Budget
    state: RunState


class Endpoint(Generic[Content]):
    """A model behind a path of an OpenAI-compatible server; thread-safe.

    Args:
        name: the model's, as in ``--autoeval-model``.
        connection: the way to the server.
        recordings: what was recorded of this model at this path.
        limits: those of the run.
        redactor: hides secrets in what is answered.
        price: what the model charges; None: unknown.
    """

    def __init__(  # noqa: PLR0913 - its collaborators, put together in one place (pool.py)
        self,
        name: str,
        *,
        connection: Connection,
        recordings: Recordings,
        limits: RunLimits,
        redactor: Redactor,
        price: Price | None = None,
    ) -> None:
        self.name = name
        self.state = limits.state
        self._connection = connection
        self._recordings = recordings
        self._limits = limits
        self._redactor = redactor
        self._price = price
        self._failure_record = f"failed-{folder_of(name)}"

    def body(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """What identifies a request, and is sent: without secrets."""
        redacted: dict[str, Any] = self._redactor.json(body)
        return redacted

    def recorded(self, body: Mapping[str, Any], repeat: int) -> bool:
        """Whether a recording would answer a request."""
        return self._recordings.has(body, repeat)

    def replay(self, body: Mapping[str, Any], repeat: int, read: Callable[[Any], Content]) -> Answered[Content] | None:
        """What a recording answers, or None where the server is to be asked; raises :class:`RecordingMissError`."""
        recorded = self._recordings.find(body, repeat)
        return None if recorded is None else Answered(read(recorded), cost=0.0, seconds=0.0, replayed=True)

    def ask(
        self,
        body: Mapping[str, Any],
        repeat: int,
        read: Callable[[Any], Content],
        *,
        trimmed: Callable[[Any], Any] = lambda payload: payload,
        is_schema_ours: bool = False,
    ) -> Answered[Content]:
        """What the server answers; recorded where the mode records.

        Args:
            body: the request, made by :meth:`body`.
            repeat: the number of its repeat.
            read: what a decoded response says; raises :class:`CallError`.
            trimmed: the part of a response that could be read which is kept.
            is_schema_ours: whether a schema in the request is one that we can do without.

        Raises :class:`ModelError`; after a :class:`ConfigurationError` no call of this model is made in this run.
        """
        try:
            with self._limits.slots.slot():
                return self._asked(body, repeat, read, trimmed, is_schema_ours=is_schema_ours)
        except ConfigurationError as error:
            message = str(error)
            self.state.update(self._failure_record, lambda _: {"message": message})
            raise

    def _asked(
        self,
        body: Mapping[str, Any],
        repeat: int,
        read: Callable[[Any], Content],
        trimmed: Callable[[Any], Any],
        *,
        is_schema_ours: bool,
    ) -> Answered[Content]:
        self._check_hope()
        self._limits.budget.reserve()
        cost: float | None = None
        started = perf_counter()
        try:
            content = self._connection.ask(self._recordings.route, body, model=self.name, is_schema_ours=is_schema_ours)
            seconds = perf_counter() - started
            payload, completed = self._read(content, read)
            if self._price is not None:
                cost = self._price.of(completed.prompt_tokens, completed.completion_tokens)
        finally:
            self._limits.budget.settle(cost or 0.0)
        if cost is None and self._limits.budget.limits_cost:
            raise ConfigurationError(
                f"{self.name}: the server reports no token counts, so --autoeval-max-cost cannot be kept; "
                "limit the run with --autoeval-max-calls"
            )
        kept = self._recordings.keep(body, repeat, trimmed(payload))
        return Answered(read(kept), cost=cost, seconds=seconds, replayed=False)

    def _check_hope(self) -> None:
        """Fails at once where no call can succeed: one clear line for a run, not one wait for each sample."""
        known = self.state.read(self._failure_record)
        if known:
            raise ConfigurationError(known["message"])
        if self._limits.budget.limits_cost and self._price is None:
            raise ConfigurationError(
                f"--autoeval-max-cost needs the price of {self.name}: add --autoeval-price={self.name}=INPUT/OUTPUT, "
                "in USD for a million tokens"
            )

    def _read(self, content: bytes, read: Callable[[Any], Content]) -> tuple[Any, Content]:
        try:
            payload = decode(content, self._redactor)
            return payload, read(payload)
        except CallError as error:
            raise CallError(f"{self.name}: {error}") from None
