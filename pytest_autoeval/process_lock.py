"""A lock on a file that one process at a time can hold. The system ends it with the process, also after ``kill -9``.

`filelock` does the same and more, and its import takes 10 ms of every run. So it is imported only where this module
cannot do it: on Windows, and on file systems without `flock`. Both exclude each other, since `filelock` calls `flock`.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

if sys.platform != "win32":
    import fcntl

#: What systems say of a lock that another process holds.
_HELD_ELSEWHERE = {errno.EAGAIN, errno.EACCES}
#: The open files of all locks that this process holds.
_DESCRIPTORS: set[int] = set()


class ProcessLock:
    """A lock on a file. Any thread may release it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._release: Callable[[], object] | None = None

    def acquire(self) -> None:
        """Takes the lock, and makes the file if there is none.

        Raises `BlockingIOError` if the lock is held, and another `OSError` if the file cannot be opened.
        """
        if sys.platform == "win32":
            self._release = _acquire_by_filelock(self.file)
            return
        try:
            descriptor = _locked(self.file)
        except OSError as error:
            if error.errno != errno.ENOSYS:
                raise
            # Without `flock`, it is held by whoever makes a new file. This one is made already.
            self._release = _acquire_by_filelock(self.file.with_name(f"{self.file.name}.made"))
            return
        self._release = partial(_close, descriptor)

    def release(self) -> None:
        """Gives the lock back, if this process holds it. The file stays."""
        release, self._release = self._release, None
        if release is not None:
            release()


def _locked(file: Path) -> int:
    """The descriptor of the file, opened and locked."""
    _close_in_children()
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Its holder may just have removed it. Then the next process would lock another file.
        is_removed = os.fstat(descriptor).st_nlink == 0
    except OSError as error:
        os.close(descriptor)
        if error.errno in _HELD_ELSEWHERE:
            raise _held(file) from None
        raise
    if is_removed:
        os.close(descriptor)
        raise _held(file)
    _DESCRIPTORS.add(descriptor)
    return descriptor


def _held(file: Path) -> BlockingIOError:
    return BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(file))


def _close(descriptor: int) -> None:
    """Closes the file, which ends the lock. A forked child has closed it already, and the lock is its parent's."""
    if descriptor in _DESCRIPTORS:
        _DESCRIPTORS.remove(descriptor)
        os.close(descriptor)


@cache
def _close_in_children() -> None:
    """Closes the files in forked children: one that outlives this process would hold its locks. Once a process."""
    os.register_at_fork(after_in_child=_close_all)


def _close_all() -> None:
    for descriptor in list(_DESCRIPTORS):
        _close(descriptor)


def _acquire_by_filelock(file: Path) -> Callable[[], object]:
    """Takes the lock as `filelock` does; returns what gives it back."""
    from filelock import FileLock, Timeout

    lock = FileLock(file, blocking=False, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise _held(file) from None
    return lock.release
