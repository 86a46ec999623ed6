"""What the models of a process share, and when the offline models' server runs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import ChatServer

from pytest_autoeval.models import (
    Message,
    ModelPool,
    ModelSettings,
    RecordingMissError,
    http_client,
)
from pytest_autoeval.models.offline import server as offline_server
from pytest_autoeval.models.offline.answer_key import AnswerKey

HELLO = [Message("user", "Hello")]


@pytest.fixture
def life(monkeypatch: pytest.MonkeyPatch, server: ChatServer) -> list[str]:
    """The starts and stops of the offline models' server, whose place the test's own server takes."""
    events: list[str] = []

    class Stand:
        def __init__(self, answer_key: AnswerKey | None) -> None:
            pass

        def start(self) -> str:
            events.append("start")
            return server.url

        def stop(self) -> None:
            events.append("stop")

    monkeypatch.setattr(offline_server, "OfflineServer", Stand)
    return events


def test_one_offline_server_starts_at_the_first_call_and_stops_at_the_end(life: list[str]) -> None:
    with ModelPool(ModelSettings()) as pool:
        models = [pool.chat("offline/faithful"), pool.chat("offline/prose")]
        assert life == []
        with ThreadPoolExecutor(8) as threads:
            for number in range(20):
                threads.submit(models[number % 2].complete, HELLO, repeat=number)
        assert life == ["start"]
    assert life == ["start", "stop"]


def test_a_replay_of_an_offline_model_starts_no_server(life: list[str], tmp_path: Path) -> None:
    with ModelPool(ModelSettings(cassettes=tmp_path, record_mode="once")) as pool:
        live = pool.chat("offline/faithful").complete(HELLO)
    life.clear()
    with ModelPool(ModelSettings(cassettes=tmp_path, record_mode="none")) as pool:
        model = pool.chat("offline/faithful")
        assert model.complete(HELLO).text == live.text
        assert model.recorded(HELLO)
        with pytest.raises(RecordingMissError):
            model.complete(HELLO, repeat=1)
    assert life == []


def test_an_offline_model_gets_a_seed_but_not_the_user_s_key(
    life: list[str], server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-others-only")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with ModelPool(ModelSettings(base_url="http://127.0.0.1:9/v1", max_tokens=9)) as pool:
        for repeat in range(2):
            pool.chat("offline/faithful").complete(HELLO, repeat=repeat)
    assert life == ["start", "stop"]
    assert [request.body["seed"] for request in server.requests] == [0, 1]
    assert "sk-for-others-only" not in str(server.requests)


def test_all_models_of_a_server_share_one_client(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []

    class Noted(http_client.HttpClient):
        def __init__(self, url: str, *more: Any, **named: Any) -> None:
            built.append(url)
            super().__init__(url, *more, **named)

    monkeypatch.setattr(http_client, "HttpClient", Noted)
    with ModelPool(ModelSettings(base_url=server.url)) as pool, ThreadPoolExecutor(8) as threads:
        for number in range(20):
            threads.submit(pool.chat(f"model-{number % 4}").complete, HELLO, repeat=number)
    assert len(server.requests) == 20
    assert built == [server.url]
