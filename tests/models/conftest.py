"""The server of a third party that most tests of models ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.chat_server import ChatServer

from pytest_autoeval.features.batches import connection as batches


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
def hasty_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches that are looked at again and again at once, instead of after minutes."""
    for name, seconds in {
        "QUIET": 0.1,
        "FIRST_PAUSE": 0.01,
        "LONGEST_PAUSE": 0.02,
        "TICK": 0.01,
    }.items():
        monkeypatch.setattr(batches, name, seconds)
    monkeypatch.setattr("pytest_autoeval.features.batches.batch_protocol._FIRST_WAIT", 0.01)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a failure, the next attempt comes almost at once, instead of after half a second."""
    monkeypatch.setattr("pytest_autoeval.models.window._FIRST_PAUSE", 0.02)
    monkeypatch.setattr("pytest_autoeval.models.upstream._FIRST_WAIT", 0.02)
