"""The HTTP client of one server: the headers of `openai`, a deadline, a limit to an answer's length.

Requests go only to the host that the user named, wherever the server redirects.

The headers are those of `openai`'s client. Its import takes half a second, and its requests take eight times the
processor time of this client.
"""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any
from urllib.request import getproxies, proxy_bypass

import aiohttp
import msgspec
from aiohttp.connector import Connection
from aiohttp.tracing import Trace
from yarl import URL

from pytest_autoeval.models.deadlines import Deadlines
from pytest_autoeval.models.model_settings import METHOD, Route

#: Bytes of an answer after decompression: far more than any model writes.
LONGEST_BODY = 10_000_000
#: Redirects of one request, all on the same host.
MOST_REDIRECTS = 3
#: Followed here, and only on the same host. Clients that follow them elsewhere remove `Authorization` on the way, but
#: not `OpenAI-Organization` and a user's own headers.
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: The redirects after which the body is not sent again.
_WITHOUT_BODY = frozenset({301, 302, 303})
_LONGEST_HEADER = 65_536
#: Variables of `openai`'s client that set no header, or only that of the key.
_NOT_OF_HEADERS = frozenset({"OPENAI_API_KEY", "OPENAI_BASE_URL"})
_WIRE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_KNOWN_COMPRESSIONS = frozenset({"gzip", "x-gzip", "deflate"})
#: By their names, since some servers name an encoding of characters in this header. Others send zstd or br unasked.
_COMPRESSIONS = _KNOWN_COMPRESSIONS | {"br", "zstd", "compress", "x-compress", "bzip2", "lz4", "xz"}
#: Connections to close before a request: a run has fewer.
_MOST_IDLE = 1000
#: Bytes to decompress at a time: a zip bomb grows a thousandfold or more.
_PIECE = 65_536


class BodyTooLongError(Exception):
    """A server sends more than :data:`LONGEST_BODY`."""


class DecodingError(Exception):
    """The compression of a body does not match its header."""


class OtherHostError(Exception):
    """A server redirects to another host, port or scheme, which the text names."""


class TooManyRedirectsError(Exception):
    """A server redirects more than :data:`MOST_REDIRECTS` times."""


class ConnectError(Exception):
    """There is no connection."""


class UnsendableHeaderError(ValueError):
    """A header has a line break or a character that is not ASCII; the text does not show it."""


@dataclass(frozen=True, slots=True)
class Response:
    """A response, read to its end; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request to a path below the base URL, with its content type and the longest answer in bytes."""

    method: str
    path: str
    content: bytes | None = None
    kind: str = "application/json"
    longest: int = LONGEST_BODY


