"""The server of a third party that most tests of models ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.chat_server import ChatServer


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server
