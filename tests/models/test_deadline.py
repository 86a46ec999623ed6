"""A deadline bounds a whole attempt, and an answer has a longest length, whatever a server does."""

from __future__ import annotations

import gzip
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

import pytest
from support.chat_server import SOON, Answer, ChatServer, completion, first

from pytest_autoeval.models import CallError, ConfigurationError, Message, ModelPool, ModelSettings
from pytest_autoeval.models.http_client import LONGEST_BODY

HELLO = [Message("user", "Hello")]
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


@contextmanager
def sends(*chunks: bytes, every: float = 0.02, times: int = 200) -> Iterator[str]:
    """The base URL of a server that sends these chunks, and then the last one again and again."""
    listener = socket.create_server(("127.0.0.1", 0))

    def talk(connection: socket.socket) -> None:
        with suppress(OSError), connection:
            connection.recv(65536)
            for chunk in (*chunks, *[chunks[-1]] * times):
                connection.sendall(chunk)
                time.sleep(every)

    def serve() -> None:
        with suppress(OSError):
            while True:
                Thread(target=talk, args=(listener.accept()[0],), daemon=True).start()

    Thread(target=serve, daemon=True).start()
    with listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param((HEAD + b"content-length: 1000\r\n\r\n", b" "), id="a body that drips"),
        pytest.param(
            (HEAD + b"transfer-encoding: chunked\r\n\r\n", b"1\r\n \r\n"), id="chunks that drip"
        ),
        pytest.param((HEAD + b"x-drip: ", b"a"), id="a header that drips"),
    ],
)
def test_a_reply_that_drips_is_late(chunks: tuple[bytes, ...]) -> None:
    started = time.monotonic()
    with (
        sends(*chunks) as url,
        ModelPool(ModelSettings(base_url=url, timeout=0.2, patience=0.0)) as pool,
        pytest.raises(
            ConfigurationError,
            match=r"no answer from .*http://127.* in time \(1 attempt\).*-timeout",
        ),
    ):
        pool.chat("some-model").complete(HELLO)
    assert time.monotonic() - started < 2.0  # it would have dripped for four seconds


def test_an_old_connection_keeps_the_deadline_of_its_new_call(server: ChatServer) -> None:
    with ModelPool(ModelSettings(base_url=server.url, timeout=0.5)) as pool:
        for number in range(3):
            time.sleep(0.2)
            assert pool.chat("some-model").complete(HELLO, repeat=number).text == "You said: Hello"


def test_the_deadline_holds_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with sends(HEAD + b"content-length: 1000\r\n\r\n", b" ") as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.removesuffix("/v1"))
        settings = ModelSettings(base_url="http://models.invalid/v1", timeout=0.2, patience=0.0)
        with ModelPool(settings) as pool, pytest.raises(ConfigurationError, match="in time"):
            pool.chat("some-model").complete(HELLO)


def too_long() -> bytes:
    return b'{"choices": [{"message": {"content": "' + b"a" * LONGEST_BODY + b'"}}]}'


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda: Answer(body=too_long()), id="long"),
        pytest.param(
            lambda: Answer(body=gzip.compress(too_long()), headers={"content-encoding": "gzip"}),
            id="bomb",
        ),
    ],
)
def test_a_body_that_is_too_long_is_the_sample_s_error(
    server: ChatServer, answer: Callable[[], Answer], status: int
) -> None:
    long = answer()
    server.behaviour = first(Answer(status, long.body, long.headers))
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        with pytest.raises(CallError, match="sent more than 10 MB for one answer"):
            pool.chat("some-model").complete(HELLO)
        assert pool.chat("some-model").complete(HELLO).text == "You said: Hello"


def test_a_body_without_an_end_is_read_no_further() -> None:
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    with (
        sends(HEAD + b"transfer-encoding: chunked\r\n\r\n", chunk, every=0) as url,
        ModelPool(ModelSettings(base_url=url)) as pool,
        pytest.raises(CallError, match="more than 10 MB"),
    ):
        pool.chat("some-model").complete(HELLO)


def test_a_compressed_answer_is_read(server: ChatServer) -> None:
    packed = {"content-encoding": "gzip"}
    body = gzip.compress(json.dumps(completion("packed")).encode())
    server.behaviour = first(
        Answer(429, b"", packed | SOON),
        Answer(body=body, headers=packed),
        Answer(body=b"not packed", headers=packed),
        Answer(body=body[:-9], headers=packed),
        Answer(body=body, headers=packed),
    )
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        assert pool.chat("some-model").complete(HELLO).text == "packed"
        # A body that cannot be unpacked is the server's failure, and asked for again.
        assert pool.chat("some-model").complete(HELLO, repeat=1).text == "packed"
    assert len(server.requests) == 5
    assert server.requests[0].headers["accept-encoding"] == "gzip"