class HttpClient:
    """Sends requests to one server. Any thread may make it; one event loop uses it.

    Args:
        url: the base URL.
        key: the API key.
        timeout: seconds to the last byte of an answer.
        proxies: whether to use the proxies of the environment.
        learn_cookies: called with the `set-cookie` headers of every response.
    """

    def __init__(
        self,
        url: str,
        key: str,
        timeout: float,
        *,
        proxies: bool,
        learn_cookies: Callable[[list[str]], None],
    ) -> None:
        self._deadlines = Deadlines(timeout)
        self._learn_cookies = learn_cookies
        try:
            base = _parsed(url)
            if base.scheme not in {"http", "https"} or not base.host:
                raise ConnectError("the address begins with no http://HOST or https://HOST")
        except ValueError as error:
            raise ConnectError(str(error)) from None
        self._headers = _headers(url, key)
        if base.raw_user is not None or base.raw_password is not None:
            self._headers["authorization"] = aiohttp.encode_basic_auth(
                base.user or "", base.password or ""
            )
            base = base.with_user(None)
        self._base = base
        self._urls: dict[str, URL] = {}
        self._proxy = _proxy(base) if proxies else None
        self._ssl = _trusted() if base.scheme == "https" else True
        self._session: aiohttp.ClientSession | None = None

    async def post(
        self, route: Route, body: Mapping[str, Any], leaves: Callable[[], None]
    ) -> Response:
        """The response, whatever its status; ``leaves`` is called when the request is sent.

        Raises the errors of `aiohttp` and of this module, and `TimeoutError`.
        """
        return await self.request(HttpRequest(METHOD, route, wire(body)), leaves)

    async def request(
        self, request: HttpRequest, leaves: Callable[[], None] = lambda: None
    ) -> Response:
        """The response to any request. Raises as :meth:`post`."""
        # aiohttp makes the objects that send; a variable of the context reaches them, and each call has its own.
        sent = _Sent(leaves)
        _SENT.set(sent)  # for the task of this call
        try:
            # Around everything: a limit for each read never ends an answer that drips a byte at a time.
            async with asyncio.timeout(None) as limit:
                self._deadlines.begin(limit)
                try:
                    return await self._follow(request)
                finally:
                    self._deadlines.end(limit)
        except TimeoutError:
            # Before the request left, nothing can have cost money: this is a connection that failed.
            if sent.requests:
                raise
            raise ConnectError("the connection took too long") from None

    async def close(self) -> None:
        self._deadlines.close()
        if self._session is not None:
            await self._session.close()

    async def _follow(self, request: HttpRequest) -> Response:
        method, content = request.method, request.content
        url = self._url(request.path)
        headers = {"content-type": request.kind}  # the others are those of the session
        for _ in range(MOST_REDIRECTS + 1):
            async with self._opened().request(
                method,
                url,
                data=content,
                headers=headers,
                allow_redirects=False,
                proxy=self._proxy,
            ) as response:
                # Before the body is read: it may repeat a cookie, and an error may show the body.
                if cookies := response.headers.getall("set-cookie", []):
                    self._learn_cookies(cookies)
                location = response.headers.get("location")
                if response.status not in _REDIRECTS or location is None:
                    received = {name.lower(): value for name, value in response.headers.items()}
                    return Response(
                        response.status, received, await _read_or_status(response, request.longest)
                    )
            url = url.join(_parsed(location))
            # The key must not follow a redirect to another host.
            if _origin(url) != _origin(self._base):
                raise OtherHostError(f"{url.scheme}://{url.host_port_subcomponent}")
            if response.status in _WITHOUT_BODY:
                method, content = "GET", None
        raise TooManyRedirectsError

    def _url(self, path: str) -> URL:
        """The URL of a path below the base URL, whose query stays. It is kept: a run asks for few paths, often."""
        if path not in self._urls:
            plain, _, query = path.partition("?")
            url = self._base.with_path(
                self._base.raw_path.rstrip("/") + plain, encoded=True, keep_query=True
            )
            self._urls[path] = url.update_query(query) if query else url
        return self._urls[path]

    def _opened(self) -> aiohttp.ClientSession:
        """The session, opened at the first request because it belongs to the running loop."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                # The limiter bounds the calls. A second limit here would let calls wait while their own time runs.
                connector=_Connector(limit=0, ssl=self._ssl),
                headers=self._headers,
                # A host that is a number has cookies too.
                cookie_jar=aiohttp.CookieJar(unsafe=True),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                # Decompressed piece by piece below, so that a small body cannot grow without bound.
                auto_decompress=False,
                trust_env=False,  # it would read ~/.netrc
                request_class=_Request,
                max_line_size=_LONGEST_HEADER,
                max_field_size=_LONGEST_HEADER,
            )
        return self._session


def wire(body: Mapping[str, Any]) -> bytes:
    """A body as it is sent. Raises `ValueError` for a number that is infinite or not a number."""
    content = msgspec.json.encode(body)
    # msgspec takes a tenth of the time, but writes `null` for such a number.
    return _WIRE.encode(body).encode() if b"null" in content else content


class _Connector(aiohttp.TCPConnector):
    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 (the method of aiohttp)
    ) -> Connection:
        """A connection in which nothing waits to be read.

        A response that a server sends twice, or late, may lie in a connection that was idle. It would be taken for that
        to the next request.
        """
        for _ in range(_MOST_IDLE):
            connection = await super().connect(req, traces, timeout)
            if connection.protocol is None or not connection.protocol.should_close:
                return connection
            connection.close()
        raise aiohttp.ClientConnectionError("the server sends responses before it is asked")


@dataclass(slots=True)
class _Sent:
    leaves: Callable[[], None]
    requests: int = 0


_SENT: ContextVar[_Sent] = ContextVar("_SENT")


class _Request(aiohttp.ClientRequest):
    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        sent = _SENT.get()
        sent.requests += 1
        if sent.requests == 1:
            sent.leaves()
        return await super().send(conn)


def _headers(url: str, key: str) -> dict[str, str]:
    """The headers of `openai`'s client, in lower case; without those about the platform if it is not imported."""
    if all(name in _NOT_OF_HEADERS for name in os.environ if name.startswith("OPENAI_")):
        about = f"OpenAI/Python {version('openai')}"
        kind = "application/json"
        texts = {
            "authorization": f"Bearer {key}",
            "accept": kind,
            "content-type": kind,
            "user-agent": about,
        }
    else:
        texts = _headers_of_openai(url, key)
    if not all(text.isascii() and text.isprintable() for text in texts.values()):
        raise UnsendableHeaderError
    return {**texts, "accept-encoding": "gzip"}


