"""Runs that are killed at random moments and resumed: together they leave what one undisturbed run leaves.

AUTOEVAL_KILLS is how many moments are tried, AUTOEVAL_KILL_SEED draws others; `--log-level=INFO` shows the figures.
"""

from __future__ import annotations

import logging
import os
import re
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from threading import Event
from time import monotonic, sleep
from typing import Literal

import pytest
from support.chat_server import Answer, ChatServer, Received
from support.formula_server import erring
from support.small_project import Ran, SmallProject

KILLS = int(os.environ.get("AUTOEVAL_KILLS", "3"))
SEED = int(os.environ.get("AUTOEVAL_KILL_SEED", "0"))
SUITE = "operators=range(1, 4), samples=8, threshold=0.99"
IN_FLIGHT = 8
#: Two suites, so that two workers have work.
OPTIONS = (
    "--autoeval-model=a",
    "--autoeval-model=b",
    f"--autoeval-concurrency={IN_FLIGHT}",
    "--autoeval-shrink-budget=20",
)
LATENCY = 0.02
#: Seconds in which the workers of a dead controller stop asking: half a second, and more where the machine is busy.
ORPHANED = 2.0
#: Where a run that did not end well keeps what a resumption needs.
KEPT = ".pytest_cache/d/autoeval/*"
#: Which process is which.
TELLTALE = """
import os
from pathlib import Path

def pytest_configure():
    Path(os.environ.get("PYTEST_XDIST_WORKER", "controller")).with_suffix(".pid").write_text(str(os.getpid()))
"""
log = logging.getLogger(__name__)


def slowly(request: Received) -> Answer:
    """Errs now and then, the same way for the same prompt, after a while."""
    sleep(LATENCY)
    return erring(request)


@dataclass(frozen=True)
class Moment:
    """When whom to kill: some seconds after a request of this number arrived."""

    workers: Literal[0, 2]
    victim: Literal["controller", "gw0", "gw1"]
    request: int
    delay: float


@dataclass(frozen=True)
class Undisturbed:
    """What a run leaves that nobody kills, and how often it sends each request."""

    ran: Ran
    sent: Counter[str]


def moments(requests: int) -> list[Moment]:
    """Where in a run of so many requests to kill it."""
    chance = Random(SEED)
    victims: list[tuple[Literal[0, 2], Literal["controller", "gw0", "gw1"]]]
    victims = [(0, "controller"), (2, "controller"), (2, "gw0"), (2, "gw1")]
    return [
        Moment(
            *victims[number % len(victims)],
            chance.randint(1, requests),
            chance.uniform(0, 3 * LATENCY),
        )
        for number in range(KILLS)
    ]


def sent(server: ChatServer) -> Counter[str]:
    """How often the server saw each request."""
    return Counter(f"{request.body}" for request in server.requests)


def reasons(ran: Ran) -> dict[str, str]:
    """Why suites failed, but for the server's port."""
    return {name: re.sub(r"127.0.0.1:\d+", "SERVER", why) for name, why in ran.failures.items()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """The run to compare with."""
    with ChatServer(slowly) as server:
        project = SmallProject(tmp_path_factory.mktemp("undisturbed"), SUITE, cache=True)
        ran = project.run(*OPTIONS, f"--autoeval-base-url={server.url}")
        assert {"equivalent", "different"} <= ran.outcomes.keys(), ran.text
        return Undisturbed(ran, sent(server))


def killed_and_resumed(folder: Path, moment: Moment, undisturbed: Undisturbed) -> None:
    """Kills a run, resumes it, and compares."""
    folder.mkdir()
    project = SmallProject(folder, SUITE, cache=True)
    (folder / "conftest.py").write_text(TELLTALE)
    arrivals, arrived = count(1), Event()

    def telling(request: Received) -> Answer:
        if next(arrivals) == moment.request:
            arrived.set()
        return slowly(request)

    with ChatServer(telling) as server:
        options = (*OPTIONS, f"--autoeval-base-url={server.url}", "-n", str(moment.workers))
        process = project.start(*options)
        while not arrived.wait(0.1):
            assert process.poll() is None, process.communicate()
        sleep(moment.delay)
        with suppress(ProcessLookupError):
            os.kill(int((folder / f"{moment.victim}.pid").read_text()), signal.SIGKILL)
        killed_at = monotonic()
        killed = project.end_of(process)
        asked = len(server.requests)
        if moment.victim == "controller":
            late = [
                request.at - killed_at
                for request in server.requests
                if request.at > killed_at + ORPHANED
            ]
            assert not late, (
                f"{len(late)} requests until {late[-1]:.1f} s after the controller's death"
            )
        if not list(folder.glob(KEPT)):  # the kill came too late: the run had ended well
            assert killed.lasting == undisturbed.ran.lasting, killed.text
            return
        resumed = project.carry_out(*options, "--autoeval-resume")
    twice = sum((sent(server) - undisturbed.sent).values())
    after = [
        request.at - killed_at for request in server.requests[:asked] if request.at > killed_at
    ]
    log.info(
        "%s: %d rows, %d calls before, %d after; %d twice; last call %.2f s after the kill",
        moment,
        len(killed.rows),
        asked,
        len(server.requests) - asked,
        twice,
        max(after, default=0.0),
    )
    assert resumed.lasting == undisturbed.ran.lasting, resumed.text
    assert reasons(resumed) == reasons(undisturbed.ran)
    assert resumed.code == undisturbed.ran.code
    assert twice <= IN_FLIGHT
    assert not list((folder / "temporary").glob("pytest-autoeval-*"))


def test_a_killed_run_that_is_resumed_leaves_what_an_undisturbed_one_leaves(
    tmp_path: Path, undisturbed: Undisturbed, subtests: pytest.Subtests
) -> None:
    drawn = moments(undisturbed.sent.total())
    with ThreadPoolExecutor(2) as pool:
        ends = [
            pool.submit(killed_and_resumed, tmp_path / str(number), moment, undisturbed)
            for number, moment in enumerate(drawn)
        ]
    for moment, end in zip(drawn, ends, strict=True):
        with subtests.test(str(moment)):
            end.result()
