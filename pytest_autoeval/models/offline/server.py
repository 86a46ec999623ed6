"""A server of the offline models with OpenAI's protocol; ``python -m pytest_autoeval serve``."""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from pytest_autoeval.errors import NoThreadError, start_thread
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.model_names import BAG_OF_WORDS, ModelOptionError, is_embedder
from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.answering import LABELS, answer
from pytest_autoeval.models.offline.offline_models import (
    UnknownOfflineModelError,
    check_model,
    listed_models,
    offline_models,
)
from pytest_autoeval.models.protocols import ConfigurationError, Message

Json = dict[str, Any]

#: The length of an embedding.
DIMENSIONS = 64
#: Bytes of a request.
_LARGEST_BODY = 16 * 2**20
#: The labels of the round trip's two halves.
_ROUND_TRIP = frozenset({"Formula", "Description"})
_WELCOME = """\
The offline models are served at {url}
No key is needed; a client that insists on one may send any. Try:

  curl {url}/chat/completions -H 'Content-Type: application/json' \\
    -d '{{"model": "offline/faithful", "messages": [{{"role": "user", "content": "Formula: p1 ∧ ¬p2"}}]}}'

A request ends with labels and what stands under them, such as "Formula:" (to be described) or "Description:" (to be
read). Tasks have labels of their own: {labels}.
{models}
Ctrl-C ends."""
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_WORD = lazy_pattern(r"\w+|[^\w\s]")


class OfflineServer:
    """Serves the offline models until it is stopped; port 0 takes a free one. The context manager yields the URL."""

    def __init__(
        self, host: str = "127.0.0.1", port: int = 0, answer_key: AnswerKey | None = None
    ) -> None:
        self._host = host
        self._port = port
        self._answer_key = answer_key or AnswerKey()
        self._server: _Server | None = None

    def start(self) -> str:
        """Starts the server in the background; returns the base URL; raises :class:`ConfigurationError`."""
        if self._server is None:
            try:
                self._server = _Server((self._host, self._port), self._answer_key)
            except (OSError, OverflowError) as problem:
                reason = getattr(problem, "strerror", None) or problem
                raise ConfigurationError(
                    f"the offline models cannot be served at {self._host}:{self._port} ({reason}); choose another port"
                ) from None
            thread = threading.Thread(
                target=self._server.serve_forever, args=(0.05,), name="offline models", daemon=True
            )
            try:
                start_thread(thread)
            except NoThreadError:
                self._server.server_close()
                self._server = None
                raise
        return f"http://{self._host}:{self._server.server_address[1]}/v1"

    def stop(self) -> None:
        """Accepts no more connections; open ones end with their clients."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()

    def __enter__(self) -> str:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    # A client that keeps its connection open must not keep the process alive.
    daemon_threads = True
    # A run opens its whole window of connections at once; the default queue holds 5.
    request_queue_size = 256
    allow_reuse_address = sys.platform != "win32"  # on Windows it would share a port in use

    def __init__(self, address: tuple[str, int], answer_key: AnswerKey) -> None:
        self.answer_key = answer_key
        #: A request is answered in the thread of the server, because no further one could be started.
        self.is_alone = False
        super().__init__(address, _Requests)

    def process_request(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request(request, client_address)
        except RuntimeError:
            self.is_alone = True
            self.process_request_thread(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Silent: clients may hang up, and `do_POST` answers all other errors."""


