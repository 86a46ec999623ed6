"""A response that a server sends a second time, or late, waits in a connection that is used again: it is no answer."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from threading import Event, Thread

import pytest
from support.chat_server import completion

from pytest_autoeval.models import Message, ModelPool, ModelSettings

ASKED = 3


class TalkativeServer:
    """Answers each request, and when :meth:`talk` is called sends ``more`` on the connection of the last one."""

    def __init__(self, more: bytes) -> None:
        self._more = more
        self._talk, self._talked = Event(), Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        Thread(target=self._accept, daemon=True).start()

    def talk(self) -> None:
        self._talk.set()
        assert self._talked.wait(20)
        self._talked.clear()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # the listener was closed
            while True:
                connection, _ = self._listener.accept()
                Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as requests:
            while line := requests.readline():
                length = 0
                while line.strip():
                    name, _, value = line.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                    line = requests.readline()
                prompt = json.loads(requests.read(length))["messages"][-1]["content"]
                connection.sendall(response(f"You said: {prompt}"))
                self._talk.wait(20)
                self._talk.clear()
                with suppress(OSError):  # the client closed it
                    connection.sendall(self._more)
                self._talked.set()


def response(text: str, status: str = "200 OK") -> bytes:
    body = json.dumps(completion(text)).encode()
    return (
        f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode()
        + body
    )


@pytest.fixture(
    params=[
        pytest.param(response("An answer to another request"), id="another answer"),
        pytest.param(response("", "401 Unauthorized"), id="a refusal"),
        pytest.param(response("", "408 Request Timeout"), id="a timeout"),
        pytest.param(response("An answer to another request")[:80], id="half an answer"),
        pytest.param(b"garbage\r\n\r\n", id="garbage"),
    ]
)
def server(request: pytest.FixtureRequest) -> Iterator[TalkativeServer]:
    server = TalkativeServer(request.param)
    yield server
    server.close()


def test_a_response_that_nobody_asked_for_answers_nothing(server: TalkativeServer) -> None:
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        for number in range(ASKED):
            assert (
                pool.chat("m").complete([Message("user", f"p{number}")]).text
                == f"You said: p{number}"
            )
            server.talk()
