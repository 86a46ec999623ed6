"""Makes calls within the limits of the run, over all connections, on one event loop."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, structs

from pytest_autoeval.built_in import shipped
from pytest_autoeval.models.call_limits import AttemptEnd, Failure, Seen, useless
from pytest_autoeval.models.connections import (
    OPENAI_URL,
    USERS_SERVER,
    BatchingConnection,
    Connection,
    HttpConnection,
    users_url,
)
from pytest_autoeval.models.journal import Journal
from pytest_autoeval.models.limiter import Limiter
from pytest_autoeval.models.model_names import LITELLM, is_litellm, is_offline, no_batches
from pytest_autoeval.models.model_settings import FREE, ModelSettings, ServerCall
from pytest_autoeval.models.protocols import (
    ConfigurationError,
    Reply,
    StructuredOutputsUnsupportedError,
)
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.window import LONGEST_PAUSE

if TYPE_CHECKING:
    from pytest_autoeval.models.offline.answer_key import AnswerKey

#: Takes a decoded response, the reply read from it, its cost in USD (None if unknown), and the seconds it took.
OnAnswer: TypeAlias = Callable[[Any, Reply, float | None, float], None]
#: Numbers of errors and of timeouts after which a call fails for good. An error counts if the server answered another
#: call since the last one, or failed at most ``_FEW_CALLS`` calls since its last answer: in an outage it fails many. A
#: timeout counts if the server ever answered: each may cost money. With batches every error counts.
_MOST_ERRORS, _MOST_TIMEOUTS, _FEW_CALLS = 20, 3, 3
#: Seconds between two attempts of a call.
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 4.0
#: The end of an attempt of which nothing is known.
_LOST = AttemptEnd(ended="lost", paid=True)


class Upstream:
    """The connections and limits of all models of a run; the first call that needs a connection opens it."""

    def __init__(
        self,
        settings: ModelSettings,
        answer_key: AnswerKey | None,
        redactor: Redactor,
        journal: Journal,
        suspend: Callable[[str], None],
    ) -> None:
        self.settings = settings
        self.limits = Limiter(settings)
        self.redactor = redactor
        #: Why schemas were refused, by the names of model and schema.
        self.refused_schemas: dict[tuple[str, str], str] = {}
        self._answer_key = answer_key
        self._journal, self._suspend = journal, suspend
        self._connections: dict[str, Connection] = {}
        self._at_end = AsyncExitStack()

    def connection(self, model: str) -> Connection:
        """The connection to a model's server, one for each server; thread-safe."""
        connection = self._new_connection(model)
        return self._connections.setdefault(connection.server, connection)

    def _new_connection(self, model: str) -> Connection:
        settings, redactor = self.settings, self.redactor
        if settings.batch is not None and (problem := no_batches(model, settings.own)):
            raise ConfigurationError(f"--autoeval-batch: {problem}")
        if model in settings.own:
            from pytest_autoeval.models.own_models import OwnConnection

            return OwnConnection(model, settings, redactor)
        if is_litellm(model):
            of_library: Connection = shipped("connection", LITELLM)(model, settings, redactor)
            return of_library
        if is_offline(model):
            # Always with a seed, so that a run without the option has the recordings of one with seed 0.
            settings = structs.replace(settings, seed=settings.seed or 0)
            # Any key but the user's.
            return HttpConnection(
                "offline", "", settings, redactor, lambda: (self._start_offline_server(), "offline")
            )
        # The user's server and key, as the client of `openai` reads them.
        url = users_url(settings.base_url)
        find = lambda: (url or OPENAI_URL, os.environ.get("OPENAI_API_KEY", "").strip() or None)  # noqa: E731
        if settings.batch is None:
            return HttpConnection(USERS_SERVER, url, settings, redactor, find)
        in_batches: BatchingConnection
        in_batches = shipped("connection", "batch")(
            url, settings, redactor, find, self._journal, self._suspend
        )
        return in_batches

    @property
    def batches(self) -> BatchingConnection | None:
        """The connection that collects requests into batches, if there is one."""
        # This runs at every call, and the check of a protocol takes long.
        if self.settings.batch is None:
            return None
        connection = self._connections.get(USERS_SERVER)
        return connection if isinstance(connection, BatchingConnection) else None

    async def ask(
        self, connection: Connection, call: ServerCall, read: Callable[[Any], Reply], keep: OnAnswer
    ) -> None:
        """Makes a call and passes the response to ``keep``.

        A refused schema is not sent again. Schemas are remembered by name, because servers refuse single ones (vLLM:
        "The provided JSON schema contains features not supported by xgrammar").

        Args:
            connection: to the model's server.
            call: the call.
            read: reads a response; raises :class:`CallError` if it is unusable.
            keep: called before another attempt may take this one's place: a kill then loses only calls in flight.

        Raises :class:`ModelError`. After a :class:`ConfigurationError` this run makes no further call of the model.
        """
        schema = call.model, call.schema or ""
        if call.schema is not None and schema in self.refused_schemas:
            raise StructuredOutputsUnsupportedError(self.refused_schemas[schema])
        try:
            await self._make_attempts(connection, call, read, keep)
        except StructuredOutputsUnsupportedError as error:
            self.refused_schemas.setdefault(schema, str(error))
            raise

    async def close(self) -> None:
        """Closes the connections, and stops the offline server."""
        for connection in self._connections.values():
            self._at_end.push_async_callback(connection.close)
        await self._at_end.aclose()

    def _start_offline_server(self) -> str:
        from pytest_autoeval.models.offline.server import OfflineServer

        server = OfflineServer(answer_key=self._answer_key)
        self._at_end.push_async_callback(asyncio.to_thread, server.stop)
        return server.start()

    async def _make_attempts(
        self, connection: Connection, call: ServerCall, read: Callable[[Any], Reply], keep: OnAnswer
    ) -> None:
        """Makes attempts until one is answered or the call fails; between them it holds no place in the window."""
        server = connection.server
        started, name, trouble = 0.0, object(), _Trouble(is_batch=self.settings.batch is not None)
        for number in count(1):
            most = None if self.settings.max_cost is None else connection.highest_cost(call)
            grant = await self.limits.acquire(server, call.model, most)
            if number == 1:
                started, trouble.answers = perf_counter(), grant.answers
            # What holds if an exception or a cancellation ends the attempt: it may be paid, and nothing else is known.
            end = _LOST
            leaves = partial(self.limits.left, grant)
            try:
                answer = await connection.attempt(call, read, number, leaves)
                took, cost = perf_counter() - started, None
                if not isinstance(answer, Failure):
                    cost = _cost(call, answer[1])
                    if cost is None and self.settings.max_cost is not None:
                        answer = _without_cost(call)
                if isinstance(answer, Failure):
                    end = structs.replace(answer.end, call=name)
                    if answer.is_outage and grant.answers > 0:
                        end = structs.replace(end, ended="failed")
                else:
                    # Before the grant is released: a kill then loses only calls in flight.
                    keep(*answer, cost, answer[1].seconds or took)
                    end = AttemptEnd(ended="answered", cost=cost, call=name)
            finally:
                seen = self.limits.release(grant, end)
            if not isinstance(answer, Failure):
                return
            failure = structs.replace(answer, end=end)
            if trouble.is_final(failure, seen, is_patient=took < self.settings.patience):
                raise failure.error
            # After a rate limit the limiter waits; the next batch is a wait, too.
            if end.ended != "limited" and not failure.retry_changed and not trouble.is_batch:
                await self.limits.pause(_wait(number, end.retry_after))


