"""Workers in another folder, as on another host: the run is the same, and its controller keeps everything."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from execnet.gateway_base import Message, get_execmodel
from execnet.gateway_socket import SocketIO
from support.chat_server import ChatServer
from support.formula_server import erring

from pytest_autoeval import __version__
from pytest_autoeval.running.channel import write_whole
from pytest_autoeval.running.remote import equip

from .conftest import Run, Suite, lasting, said

#: What a run is like, wherever its workers are.
ALIKE = ("--autoeval-model=m", "--autoeval-shrink-budget=5", "--autoeval-concurrency=4")
RECORDED = ("--autoeval-results=away.jsonl", "--autoeval-record-mode=once")


@pytest.fixture
def away(pytester: pytest.Pytester, suite: Suite, tmp_path: Path) -> tuple[str, ...]:
    """The arguments that start a worker in a copy of the project, with a home and temporary files of its own."""
    pytester.makepyprojecttoml("[tool.pytest.ini_options]\ntestpaths = ['.']")
    suite()
    there = tmp_path / "away"
    shutil.copytree(pytester.path, there)
    for name in ("home", "tmp"):
        (there / name).mkdir()
    return "-d", f"--tx=popen//chdir={there}//env:HOME={there / 'home'}//env:TMPDIR={there / 'tmp'}"


def test_a_worker_elsewhere_leaves_what_a_run_without_workers_leaves(
    run: Run, away: tuple[str, ...], tmp_path: Path
) -> None:
    with ChatServer(erring) as server:
        typed = (*ALIKE, f"--autoeval-base-url={server.url}")
        run(*typed, "--autoeval-results=here.jsonl")
        asked = len(server.requests)
        server.requests.clear()
        cut = run(*typed, *away, *RECORDED, "--autoeval-max-calls=20", cache=True)
        assert "--autoeval-max-calls=20 is reached" in said(cut)
        assert len(server.requests) == 20
        resumed = run(*typed, *away, *RECORDED, "--autoeval-resume", cache=True)
        assert "20 answers of it are kept" in said(resumed)
        assert len(server.requests) == asked
    assert lasting("away.jsonl") == lasting("here.jsonl")
    assert len(list(Path("cassettes/m").iterdir())) == asked
    assert not [
        file for file in (tmp_path / "away").rglob("*") if file.suffix in {".jsonl", ".yaml"}
    ]
    Path("cassettes/m/unused.yaml").touch()
    replayed = run(*ALIKE, *away, "--autoeval-record-mode=none")
    replayed.stdout.fnmatch_lines(["*replayed 100.0 %*", "unused recordings in *: 1*"])


def test_a_file_that_is_missing_elsewhere_ends_the_run_with_one_line(
    run: Run, away: tuple[str, ...], tmp_path: Path
) -> None:
    Path("own.csv").write_text("sentence,formula\na,p\n", "utf-8")
    result = run(*ALIKE, *away, "--autoeval-dataset=own.csv")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    missing = (
        f"--autoeval-dataset: there is no {tmp_path / 'away' / 'own.csv'} on {socket.gethostname()}"
    )
    result.stdout.fnmatch_lines([f"ERROR: {missing}"])


def test_a_setting_that_differs_elsewhere_ends_the_run_with_one_line(
    run: Run, away: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a worker elsewhere does not hear of: xdist hands on the command line alone."""
    monkeypatch.setenv("PYTEST_ADDOPTS", "--autoeval-threshold=0.9")
    result = run(*away[:1], f"{away[1]}//env:PYTEST_ADDOPTS=-q")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(
        [
            f"ERROR: --autoeval-threshold: its value on {socket.gethostname()} differs from the value here*"
        ]
    )


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        (__version__, ""),
        ("", f"pytest-autoeval is not installed there; it must be {__version__}, as here"),
        ("0.0.1", f"pytest-autoeval 0.0.1 is installed there; it must be {__version__}, as here"),
    ],
)
def test_a_host_that_cannot_take_part_is_refused(
    pytester: pytest.Pytester, found: str, problem: str
) -> None:
    config = pytester.parseconfigure(
        "-p", "no:asyncio", "--dist=load", "--tx=popen", "--autoeval-model=m"
    )
    pipe = Mock(receive=lambda: ("far", found))
    gateway = SimpleNamespace(
        id="gw0",
        spec=SimpleNamespace(popen=False, chdir="", via=""),
        remote_exec=lambda _: pipe,
        newchannel=lambda: pipe,
    )
    node = SimpleNamespace(config=config, gateway=gateway, workerinput={})
    if not problem:
        equip(node)
        assert node.workerinput["autoeval_elsewhere"]["host"] == "far"
        return
    with pytest.raises(pytest.UsageError) as refused:
        equip(node)
    assert str(refused.value) == f"worker gw0 on far: {problem}"


def test_messages_of_many_threads_arrive_whole_over_a_socket() -> None:
    ours, its = (SocketIO(end, get_execmodel("thread")) for end in socket.socketpair())
    write_whole(SimpleNamespace(gateway=SimpleNamespace(_io=ours)))

    def send(number: int) -> None:
        for _ in range(20):
            Message(4, number, bytes([number]) * 300_000).to_io(ours)

    for number in range(1, 9):
        Thread(target=send, args=(number,), daemon=True).start()
    for _ in range(8 * 20):
        message = Message.from_io(its)
        assert set(message.data) == {message.channelid}
