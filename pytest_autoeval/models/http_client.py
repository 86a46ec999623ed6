"""The HTTP client of one server: headers and address as `openai` sends them, a deadline, a limit to an answer's length.

Nothing is sent to another host than the one that the user named, wherever the server redirects.

The client of `openai` reads key, organisation, project, custom headers and base URL. Its own way of sending a request
takes eight times the processor time of this one.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx2
import openai
from yarl import URL

from pytest_autoeval.models.settings import METHOD, Route

#: Bytes of an answer, decompressed: far more than any model writes.
LONGEST_BODY = 10_000_000
#: Redirects of one request, all on the same host.
MOST_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: The redirects after which the body is not sent again.
_WITHOUT_BODY = frozenset({301, 302, 303})
_LONGEST_HEADER = 65_536
_PIECE = 65_536  # bytes that are decompressed at a time: a bomb grows a thousandfold, or worse


class BodyTooLongError(Exception):
    """A server sends more than :data:`LONGEST_BODY`."""


class DecodingError(Exception):
    """A body is not compressed as its header says."""


class OtherHostError(Exception):
    """A server redirects to another host, port or scheme; the text is that of the other one."""


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


class HttpClient:
    """Sends requests to one server. It is made in any thread, and used on one event loop.

    ``timeout`` is in seconds, to the last byte of an answer; proxies are taken from the environment with ``proxies``;
    ``learn_cookies`` is called with the `set-cookie` headers of every response.
    """

    def __init__(
        self, url: str, key: str, timeout: float, *, proxies: bool, learn_cookies: Callable[[list[str]], None]
    ) -> None:
        self._timeout = timeout
        self._learn_cookies = learn_cookies
        try:
            base = _parsed(url)
            if base.scheme not in {"http", "https"} or not base.host:
                raise ConnectError("the address begins with no http://HOST or https://HOST")
        except ValueError as error:
            raise ConnectError(str(error)) from None
        self._headers = _headers(url, key)
        if base.raw_user is not None or base.raw_password is not None:
            self._headers["authorization"] = aiohttp.encode_basic_auth(base.user or "", base.password or "")
            base = base.with_user(None)
        self._base = base
        self._proxy = _proxy(base) if proxies else None
        self._ssl = httpx2.create_ssl_context() if base.scheme == "https" else True  # as `openai` trusts
        self._session: aiohttp.ClientSession | None = None

    async def post(self, route: Route, body: Mapping[str, Any], leaves: Callable[[], None]) -> Response:
        """The response, whatever its status; ``leaves`` is called when the request is sent.

        Raises what `aiohttp` raises, `TimeoutError`, and the errors of this module.
        """
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        sent = _Sent(leaves)
        try:
            async with asyncio.timeout(self._timeout):
                return await self._follow(route, content, sent)
        except TimeoutError:
            if sent.requests:
                raise
            raise ConnectError("the connection took too long") from None

    async def close(self) -> None:
        """Closes all connections."""
        if self._session is not None:
            await self._session.close()

    async def _follow(self, route: Route, content: bytes | None, sent: _Sent) -> Response:
        path = self._base.raw_path.rstrip("/") + route
        method, url = METHOD, self._base.with_path(path, encoded=True, keep_query=True)
        for _ in range(MOST_REDIRECTS + 1):
            async with self._opened().request(
                method,
                url,
                data=content,
                headers=self._headers,
                allow_redirects=False,
                proxy=self._proxy,
                trace_request_ctx=sent,
            ) as response:
                self._learn_cookies(response.headers.getall("set-cookie", []))
                location = response.headers.get("location")
                if response.status not in _REDIRECTS or location is None:
                    headers = {name.lower(): value for name, value in response.headers.items()}
                    return Response(response.status, headers, await _read(response))
            url = url.join(_parsed(location))
            if _origin(url) != _origin(self._base):
                raise OtherHostError(f"{url.scheme}://{url.host_port_subcomponent}")
            if response.status in _WITHOUT_BODY:
                method, content = "GET", None
        raise TooManyRedirectsError

    def _opened(self) -> aiohttp.ClientSession:
        """The connections; opened here, since they belong to the loop that runs."""
        if self._session is None:
            trace = aiohttp.TraceConfig()
            trace.on_request_headers_sent.append(_note_sent)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ssl=self._ssl),
                cookie_jar=aiohttp.CookieJar(unsafe=True),  # a host that is a number has cookies too
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                auto_decompress=False,
                trust_env=False,  # it would read ~/.netrc
                trace_configs=[trace],
                max_line_size=_LONGEST_HEADER,
                max_field_size=_LONGEST_HEADER,
            )
        return self._session


@dataclass(slots=True)
class _Sent:
    leaves: Callable[[], None]
    requests: int = 0


async def _note_sent(_session: object, context: Any, _parameters: object) -> None:
    sent: _Sent = context.trace_request_ctx
    sent.requests += 1
    if sent.requests == 1:
        sent.leaves()


def _headers(url: str, key: str) -> dict[str, str]:
    """The headers of the client of `openai`, in lower case."""
    own = openai.DefaultHttpxClient(trust_env=False)  # its proxies are of no use here
    with openai.OpenAI(base_url=url, api_key=key, http_client=own) as client:
        headers = {**client.auth_headers, **client.default_headers}
    # Anything but a text leaves the header out.
    texts = {name.lower(): value for name, value in headers.items() if isinstance(value, str)}
    if not all(text.isascii() and text.isprintable() for text in texts.values()):
        raise UnsendableHeaderError
    return {**texts, "accept-encoding": "gzip"}


def _proxy(url: URL) -> str | None:
    found = getproxies()
    proxy = found.get(url.scheme, found.get("all"))
    if not proxy or proxy_bypass(f"{url.host}:{url.port}") or proxy_bypass(url.host or ""):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if (kind := proxy.partition("://")[0].lower()) not in {"http", "https"}:
        raise ConnectError(f"a proxy of the kind {kind}:// cannot be used; name one of the kind http://")
    return proxy


def _parsed(url: str) -> URL:
    """A URL, which is sent as it stands, with all its escapes, where it can be; raises `ValueError`."""
    return URL(url, encoded=url.isascii() and url.isprintable() and " " not in url)


def _origin(url: URL) -> tuple[str, str | None, int | None]:
    return url.scheme, url.host, url.port


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """The body; raises :class:`BodyTooLongError` as soon as it is too long, and :class:`DecodingError`."""
    content = bytearray()
    async for piece in _pieces(response):
        content += piece
        if len(content) > LONGEST_BODY:
            raise BodyTooLongError
    return bytes(content)


async def _pieces(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    chunks = response.content.iter_chunked(_PIECE)
    if response.headers.get("content-encoding", "").lower() not in {"gzip", "deflate"}:
        async for chunk in chunks:
            yield chunk
        return
    decoder = zlib.decompressobj(zlib.MAX_WBITS | 32)  # of either kind
    started = False
    try:
        async for chunk in chunks:
            rest, started = chunk, True
            while rest:
                yield decoder.decompress(rest, _PIECE)
                rest = decoder.unconsumed_tail
        yield decoder.flush()
    except zlib.error as error:
        raise DecodingError(str(error)) from None
    if started and not decoder.eof:
        raise DecodingError("the body ends too early")
