"""The offline models on a loopback socket, for any client of OpenAI's protocol."""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit

from pytest_autoeval.models.base import ConfigurationError
from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.protocol import (
    Json,
    RequestError,
    chunks,
    completion,
    embeddings,
    model,
    models,
    parsed,
)

_COMPLETIONS = "/v1/chat/completions"
_EMBEDDINGS = "/v1/embeddings"
_MODELS = "/v1/models"
_LARGEST_BODY = 16 * 2**20


class OfflineServer:
    """Serves the offline models until it is stopped; port 0 takes a free one.

    ``answer_key`` is what the models know of given sentences, by default those of the shipped data sets. Also a context
    manager that yields the base URL. Threads answer, so that calls do not wait for each other.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0, answer_key: AnswerKey | None = None) -> None:
        self._host = host
        self._port = port
        self._answer_key = answer_key or AnswerKey()
        self._server: _Server | None = None

    def start(self) -> str:
        """Begins to serve, in the background, and gives the base URL for a client.

        Raises :class:`ConfigurationError` where the address cannot be had. A second start changes nothing.
        """
        if self._server is None:
            try:
                self._server = _Server((self._host, self._port), self._answer_key)
            except (OSError, OverflowError) as problem:
                reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
                raise ConfigurationError(
                    f"the offline models cannot be served at {self._host}:{self._port} ({reason}); choose another port"
                ) from None
            threading.Thread(
                target=self._server.serve_forever, args=(0.05,), name="offline models", daemon=True
            ).start()
        return f"http://{self._host}:{self._server.server_address[1]}/v1"

    def stop(self) -> None:
        """Ends the service and closes every connection. A second stop changes nothing."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()
            server.close_connections()

    def __enter__(self) -> str:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    allow_reuse_address = sys.platform != "win32"  # there it would share a port in use

    def __init__(self, address: tuple[str, int], answer_key: AnswerKey) -> None:
        self.answer_key = answer_key
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(address, _Requests)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request_thread(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        """Ends the connections that clients keep alive."""
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing of a client that hung up; requests answer for all else themselves."""


class _Requests(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = "pytest-autoeval-offline"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = -1  # one packet for headers and body

    def do_GET(self) -> None:
        self._respond(self._get)

    def do_POST(self) -> None:
        self._respond(self._post)

    def log_message(self, *_arguments: Any) -> None:
        """Keeps no log: stderr belongs to the test run."""

    def _respond(self, method: Callable[[str], None]) -> None:
        try:
            method(urlsplit(self.path).path.rstrip("/"))
        except RequestError as error:
            self._send(error.status, error.body())
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001  # a client must get an answer whatever went wrong here
            self._send(500, RequestError(500, f"{type(error).__name__}: {error}").body())

    def _get(self, path: str) -> None:
        if path == _MODELS:
            self._send(200, models())
        elif path.startswith(_MODELS + "/"):
            self._send(200, model(unquote(self.path).removeprefix(_MODELS + "/")))
        else:
            raise self._no_such_place()

    def _post(self, path: str) -> None:
        content = self._content()
        if path not in (_COMPLETIONS, _EMBEDDINGS):
            raise self._no_such_place()
        body = parsed(content)
        if path == _EMBEDDINGS:
            self._send(200, embeddings(body))
            return
        whole = completion(body, self.server.answer_key)
        if body.get("stream"):
            events = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks(whole)]
            self._send_bytes(200, "text/event-stream", "".join([*events, "data: [DONE]\n\n"]).encode())
        else:
            self._send(200, whole)

    def _content(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _LARGEST_BODY:
            self.close_connection = True  # what the body would be cannot be told from a next request
            raise RequestError(400, f"a request needs a Content-Length of at most {_LARGEST_BODY} bytes")
        return self.rfile.read(int(length))

    def _no_such_place(self) -> RequestError:
        served = f"POST {_COMPLETIONS}, POST {_EMBEDDINGS} and GET {_MODELS}"
        return RequestError(404, f"{self.command} {self.path}: served are {served}")

    def _send(self, status: int, body: Json) -> None:
        self._send_bytes(status, "application/json", json.dumps(body, ensure_ascii=False).encode())

    def _send_bytes(self, status: int, kind: str, content: bytes) -> None:
        self.send_response_only(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
