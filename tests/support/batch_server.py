"""A server with OpenAI's files and batches, as documented, and with their faults. Single calls work too.

Source: the API reference of OpenAI, "Files" and "Batch". A behaviour answers each line of a batch; a line with another
status than 200 goes into the file of errors.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from email import message_from_bytes
from random import Random
from threading import Event
from typing import Any
from urllib.parse import parse_qs, urlsplit

from support.chat_server import (
    SOON,
    Answer,
    Behaviour,
    ChatServer,
    Received,
    _Requests,
    echo,
    error,
)


@dataclass
class Faults:
    """What goes wrong.

    ``expired`` and ``cancelled`` are the numbers of the batches, from 1, that end so after half of their lines,
    ``refused`` of those that fail as a whole. ``limited`` uploads get a 429; ``unmade`` batches are made although the
    answer is a 500. The server takes ``slow`` seconds to say that it made a batch. Every ``broken``-th look at a batch
    gets a 500. A batch is ready after ``looks`` looks, and once ``ready`` is set.
    """

    expired: frozenset[int] = frozenset()
    refused: frozenset[int] = frozenset()
    cancelled: frozenset[int] = frozenset()
    limited: int = 0
    unmade: int = 0
    broken: int = 0
    slow: float = 0.0
    looks: int = 1
    ready: Event = field(default_factory=Event)


def failing(behaviour: Behaviour) -> Behaviour:
    """Some prompts get a 500 at first, others a 400 always; the behaviour answers the rest."""
    seen: Counter[str] = Counter()

    def behave(request: Received) -> Answer:
        seen[request.prompt] += 1
        kind = sum(request.prompt.encode())
        if kind % 11 == 0:
            return Answer(400, error("This prompt is not allowed", "content_policy"))
        if kind % 7 == 0 and seen[request.prompt] == 1:
            return Answer(500, error("The server had an error"), SOON)
        return behaviour(request)

    return behave


class BatchServer(ChatServer):
    """Serves files and batches inside a ``with``; ``has_batches`` is False for a server that does not know them.

    ``lines`` are the requests of all batches, ``settled`` those without a retryable failure. ``twice`` are the requests
    that were uploaded again although they were settled.
    """

    def __init__(
        self, behaviour: Behaviour = echo, faults: Faults | None = None, *, has_batches: bool = True
    ) -> None:
        super().__init__(behaviour)
        self._server.RequestHandlerClass = _WithBatches
        self.faults = faults or Faults()
        if faults is None:
            self.faults.ready.set()
        self.has_batches = has_batches
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.lines: dict[str, list[dict[str, Any]]] = {}
        self.twice: list[str] = []
        self.settled: set[str] = set()
        self.looks: Counter[str] = Counter()
        self._all_looks = 0

    def respond(  # noqa: PLR0911 (one for each address)
        self, method: str, path: str, body: bytes, headers: dict[str, str]
    ) -> Answer:
        """The answer to a request about files or batches."""
        place, query = urlsplit(path).path.removeprefix("/v1"), parse_qs(urlsplit(path).query)
        if not self.has_batches:
            return Answer(404, error(f"Invalid URL ({method} {path})"))
        with self._lock:
            match method, place.strip("/").split("/"):
                case "POST", ["files"]:
                    return self._upload(body, headers)
                case "POST", ["batches"]:
                    return self._make(json.loads(body))
                case "GET", ["batches"]:
                    return self._list(query)
                case "GET", ["batches", name] if name in self.batches:
                    return self._look(name)
                case "GET", ["files", name, "content"] if name in self.files:
                    return Answer(
                        body=self.files[name], headers={"content-type": "application/octet-stream"}
                    )
        return Answer(404, error(f"no such thing: {method} {path}"))

    def _upload(self, body: bytes, headers: dict[str, str]) -> Answer:
        if self.faults.limited > 0:
            self.faults.limited -= 1
            return Answer(429, error("Rate limit reached", "rate_limit_exceeded"), SOON)
        form = message_from_bytes(
            f"content-type: {headers['content-type']}\r\n\r\n".encode() + body
        )
        parts = {
            str(part.get_param("name", header="content-disposition")): part for part in form.walk()
        }
        contents = {name: part.get_payload(decode=True) for name, part in parts.items()}
        purpose, content = contents["purpose"], contents["file"]
        assert purpose == b"batch"
        assert isinstance(content, bytes)
        return Answer(body=self._kept(content, str(parts["file"].get_filename()), "batch"))

    def _kept(self, content: bytes, filename: str, purpose: str) -> dict[str, Any]:
        name = f"file-{len(self.files) + 1}"
        self.files[name] = content
        about = {
            "id": name,
            "object": "file",
            "bytes": len(content),
            "created_at": int(time.time()),
        }
        return {**about, "filename": filename, "purpose": purpose, "status": "processed"}

    def _make(self, wanted: dict[str, Any]) -> Answer:
        assert wanted["completion_window"] == "24h"
        name = f"batch_{len(self.batches) + 1}"
        lines = [json.loads(line) for line in self.files[wanted["input_file_id"]].splitlines()]
        self.lines[name] = lines
        requests = {line["custom_id"] for line in lines}
        self.twice += requests & self.settled
        self.settled |= requests
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "endpoint": wanted["endpoint"],
            "errors": None,
            "input_file_id": wanted["input_file_id"],
            "completion_window": "24h",
            "status": "validating",
            "output_file_id": None,
            "error_file_id": None,
            "created_at": int(time.time()),
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
            "metadata": wanted.get("metadata"),
        }
        if problem := self._problem(wanted["endpoint"], lines):
            self._refuse(name, problem)
        time.sleep(self.faults.slow)
        if self.faults.unmade > 0:
            self.faults.unmade -= 1
            return Answer(500, error("The server had an error"), SOON)
        return Answer(body=self.batches[name])

    def _problem(self, endpoint: str, lines: list[dict[str, Any]]) -> str:
        if len(self.batches) in self.faults.refused:
            return "Enqueued token limit reached"
        if len({line["custom_id"] for line in lines}) < len(lines):
            return "The custom_id of a line is used twice"
        if len({line["body"]["model"] for line in lines}) > 1:
            return "All lines must name one model"
        well = all(
            line["method"] == "POST" and line["url"] == endpoint and len(line) == 4
            for line in lines
        )
        return "" if well else "A line has another form or endpoint"

    def _refuse(self, name: str, problem: str) -> None:
        errors = {
            "object": "list",
            "data": [{"code": "invalid", "message": problem, "param": None, "line": 1}],
        }
        self.batches[name] |= {"status": "failed", "errors": errors}
        self.settled -= {line["custom_id"] for line in self.lines[name]}

    def _list(self, query: dict[str, list[str]]) -> Answer:
        newest = list(reversed(self.batches.values()))
        if after := query.get("after"):
            newest = newest[[batch["id"] for batch in newest].index(after[0]) + 1 :]
        limit = int(query.get("limit", ["20"])[0])
        page = newest[:limit]
        return Answer(body={"object": "list", "data": page, "has_more": len(newest) > limit})

    def _look(self, name: str) -> Answer:
        self._all_looks += 1
        self.looks[name] += 1
        if self.faults.broken and self._all_looks % self.faults.broken == 0:
            return Answer(500, error("The server had an error"), SOON)
        batch = self.batches[name]
        if batch["status"] in {"validating", "in_progress"}:
            batch["status"] = "in_progress"
            batch["request_counts"] = {"total": len(self.lines[name]), "completed": 0, "failed": 0}
            if self.faults.ready.is_set() and self.looks[name] >= self.faults.looks:
                self._finish(name, int(name.removeprefix("batch_")))
        return Answer(body=batch)

    def _finish(self, name: str, number: int) -> None:
        """Answers the lines, in two files and in random order."""
        lines, status, code = list(self.lines[name]), "completed", ""
        Random(number).shuffle(lines)
        done = lines
        for fault, end in ((self.faults.expired, "expired"), (self.faults.cancelled, "cancelled")):
            if number in fault:
                done, status, code = lines[: len(lines) // 2], end, f"batch_{end}"
        good: list[dict[str, Any]] = []
        bad: list[dict[str, Any]] = []
        for line in done:
            answer = self.behaviour(Received(line["url"], {}, line["body"]))
            response = {"status_code": answer.status, "request_id": "req_1", "body": answer.body}
            entry = {
                "id": "batch_req_1",
                "custom_id": line["custom_id"],
                "response": response,
                "error": None,
            }
            (good if answer.status == 200 else bad).append(entry)
            if answer.status in {408, 409, 429} or answer.status >= 500:
                self.settled.discard(line["custom_id"])
        for line in lines[len(done) :]:
            problem = {"code": code, "message": "This request could not be executed."}
            bad.append(
                {
                    "id": "batch_req_1",
                    "custom_id": line["custom_id"],
                    "response": None,
                    "error": problem,
                }
            )
            self.settled.discard(line["custom_id"])
        batch = self.batches[name]
        batch |= {
            "status": status,
            "request_counts": {"total": len(lines), "completed": len(good), "failed": len(bad)},
        }
        for key, entries in (("output_file_id", good), ("error_file_id", bad)):
            if entries:
                content = "".join(json.dumps(entry) + "\n" for entry in entries).encode()
                batch[key] = self._kept(content, f"{key}.jsonl", "batch_output")["id"]


class _WithBatches(_Requests):
    def do_GET(self) -> None:  # noqa: N802
        self._respond("GET", b"")

    def do_POST(self) -> None:  # noqa: N802
        if urlsplit(self.path).path in {"/v1/files", "/v1/batches"}:
            self._respond("POST", self.rfile.read(int(self.headers["content-length"])))
        else:
            super().do_POST()

    def _respond(self, method: str, body: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        owner = self.server.owner
        assert isinstance(owner, BatchServer)
        answer = owner.respond(method, self.path, body, headers)
        content = (
            answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        )
        self.send_response(answer.status)
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
