"""The servers of a run, asked within its limits: the user's own, and the offline models' on this machine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Any

from pytest_autoeval.models.base import CallError, ConfigurationError, Reply, StructuredOutputsUnsupportedError
from pytest_autoeval.models.connection import Connection, user_key, user_url
from pytest_autoeval.models.digest import folder_of
from pytest_autoeval.models.limits import Budget, Pace, RunState, Slots
from pytest_autoeval.models.names import is_offline
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.responses import decode
from pytest_autoeval.models.settings import ModelSettings, ServerCall

if TYPE_CHECKING:
    from pytest_autoeval.models.offline.answer_key import AnswerKey


class Upstream:
    """The servers, for all models and threads of a process; nothing is connected or started until a call needs it.

    Args:
        settings: those of the run.
        answer_key: what the offline models know of given sentences.
    """

    def __init__(self, settings: ModelSettings, answer_key: AnswerKey | None) -> None:
        self.settings = settings
        self.state = RunState(settings.state_dir)
        self.redactor = Redactor.of_environment(settings.base_url)
        self._answer_key = answer_key
        self._stop = Event()
        self._slots = Slots(settings.concurrency, settings.state_dir, self._stop)
        self._budget = Budget(settings.max_calls, settings.max_cost, self.state)
        self._remote = self._connection(partial(user_url, settings.base_url), user_key)
        # Some key: the user's own has no business there.
        self._offline = self._connection(self._start_offline_server, lambda: "offline")
        self._at_end = ExitStack()
        self._at_end.callback(self._remote.close)
        self._at_end.callback(self._offline.close)

    def ask(self, call: ServerCall, read: Callable[[Any], Reply]) -> tuple[Any, Reply]:
        """The server's decoded response to a call, and what it says, with its cost (None if unknown) and seconds.

        ``read`` raises :class:`CallError` where a response says nothing. Raises :class:`ModelError`; after a
        :class:`ConfigurationError` no call of this model is made in this run. A schema that was refused is not sent
        again: schemas are remembered by name, for a server that does without one may take another.
        """
        failed, refused = f"failed-{folder_of(call.model)}", f"unstructured-{folder_of(call.model)}"
        if call.schema is not None and (refusal := self.state.read(refused).get(call.schema)) is not None:
            raise StructuredOutputsUnsupportedError(refusal)
        try:
            with self._slots.slot():
                return self._asked(call, read, self.state.read(failed).get("message"))
        except ConfigurationError as error:
            message = str(error)
            self.state.update(failed, lambda _: {"message": message})
            raise
        except StructuredOutputsUnsupportedError as error:
            message = str(error)
            self.state.update(refused, lambda earlier: {call.schema or "": message, **earlier})
            raise

    def close(self) -> None:
        """Wakes all who wait for their turn with a :class:`CallError`, closes the clients, stops the offline server."""
        self._stop.set()
        self._at_end.close()

    def _connection(self, url: Callable[[], str], key: Callable[[], str | None]) -> Connection:
        return Connection(
            url=url,
            key=key,
            settings=self.settings,
            pace=Pace(self.settings.rpm, self.state, self._stop),
            redactor=self.redactor,
            state=self.state,
        )

    def _start_offline_server(self) -> str:
        from pytest_autoeval.models.offline.server import OfflineServer

        server = OfflineServer(answer_key=self._answer_key)
        self._at_end.callback(server.stop)
        return server.start()

    def _asked(self, call: ServerCall, read: Callable[[Any], Reply], known_problem: str | None) -> tuple[Any, Reply]:
        if known_problem is not None:  # one clear line for a run, not one wait for each sample
            raise ConfigurationError(known_problem)
        limits_cost = self.settings.max_cost is not None
        if limits_cost and call.price is None:
            raise ConfigurationError(
                f"--autoeval-max-cost needs the price of {call.model}: add --autoeval-price={call.model}=INPUT/OUTPUT, "
                "in USD for a million tokens"
            )
        self._budget.reserve()
        cost: float | None = None
        started = perf_counter()
        try:
            response = (self._offline if is_offline(call.model) else self._remote).ask(call)
            seconds = perf_counter() - started
            try:
                payload = decode(response, self.redactor)
                reply = read(payload)
            except CallError as error:
                raise CallError(f"{call.model}: {error}") from None
            if call.price is not None:
                cost = call.price.of(reply.prompt_tokens, reply.completion_tokens)
        finally:
            self._budget.settle(cost or 0.0)
        if limits_cost and cost is None:
            raise ConfigurationError(
                f"{call.model}: the server reports no token counts, so --autoeval-max-cost cannot be kept; "
                "limit the run with --autoeval-max-calls"
            )
        return payload, replace(reply, cost=cost, seconds=seconds)
