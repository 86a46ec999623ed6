"""Recordings under threads and under a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.chat_server import Answer, ChatServer, Received, echo

from pytest_autoeval.models import Message, ModelPool, ModelSettings, Reply
from pytest_autoeval.models.cassette import write_recording


def test_sixteen_threads_record_and_replay(tmp_path: Path, server: ChatServer) -> None:
    prompts = [f"prompt {number}" for number in range(100)]

    def ask_all(settings: ModelSettings) -> list[Reply]:
        with ModelPool(settings) as pool, ThreadPoolExecutor(16) as threads:
            model = pool.chat("some-model")
            return list(
                threads.map(lambda prompt: model.complete([Message("user", prompt)]), prompts)
            )

    live = ask_all(
        ModelSettings(
            base_url=server.url, cassettes=tmp_path, record_mode="once", concurrency=(16, 16)
        )
    )
    replayed = ask_all(ModelSettings(cassettes=tmp_path, record_mode="none"))
    assert [reply.text for reply in live] == [f"You said: {prompt}" for prompt in prompts]
    assert [reply.text for reply in replayed] == [reply.text for reply in live]
    assert all(reply.replayed for reply in replayed)
    assert len(list(tmp_path.rglob("*.yaml"))) == 100


RECORD = """
import sys
from pathlib import Path
from pytest_autoeval.models import Message, ModelPool, ModelSettings
settings = ModelSettings(base_url=sys.argv[1], cassettes=Path(sys.argv[2]), record_mode="once")
with ModelPool(settings) as pool:
    for number in range(1000):
        pool.chat("some-model").complete([Message("user", f"prompt {number}")])
"""


def test_a_kill_leaves_whole_recordings(tmp_path: Path, server: ChatServer) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    running = subprocess.Popen(
        [sys.executable, "-c", RECORD, server.url, str(tmp_path)], env=environment
    )

    def kill_after_fifty(request: Received) -> Answer:
        if len(server.requests) > 50:
            running.kill()
        return echo(request)

    server.behaviour = kill_after_fifty
    assert running.wait(60) == -signal.SIGKILL
    assert len(list(tmp_path.rglob("*.yaml"))) == 50
    with ModelPool(ModelSettings(cassettes=tmp_path, record_mode="none")) as pool:
        for prompt in (f"prompt {number}" for number in range(50)):
            assert (
                pool.chat("some-model").complete([Message("user", prompt)]).text
                == f"You said: {prompt}"
            )


def test_a_kill_before_the_name_is_given_leaves_no_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        write_recording(tmp_path / "some.yaml", {"model": "m"}, {"choices": []})
    assert list(tmp_path.iterdir()) == []


def test_drafts_that_a_kill_left_are_removed_by_the_next_run_that_records(tmp_path: Path) -> None:
    folder = tmp_path / "some-model"
    folder.mkdir()
    drafts = old, young = folder / ".a.1.1.draft", folder / ".b.1.1.draft"
    for draft in drafts:
        draft.touch()
    os.utime(old, (0, 0))
    for mode, left in {"none": {old, young}, "new_episodes": {young}}.items():
        with ModelPool(ModelSettings(cassettes=tmp_path, record_mode=mode)) as pool:  # type: ignore[arg-type]
            pool.chat("some-model").recorded([Message("user", "Hello")])
        assert set(folder.iterdir()) == left
