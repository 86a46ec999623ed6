"""OpenAI's protocol of files and batches: upload requests, make a batch, look at it, take the answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from itertools import count
from time import monotonic
from typing import Any, TypeAlias

from pytest_autoeval.models.base import ConfigurationError, json_or_none
from pytest_autoeval.models.http_client import HttpRequest, Response, wire
from pytest_autoeval.models.limits import Failure
from pytest_autoeval.models.settings import METHOD, Route, ServerCall

#: Makes one attempt, whose number is given, for a model.
Attempt: TypeAlias = Callable[[str, HttpRequest, int], Awaitable[Response | Failure]]

_LONGEST_FILE = 1_000_000_000  # bytes of a file of answers
_MOST_PAGES = 10  # of the list of batches
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0  # seconds between two attempts


class BatchApi:
    """The files and batches of a server. All methods raise :class:`ConfigurationError`.

    ``patience``: seconds for which a failing server is asked again.
    """

    def __init__(self, attempt: Attempt, patience: float) -> None:
        self._attempt, self._patience = attempt, patience
        self._was_reached = False

    async def find(self, model: str, tokens: Collection[str]) -> dict[str, Any]:
        """The batches with these tokens. Without tokens it checks that the server has batches."""
        found: dict[str, Any] = {}
        after = ""
        for _ in range(_MOST_PAGES):
            page = await self._json(model, HttpRequest("GET", f"/batches?limit=100{after}"))
            batches = page.get("data") or []
            marked = {(batch.get("metadata") or {}).get("autoeval"): batch for batch in batches}
            found |= {token: marked[token] for token in tokens if token in marked}
            if len(found) == len(tokens) or not page.get("has_more") or not batches:
                break
            after = f"&after={batches[-1]['id']}"
        return found

    async def upload(self, model: str, lines: bytes, token: str) -> str:
        """The id of a new file of requests."""
        file = f'form-data; name="file"; filename="autoeval-{token}.jsonl"\r\nContent-Type: application/jsonl'
        parts = [('form-data; name="purpose"', b"batch"), (file, lines)]
        content = b"".join(
            f"--{token}\r\nContent-Disposition: {head}\r\n\r\n".encode() + part + b"\r\n" for head, part in parts
        )
        kind = f"multipart/form-data; boundary={token}"
        form = HttpRequest("POST", "/files", content + f"--{token}--\r\n".encode(), kind)
        return str((await self._json(model, form))["id"])

    async def make(self, model: str, route: Route, file: str, token: str) -> Any:
        """A new batch of the requests in a file; an attempt that seemed to fail may have made it."""
        about = {"input_file_id": file, "endpoint": endpoint(route), "completion_window": "24h"}
        content = wire({**about, "metadata": {"autoeval": token}})

        async def made() -> Any:
            return (await self.find(model, [token])).get(token)

        return await self._json(model, HttpRequest("POST", "/batches", content), made)

    async def state(self, model: str, batch: str) -> Any:
        """A batch as it is now."""
        return await self._json(model, HttpRequest("GET", f"/batches/{batch}"))

    async def responses(self, model: str, batch: Mapping[str, Any]) -> dict[str, Response]:
        """The responses of a batch that has ended, by the ids of the requests, from its two files."""
        found: dict[str, Response] = {}
        for file in filter(None, (batch.get("output_file_id"), batch.get("error_file_id"))):
            content = await self._bytes(model, HttpRequest("GET", f"/files/{file}/content", longest=_LONGEST_FILE))
            for request, response in _responses(content):
                found.setdefault(request, response)
        return found

    async def _json(self, model: str, request: HttpRequest, done: Callable[[], Awaitable[Any]] | None = None) -> Any:
        content = await self._bytes(model, request, done)
        try:
            return json.loads(content) if isinstance(content, bytes) else content
        except (ValueError, RecursionError):
            raise ConfigurationError(f"{model}: the server's response to {request.path} is not JSON") from None

    async def _bytes(self, model: str, request: HttpRequest, done: Callable[[], Awaitable[Any]] | None = None) -> Any:
        """The content of the server's response, or what ``done`` finds after a failed attempt."""
        began = monotonic()
        for number in count(1):
            response = await self._attempt(model, request, number)
            if isinstance(response, Response):
                self._was_reached = True
                return response.content
            end = response.end
            at_once = end.ended == "unreached" and not self._was_reached
            if at_once or not response.retryable or monotonic() - began > self._patience:
                raise ConfigurationError(end.message or str(response.error))
            await asyncio.sleep(min(end.retry_after or _FIRST_WAIT * 2.0 ** min(number, 7), _LONGEST_WAIT))
            if done is not None and (found := await done()) is not None:
                return found
        raise AssertionError


def line_of(request: str, call: ServerCall, body: Mapping[str, Any]) -> bytes:
    """The line of a request in a file; the answer has the same ``custom_id``."""
    return wire({"custom_id": request, "method": METHOD, "url": endpoint(call.route), "body": body}) + b"\n"


def endpoint(route: Route) -> str:
    """The route as batches name it."""
    return f"/v1{route}"


def _responses(content: bytes) -> Iterator[tuple[str, Response]]:
    """The response to each request of a file. A line that cannot be read is left out, as if it was lost."""
    for line in content.split(b"\n"):
        match json_or_none(line):
            case {"custom_id": str(request), "response": {"status_code": int(status), "body": body}}:
                yield request, Response(status, {}, json.dumps(body).encode())
            case {"custom_id": str(request), "error": {"code": code} as error} if code != "batch_cancelled":
                yield request, failed_response(408 if code == "batch_expired" else 500, error)


def failed_response(status: int, error: Mapping[str, Any]) -> Response:
    """The response of a server with an error; after these statuses the request is made again."""
    return Response(status, {}, json.dumps({"error": error}).encode())
