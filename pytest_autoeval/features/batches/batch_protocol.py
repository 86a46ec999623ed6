"""OpenAI's protocol of files and batches: upload requests, make a batch, look at it, take the answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from time import monotonic
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote

from pytest_autoeval.features.batches.batch_log import Batch
from pytest_autoeval.models.call_limits import Failure
from pytest_autoeval.models.http_client import HttpRequest, Response, wire
from pytest_autoeval.models.model_settings import METHOD, Route, ServerCall
from pytest_autoeval.models.protocols import ConfigurationError, json_or_none

#: Makes one attempt, whose number is given, for a model.
Attempt: TypeAlias = Callable[[str, HttpRequest, int], Awaitable[Response | Failure]]
_T = TypeVar("_T")

#: Bytes of a file of answers.
_LONGEST_FILE = 1_000_000_000
#: Batches of a page of the server's list, and pages.
_PAGE, _MOST_PAGES = 100, 100
#: Seconds by which the clock of the server may be wrong.
_SKEW = 86_400.0
#: Seconds between two attempts.
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0
#: The statuses of a batch that has not ended.
_GOING = frozenset({"validating", "in_progress", "finalizing", "cancelling"})
#: The response to a request that has several answers in the files of a batch: one of them is that of another request.
_CONTRADICTED = Response(
    422,
    {},
    wire({"error": {"message": "the batch has several answers to this request, which differ"}}),
)
#: The statuses of a batch that ended with answers; ``failed`` usually means that no request was carried out.
ENDED = frozenset({"completed", "expired", "cancelled"})
REFUSED = "failed"


class UnclearError(ConfigurationError):
    """The server did not show the state or the answers of a batch. A later look may.

    ``retry_after``: seconds that the server asks to wait, or None.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class BatchAnswers:
    """The responses of a batch that has ended, by the ids of the requests.

    ``is_whole`` is False if the end of a file is missing, as of one that the server still writes.
    """

    responses: Mapping[str, Response]
    is_whole: bool


