"""Recordings under threads, under several processes, and under a kill."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.chat_server import Answer, ChatServer, Received, completion, echo
from support.hub_workers import processes
from support.recording_worker import record_prompts

from pytest_autoeval.models import Message, ModelPool, ModelSettings, Reply
from pytest_autoeval.models.cassette import read_recording, write_recording
from pytest_autoeval.models.hub import Hub


def test_sixteen_threads_record_and_replay(tmp_path: Path, server: ChatServer) -> None:
    prompts = [f"prompt {number}" for number in range(100)]

    def ask_all(settings: ModelSettings) -> list[Reply]:
        with ModelPool(settings) as pool, ThreadPoolExecutor(16) as threads:
            model = pool.chat("some-model")
            return list(threads.map(lambda prompt: model.complete([Message("user", prompt)]), prompts))

    live = ask_all(ModelSettings(base_url=server.url, cassettes=tmp_path, record_mode="once", concurrency=(16, 16)))
    replayed = ask_all(ModelSettings(cassettes=tmp_path, record_mode="none"))
    assert [reply.text for reply in live] == [f"You said: {prompt}" for prompt in prompts]
    assert [reply.text for reply in replayed] == [reply.text for reply in live]
    assert all(reply.replayed for reply in replayed)
    assert len(list(tmp_path.rglob("*.yaml"))) == 100


def test_two_processes_record_the_same_prompts_into_one_directory(tmp_path: Path, server: ChatServer, hub: Hub) -> None:
    """The model answers differently each time; all processes must still go by the one answer that was recorded."""

    def moody(request: Received) -> Answer:
        return Answer(body=completion(f"{request.prompt}: answer {len(server.requests)}"))

    server.behaviour = moody
    prompts = [f"prompt {number}" for number in range(40)]
    cassettes = tmp_path / "cassettes"
    with processes(hub, 2) as workers:
        for worker in workers:
            worker.start(record_prompts, server.url, str(cassettes), prompts)
        for worker in workers:
            worker.join()
    assert len(list(cassettes.rglob("*"))) == 1 + 40  # the model's folder and the recordings: no drafts are left


def test_a_kill_leaves_whole_recordings(tmp_path: Path, server: ChatServer, hub: Hub) -> None:
    cassettes = tmp_path / "cassettes"
    prompts = [f"prompt {number}" for number in range(1000)]
    with processes(hub, 1) as [worker]:

        def kill_after_fifty(request: Received) -> Answer:
            if len(server.requests) > 50:
                os.kill(worker.pid, signal.SIGKILL)
            return echo(request)

        server.behaviour = kill_after_fifty
        worker.start(record_prompts, server.url, str(cassettes), prompts)
        with pytest.raises(EOFError):
            worker.join()
    assert len(list(cassettes.rglob("*.yaml"))) == 50
    with ModelPool(ModelSettings(cassettes=cassettes, record_mode="none")) as pool:
        for prompt in prompts[:50]:
            assert pool.chat("some-model").complete([Message("user", prompt)]).text == f"You said: {prompt}"


def test_a_kill_before_the_name_is_given_leaves_no_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "hardlink_to", killed)
    with pytest.raises(KeyboardInterrupt):
        write_recording(tmp_path / "some.yaml", {"model": "m"}, {"choices": []}, overwrite=False)
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
            pool.chat("some-model")
        assert set(folder.iterdir()) == left


def test_a_draft_that_another_run_removed_is_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = Path.hardlink_to

    def take(file: Path, draft: Path) -> None:
        monkeypatch.setattr(Path, "hardlink_to", link)
        draft.unlink()
        link(file, draft)

    monkeypatch.setattr(Path, "hardlink_to", take)
    assert write_recording(tmp_path / "some.yaml", {"model": "m"}, {"answer": 1}, overwrite=False)
    assert read_recording(tmp_path / "some.yaml", {"model": "m"}) == {"answer": 1}


@pytest.mark.parametrize("has_links", [True, False])
def test_the_first_recording_stays_unless_it_is_to_be_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    if not has_links:

        def refuse(*_: object) -> None:
            raise OSError("this file system knows no links")

        monkeypatch.setattr(Path, "hardlink_to", refuse)
    file, body = tmp_path / "some.yaml", {"model": "m"}
    assert write_recording(file, body, {"answer": 1}, overwrite=False)
    assert not write_recording(file, body, {"answer": 2}, overwrite=False)
    assert read_recording(file, body) == {"answer": 1}
    assert write_recording(file, body, {"answer": 3}, overwrite=True)
    assert read_recording(file, body) == {"answer": 3}
    assert list(tmp_path.iterdir()) == [file]
