"""The log of a run's batches on disk: an interrupted run finds its batches, and asks nothing twice."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from pytest_autoeval.given_file import read_given
from pytest_autoeval.line_file import LineFile
from pytest_autoeval.models.protocols import ConfigurationError, json_or_none

if TYPE_CHECKING:
    import asyncio

    from pytest_autoeval.models.http_client import Response

#: The name of the file in the folder of a run.
BATCHES = "batches.jsonl"


@dataclass(slots=True, eq=False)
class Batch:
    """A batch of requests.

    Attributes:
        model: the model of all requests.
        ids: the ids of the requests. In the file for the server, each is the ``custom_id`` of a line.
        token: our own id of the batch. The server keeps it, so that the batch is found by it if the run ended before it
            knew ``id``.
        at: when the batch was made, in seconds of the epoch.
        file: the server's id of the file of requests, empty if unknown. The batch is found by it as by the token.
        id: the server's id of the batch, empty if unknown.
        limited: whether the requests carry the default limit of their prompts.
        answered: how many requests have ended.
        results: the response to each request, once the batch has ended.
        waiting: the futures of the callers that wait for a response, by the ids of the requests.
        due: when to ask the server for its state again, in seconds of ``time.monotonic``.
        pause: seconds between the last two of these questions.
        unclear_since: since when the server shows neither its state nor its answers; None if it does.
    """

    model: str
    ids: Sequence[str]
    token: str = field(default_factory=lambda: token_hex(16))
    at: float = field(default_factory=time.time)
    file: str = ""
    id: str = ""
    limited: bool = False
    answered: int = 0
    results: dict[str, Response | Exception] | None = None
    waiting: dict[str, asyncio.Future[Response | Exception]] = field(default_factory=dict)
    due: float = 0.0
    pause: float = 0.0
    unclear_since: float | None = None


class BatchLog:
    """Writes what happens to batches to ``folder``, if there is one, before anything is waited for.

    ``earlier`` are the folders of the runs to continue, the oldest first. ``damage`` says what of their logs cannot be
    read; it is empty if all can. A damaged log may lack batches, whose requests would be paid twice.
    """

    def __init__(self, folder: Path | None, earlier: Iterable[Path]) -> None:
        self._file = None if folder is None else LineFile(folder / BATCHES)
        #: The batches of earlier runs, by token.
        self.batches: dict[str, Batch] = {}
        self.damage = ""
        #: The batches of earlier runs with a request, the oldest first, by the id of the request.
        self._batches_with: defaultdict[str, list[Batch]] = defaultdict(list)
        for earlier_folder in earlier:
            file = earlier_folder / BATCHES
            # A link to nothing is there, too: it cannot be read, so it is reported as damage.
            if os.path.lexists(file):
                self._read_file(file)

    def next_with(self, request: str) -> Batch | None:
        """The next batch of an earlier run with this request: a repeated request is in one batch after another."""
        # A batch without an id of the server was never made, or was not found there.
        made_batches = (batch for batch in self._batches_with[request] if batch.id)
        return next(made_batches, None)

    def take_with(self, request: str) -> Batch | None:
        """As :meth:`next_with`; the one after it is then the next."""
        batch = self.next_with(request)
        if batch is not None:
            self._batches_with[request].remove(batch)
        return batch

    def planned(self, batch: Batch) -> None:
        """Notes a batch before it is made."""
        self._write(
            {
                "token": batch.token,
                "at": batch.at,
                "model": batch.model,
                "file": batch.file,
                "limited": batch.limited,
                "ids": batch.ids,
            }
        )

    def made(self, batch: Batch) -> None:
        """Notes the server's id of a batch."""
        self._write({"token": batch.token, "id": batch.id})

    def failed(self, requests: Sequence[str]) -> None:
        """Notes requests whose own lines failed for good: a run that continues this one makes them again."""
        self._write({"failed": requests})

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _read_file(self, file: Path) -> None:
        try:
            contents = read_given(file)
        except OSError as error:
            self.damage = f"{file}: {error.strerror}"
            return
        # Each line ends with a line end. What follows the last one is empty, or a line that a kill has cut off.
        *lines, _ = contents.split(b"\n")
        for number, line in enumerate(lines, 1):
            if not self._read_line(line):
                self.damage = f"{file}, line {number} is damaged"
                return

    def _read_line(self, line: bytes) -> bool:
        """Adds what a line says; returns whether it can be read."""
        match json_or_none(line):
            # As `planned` writes it.
            case {
                "token": str(token),
                "at": int(at) | float(at),
                "model": str(model),
                "ids": list(ids),
            } as planned:
                batch = Batch(
                    model,
                    ids,
                    token,
                    at,
                    planned.get("file", ""),
                    limited=planned.get("limited", False),
                )
                self.batches[token] = batch
                for request in ids:
                    self._batches_with[request].append(batch)
            # As `made` writes it, after the line of the planned batch.
            case {"token": str(token), "id": str(batch_id)} if token in self.batches:
                self.batches[token].id = batch_id
            # As `failed` writes it: the requests are made again, although a batch has them.
            case {"failed": list(requests)}:
                for request in requests:
                    self._batches_with.pop(request, None)
            case _:
                return False
        return True

    def _write(self, value: dict[str, Any]) -> None:
        if self._file is None:
            return
        try:
            self._file.append(json.dumps(value, separators=(",", ":")).encode() + b"\n")
        except OSError as error:
            raise ConfigurationError(
                f"{self._file.path}: batches cannot be kept: {error.strerror}"
            ) from None
