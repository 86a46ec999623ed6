"""The HTTP client of one server: headers and address as `openai` sends them, a deadline, a limit to an answer's length.

Nothing is sent to another host than the one that the user named, wherever the server redirects.

The client of `openai` reads key, organisation, project, custom headers and base URL. Its own way of sending a request
takes twice the processor time of this one.
"""

from __future__ import annotations

import json
import math
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import local
from typing import Any, get_args

import httpcore2
import httpx2
import openai

from pytest_autoeval.models.settings import METHOD, Route

#: Bytes of an answer, decompressed: far more than any model writes.
LONGEST_BODY = 10_000_000
#: Redirects of one request, all on the same host.
MOST_REDIRECTS = 3
#: What is decompressed at a time: a bomb grows a thousandfold, or worse.
_PIECE = 1024


class BodyTooLongError(Exception):
    """A server sends more than :data:`LONGEST_BODY`."""


class OtherHostError(Exception):
    """A server redirects to another host, port or scheme; the text is that of the other one."""


class Transport:
    """Sends requests to one server; thread-safe.

    ``timeout`` is in seconds, to the last byte of an answer; proxies are taken from the environment with ``trust_env``;
    ``learn_cookies`` is called with the `set-cookie` headers of every response.
    """

    def __init__(
        self, url: str, key: str, timeout: float, *, trust_env: bool, learn_cookies: Callable[[list[str]], None]
    ) -> None:
        self._timeout = timeout
        self._learn_cookies = learn_cookies
        self._deadline = _Deadline()
        self._client = openai.DefaultHttpxClient(
            timeout=timeout,
            trust_env=trust_env,
            max_redirects=MOST_REDIRECTS,
            event_hooks={"request": [self._check_origin], "response": [self._take_cookies, _bound_body]},
        )
        for transport in (self._client._transport, *self._client._mounts.values()):  # noqa: SLF001 - also of proxies
            pool: Any = getattr(transport, "_pool", None)
            if (backend := getattr(pool, "_network_backend", None)) is not None:
                pool._network_backend = _TimedBackend(backend, self._deadline)  # noqa: SLF001
        as_openai = openai.OpenAI(base_url=url, api_key=key, http_client=self._client)
        self._headers = httpx2.Headers(as_openai.auth_headers)
        for name, value in as_openai.default_headers.items():
            if isinstance(value, str):  # anything else leaves the header out
                self._headers[name] = value
        base = httpx2.URL(url)
        self._origin = _origin(base)
        path, mark, query = base.raw_path.partition(b"?")
        self._urls = {
            route: base.copy_with(raw_path=path.rstrip(b"/") + route.encode() + mark + query)
            for route in get_args(Route)
        }
        self._step_timeouts = httpx2.Timeout(timeout).as_dict()

    def post(self, route: Route, body: Mapping[str, Any], leaves: Callable[[], None]) -> httpx2.Response:
        """The response, read to its end, whatever its status; ``leaves`` is called when the request is sent.

        Raises what `httpx2` raises, :class:`BodyTooLongError` and :class:`OtherHostError`; it has closed the
        connection then.
        """
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        url, extensions = self._urls[route], {"timeout": self._step_timeouts}
        request = httpx2.Request(METHOD, url, headers=self._headers, content=content, extensions=extensions)
        if self._client.cookies:
            self._client.cookies.set_cookie_header(request)
        self._deadline.leaves = leaves
        self._deadline.at = time.monotonic() + self._timeout
        return self._client.send(request)

    def close(self) -> None:
        """Closes all connections."""
        self._client.close()

    def _check_origin(self, request: httpx2.Request) -> None:
        """Called before each request, also one that follows a redirect."""
        if _origin(request.url) != self._origin:
            raise OtherHostError(f"{request.url.scheme}://{request.url.netloc.decode()}")

    def _take_cookies(self, response: httpx2.Response) -> None:
        if cookies := response.headers.get_list("set-cookie"):
            self._learn_cookies(cookies)


def _nothing() -> None:
    """What the rest of a request says when it is sent."""


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


class _Deadline(local):
    at = math.inf
    leaves: Callable[[], None]

    def left(self, timeout: float | None, late: type[Exception]) -> float:
        """The seconds that one step may take; raises ``late`` where there are none."""
        left = self.at - time.monotonic()
        if left <= 0:
            raise late("the whole request took too long")
        return left if timeout is None else min(timeout, left)


class _TimedStream(httpcore2.NetworkStream):
    """A connection whose every step ends at the deadline of the thread that uses it."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: _Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._deadline.leaves()
        self._deadline.leaves = _nothing
        self._stream.write(buffer, self._deadline.left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = self._deadline.left(timeout, httpcore2.ConnectTimeout)
        return _TimedStream(self._stream.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _TimedBackend(httpcore2.NetworkBackend):
    def __init__(self, backend: httpcore2.NetworkBackend, deadline: _Deadline) -> None:
        self._backend = backend
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        left = self._deadline.left(timeout, httpcore2.ConnectTimeout)
        stream = self._backend.connect_tcp(host, port, left, local_address, socket_options)
        return _TimedStream(stream, self._deadline)


def _bound_body(response: httpx2.Response) -> None:
    """Reads the body of a response, unless it is known to be short."""
    encoding, length = response.headers.get("content-encoding"), response.headers.get("content-length", "")
    if encoding is None and length.isdecimal() and int(length) <= LONGEST_BODY:
        return
    stream = response.stream
    assert isinstance(stream, httpx2.SyncByteStream)
    # A response of its own decodes, for this one's stream can be read only once.
    headers = {} if encoding is None else {"content-encoding": encoding}
    pieces = httpx2.Response(200, headers=headers, stream=_Pieces(stream)).iter_bytes()
    content = bytearray()
    for piece in pieces:
        content += piece
        if len(content) > LONGEST_BODY:
            raise BodyTooLongError
    stream.close()
    response.headers.pop("content-encoding", None)
    response.stream = httpx2.ByteStream(bytes(content))


class _Pieces(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            for start in range(0, len(chunk), _PIECE):
                yield chunk[start : start + _PIECE]
