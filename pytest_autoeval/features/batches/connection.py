"""The connection to a server that answers in batches: OpenAI's protocol of files and batches, at half the price.

Requests are collected until nothing can go on without an answer. They are then uploaded as a file, and the connection
waits for the files of the answers. Each line of these files is read like the response to a single call.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, TypeAlias

from msgspec import structs

from pytest_autoeval.features.batches.batch_log import Batch, BatchLog
from pytest_autoeval.features.batches.batch_protocol import (
    REFUSED,
    BatchAnswers,
    BatchApi,
    UnclearError,
    counts,
    errors,
    failed_response,
    has_ended,
    line_of,
    paid_lines,
)
from pytest_autoeval.models.call_limits import Failure, useless
from pytest_autoeval.models.connections import USERS_SERVER, HttpConnection
from pytest_autoeval.models.http_client import HttpClient, HttpRequest, Response
from pytest_autoeval.models.journal import Journal
from pytest_autoeval.models.loop import MadeOnce
from pytest_autoeval.models.model_settings import CHAT, ModelSettings, Route, ServerCall
from pytest_autoeval.models.protocols import ConfigurationError, Reply, digest_of
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.responses import excerpt

#: Seconds without any activity of the run after which nothing can go on without an answer. A verdict seldom takes 10.
QUIET = 12.0
#: Seconds between two looks at a batch: first, and at most; and between two looks at the run.
FIRST_PAUSE, LONGEST_PAUSE, TICK = 2.0, 60.0, 0.1
#: OpenAI's limits of a file, in lines and in bytes.
MOST_LINES, MOST_BYTES = 50_000, 200_000_000
#: The statuses by which a server says that it has no batches.
_NO_BATCHES = frozenset({404, 405, 501})
#: The statuses of a batch that ended before all of its requests were carried out, and what the message says of it.
_STOPPED = {"cancelled": "was cancelled", REFUSED: "failed"}
Waiting: TypeAlias = "asyncio.Future[Response | Exception]"


@dataclass(slots=True)
class _Draft:
    """The lines of a batch that is not uploaded yet, and who waits for their answers."""

    model: str
    route: Route
    #: As of a :class:`Batch`.
    limited: bool
    lines: dict[str, bytes] = field(default_factory=dict)
    waiting: dict[str, Waiting] = field(default_factory=dict)
    size: int = 0


def open_batches(  # noqa: PLR0913, PLR0917 (as of the connection, whose log is beside the journal)
    address: str,
    settings: ModelSettings,
    redactor: Redactor,
    find: Callable[[], tuple[str, str | None]],
    journal: Journal,
    suspend: Callable[[str], None],
) -> BatchConnection:
    """The connection of a run with this journal."""
    return BatchConnection(
        address, settings, redactor, find, BatchLog(journal.folder, journal.earlier), suspend
    )


class BatchConnection(HttpConnection):
    """Sends the requests of a run to the user's server in batches.

    ``log`` finds the batches of the runs that this one continues. ``suspend`` ends the run, for the reason given, when
    a batch takes longer than ``settings.batch`` hours.
    """

    def __init__(  # noqa: PLR0913, PLR0917 (a server, and what the run knows of it)
        self,
        address: str,
        settings: ModelSettings,
        redactor: Redactor,
        find: Callable[[], tuple[str, str | None]],
        log: BatchLog,
        suspend: Callable[[str], None],
    ) -> None:
        super().__init__(USERS_SERVER, address, settings, redactor, find)
        self._log, self._suspend = log, suspend
        self._api = BatchApi(self._try, settings.patience)
        self._drafts: dict[tuple[str, Route, bool], _Draft] = {}
        self._full: list[_Draft] = []
        self._pending: list[Batch] = []
        #: The requests whose own lines were delivered, and those of them that are of no use: no answer came of them.
        self._delivered: set[str] = set()
        self._useless: set[str] = set()
        #: The addresses, such as ``POST /files``, that the server serves.
        self._served: set[str] = set()
        self._numbers: dict[str, int] = {
            token: number for number, token in enumerate(log.batches, 1)
        }
        self._stirred = 0.0
        #: Why the server cannot be used for batches, or None.
        self._ready = MadeOnce(self._problem)
        self._working: asyncio.Task[None] | None = None

    def stir(self) -> None:
        """Reports activity of the run: further requests may follow. Thread-safe."""
        self._stirred = monotonic()

    @property
    def progress(self) -> str:
        """The batches that are waited for, as a line; empty if there is none. Thread-safe."""
        # A copy, since another thread may add a batch.
        waiting = list(self._pending)
        if not waiting:
            return ""
        numbers = " and ".join(str(self._numbers[batch.token]) for batch in waiting)
        answered = sum(batch.answered for batch in waiting)
        requests = sum(len(batch.ids) for batch in waiting)
        oldest = min(batch.at for batch in waiting)
        submitted = time.strftime("%H:%M", time.localtime(oldest))
        return f"batch {numbers}: {answered:,} of {requests:,} answered, submitted {submitted}"

    async def close(self) -> None:
        if self._working is not None:
            self._working.cancel()
            await asyncio.wait([self._working])
        if self._useless:
            # If the log cannot be written, a run that continues this one gets the same lines again.
            with suppress(ConfigurationError):
                self._log.failed(sorted(self._useless))
        self._log.close()
        await super().close()

    async def attempt(
        self,
        call: ServerCall,
        read: Callable[[Any], Reply],
        number: int,
        leaves: Callable[[], None],
    ) -> tuple[Any, Reply] | Failure:
        result = await super().attempt(call, read, number, leaves)
        # Only a line of its own makes a request useless. Whatever went wrong on the way to the line, such as an expired
        # key, is no reason to pay for it again.
        if isinstance(result, Failure) and (request := self._request(call)) in self._delivered:
            self._useless.add(request)
        return result

    def _request(self, call: ServerCall) -> str:
        """The key of the journal: the forms of one call, such as with and without a limit, follow one another."""
        return digest_of([self.address, call.route, call.body, call.repeat])

    async def _send(
        self,
        client: HttpClient,  # noqa: ARG002
        call: ServerCall,
        body: dict[str, Any],
        leaves: Callable[[], None],
    ) -> Response:
        leaves()
        problem = await self._ready.get(call.model)
        if problem is not None:
            raise ConfigurationError(problem)
        request = self._request(call)
        self._delivered.discard(request)
        self._useless.discard(request)
        batch = self._log.take_with(request)
        if batch is not None and batch.results is not None:
            response = batch.results[request]
        else:
            # A batch of an earlier run is waited for. Only a request that no batch has goes into a new one.
            waiting = (batch or self._draft(call, request, body)).waiting
            if batch is not None and batch not in self._pending:
                self._pending.append(batch)
            self.stir()
            if self._working is None:
                self._working = asyncio.create_task(self._work())
            response = await waiting.setdefault(request, asyncio.get_running_loop().create_future())
        if isinstance(response, Exception):
            raise ConfigurationError(*response.args)
        self._delivered.add(request)
        return response

    def _default_limit(self, call: ServerCall) -> int | None:
        """As the request was sent, if an earlier run sent it: its answer is that to the form with the limit or without.

        An answer that was cut off at a default limit while the model was thinking is none.
        """
        batch = self._log.next_with(self._request(call))
        if batch is not None:
            return call.limit if batch.limited else None
        return super()._default_limit(call)

    def _draft(self, call: ServerCall, request: str, body: Mapping[str, Any]) -> _Draft:
        """The draft of a batch with a further line."""
        line = line_of(request, call, body)
        # Only a default limit is in no setting and no parameter.
        limited = not body.keys() <= call.body.keys() | self.settings.parameters.keys()
        key = call.model, call.route, limited
        draft = self._drafts.setdefault(key, _Draft(*key))
        is_full = len(draft.lines) == MOST_LINES or draft.size + len(line) > MOST_BYTES
        if is_full:
            self._full.append(draft)
            draft = self._drafts[key] = _Draft(*key)
        draft.lines[request] = line
        draft.size += len(line)
        return draft

    # The methods below run in one task.

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            if self._is_quiet:
                self._full += self._drafts.values()
                self._drafts.clear()
            while self._full:
                draft = self._full.pop(0)
                await self._or_fail(draft, self._submit(draft))
            for batch in [batch for batch in self._pending if batch.due <= monotonic()]:
                await self._or_fail(batch, self._look(batch))
            # Only a run that has nothing else to do ends for a late batch.
            if self._is_quiet and not self._drafts and (late := self._late):
                self._suspend(f"{late[0].id} is not answered yet")

    @property
    def _is_quiet(self) -> bool:
        return monotonic() - self._stirred >= QUIET

    @property
    def _late(self) -> list[Batch]:
        hours = self.settings.batch
        return (
            []
            if hours is None
            else [batch for batch in self._pending if time.time() - batch.at >= hours * 3600]
        )

    async def _or_fail(self, waited_for: _Draft | Batch, work: Awaitable[None]) -> None:
        """Does work; if it fails, whoever waits gets the error."""
        try:
            await work
        # Whatever fails, no body may wait for ever.
        except Exception as error:  # noqa: BLE001
            if not isinstance(error, ConfigurationError):
                problem = f"the server's response about a batch cannot be read: {error!r}"
                error = ConfigurationError(problem)
            for future in waited_for.waiting.values():
                if not future.done():
                    future.set_result(error)
            if isinstance(waited_for, Batch) and waited_for in self._pending:
                self._pending.remove(waited_for)
            self.stir()

    async def _problem(self, model: str) -> str | None:
        """Checks that the server has batches, and finds those that an earlier run made as it was killed."""
        if self._log.damage:
            return (
                f"--autoeval-resume: {self._log.damage}, so that batches of the run may be missing and would be paid "
                "twice; restore the file, or start again without --autoeval-resume"
            )
        unknown = {batch.token: batch for batch in self._log.batches.values() if not batch.id}
        try:
            for token, state in (await self._api.find(model, unknown.values())).items():
                unknown[token].id = state["id"]
                self._log.made(unknown[token])
        except ConfigurationError as error:
            return str(error)
        return None

    async def _submit(self, draft: _Draft) -> None:
        """Uploads the lines that are still waited for, and makes a batch of them."""
        # A caller that gave up needs no answer, which would be paid.
        waiting = {
            request: future for request, future in draft.waiting.items() if not future.done()
        }
        if not waiting:
            return
        batch = Batch(draft.model, list(waiting), limited=draft.limited, waiting=waiting)
        lines = b"".join(draft.lines[request] for request in waiting)
        batch.file = await self._api.upload(batch.model, lines, batch.token)
        # The log has the batch before the server makes it: a run that is killed in between can find it.
        self._log.planned(batch)
        batch.id = (await self._api.make(batch, draft.route))["id"]
        self._log.made(batch)
        self._numbers[batch.token] = len(self._numbers) + 1
        _pause(batch)
        self._pending.append(batch)

    async def _look(self, batch: Batch) -> None:
        """Looks at a batch, and takes its answers if it has ended.

        Raises :class:`ConfigurationError` if it cannot be looked at. The log still has the batch then, so that a run
        that continues this one looks again.
        """
        try:
            state = await self._api.state(batch)
            answers = await self._api.answers(batch, state) if has_ended(state) else None
            if answers is not None:
                self._check_answers(batch, state, answers)
        except UnclearError as error:
            self._look_later(batch, error)
            return
        batch.unclear_since = None
        batch.answered = sum(counts(state))
        if state["status"] == REFUSED and answers is None:
            # A refused batch has no answers, so a run that continues this one makes its requests again.
            self._log.failed(batch.ids)
            why = excerpt(self._redactor.message(errors(state)))
            advice = "a smaller --autoeval-concurrency makes smaller batches"
            raise ConfigurationError(f"{batch.model}: {batch.id} was refused ({why}); {advice}")
        if answers is None:
            _pause(batch)
        else:
            self._deliver(batch, state["status"], answers)

    def _look_later(self, batch: Batch, problem: UnclearError) -> None:
        """Plans the next look after one that showed nothing; raises the problem when the patience is over."""
        patience = self.settings.patience
        if batch.unclear_since is None:
            batch.unclear_since = monotonic()
            batch.pause = 0.0
        if self._is_over(batch):
            raise ConfigurationError(
                f"{problem}; {batch.id} could not be looked at for {patience:g} s (--autoeval-patience). "
                "The server may still have its answers: --autoeval-resume looks again, and makes no second batch"
            )
        _pause(batch, problem.retry_after)

    def _is_over(self, batch: Batch) -> bool:
        """Whether the patience with a batch is over that could not be looked at."""
        return (
            batch.unclear_since is not None
            and monotonic() - batch.unclear_since > self.settings.patience
        )

    def _check_answers(self, batch: Batch, state: Mapping[str, Any], answers: BatchAnswers) -> None:
        """Raises :class:`UnclearError` while answers that the server counts are in no file.

        A file may be empty, cut off or a page of HTML for a while. If a file that is whole still lacks some lines when
        the patience is over, the server has lost them.
        """
        responses = {
            request: answers.responses[request]
            for request in batch.ids
            if request in answers.responses
        }
        good = sum(response.status < 300 for response in responses.values())
        paid = paid_lines(batch, state)
        if len(responses) == len(batch.ids) or good >= paid:
            return
        # Each answer that the server counts is paid. To give it up too early means to pay for it again.
        if good == 0 or not answers.is_whole or not self._is_over(batch):
            raise UnclearError(
                f"{batch.model}: {batch.id} is {state['status']} with {paid} answers, and its files have {good} of them"
            )

    def _deliver(self, batch: Batch, status: str, answers: BatchAnswers) -> None:
        """Gives the answers of a batch to those who wait for them."""
        results: dict[str, Response | Exception] = {**answers.responses}
        lost = [request for request in batch.ids if request not in results]
        if lost:
            if status in _STOPPED:
                self._log.failed(lost)
            results |= dict.fromkeys(lost, _lost(batch, status))
        batch.results = results
        self._pending.remove(batch)
        # Answers first: a failed call may be tried again if the server answers others.
        for request, future in sorted(
            batch.waiting.items(), key=lambda waiting: _is_failure(results[waiting[0]])
        ):
            if not future.done():
                future.set_result(results[request])
        batch.waiting.clear()
        self.stir()

    async def _try(self, model: str, request: HttpRequest, number: int) -> Response | Failure:
        """One attempt of the protocol."""
        failures = await self._failures.get()
        client = await self._client.get(model)
        address = f"{request.method} {request.path.partition('?')[0]}"
        response = error = None
        try:
            response = await client.request(request)
            if response.status < 300:
                self._served.add(address)
                return response
        except failures.EXPECTED as broken:
            error = broken
        failed = self._failed(
            failures, ServerCall(model=model, route=CHAT, body={}, repeat=0), number
        )
        if response is None:
            return failed.broken(error)
        if address == "POST /batches" and response.status == 404:
            # The batches were listed before: it is the file that is not there yet.
            failure = failed.refusal(response)
            return structs.replace(failure, end=structs.replace(failure.end, ended="failed"))
        looks_at_one = request.method == "GET" and request.path.count("/") > 1
        if response.status in _NO_BATCHES and address not in self._served and not looks_at_one:
            refused = f"{address} ({response.status})"
            return useless(
                ConfigurationError(
                    f"{model}: {failed.server} does not serve {refused}; without batches, leave out --autoeval-batch"
                )
            )
        return failed.refusal(response)


def _pause(batch: Batch, retry_after: float | None = None) -> None:
    """Plans the next look at a batch; ``retry_after``: the seconds that the server asks to wait, or None."""
    batch.pause = min(max(FIRST_PAUSE, batch.pause * 1.3), LONGEST_PAUSE)
    batch.due = monotonic() + min(max(batch.pause, retry_after or 0.0), LONGEST_PAUSE)


def _lost(batch: Batch, status: str) -> Response | Exception:
    if status in _STOPPED:
        batch_state = f"{batch.id} {_STOPPED[status]}"
        return ConfigurationError(
            f"{batch.model}: {batch_state}; --autoeval-resume asks for the rest again"
        )
    return failed_response(
        408, {"message": f"{batch.id} has no answer to this request, and is {status}"}
    )


def _is_failure(result: Response | Exception) -> bool:
    return isinstance(result, Exception) or result.status >= 300
