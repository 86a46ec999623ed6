"""Faulty behaviours of the tests' chat server, which every client must handle."""

from __future__ import annotations

import gzip
import json
import socket
import struct
from collections.abc import Callable, Collection
from functools import cache
from itertools import count
from threading import Lock
from time import monotonic, sleep, time
from wsgiref.handlers import format_date_time

from support.chat_server import Answer, Behaviour, Received, completion, error
from support.formula_server import asked, sensible

Wire = Callable[[socket.socket], None]

_MEGABYTE = 1_000_000
_BODY = json.dumps(completion("p1")).encode()


def refusal(status: int, message: str = "no", code: str | None = None, **headers: str) -> Answer:
    """An error in OpenAI's form; ``retry_after`` and ``retry_after_ms`` are headers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, error(message, code), named)


def quota(key: str) -> Answer:
    """An exhausted quota, named in the ``code`` or in the ``type`` of the error."""
    body = error("You exceeded your current quota")
    body["error"][key] = "insufficient_quota"
    return Answer(429, body)


def at(
    numbers: Collection[int], answer: Answer | Behaviour, then: Behaviour = sensible
) -> Callable[[], Behaviour]:
    """Gives an answer to the requests with these numbers (from 1); else behaves."""

    def made() -> Behaviour:
        arrivals = count(1)

        def behave(request: Received) -> Answer:
            if next(arrivals) not in numbers:
                return then(request)
            return answer(request) if callable(answer) else answer

        return behave

    return made


def ever(answer: Answer) -> Callable[[], Behaviour]:
    """The same answer to every request."""
    return lambda: lambda _request: answer


def for_one(answer: Answer) -> Callable[[], Behaviour]:
    """Gives this answer to all requests for the first described formula; else behaves."""

    def made() -> Behaviour:
        victims: dict[str, str] = {}

        def behave(request: Received) -> Answer:
            formula = asked(request).payloads.get("Formula", "")
            return answer if formula == victims.setdefault("first", formula) else sensible(request)

        return behave

    return made


def outage(seconds: float, answer: Answer | Behaviour, after: int = 0) -> Callable[[], Behaviour]:
    """Answers some requests, then gives this answer for some seconds, then behaves."""

    def made() -> Behaviour:
        arrivals, began = count(), list[float]()

        def behave(request: Received) -> Answer:
            if next(arrivals) < after:
                return sensible(request)
            began.append(request.at)
            if request.at > began[0] + seconds:
                return sensible(request)
            return answer(request) if callable(answer) else answer

        return behave

    return made


def bucket(rate: float, burst: int, limited: Answer) -> Callable[[], Behaviour]:
    """Accepts ``rate`` requests a second and ``burst`` at once, and refuses the rest with 429."""

    def made() -> Behaviour:
        lock, full_at = Lock(), monotonic() - burst / rate

        def behave(request: Received) -> Answer:
            nonlocal full_at
            with lock:
                full_at = max(full_at, monotonic() - burst / rate)
                taken = full_at + 1 / rate <= monotonic()
                full_at += 1 / rate if taken else 0
            return sensible(request) if taken else limited

        return behave

    return made


def in_a_second(_request: Received) -> Answer:
    """A rate limit with the time of day of the next attempt."""
    return refusal(429, retry_after=format_date_time(time() + 1))


def changed(**choice: object) -> Behaviour:
    """A completion whose choice has these members."""
    return lambda _request: Answer(body=completion(None, **choice))


def bombed() -> Answer:
    """A reply of 100 MB that gzip packs into 100 kB."""
    return Answer(body=_bomb(), headers={"content-encoding": "gzip"})


def stall(connection: socket.socket) -> None:
    """Sends nothing until the client closes the connection."""
    connection.recv(1)


def reset(connection: socket.socket) -> None:
    """Starts a reply, then resets the connection."""
    connection.sendall(_head(len(_BODY)) + _BODY[:20])
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def cut(connection: socket.socket) -> None:
    """Ends a reply before its announced length."""
    connection.sendall(_head(len(_BODY)) + _BODY[:-20])


def drip(text: bytes, begins: bytes = b"", *, pause: float = 0.1) -> Wire:
    """Sends a beginning at once, then a text repeatedly in single bytes, ``pause`` seconds apart."""

    def write(connection: socket.socket) -> None:
        connection.sendall(begins)
        while True:
            for byte in text:
                connection.sendall(bytes([byte]))
                sleep(pause)

    return write


DRIPPING_BODY = drip(
    b" ", b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10000\r\n\r\n"
)
DRIPPING_HEADER = drip(b"a", b"HTTP/1.1 200 OK\r\nx-drip: ")


class Flood:
    """A reply of 100 MB; ``sent`` counts the bytes that clients accepted."""

    def __init__(self) -> None:
        self.sent = 0

    def __call__(self, connection: socket.socket) -> None:
        connection.sendall(_head(100 * _MEGABYTE))
        for _ in range(1000):
            connection.sendall(b" " * (_MEGABYTE // 10))
            self.sent += _MEGABYTE // 10


def _head(length: int) -> bytes:
    return f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n".encode()


@cache
def _bomb() -> bytes:
    return gzip.compress(b" " * (100 * _MEGABYTE), compresslevel=1)