class _Trouble(Struct):
    """The failed attempts of one call; ``answers`` is the number of the server's answers at the last counted one."""

    is_batch: bool
    answers: int = 0
    errors: int = 0
    timeouts: int = 0
    second_tries: int = 0

    def is_final(self, failure: Failure, seen: Seen, *, is_patient: bool) -> bool:
        """Counts a failed attempt; whether the call fails for good."""
        self.timeouts += failure.timed_out and seen.answers > 0
        if seen.answers > self.answers or seen.failing <= _FEW_CALLS or self.is_batch:
            self.answers = seen.answers
            self.errors += 1
        # A rate limit fails a call only when the patience is over.
        waits = failure.end.ended == "limited" and is_patient and not self.is_batch
        if (self.errors >= _MOST_ERRORS and not waits) or self.timeouts >= _MOST_TIMEOUTS:
            return True
        return not failure.retryable and not self._may_be_mended(failure, seen)

    def _may_be_mended(self, failure: Failure, seen: Seen) -> bool:
        """Whether a second try may mend a reply that is unusable, or a refusal."""
        # A refusal by a model that never answered is meant for all calls. A batch is slow, and its errors are sorted.
        if self.is_batch or (failure.end.ended == "refused" and not seen.model_answered):
            return False
        self.second_tries += 1
        return self.second_tries <= failure.second_tries


def _cost(call: ServerCall, reply: Reply) -> float | None:
    """The cost of an answer in USD, or None if unknown.

    Zero tokens are unknown tokens: a server that counts nothing must not make a run free.
    """
    if reply.cost is not None or call.price is None:
        return reply.cost
    if call.price == FREE:
        return 0.0
    completion_tokens = reply.completion_tokens
    if not completion_tokens and (reply.text or reply.refusal):
        completion_tokens = None
    return call.price.of(reply.prompt_tokens or None, completion_tokens)


def _without_cost(call: ServerCall) -> Failure:
    return useless(
        ConfigurationError(
            f"{call.model}: no cost and no token counts are reported, so --autoeval-max-cost cannot be "
            "enforced; limit the run with --autoeval-max-calls"
        )
    )


def _wait(number: int, retry_after: float | None) -> float:
    """The seconds between a failed attempt, the ``number``-th, and the next; ``retry_after``: as the server asks."""
    if retry_after is not None and number == 1:
        return min(retry_after, LONGEST_PAUSE)
    # After a failed retry the server's time is only a lower bound.
    spread = 1 - random.random() / 4  # noqa: S311  (many calls may have failed at once)
    doubled = _FIRST_WAIT * 2.0 ** min(number - 1, 10)
    own = min(_LONGEST_WAIT, doubled) * spread
    return min(max(own, retry_after or 0.0), LONGEST_PAUSE)
