"""The servers of a run, and the limits on asking them; made at the first call that no recording answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_autoeval.models.base import CallError, ConfigurationError
from pytest_autoeval.models.completion import decode
from pytest_autoeval.models.connection import Connection
from pytest_autoeval.models.digest import folder_of
from pytest_autoeval.models.endpoint import Metered, ServerCall
from pytest_autoeval.models.limits import Budget
from pytest_autoeval.models.offline import is_offline
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.servers import LoopbackServer, Server, UserServer
from pytest_autoeval.models.settings import ModelSettings
from pytest_autoeval.models.state import RunState
from pytest_autoeval.models.throttle import Pace, Slots

if TYPE_CHECKING:
    from pytest_autoeval.models.offline.answer_key import AnswerKey

Content = TypeVar("Content", bound=Metered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A decoded response, its cost in USD (None if unknown) and the seconds that it took."""

    payload: Any
    cost: float | None
    seconds: float


class Upstream:
    """The user's server and the offline models' one, for all models and threads of a process.

    Args:
        settings: those of the run.
        state: what the workers of the run share.
        redactor: hides secrets in what is answered.
        answer_key: what the offline models know of given sentences.
    """

    def __init__(
        self, settings: ModelSettings, state: RunState, redactor: Redactor, answer_key: AnswerKey | None
    ) -> None:
        self._settings, self._state, self._redactor = settings, state, redactor
        self._stop = Event()
        self._slots = Slots(settings.concurrency, settings.state_dir, self._stop)
        self._budget = Budget(settings.max_calls, settings.max_cost, state)
        self._remote = self._connection(UserServer(settings.base_url))
        self._offline = self._connection(LoopbackServer(answer_key))

    def ask(self, call: ServerCall, read: Callable[[Any], Content]) -> Received:
        """The server's response to a call; ``read`` raises :class:`CallError` where it says nothing.

        Raises :class:`ModelError`; after a :class:`ConfigurationError` no call of this model is made in this run.
        """
        failure = f"failed-{folder_of(call.model)}"
        try:
            with self._slots.slot():
                return self._asked(call, read, failure)
        except ConfigurationError as error:
            message = str(error)
            self._state.update(failure, lambda _: {"message": message})
            raise

    def close(self) -> None:
        """Wakes all who wait for their turn with a :class:`CallError`, closes the clients, stops the offline server."""
        self._stop.set()
        self._remote.close()
        self._offline.close()

    def _connection(self, server: Server) -> Connection:
        pace = Pace(self._settings.rpm, self._state, self._stop)
        return Connection(server, self._settings, pace=pace, redactor=self._redactor, state=self._state)

    def _asked(self, call: ServerCall, read: Callable[[Any], Content], failure: str) -> Received:
        self._check_hope(call, failure)
        self._budget.reserve()
        cost: float | None = None
        started = perf_counter()
        connection = self._offline if is_offline(call.model) else self._remote
        try:
            response = connection.ask(call.route, call.body, model=call.model, is_schema_ours=call.is_schema_ours)
            seconds = perf_counter() - started
            try:
                payload = decode(response, self._redactor)
                completed = read(payload)
            except CallError as error:
                raise CallError(f"{call.model}: {error}") from None
            if call.price is not None:
                cost = call.price.of(completed.prompt_tokens, completed.completion_tokens)
        finally:
            self._budget.settle(cost or 0.0)
        if cost is None and self._budget.limits_cost:
            raise ConfigurationError(
                f"{call.model}: the server reports no token counts, so --autoeval-max-cost cannot be kept; "
                "limit the run with --autoeval-max-calls"
            )
        return Received(payload=payload, cost=cost, seconds=seconds)

    def _check_hope(self, call: ServerCall, failure: str) -> None:
        """Fails at once where no call can succeed: one clear line for a run, not one wait for each sample."""
        known = self._state.read(failure)
        if known:
            raise ConfigurationError(known["message"])
        if self._budget.limits_cost and call.price is None:
            raise ConfigurationError(
                f"--autoeval-max-cost needs the price of {call.model}: add --autoeval-price={call.model}=INPUT/OUTPUT, "
                "in USD for a million tokens"
            )
