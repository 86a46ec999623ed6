"""Workers: what they answer, what kills them, and that nothing else is hurt by it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from math import inf
from pathlib import Path

import pytest

from pytest_autoeval.languages import isolation
from pytest_autoeval.languages.isolation import (
    GaveUpError,
    Pool,
    _cores_of_container,
    share_of_cores,
    usable_cores,
)

#: What the workers of these tests run; it stands in a module of its own, which they must be able to import.
TASKS = """
import os, sys, time

def double(number): return 2 * number
def process(): return os.getpid()
def fail(): raise ValueError("no such luck")
def end(): os._exit(3)
def speak(): print("to be ignored", flush=True); os.write(1, b"this too"); return "said"
def hog(): return len(bytearray(2 << 30))
def hash_seed(): return hash("the same in every worker")
def spin():
    while True: pass
def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
    return "done"
def nap(seconds):
    time.sleep(seconds)
    return "rested"
"""


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "isolated_tasks.py").write_text(TASKS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return "isolated_tasks"


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool(2)
    yield pool
    pool.close()


def worker_of(pool: Pool, tasks: str) -> int:
    with pool.session(tasks, 10) as session:
        return int(session.call("process"))


def test_a_worker_answers_and_serves_the_next_session(pool: Pool, tasks: str) -> None:
    with pool.session(tasks, 10) as session:
        assert session.call("double", 21) == 42
        first = session.call("process")
    assert first != os.getpid()
    assert worker_of(pool, tasks) == first


def test_what_does_not_end_in_time_is_killed_alone(pool: Pool, tasks: str) -> None:
    before = worker_of(pool, tasks)
    with pytest.raises(GaveUpError, match="time limit"), pool.session(tasks, 0.2) as session:
        session.call("spin")
    assert not running(before)
    after = worker_of(pool, tasks)
    assert after != before


def test_limits_are_processor_time_and_hold_for_a_session(pool: Pool, tasks: str) -> None:
    """A decision that waits for a busy machine is not cut off."""
    with pytest.raises(GaveUpError, match="time limit"), pool.session(tasks, 0.2) as session:  # noqa: PT012
        assert session.call("nap", 0.5) == "rested"
        session.call("spin")


def test_time_on_the_clock_is_a_backstop(pool: Pool, tasks: str) -> None:
    with pytest.raises(GaveUpError, match="time limit"), pool.session(tasks, 0.05) as session:
        session.call("nap", 60)


def test_the_limit_of_one_decision_is_not_that_of_the_next(pool: Pool, tasks: str) -> None:
    # Far from the limit, since a busy machine adds processor time of its own; together beyond it.
    for _ in range(3):
        with pool.session(tasks, 0.6) as session:
            assert session.call("work", 0.3) == "done"


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu.max": "max 100000\n"}, inf),
        ({"cpu/cpu.cfs_quota_us": "200000", "cpu/cpu.cfs_period_us": "100000"}, 2.0),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, inf),
        ({}, inf),
    ],
)
def test_a_container_limits_the_cores(tmp_path: Path, files: dict[str, str], cores: float) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert _cores_of_container(tmp_path) == cores


def test_workers_of_a_run_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "usable_cores", lambda: 8)
    shares = []
    for workers in ("", "1", "2", "3", "64"):
        monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", workers)
        shares.append(share_of_cores())
    assert shares == [8, 8, 4, 2, 1]
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)


def test_no_time_starts_nothing(pool: Pool, tasks: str) -> None:
    with pytest.raises(GaveUpError, match="time limit"), pool.session(tasks, 0.0):
        pass


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        ("fail", "ValueError: no such luck"),
        ("end", "the process that decides ended"),
        ("hog", "memory"),
    ],
)
def test_a_failure_costs_one_decision(pool: Pool, tasks: str, task: str, reason: str) -> None:
    with pytest.raises(GaveUpError, match=reason), pool.session(tasks, 10) as session:
        session.call(task)
    with pool.session(tasks, 10) as session:
        assert session.call("double", 4) == 8


def test_a_worker_killed_while_idle_is_replaced(pool: Pool, tasks: str) -> None:
    before = worker_of(pool, tasks)
    os.kill(before, signal.SIGKILL)
    assert worker_of(pool, tasks) != before


def test_what_a_task_prints_is_not_taken_for_an_answer(pool: Pool, tasks: str) -> None:
    with pool.session(tasks, 10) as session:
        assert session.call("speak") == "said"
        assert session.call("double", 1) == 2


def test_an_error_of_the_caller_passes_through_and_the_pool_goes_on(pool: Pool, tasks: str) -> None:
    with pytest.raises(ZeroDivisionError), pool.session(tasks, 10):
        _ = 1 / 0
    assert worker_of(pool, tasks)


def test_a_module_that_cannot_be_imported_is_reported(pool: Pool) -> None:
    with (
        pytest.raises(GaveUpError, match="ModuleNotFoundError"),
        pool.session("no_such_module_anywhere", 10),
    ):
        pass


def test_workers_hash_alike(tasks: str) -> None:
    def seed() -> int:
        pool = Pool(1)
        try:
            with pool.session(tasks, 10) as session:
                return int(session.call("hash_seed"))
        finally:
            pool.close()

    assert seed() == seed()


def test_more_threads_than_workers_wait_their_turn_at_no_cost_to_their_limit(
    pool: Pool, tasks: str
) -> None:
    def decide(number: int) -> tuple[int, int]:
        with pool.session(tasks, 10) as session:
            return session.call("double", number), session.call("process")

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(decide, range(60)))
    assert [answer for answer, _ in answers] == [2 * number for number in range(60)]
    assert len({worker for _, worker in answers}) <= 2


def test_a_waiting_session_is_not_killed_with_the_one_before_it(tasks: str) -> None:
    pool = Pool(1)
    busy, answers = threading.Event(), []

    def hang() -> None:
        with contextlib.suppress(GaveUpError), pool.session(tasks, 0.5) as session:
            busy.set()
            session.call("spin")

    def wait() -> None:
        busy.wait()
        with pool.session(tasks, 10) as session:
            answers.append(session.call("double", 5))

    threads = [threading.Thread(target=task) for task in (hang, wait)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pool.close()
    assert answers == [10]


def test_a_fork_leaves_the_workers_to_its_parent(pool: Pool, tasks: str) -> None:
    before = worker_of(pool, tasks)
    child = os.fork()
    if child == 0:  # leaves by os._exit alone: the test run is the parent's
        code = 1
        with contextlib.suppress(BaseException):
            pool.forget()
            code = 0 if worker_of(pool, tasks) != before else 2
            pool.close()
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert worker_of(pool, tasks) == before


PARENT = """
from pytest_autoeval.languages.isolation import session
with session("isolated_tasks", 600) as worker:
    print(worker.call("process"), flush=True)
    worker.call("spin") if {spins} else None
"""


def parent(tasks: str, *, spins: bool) -> subprocess.Popen[str]:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    assert tasks == "isolated_tasks"
    return subprocess.Popen(
        [sys.executable, "-c", PARENT.format(spins=spins)],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    with contextlib.suppress(OSError):
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        return status.rpartition(")")[2].split()[0] != "Z"
    return False


def wait_for_end_of(pid: int) -> None:
    patience = time.monotonic() + 60
    while running(pid):
        assert time.monotonic() < patience
        os.sched_yield()


def test_the_end_of_the_interpreter_is_quiet(tasks: str) -> None:
    process = parent(tasks, spins=False)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert not running(int(output))


def test_a_busy_worker_ends_with_a_killed_parent(tasks: str) -> None:
    process = parent(tasks, spins=True)
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    assert running(worker)
    process.kill()
    process.communicate(timeout=60)
    wait_for_end_of(worker)


def test_an_interrupt_is_the_parents_alone(tasks: str) -> None:
    process = parent(tasks, spins=True)
    assert process.stdout is not None
    worker = int(process.stdout.readline())
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert errors.count("KeyboardInterrupt") == errors.count("Traceback") == 1
    wait_for_end_of(worker)