def _headers_of_openai(url: str, key: str) -> dict[str, str]:
    import openai

    transport = openai.DefaultHttpxClient(trust_env=False)  # without proxies: it sends nothing
    with openai.OpenAI(base_url=url, api_key=key, http_client=transport) as client:
        headers = {**client.auth_headers, **client.default_headers}
    # Other types mark headers to leave out.
    return {name.lower(): value for name, value in headers.items() if isinstance(value, str)}


def _trusted() -> ssl.SSLContext:
    """The certificates that `openai`'s client trusts."""
    import httpx2

    return httpx2.create_ssl_context()


def _proxy(url: URL) -> str | None:
    proxies = getproxies()
    proxy = proxies.get(url.scheme, proxies.get("all"))
    if not proxy or proxy_bypass(f"{url.host}:{url.port}") or proxy_bypass(url.host or ""):
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    scheme = proxy.partition("://")[0].lower()
    if scheme not in {"http", "https"}:
        raise ConnectError(
            f"a proxy of the kind {scheme}:// cannot be used; name one of the kind http://"
        )
    return proxy


def _parsed(url: str) -> URL:
    """The URL, with its escapes unchanged where possible; raises `ValueError`."""
    return URL(url, encoded=url.isascii() and url.isprintable() and " " not in url)


def _origin(url: URL) -> tuple[str, str | None, int | None]:
    return url.scheme, url.host, url.port


async def _read_or_status(response: aiohttp.ClientResponse, longest: int) -> bytes:
    """The body; of an error that cannot be decompressed, nothing: its status says enough."""
    try:
        return await _read(response, longest)
    except DecodingError:
        if response.ok:
            raise
        return b""


async def _read(response: aiohttp.ClientResponse, longest: int) -> bytes:
    """The body; raises :class:`BodyTooLongError` as soon as it is too long, and :class:`DecodingError`."""
    content = bytearray()
    encoding = response.headers.get("content-encoding", "").lower()
    compressed = _COMPRESSIONS.intersection(map(str.strip, encoding.split(",")))
    # Some servers name an encoding of characters there.
    chunks = response.content.iter_chunked(_PIECE)
    async for piece in _decompressed(chunks, compressed) if compressed else chunks:
        content += piece
        if len(content) > longest:
            raise BodyTooLongError
    return bytes(content)


async def _decompressed(
    chunks: AsyncIterator[bytes], compressed: frozenset[str]
) -> AsyncIterator[bytes]:
    """The content of chunks that are compressed in these ways; raises :class:`DecodingError`."""
    if not compressed <= _KNOWN_COMPRESSIONS:
        raise DecodingError(
            f"it is compressed by {', '.join(sorted(compressed))}, and only gzip was asked for"
        )
    decoder = zlib.decompressobj(zlib.MAX_WBITS | 32)  # gzip or zlib
    started = False
    try:
        async for chunk in chunks:
            compressed_bytes, started = chunk, True
            while compressed_bytes:
                yield decoder.decompress(compressed_bytes, _PIECE)
                compressed_bytes = decoder.unconsumed_tail
        yield decoder.flush()
    except zlib.error as error:
        raise DecodingError(str(error)) from None
    if started and not decoder.eof:  # an empty body needs no end of its compression
        raise DecodingError("the body ends too early")