class BatchApi:
    """The files and batches of a server. All methods raise :class:`ConfigurationError`.

    What makes something is attempted again while the server fails; what only looks is attempted once, and raises
    :class:`UnclearError` if a later look may succeed.

    ``patience``: seconds for which a failing server is asked again.
    """

    def __init__(self, attempt: Attempt, patience: float) -> None:
        self._attempt, self._patience = attempt, patience
        self._was_reached = False

    async def find(self, model: str, batches: Collection[Batch]) -> dict[str, Any]:
        """The server's state of those of the batches that it has, by our token.

        Without batches, it checks that the server has any. A batch is found by its token, or by its file of requests,
        since not every server returns the token. What is not found is looked for twice, since a list may lag behind.
        """
        states = await self._listed(model, batches)
        if len(states) < len(batches):
            await asyncio.sleep(_FIRST_WAIT)
            states |= await self._listed(
                model, [batch for batch in batches if batch.token not in states]
            )
        return states

    async def _listed(self, model: str, batches: Collection[Batch]) -> dict[str, Any]:
        """The states of those of the batches that are in the server's list, by our token.

        Raises :class:`ConfigurationError` if the list does not come to an end: a batch that it hides would be paid
        twice.
        """
        states: dict[str, Any] = {}
        oldest = min((batch.at for batch in batches), default=0.0) - _SKEW
        after = ""
        seen = set[str]()
        for _ in range(_MOST_PAGES):
            request = HttpRequest("GET", f"/batches?limit={_PAGE}{after}")
            listed, has_more = await self._until_done(model, request, _page)
            for state in listed:
                for batch in batches:
                    if _is_state_of(state, batch):
                        states[batch.token] = state
            names = {state["id"] for state in listed}
            is_repeated = names <= seen
            seen = seen | names
            # Without `has_more`, a server may give the same page for ever.
            is_end = has_more is False or (
                has_more is None and (len(listed) < _PAGE or is_repeated)
            )
            if len(states) == len(batches) or is_end or _are_all_older(listed, oldest):
                return states
            if is_repeated:
                break
            after = f"&after={quote(listed[-1]['id'], safe='')}"
        raise ConfigurationError(
            f"{model}: the server's list of batches (GET /batches) does not come to an end, so that a batch of this "
            "run may be missing in it; ask the server's operator, or start again without --autoeval-resume"
        )

    async def upload(self, model: str, lines: bytes, token: str) -> str:
        """The id of a new file of requests."""
        file = f'form-data; name="file"; filename="autoeval-{token}.jsonl"\r\nContent-Type: application/jsonl'
        fields = [('form-data; name="purpose"', b"batch"), (file, lines)]
        pieces = []
        for head, value in fields:
            heading = f"--{token}\r\nContent-Disposition: {head}\r\n\r\n"
            pieces += [heading.encode(), value, b"\r\n"]
        content = b"".join((*pieces, f"--{token}--\r\n".encode()))
        kind = f"multipart/form-data; boundary={token}"
        form = HttpRequest("POST", "/files", content, kind)
        uploaded = await self._until_done(model, form, _thing)
        name: str = uploaded["id"]
        return name

    async def make(self, batch: Batch, route: Route) -> Mapping[str, Any]:
        """The state of a new batch of the requests in a file; an attempt that seemed to fail may have made it."""
        about = {
            "input_file_id": batch.file,
            "endpoint": endpoint(route),
            "completion_window": "24h",
        }
        content = wire({**about, "metadata": {"autoeval": batch.token}})

        async def made() -> Mapping[str, Any] | None:
            return (await self.find(batch.model, [batch])).get(batch.token)

        return await self._until_done(
            batch.model, HttpRequest("POST", "/batches", content), _thing, made
        )

    async def state(self, batch: Batch) -> Mapping[str, Any]:
        """A batch as it is now."""
        content = await self._look(
            batch.model, HttpRequest("GET", f"/batches/{quote(batch.id, safe='')}")
        )
        state = json_or_none(content)
        if not isinstance(state, dict) or state.get("id") != batch.id:
            raise UnclearError(
                f"{batch.model}: the server's response about {batch.id} is not about this batch"
            )
        status = state.get("status")
        if not isinstance(status, str) or status not in _GOING | ENDED | {REFUSED}:
            raise UnclearError(
                f"{batch.model}: {batch.id} has a status that OpenAI's batches do not have: {status!r}"
            )
        return state

    async def answers(self, batch: Batch, state: Mapping[str, Any]) -> BatchAnswers:
        """The answers of a batch that has ended, from its two files."""
        responses: dict[str, Response] = {}
        contradicted: set[str] = set()
        is_whole = True
        for key in ("output_file_id", "error_file_id"):
            if not isinstance(file := state.get(key), str) or not file:
                continue
            request = HttpRequest(
                "GET", f"/files/{quote(file, safe='')}/content", longest=_LONGEST_FILE
            )
            content = await self._look(batch.model, request)
            for name, response in _responses(content):
                earlier = responses.get(name)
                # An answer counts more than an error for the same request: the server may have tried it again.
                if earlier is None or (earlier.status >= 300 and response.status < 300):
                    responses[name] = response
                # Two different answers to one request: which of them is the model's cannot be known.
                elif response.status < 300 and response != earlier:
                    contradicted.add(name)
            is_whole = is_whole and _is_whole(content)
        return BatchAnswers({**responses, **dict.fromkeys(contradicted, _CONTRADICTED)}, is_whole)

    async def _look(self, model: str, request: HttpRequest) -> bytes:
        """The content of the response to one attempt; raises :class:`UnclearError` unless no later one can succeed."""
        response = await self._attempt(model, request, 1)
        if isinstance(response, Response):
            return response.content
        end = response.end
        message = end.message or str(response.error)
        if end.ended == "useless":
            raise ConfigurationError(message)
        raise UnclearError(message, end.retry_after)

    async def _until_done(
        self,
        model: str,
        request: HttpRequest,
        read: Callable[[Any], _T | None],
        done: Callable[[], Awaitable[_T | None]] | None = None,
    ) -> _T:
        """What ``read`` finds in the server's response, or what ``done`` finds after an attempt that seemed to fail."""
        began = monotonic()
        for number in count(1):
            response = await self._attempt(model, request, number)
            retry_after, at_once = None, False
            if isinstance(response, Response):
                self._was_reached = True
                result = read(json_or_none(response.content))
                if result is not None:
                    return result
                message = f"{model}: the server's response to {request.method} {request.path} cannot be read"
            else:
                end = response.end
                message = end.message or str(response.error)
                retry_after = end.retry_after
                # A server that no request has reached may have a wrong address, and waiting does not help.
                at_once = not response.retryable or (
                    end.ended == "unreached" and not self._was_reached
                )
            if at_once or monotonic() - began > self._patience:
                raise ConfigurationError(message)
            # Twice as long each time, so that a server that is overloaded can recover.
            growing_wait = _FIRST_WAIT * 2.0 ** min(number, 7)
            await asyncio.sleep(min(retry_after or growing_wait, _LONGEST_WAIT))
            if done is not None and (result := await done()) is not None:
                return result
        raise AssertionError


def _is_state_of(state: Mapping[str, Any], batch: Batch) -> bool:
    metadata = state.get("metadata")
    token = metadata.get("autoeval") if isinstance(metadata, dict) else None
    if token == batch.token:
        return True
    # A server may drop the metadata, but not the file. A batch whose upload is unknown has none.
    return batch.file != "" and state.get("input_file_id") == batch.file


def _page(value: Any) -> tuple[list[dict[str, Any]], bool | None] | None:
    """The batches of a page, and whether more follow, None if unknown; None if the value is no page."""
    if not isinstance(value, dict):
        return None
    listed = value.get("data")
    if not isinstance(listed, list) or not all(map(_thing, listed)):
        return None
    has_more = value.get("has_more")
    return listed, has_more if isinstance(has_more, bool) else None


