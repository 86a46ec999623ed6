"""What a worker on another host keeps by its controller: the answers that it was given, and its recordings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

from pytest_autoeval.models.hub import HubClient
from pytest_autoeval.models.journal import Journal, Kept


class RemoteJournal(Journal):
    """A journal that the controller keeps."""

    def __init__(self, hub: HubClient) -> None:
        super().__init__(None)
        self._hub = hub

    def find(self, key: str) -> Kept | None:
        found = self._hub.ask("find answer", key)
        if found is None:
            return None
        kept = Kept(*found)
        with self._lock:
            self.taken_over += kept.taken_over
        return kept

    def keep(self, key: str, answer: Kept) -> None:
        self._hub.ask("keep answer", key, astuple(answer))


class RemoteRecordings:
    """The recordings of one model, which are the controller's; see :class:`Recordings`."""

    def __init__(self, model: str, hub: HubClient, *, keeps: bool) -> None:
        self._model, self._hub, self._keeps = model, hub, keeps
        #: Nothing: the controller knows what it replayed or wrote.
        self.used: set[str] = set()
        self.unreadable: set[str] = set()
        self.hint = ""

    def find(self, body: Mapping[str, Any], repeat: int) -> Any:
        return self._hub.ask("find recording", self._model, body, repeat)

    def has(self, body: Mapping[str, Any], repeat: int) -> bool:
        return bool(self._hub.ask("has recording", self._model, body, repeat))

    def keep(self, body: Mapping[str, Any], repeat: int, response: Any) -> Any:
        return self._hub.ask("keep recording", self._model, body, repeat, response) if self._keeps else response
