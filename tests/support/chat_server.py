"""An OpenAI-compatible server for tests, with any behaviour that a test needs."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Self

SOON = {"retry-after-ms": "1"}
"""A header that lets the client retry at once."""


@dataclass(frozen=True)
class Received:
    """A received request."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    #: Seconds of ``time.monotonic``.
    at: float = field(default_factory=monotonic)

    @property
    def prompt(self) -> str:
        """The content of the last message."""
        return str(self.body["messages"][-1]["content"])


@dataclass(frozen=True)
class Answer:
    """The server's reaction to a request.

    ``gate`` delays the answer until it is set; ``drop`` closes the connection without an answer; ``wire`` writes raw
    bytes instead of a response, and then closes the connection.
    """

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    gate: Event | None = None
    drop: bool = False
    wire: Callable[[socket.socket], None] | None = None


Behaviour = Callable[[Received], Answer]

_NOT_JSON_SCHEMA = "{'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}"
#: The way in which llama-cpp-python's server refuses a schema.
NO_SCHEMA = Answer(
    500,
    {
        "error": {
            "message": f"1 validation error:\n  {_NOT_JSON_SCHEMA}",
            "type": "internal_server_error",
        }
    },
)


def completion(text: str | None, **choice: Any) -> dict[str, Any]:
    """The body of a chat completion with one choice."""
    return {
        "id": "chatcmpl-4711",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "some-model-2026-01-01",
        "system_fingerprint": "fp_0815",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
                **choice,
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


def error(message: str, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """The body of an error in OpenAI's form."""
    return {
        "error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    }


def echo(request: Received) -> Answer:
    """Repeats the prompt."""
    return Answer(body=completion(f"You said: {request.prompt}"))


def always(answer: Answer) -> Behaviour:
    """The same answer to every request."""
    return lambda _request: answer


def says(text: str | None, **choice: Any) -> Behaviour:
    """The same text for every request."""
    return always(Answer(body=completion(text, **choice)))


def first(*answers: Answer, then: Behaviour = echo) -> Behaviour:
    """These answers in order, then a behaviour."""
    remaining = list(answers)
    lock = Lock()

    def behave(request: Received) -> Answer:
        with lock:
            return remaining.pop(0) if remaining else then(request)

    return behave


class ChatServer:
    """Serves on a free port of the loopback interface inside a ``with``; ``requests`` are all received ones."""

    def __init__(self, behaviour: Behaviour = echo) -> None:
        self.behaviour = behaviour
        self.requests: list[Received] = []
        self.most_in_flight = 0
        self._in_flight = 0
        self._lock = Lock()
        self._server = _Server(("127.0.0.1", 0), _Requests)
        self._server.owner = self

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def answer(self, request: Received) -> Answer:
        """The behaviour's answer; counts it."""
        with self._lock:
            self.requests.append(request)
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        answer = self.behaviour(request)
        if answer.gate is not None:
            answer.gate.wait(20)
        with self._lock:
            self._in_flight -= 1
        return answer

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    owner: ChatServer

    def handle_error(self, *_: Any) -> None:
        """Ignores a client that was killed or gave up."""


class _Requests(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.owner.answer(Received(self.path, headers, body))
        if answer.wire is not None:
            self.close_connection = True
            with suppress(OSError):  # the client gave up
                answer.wire(self.connection)
            return
        if answer.drop:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        content = (
            answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        )
        self.send_response(answer.status)
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Does nothing."""