def _thing(value: Any) -> dict[str, Any] | None:
    """A file or batch; None if the value is none."""
    if not isinstance(value, dict):
        return None
    has_id = isinstance(value.get("id"), str) and value["id"] != ""
    return value if has_id else None


def _are_all_older(listed: Sequence[Mapping[str, Any]], oldest: float) -> bool:
    """Whether a page, and so all that follow, has only batches made before a time: its newest come first."""
    times = [state.get("created_at") for state in listed]
    numbers = [time for time in times if isinstance(time, int | float)]
    # Batches of one second say nothing about the order, and without a time a batch may be of any age.
    has_order = len(set(numbers)) > 1 and len(numbers) == len(times)
    is_newest_first = numbers == sorted(numbers, reverse=True)
    return has_order and is_newest_first and numbers[0] < oldest


def has_ended(state: Mapping[str, Any]) -> bool:
    """Whether a batch has ended and may have answers. A server may say of one that failed midway that it failed."""
    has_answers = bool(state.get("output_file_id")) or counts(state)[0] > 0
    return state.get("status") in ENDED or (state.get("status") == REFUSED and has_answers)


def paid_lines(batch: Batch, state: Mapping[str, Any]) -> int:
    """The number of requests that the server may have answered, each of which is paid.

    A batch that is completed has answered all that did not fail: its counts may lag behind. A server that counts
    nothing may have answered all.
    """
    completed, failed = counts(state)
    request_counts = state.get("request_counts")
    completed_given = request_counts.get("completed") if isinstance(request_counts, dict) else None
    has_counts = isinstance(completed_given, int) and completed_given >= 0
    if state.get("status") == "completed" or not has_counts:
        return max(0, len(batch.ids) - failed)
    return min(completed, len(batch.ids))


def counts(state: Mapping[str, Any]) -> tuple[int, int]:
    """The numbers of completed and failed requests of a batch; 0 if the server does not give them."""
    request_counts = state.get("request_counts")
    numbers = [
        request_counts.get(key) if isinstance(request_counts, dict) else None
        for key in ("completed", "failed")
    ]
    completed, failed = (
        number if isinstance(number, int) and number > 0 else 0 for number in numbers
    )
    return completed, failed


def errors(state: Mapping[str, Any]) -> str:
    """Why the server refused a batch."""
    match state.get("errors"):
        case {"data": list(listed)}:
            texts = [str(error.get("message")) for error in listed if isinstance(error, dict)]
        case None:
            texts = []
        case other:
            texts = [str(other)]
    return "; ".join(dict.fromkeys(texts)) or "the server gives no reason"


def line_of(request: str, call: ServerCall, body: Mapping[str, Any]) -> bytes:
    """The line of a request in a file; the answer has the same ``custom_id``."""
    return (
        wire({"custom_id": request, "method": METHOD, "url": endpoint(call.route), "body": body})
        + b"\n"
    )


def endpoint(route: Route) -> str:
    """The route as batches name it."""
    return f"/v1{route}"


def _responses(content: bytes) -> Iterator[tuple[str, Response]]:
    """The response to each request of a file. A line that cannot be read is left out, as if it was lost."""
    for line in content.split(b"\n"):
        value = json_or_none(line)
        if not isinstance(value, dict) or not isinstance(value.get("custom_id"), str):
            continue
        response = _response(value)
        if response is not None:
            yield value["custom_id"], response


def _response(line: Mapping[str, Any]) -> Response | None:
    """The response in a line of a file; None if its request was not carried out.

    Some servers give the status as a text or not at all, or the body as a text. A response was paid, so that its status
    counts as 200 unless it says something else: its body shows whether it has an answer.
    """
    response = line.get("response")
    error = line.get("error")
    if isinstance(response, dict) and (response.get("body") or not error):
        body = response.get("body", response)
        if isinstance(body, str):
            decoded = json_or_none(body)
            body = decoded if isinstance(decoded, dict) else body
        content = json.dumps(body).encode()
        return Response(_status(response.get("status_code")), {}, content)
    if not error:
        return None
    error = error if isinstance(error, dict) else {"message": str(error)}
    code = error.get("code")
    if code == "batch_cancelled":
        return None
    # As a request that took too long, which may be asked again.
    return failed_response(408 if code == "batch_expired" else 500, error)


def _status(value: Any) -> int:
    try:
        status = int(value)
    except (TypeError, ValueError, OverflowError):
        return 200
    return status if 100 <= status < 600 else 200


def _is_whole(content: bytes) -> bool:
    """Whether the last line of a file is whole."""
    lines = content.strip().rsplit(b"\n", 1)
    return isinstance(json_or_none(lines[-1]), dict)


def failed_response(status: int, error: Mapping[str, Any]) -> Response:
    """The response of a server with an error; after these statuses the request is made again."""
    return Response(status, {}, json.dumps({"error": error}).encode())