class _Requests(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    # Without it a small answer can wait 40 ms for the acknowledgement of the last one.
    disable_nagle_algorithm = True
    wbufsize = -1  # one packet for headers and body

    def log_message(self, *_arguments: Any) -> None:
        """Silent: stderr belongs to the test run."""

    def do_POST(self) -> None:
        try:
            status, body = 200, self._answer(urlsplit(self.path).path.rstrip("/"))
        # The client hung up: there is nobody to answer.
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001  # every request gets an answer
            refusal = _refusal(error)
            status, body = refusal.status, refusal.body
        content = json.dumps(body).encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if self.server.is_alone:  # other connections wait for this thread
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST  # noqa: N815 - the name that the server calls

    def _answer(self, path: str) -> Json:
        content = self._content() if self.command == "POST" else b""
        match self.command, path:
            case "POST", "/v1/chat/completions":
                return _completion(_parsed(content), self.server.answer_key)
            case "POST", "/v1/embeddings":
                return _embeddings(_parsed(content))
            case "GET", "/v1/models":
                same_members = {"object": "model", "created": 0, "owned_by": "pytest-autoeval"}
                return {
                    "object": "list",
                    "data": [{"id": name, **same_members} for name, _ in offline_models()],
                }
        raise RequestError(
            f"{self.command} {self.path}: served are POST /v1/chat/completions, POST /v1/embeddings and GET /v1/models",
            status=404,
        )

    def _content(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _LARGEST_BODY:
            self.close_connection = True  # the body would be read as the next request
            raise RequestError(f"a request needs a Content-Length of at most {_LARGEST_BODY} bytes")
        return self.rfile.read(int(length))


def main(argv: Sequence[str] | None = None) -> int:
    """Serves until Ctrl-C and returns 0; returns 2 if the address cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m pytest_autoeval serve",
        description="Serve the offline models behind OpenAI's protocol.",
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen at (default: %(default)s)"
    )
    parser.add_argument(
        "--port",
        type=int,
        default=8181,
        help="port to listen at, 0 for a free one (default: %(default)s)",
    )
    chosen = parser.parse_args(argv)
    try:
        with OfflineServer(chosen.host, chosen.port) as url:
            labels = ", ".join(f'"{label}:"' for label in sorted(LABELS - _ROUND_TRIP))
            sys.stdout.write(
                _WELCOME.format(url=url, models=f"\n{listed_models()}\n", labels=labels) + "\n"
            )
            sys.stdout.flush()
            threading.Event().wait()
    except ConfigurationError as problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    except KeyboardInterrupt:
        return 0
    return 0


class RequestError(Exception):
    """A wrong request, with the HTTP status and the body of the response in OpenAI's form."""

    def __init__(
        self,
        message: str,
        parameter: str | None = None,
        *,
        status: int = 400,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.body = {
            "error": {
                "message": message,
                "type": "invalid_request_error",
                "param": parameter,
                "code": code,
            }
        }


def _refusal(error: Exception) -> RequestError:
    match error:
        case RequestError():
            return error
        case UnknownOfflineModelError():
            return RequestError(str(error), "model", status=404, code="model_not_found")
        case ModelOptionError():
            return RequestError(str(error), "model", code="invalid_option")
        case _:
            # A user's own language may raise anything. The request would fail again: 400, so that no client retries.
            return RequestError(f"{type(error).__name__}: {error}")


def _completion(body: Json, answer_key: AnswerKey) -> Json:
    """The answer to ``POST /v1/chat/completions``; equal requests get equal answers, to the byte."""
    name, messages, seed = body["model"], body.get("messages"), body.get("seed")
    if is_embedder(name):
        raise RequestError(f"{name} is an embedding model: use /embeddings", "model")
    if not isinstance(messages, list) or not messages:
        raise RequestError("messages must be a list of at least one message", "messages")
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        raise RequestError("seed must be an integer", "seed")
    if body.get("stream"):
        raise RequestError("stream must be false: offline models answer in one piece", "stream")
    conversation = [_message(message, number) for number, message in enumerate(messages)]
    response_format = body.get("response_format")
    kind = response_format.get("type") if isinstance(response_format, dict) else response_format
    if kind not in (None, "text", "json_schema"):
        raise RequestError(
            "response_format.type must be text or json_schema",
            "response_format",
            code="invalid_value",
        )
    # The schema itself is ignored: the offline models know those of our tasks.
    reply = answer(
        name, conversation, seed, structured=kind == "json_schema", answer_key=answer_key
    )
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    message = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    # Words, as a rough count of tokens.
    prompt_words = sum(len(turn.content.split()) for turn in conversation)
    reply_words = len(reply.text.split())
    return {
        "id": f"chatcmpl-{digest[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": name,
        "choices": [
            {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish_reason}
        ],
        "usage": {
            "prompt_tokens": prompt_words,
            "completion_tokens": reply_words,
            "total_tokens": prompt_words + reply_words,
        },
    }


def _embeddings(body: Json) -> Json:
    name, texts = body["model"], body.get("input")
    if isinstance(texts, str):
        texts = [texts]
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise RequestError("input must be a text or a list of at least one text", "input")
    check_model(name)
    if not is_embedder(name):
        raise RequestError(f"{name} is a chat model; for embeddings use {BAG_OF_WORDS}", "model")
    tokens = sum(len(_WORD.findall(text)) for text in texts)  # words, signs included
    vectors = enumerate(map(bag_of_words, texts))
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in vectors
        ],
        "model": name,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def bag_of_words(text: str) -> tuple[float, ...]:
    """Counts of words and pairs of neighbouring words in hashed buckets: a vector of length 1, equal on every machine.

    A baseline without any understanding: it ignores synonyms and almost all word order. The hashing trick is that of
    Weinberger et al., Feature Hashing for Large Scale Multitask Learning (2009), without signs, so that no vector is 0.
    """
    # An empty word at the start, so that the first word has a neighbour too, and no text is without features.
    words = ["", *_WORD.findall(text.casefold())]
    pairs = map(" ".join, pairwise(words))
    features = [*words, *pairs]
    counts = Counter(map(_bucket, features))
    length = math.sqrt(sum(number * number for number in counts.values()))
    return tuple(counts[bucket] / length for bucket in range(DIMENSIONS))


def _bucket(feature: str) -> int:
    # Not Python's hash, which differs between processes.
    digest = hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest) % DIMENSIONS


def _parsed(content: bytes) -> Json:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise RequestError(f"the body of the request is not JSON: {problem}") from None
    if not isinstance(body, dict):
        raise RequestError("the body of the request must be a JSON object")
    if not isinstance(body.get("model"), str):
        raise RequestError("model must be the name of an offline model", "model")
    return body


def _message(message: Any, number: int) -> Message:
    where = f"messages[{number}]"
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(role, str) or role not in _ROLES:
        raise RequestError(f"{where}.role must be one of {', '.join(_ROLES)}", where)
    content = message.get("content")
    if isinstance(content, list):
        texts = [piece.get("text") for piece in content if isinstance(piece, dict)]
        content = "".join(text for text in texts if isinstance(text, str))
    if not isinstance(content, str):
        raise RequestError(f"{where}.content must be text", where)
    return Message(_ROLES[role], content)  # type: ignore[arg-type]
