"""The lock on a file: one process at a time, together with `filelock`, and no longer than its process."""

from __future__ import annotations

import errno
import fcntl
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock
import pytest

from pytest_autoeval.process_lock import ProcessLock

#: A program that takes the lock on its argument, says so, and waits.
_HOLDER = """
import sys
from pathlib import Path
from pytest_autoeval.process_lock import ProcessLock

lock = ProcessLock(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_by_another_process(file: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", _HOLDER, str(file)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def is_free(file: Path) -> bool:
    lock = ProcessLock(file)
    try:
        lock.acquire()
    except BlockingIOError:
        return False
    lock.release()
    return True


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lock"


def test_it_is_held_until_it_is_released(file: Path) -> None:
    lock = ProcessLock(file)
    lock.acquire()
    assert not is_free(file)
    lock.release()
    lock.release()
    assert is_free(file)


def test_it_ends_with_the_process_that_holds_it(file: Path) -> None:
    with held_by_another_process(file) as process:
        assert not is_free(file)
        process.kill()
        process.wait()
        assert is_free(file)


def test_it_and_filelock_exclude_each_other(file: Path) -> None:
    with filelock.FileLock(file):
        assert not is_free(file)
    lock = ProcessLock(file)
    lock.acquire()
    with pytest.raises(filelock.Timeout):
        filelock.FileLock(file, blocking=False).acquire()
    lock.release()


def test_a_file_that_its_holder_removed_is_not_locked(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two processes, one would hold the removed file, and the other one a new file of the same name."""
    flock = fcntl.flock

    def remove(descriptor: int, operation: int) -> None:
        file.unlink()
        flock(descriptor, operation)

    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", remove)
        assert not is_free(file)
    assert is_free(file)


def test_a_link_is_not_followed(file: Path) -> None:
    target = file.with_name("target")
    file.symlink_to(target)
    with pytest.raises(OSError, match="symbolic links"):
        ProcessLock(file).acquire()
    assert not target.exists()


def test_a_forked_child_does_not_keep_it(file: Path) -> None:
    lock = ProcessLock(file)
    lock.acquire()
    fork = multiprocessing.get_context("fork")
    ends, ready = fork.Event(), fork.Event()

    def outlive() -> None:
        # What is the parent's stays the parent's.
        lock.release()
        ready.set()
        ends.wait()

    child = fork.Process(target=outlive)
    child.start()
    ready.wait()
    assert not is_free(file)
    lock.release()
    assert is_free(file)
    ends.set()
    child.join()


@pytest.mark.filterwarnings("ignore:flock not supported")
def test_filelock_takes_it_where_the_file_system_has_no_flock(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", missing)
    lock = ProcessLock(file)
    with pytest.warns(match="falling back to SoftFileLock"):
        lock.acquire()
    assert not is_free(file)
    lock.release()
    assert is_free(file)
