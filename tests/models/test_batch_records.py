"""What a run that continues another one knows of its batches: from the log on disk, and from the list of the server.

No request is paid twice because a batch was overlooked.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support.batch_server import BatchServer
from support.chat_server import Answer, Received, completion, echo, error

from pytest_autoeval.features.batches.batch_log import BATCHES
from pytest_autoeval.models import Message, ModelPool, ModelSettings
from pytest_autoeval.models.journal import Journal
from pytest_autoeval.models.protocols import ModelError

pytestmark = pytest.mark.usefixtures("hasty_batches")

WHOLE = [f"You said: p{number}" for number in range(3)]
PAGE = 100


class Server(BatchServer):
    """A server with ``foreign`` batches of others, which changes pages of its list, and whose key expires."""

    def __init__(self, behaviour: Callable[[Received], Answer]) -> None:
        super().__init__(behaviour)
        self.is_expired: Callable[[], bool] = lambda: True
        self.change: Callable[[dict[str, Any], int], Any] = lambda page, _number: page
        self._pages = count(1)

    def respond(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        if "/batches/" in path and self.is_expired():
            return Answer(401, error("Your key has expired"))
        answer = super().respond(method, path, body, headers)
        if (method, "/batches?" in path) == ("GET", True):
            return Answer(body=self.change(answer.body, next(self._pages)))
        return answer

    def add(self, foreign: int, created: Callable[[int], float], *, before: bool = False) -> None:
        """Adds batches of others to the list: behind ours, which means newer ones, or ``before`` it."""
        others = {
            f"foreign_{number}": {
                "id": f"foreign_{number}",
                "status": "completed",
                "created_at": created(number),
            }
            for number in range(foreign)
        }
        self.batches = {**others, **self.batches} if before else {**self.batches, **others}


def run(
    server: BatchServer, folder: Path, *earlier: Path, at_once: int = 3, limit: int | None = None
) -> list[str]:
    """The texts or errors of some calls in a run that continues earlier ones."""
    folder.mkdir()

    def ask(number: int) -> str:
        try:
            reply = models.chat("m").complete([Message("user", f"p{number}")], limit=limit)
        except ModelError as problem:
            return f"{type(problem).__name__}: {problem}"
        return "truncated" if reply.truncated else reply.text

    settings = ModelSettings(base_url=server.url, batch=math.inf, patience=0.3)
    with (
        ModelPool(settings, journal=Journal(folder, earlier)) as models,
        ThreadPoolExecutor(at_once) as threads,
    ):
        return list(threads.map(ask, range(len(WHOLE))))


def interrupted(server: Server, folder: Path, *, is_known: bool = False) -> Path:
    """The folder of a run that ended after it made a batch. Unless ``is_known``, it was killed before it got its id."""
    assert not set(run(server, folder)) & set(WHOLE)
    server.is_expired = lambda: False
    log = folder / BATCHES
    if not is_known:
        log.write_bytes(log.read_bytes().splitlines(keepends=True)[0])
    return folder


def silent(server: Server) -> None:
    """Its pages do not say whether more follow."""
    server.add(2 * PAGE, lambda _: 1e10)
    server.change = lambda page, _number: {
        name: value for name, value in page.items() if name != "has_more"
    }


LISTS: dict[str, Callable[[Server], object]] = {
    "newer batches of others come first": lambda server: server.add(2 * PAGE, lambda _: 1e10),
    "the oldest come first": lambda server: server.add(2 * PAGE, lambda number: 2 * PAGE - number),
    "the times are in words": lambda server: server.add(2 * PAGE, lambda number: f"day {number}"),  # type: ignore[arg-type, return-value]
    "the last one is older": lambda server: server.add(
        PAGE, lambda number: 1e10 if number else 1.0
    ),
    "it does not say whether more follow": silent,
    "it lags behind": lambda server: setattr(
        server,
        "change",
        lambda page, number: page if number > 1 else page | {"data": [], "has_more": False},
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_batch_is_found_in_any_list_of_the_server(name: str, tmp_path: Path) -> None:
    with Server(echo) as server:
        first = interrupted(server, tmp_path / "first")
        LISTS[name](server)
        assert run(server, tmp_path / "second", first) == WHOLE
        assert not server.twice


@pytest.mark.parametrize("listed", ["the same page", "an empty page"])
def test_a_list_without_an_end_is_refused(listed: str, tmp_path: Path) -> None:
    with Server(echo) as server:
        first = interrupted(server, tmp_path / "first")
        server.add(PAGE, lambda _: 1e10)
        same = server._list({"limit": [str(PAGE)]}).body
        server.change = lambda _page, _number: (
            same if listed == "the same page" else {"data": [], "has_more": True}
        )
        [problem] = set(run(server, tmp_path / "second", first))
        assert problem.startswith(
            "ConfigurationError: m: the server's list of batches (GET /batches) does not come to"
        )
        assert not server.twice


def test_a_page_of_older_batches_ends_the_search(tmp_path: Path) -> None:
    with Server(echo) as server:
        first = interrupted(server, tmp_path / "first")
        server.batches.clear()  # it was never made
        server.settled.clear()
        server.add(5 * PAGE, float, before=True)
        pages: list[int] = []
        server.change = lambda page, number: pages.append(number) or page  # type: ignore[func-returns-value]
        assert run(server, tmp_path / "second", first) == WHOLE
        assert len(pages) == 2


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "the first line is damaged": lambda log: b"x" + log[1:],
    "the first line is cut": lambda log: log[:50] + log[log.index(b"\n") :],
    "the first line is lost": lambda log: log[log.index(b"\n") + 1 :],
    "the second line is damaged": lambda log: log.replace(b'"id"', b'"di"'),
    "NULs": lambda log: bytes(len(log)) + b"\n" + log,
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_log_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    with Server(echo) as server:
        first = interrupted(server, tmp_path / "first", is_known=True)
        log = first / BATCHES
        log.write_bytes(DAMAGES[name](log.read_bytes()))
        [problem] = set(run(server, tmp_path / "second", first))
        assert re.search(
            r"--autoeval-resume: .*batches\.jsonl, line [12] is damaged, so .* paid twice", problem
        )
        assert not server.twice


def test_a_log_that_is_no_file_is_refused(tmp_path: Path) -> None:
    with Server(echo) as server:
        first = interrupted(server, tmp_path / "first", is_known=True)
        (first / BATCHES).unlink()
        os.mkfifo(first / BATCHES)
        [problem] = set(run(server, tmp_path / "second", first))
        assert (
            "batches.jsonl: this is not an ordinary file, so that batches of the run may be missing"
            in problem
        )
        assert not server.twice


HARMLESS: dict[str, Callable[[bytes], bytes]] = {
    "the last line is cut by a kill": lambda log: log[:-5],
    "a time without a fraction": lambda log: re.sub(rb'("at":\d+)\.\d+', rb"\1", log),
    "every line twice": lambda log: log + log,
    "line ends of Windows": lambda log: log.replace(b"\n", b"\r\n"),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_a_log_that_can_be_read_finds_the_batches(name: str, tmp_path: Path) -> None:
    with Server(echo) as server:
        first = interrupted(server, tmp_path / "first", is_known=True)
        log = first / BATCHES
        log.write_bytes(HARMLESS[name](log.read_bytes()))
        assert run(server, tmp_path / "second", first) == WHOLE
        assert not server.twice


def thinking(request: Received) -> Answer:
    """A model that thinks first, and so never comes to an answer within a default limit."""
    if "max_tokens" in request.body:
        return Answer(
            body=completion(None, message={"reasoning_content": "Well"}, finish_reason="length")
        )
    return Answer(body=completion(f"You said: {request.prompt}", message_id=1))


@pytest.mark.parametrize("known", [1, 2])
def test_an_answer_that_a_default_limit_cut_off_is_none_in_a_continued_run(
    known: int, tmp_path: Path
) -> None:
    """The first batch has a limit, and shows that the model thinks; the second one asks again without."""
    with Server(thinking) as server:
        server.is_expired = lambda: len(server.batches) == known
        run(server, tmp_path / "first", limit=5)
        assert len(server.batches) == known
        server.is_expired = lambda: False
        # One after another: the first answer shows that the model thinks before the others are asked.
        assert run(server, tmp_path / "second", tmp_path / "first", at_once=1, limit=5) == WHOLE
        assert [
            [("max_tokens" in line["body"]) for line in lines] for lines in server.lines.values()
        ][:2] == [
            [True] * 3,
            [False] * (3 if known == 2 else 1),
        ]
