"""The offline models on a loopback socket, for any client of OpenAI's protocol; ``python -m pytest_autoeval serve``."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from pytest_autoeval.models.base import ConfigurationError
from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.catalogue import offline_models
from pytest_autoeval.models.offline.conversation import LABELS
from pytest_autoeval.models.offline.protocol import Json, RequestError, completion, embeddings, model, models, parsed

_LARGEST_BODY = 16 * 2**20
#: The labels of the round trip's two halves.
_ROUND_TRIP = frozenset({"Formula", "Description"})
_WELCOME = """\
The offline models are served at {url}
No key is needed; a client that insists on one may send any. Try:

  curl {url}/chat/completions -H 'Content-Type: application/json' \\
    -d '{{"model": "offline/faithful", "messages": [{{"role": "user", "content": "Formula: p1 ∧ ¬p2"}}]}}'

A request ends with labels and what stands under them, such as "Formula:" (to be described) or "Description:" (to be
read). The tasks on temporal logic have more: {labels}.
{models}
Ctrl-C ends."""


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
        """Takes no more connections; those that clients keep open end with them. A second stop changes nothing."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()

    def __enter__(self) -> str:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    allow_reuse_address = sys.platform != "win32"  # there it would share a port in use

    def __init__(self, address: tuple[str, int], answer_key: AnswerKey) -> None:
        self.answer_key = answer_key
        super().__init__(address, _Requests)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing of a client that hung up; requests answer for all else themselves."""


class _Requests(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = "pytest-autoeval-offline"
    sys_version = ""
    disable_nagle_algorithm = True
    wbufsize = -1  # one packet for headers and body

    def log_message(self, *_arguments: Any) -> None:
        """Keeps no log: stderr belongs to the test run."""

    def do_POST(self) -> None:
        try:
            status, body = 200, self._answer(urlsplit(self.path).path.rstrip("/"))
        except RequestError as error:
            status, body = error.status, error.body()
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001  # a client must get an answer whatever went wrong here
            status, body = 500, RequestError(f"{type(error).__name__}: {error}", status=500).body()
        content = json.dumps(body).encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST  # noqa: N815 - the name that the server calls

    def _answer(self, path: str) -> Json:
        content = self._content() if self.command == "POST" else b""
        match self.command, path:
            case "POST", "/v1/chat/completions":
                return completion(parsed(content), self.server.answer_key)
            case "POST", "/v1/embeddings":
                return embeddings(parsed(content))
            case "GET", "/v1/models":
                return models()
            case "GET", _ if path.startswith("/v1/models/"):
                return model(unquote(self.path).removeprefix("/v1/models/"))
        raise RequestError(
            f"{self.command} {self.path}: served are POST /v1/chat/completions, POST /v1/embeddings and GET /v1/models",
            status=404,
        )

    def _content(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _LARGEST_BODY:
            self.close_connection = True  # what the body would be cannot be told from a next request
            raise RequestError(f"a request needs a Content-Length of at most {_LARGEST_BODY} bytes")
        return self.rfile.read(int(length))


def main(argv: Sequence[str] | None = None) -> int:
    """Serves until Ctrl-C; the exit status is 0 then, and 2 where the address cannot be had."""
    parser = argparse.ArgumentParser(
        prog="python -m pytest_autoeval serve", description="Serve the offline models behind OpenAI's protocol."
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: %(default)s)")
    parser.add_argument(
        "--port", type=int, default=8181, help="port to listen at, 0 for a free one (default: %(default)s)"
    )
    chosen = parser.parse_args(argv)
    try:
        with OfflineServer(chosen.host, chosen.port) as url:
            models = offline_models()
            width = max(len(name) for name, _ in models)
            listed = "\n".join(f"  {name:<{width}}  {description}" for name, description in models)
            more = ", ".join(f'"{label}:"' for label in sorted(LABELS - _ROUND_TRIP))
            sys.stdout.write(_WELCOME.format(url=url, models=f"\n{listed}\n", labels=more) + "\n")
            sys.stdout.flush()
            threading.Event().wait()
    except ConfigurationError as problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    except KeyboardInterrupt:
        return 0
    return 0
