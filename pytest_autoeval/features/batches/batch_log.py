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
        ids: what identifies the requests; a line's ``custom_id``.
        token: ours; it finds the batch if the run ended before it knew ``id``.
        at: when it was made, in seconds of the epoch.
        file: the server's id of the file of requests, empty if unknown; it finds the batch like the token.
        id: the server's, empty if unknown.
        limited: whether the requests carry the default limit of their prompts.
        answered: how many requests have ended.
        results: the response to each request, once the batch has ended.
        waiting: who waits for a response.
        due: when to look again, in seconds of ``time.monotonic``.
        pause: seconds between the last two looks.
        unclear_since: when the looks began that did not show its state or its answers, or None.
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
        #: The batches of earlier runs.
        self.batches: dict[str, Batch] = {}
        self.damage = ""
        self._of_request: defaultdict[str, list[Batch]] = defaultdict(list)
        for earlier_folder in earlier:
            file = earlier_folder / BATCHES
            if os.path.lexists(file):
                self._read_file(file)

    def next(self, request: str) -> Batch | None:
        """The next batch of an earlier run with this request: a repeated request is in one batch after another."""
        return next((batch for batch in self._of_request[request] if batch.id), None)

    def take(self, request: str) -> Batch | None:
        """As :meth:`next`; the one after it is then the next."""
        batch = self.next(request)
        if batch is not None:
            self._of_request[request].remove(batch)
        return batch

    def planned(self, batch: Batch) -> None:
        """Notes a batch before it is made."""
        about = {"token": batch.token, "at": batch.at, "model": batch.model, "file": batch.file}
        self._write({**about, "limited": batch.limited, "ids": batch.ids})

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
            # A kill may have cut off the last one.
            *lines, _ = read_given(file).split(b"\n")
        except OSError as error:
            self.damage = f"{file}: {error.strerror}"
            return
        for number, line in enumerate(lines, 1):
            if not self._read(line):
                self.damage = f"{file}, line {number} is damaged"
                return

    def _read(self, line: bytes) -> bool:
        """Takes a line in; whether it can be read."""
        match json_or_none(line):
            case {
                "token": str(token),
                "at": int(at) | float(at),
                "model": str(model),
                "ids": list(ids),
            } as about:
                batch = Batch(
                    model,
                    ids,
                    token,
                    at,
                    about.get("file", ""),
                    limited=about.get("limited", False),
                )
                self.batches[token] = batch
                for request in ids:
                    self._of_request[request].append(batch)
            # The server made the batch of an earlier line.
            case {"token": str(token), "id": str(name)} if token in self.batches:
                self.batches[token].id = name
            # They are asked again, although a batch had them.
            case {"failed": list(requests)}:
                for request in requests:
                    self._of_request.pop(request, None)
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
