"""The server of a third party that most tests of models ask, and the hub of several workers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.chat_server import ChatServer

from pytest_autoeval.models import ModelSettings
from pytest_autoeval.models.hub import Hub
from pytest_autoeval.models.limiter import Limiter


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub(Limiter(ModelSettings(concurrency=(2, 2))))
    yield hub
    hub.close()
