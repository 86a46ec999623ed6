"""The connection to a server that answers in batches: OpenAI's protocol of files and batches, at half the price.

Requests are collected until nothing can go on without an answer. They are then uploaded as a file, and the connection
waits for the files of the answers. Each line of these files is read like the response to a single call.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_autoeval.models.base import ConfigurationError, digest_of
from pytest_autoeval.models.batch_log import Batch, BatchLog
from pytest_autoeval.models.connections import USERS_SERVER, HttpConnection
from pytest_autoeval.models.loop import MadeOnce
from pytest_autoeval.models.redaction import Redactor, shown_url
from pytest_autoeval.models.responses import excerpt
from pytest_autoeval.models.settings import CHAT, METHOD, ModelSettings, Price, Route, ServerCall

if TYPE_CHECKING:
    from pytest_autoeval.models.http_client import HttpClient, Response

#: Seconds without any activity of the run after which nothing can go on without an answer. A verdict takes at most 10.
QUIET = 12.0
#: Seconds between two looks at a batch: first, and at most; and between two looks at the run.
FIRST_PAUSE, LONGEST_PAUSE, TICK = 2.0, 60.0, 0.1
#: OpenAI's limits of a file, in lines and in bytes.
MOST_LINES, MOST_BYTES = 50_000, 200_000_000
PRICE = 0.5  # of a batch, as a share of the usual price
_LONGEST_FILE = 1_000_000_000  # bytes of a file of answers
_MOST_PAGES = 10  # of the list of batches
_NO_BATCHES = frozenset({404, 405, 501})
_ENDED = frozenset({"completed", "expired", "cancelled"})
_LOST = {"completed": "the batch has no answer to this request", "expired": "the batch expired"}


Waiting: TypeAlias = "asyncio.Future[Response | Exception]"


@dataclass(slots=True)
class _Draft:
    """The lines of a batch that is not uploaded yet, and who waits for their answers."""

    model: str
    route: Route
    lines: dict[str, bytes] = field(default_factory=dict)
    waiting: dict[str, Waiting] = field(default_factory=dict)
    size: int = 0


class BatchConnection(HttpConnection):
    """Sends the requests of a run to the user's server in batches.

    ``log`` finds the batches of the runs that this one continues. ``suspend`` ends the run, for the reason given, when
    a batch takes longer than ``settings.batch`` hours.
    """

    def __init__(
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
        self._drafts: dict[tuple[str, Route], _Draft] = {}
        self._full: list[_Draft] = []
        self._pending: list[Batch] = []
        self._delivered: set[str] = set()
        self._numbers: dict[str, int] = {token: number for number, token in enumerate(log.batches, 1)}
        self._stirred = 0.0
        #: Why the server cannot be used for batches, or None.
        self._ready = MadeOnce(self._problem)
        self._working: asyncio.Task[None] | None = None

    async def price(self, model: str) -> Price | None:
        price = await super().price(model)
        return None if price is None else Price(price.input * PRICE, price.output * PRICE)

    def stir(self) -> None:
        """Reports activity of the run: further requests may follow. Thread-safe."""
        self._stirred = monotonic()

    @property
    def progress(self) -> str:
        """The batches that are waited for, as a line; empty if there is none. Thread-safe."""
        if not (waiting := list(self._pending)):
            return ""
        numbers = " and ".join(str(self._numbers[batch.token]) for batch in waiting)
        answered, of = sum(batch.answered for batch in waiting), sum(len(batch.ids) for batch in waiting)
        submitted = time.strftime("%H:%M", time.localtime(min(batch.at for batch in waiting)))
        return f"batch {numbers}: {answered:,} of {of:,} answered, submitted {submitted}"

    async def close(self) -> None:
        if self._working is not None:
            self._working.cancel()
            await asyncio.wait([self._working])
        waiting = {request for batch in self._pending for request in batch.waiting}
        if failed := sorted(self._delivered - waiting):  # the journal has the answers of the others
            self._log.failed(failed)
        self._log.close()
        await super().close()

    async def _send(
        self, client: HttpClient, call: ServerCall, body: dict[str, Any], leaves: Callable[[], None]
    ) -> Response:
        leaves()
        if (problem := await self._ready.get(call.model)) is not None:
            raise ConfigurationError(problem)
        # The values of parameters may be secrets; the body of the call has none.
        request = digest_of([self.address, call.route, call.body, call.repeat, sorted(body)])
        batch = self._log.take(request)
        if batch is not None and batch.results is not None:
            response = batch.results[request]
        else:
            waiting = (batch or self._draft(call, request, body)).waiting
            if batch is not None and batch not in self._pending:
                self._pending.append(batch)
            self.stir()
            if self._working is None:
                self._working = asyncio.create_task(self._work())
            response = await waiting.setdefault(request, asyncio.get_running_loop().create_future())
        self._delivered.add(request)
        if isinstance(response, Exception):
            raise ConfigurationError(*response.args)
        return response

    def _draft(self, call: ServerCall, request: str, body: Mapping[str, Any]) -> _Draft:
        """The draft of a batch with a further line."""
        from pytest_autoeval.models.http_client import wire

        line = wire({"custom_id": request, "method": METHOD, "url": _endpoint(call.route), "body": body}) + b"\n"
        place = call.model, call.route
        draft = self._drafts.setdefault(place, _Draft(*place))
        if len(draft.lines) == MOST_LINES or draft.size + len(line) > MOST_BYTES:
            self._full.append(draft)
            draft = self._drafts[place] = _Draft(*place)
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
            if self._is_quiet and not self._drafts and (late := self._late):
                self._suspend(f"{late[0].id} has no answers yet; --autoeval-resume continues when it has")

    @property
    def _is_quiet(self) -> bool:
        return monotonic() - self._stirred >= QUIET

    @property
    def _late(self) -> list[Batch]:
        hours = self.settings.batch
        return [] if hours is None else [batch for batch in self._pending if time.time() - batch.at >= hours * 3600]

    async def _or_fail(self, waited_for: _Draft | Batch, work: Awaitable[None]) -> None:
        """Does work; if it fails, whoever waits gets the error."""
        try:
            await work
        except Exception as error:  # noqa: BLE001
            known = isinstance(error, ConfigurationError)
            told = (
                error if known else ConfigurationError(f"the server's answer about a batch is not readable: {error!r}")
            )
            for future in waited_for.waiting.values():
                if not future.done():
                    future.set_result(told)
            if isinstance(waited_for, Batch) and waited_for in self._pending:
                self._pending.remove(waited_for)
            self.stir()

    async def _problem(self, model: str) -> str | None:
        """Checks that the server has batches."""
        try:
            await self._find_unknown(model)
        except ConfigurationError as error:
            return str(error)
        return None

    async def _find_unknown(self, model: str) -> None:
        """Finds the batches that an earlier run made as it was killed."""
        unknown = {batch.token: batch for batch in self._log.batches.values() if not batch.id}
        for token, found in (await self._search(model, unknown)).items():
            unknown[token].id = found["id"]
            self._log.made(unknown[token])

    async def _search(self, model: str, tokens: Collection[str]) -> dict[str, Any]:
        """The batches at the server with these tokens of ours."""
        found: dict[str, Any] = {}
        after = ""
        for _ in range(_MOST_PAGES):
            page = await self._ask(model, "GET", f"/batches?limit=100{after}")
            values = page.get("data") or []
            marked = [((value.get("metadata") or {}).get("autoeval"), value) for value in values]
            found |= {token: value for token, value in marked if token is not None and token in tokens}
            if len(found) == len(tokens) or not page.get("has_more") or not values:
                break
            after = f"&after={values[-1]['id']}"
        return found

    async def _submit(self, draft: _Draft) -> None:
        """Uploads the lines that are still waited for, and makes a batch of them."""
        waiting = {request: future for request, future in draft.waiting.items() if not future.done()}
        if not waiting:
            return
        batch = Batch(draft.model, list(waiting), waiting=waiting)
        lines = b"".join(draft.lines[request] for request in waiting)
        file = await self._ask(draft.model, "POST", "/files", *_form(lines, batch.token))
        self._log.planned(batch)
        wanted = {
            "input_file_id": file["id"],
            "endpoint": _endpoint(draft.route),
            "completion_window": "24h",
            "metadata": {"autoeval": batch.token},
        }

        async def made() -> Any:
            return (await self._search(draft.model, [batch.token])).get(batch.token)

        value = await self._ask(draft.model, "POST", "/batches", json.dumps(wanted).encode(), done=made)
        batch.id = value["id"]
        self._log.made(batch)
        self._numbers[batch.token] = len(self._numbers) + 1
        self._pending.append(batch)
        await self._or_fail(batch, self._take(batch, value))

    async def _look(self, batch: Batch) -> None:
        await self._take(batch, await self._ask(batch.model, "GET", f"/batches/{batch.id}"))

    async def _take(self, batch: Batch, value: Mapping[str, Any]) -> None:
        """Takes the state of a batch, and its answers if it has ended."""
        counts, status = value.get("request_counts") or {}, value.get("status")
        batch.answered = counts.get("completed", 0) + counts.get("failed", 0)
        if status == "failed":
            self._log.failed(batch.ids)
            raise ConfigurationError(f"{batch.model}: {batch.id} was refused: {self._errors(value)}")
        if status not in _ENDED:
            batch.pause = min(max(FIRST_PAUSE, batch.pause * 1.3), LONGEST_PAUSE)
            batch.due = monotonic() + batch.pause
            return
        results: dict[str, Response | Exception] = {}
        for name in filter(None, (value.get("output_file_id"), value.get("error_file_id"))):
            content = await self._ask(batch.model, "GET", f"/files/{name}/content", is_file=True)
            for request, response in _responses(content):
                results.setdefault(request, response)
        if lost := [request for request in batch.ids if request not in results]:
            if status == "cancelled":
                self._log.failed(lost)
            results |= dict.fromkeys(lost, _lost(batch, status))
        batch.results = results
        self._pending.remove(batch)
        # Answers first: a failed call may be tried again if the server answers others.
        for request, future in sorted(batch.waiting.items(), key=lambda waiting: _is_failure(results[waiting[0]])):
            if not future.done():
                future.set_result(results[request])
        batch.waiting.clear()
        self.stir()

    def _errors(self, value: Mapping[str, Any]) -> str:
        errors = (value.get("errors") or {}).get("data") or []
        texts = [str(error.get("message")) for error in errors if isinstance(error, dict)]
        return excerpt(self._redactor.message("; ".join(dict.fromkeys(texts)) or "the server gives no reason"))

    async def _ask(
        self,
        model: str,
        method: str,
        path: str,
        content: bytes | None = None,
        kind: str = "application/json",
        *,
        is_file: bool = False,
        done: Callable[[], Awaitable[Any]] | None = None,
    ) -> Any:
        """The server's answer, in as many attempts as its limits and the patience of the run allow.

        ``done`` finds the result of an attempt that seemed to fail. Raises :class:`ConfigurationError`.
        """
        failures, client, began = await self._failures.get(), await self._client.get(model), monotonic()
        for number in count(1):
            refused = broken = None
            try:
                refused = await client.request(method, path, content, kind, longest=_LONGEST_FILE)
                if 200 <= refused.status < 300:
                    return refused.content if is_file else json.loads(refused.content)
            except failures.EXPECTED as error:
                broken = error
            failed = self._failed(failures, ServerCall(model=model, route=CHAT, body={}, repeat=0), number)
            failure = failed.broken(broken) if broken is not None or refused is None else failed.refusal(refused)
            if refused is not None and refused.status in _NO_BATCHES and not self._ready.made:
                server = f"the server at {shown_url(self._url)}"
                raise ConfigurationError(
                    f"{model}: {server} has no batches ({method} {path.partition('?')[0]}: {refused.status}); "
                    "leave out --autoeval-batch"
                )
            at_once = failure.end.ended == "unreached" and not self._ready.made
            if at_once or not failure.retryable or monotonic() - began > self.settings.patience:
                raise ConfigurationError(failure.end.message or str(failure.error))
            await asyncio.sleep(min(failure.end.retry_after or 0.5 * 2.0 ** min(number, 7), LONGEST_PAUSE))
            if done is not None and (result := await done()) is not None:
                return result
        raise AssertionError


def _endpoint(route: Route) -> str:
    return f"/v1{route}"


def _form(lines: bytes, token: str) -> tuple[bytes, str]:
    """The form that uploads a file of lines, and its content type."""
    head = f'--{token}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--{token}\r\n'
    file = f'Content-Disposition: form-data; name="file"; filename="autoeval-{token}.jsonl"\r\n'
    kind = "Content-Type: application/jsonl\r\n\r\n"
    return (
        f"{head}{file}{kind}".encode() + lines + f"\r\n--{token}--\r\n".encode(),
        f"multipart/form-data; boundary={token}",
    )


def _responses(content: bytes) -> Iterator[tuple[str, Response]]:
    """The response to each request of a file; a line that cannot be read is left out."""
    from pytest_autoeval.models.http_client import Response

    for line in content.split(b"\n"):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        match value:
            case {"custom_id": str(request), "response": {"status_code": int(status), "body": body}}:
                yield request, Response(status, {}, json.dumps(body).encode())
            case {"custom_id": str(request), "error": {"code": code} as error} if code != "batch_cancelled":
                yield (
                    request,
                    Response(408 if code == "batch_expired" else 500, {}, json.dumps({"error": error}).encode()),
                )


def _lost(batch: Batch, status: str) -> Response | Exception:
    from pytest_autoeval.models.http_client import Response

    if status == "cancelled":
        return ConfigurationError(f"{batch.model}: {batch.id} was cancelled; --autoeval-resume asks for the rest again")
    return Response(408, {}, json.dumps({"error": {"message": _LOST[status]}}).encode())


def _is_failure(result: Response | Exception) -> bool:
    return isinstance(result, Exception) or result.status >= 300
