"""The report shows the address of the server that answered; never a secret, nor a server that was not asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.chat_server import ChatServer
from support.formula_server import sensible

from .conftest import Run, Suite, said

MODEL = "--autoeval-model=some-model"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(sensible) as server:
        yield server


@pytest.mark.parametrize("by", ["option", "variable"])
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_the_address_stands_over_the_table_without_user_and_key(
    monkeypatch: pytest.MonkeyPatch, server: ChatServer, suite: Suite, run: Run, by: str, workers: tuple[str, ...]
) -> None:
    suite()
    url = server.url.replace("//", "//user:s3cret-word@") + "?key=s3cret-query"
    if by == "variable":
        monkeypatch.setenv("OPENAI_BASE_URL", url)
    shown = said(run(MODEL, *([f"--autoeval-base-url={url}"] if by == "option" else []), *workers))
    assert f"server: {server.url}" in shown
    assert "s3cret" not in shown


def test_a_server_that_is_not_asked_is_not_shown(server: ChatServer, suite: Suite, run: Run) -> None:
    suite()
    address = f"--autoeval-base-url={server.url}"
    assert "server:" in said(run(MODEL, address, "--autoeval-record-mode=once"))
    assert "server:" not in said(run(MODEL, address, "--autoeval-record-mode=none"))
    assert "server:" not in said(run(address))
