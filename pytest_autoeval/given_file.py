"""Reads a file from an untrusted source."""

from __future__ import annotations

import errno
import stat
from pathlib import Path


def read_given(path: Path, most: int | None = None) -> bytes:
    """The bytes of a regular file, at most ``most``. Raises :class:`OSError`, as :func:`check_given`."""
    check_given(path, most)
    return path.read_bytes()


def check_given(path: Path, most: int | None = None) -> None:
    """Checks that a path is a regular file of at most ``most`` bytes.

    Raises :class:`OSError`, whose ``strerror`` says what is wrong. Pipes and devices are not opened, since reading them
    could take for ever.
    """
    try:
        status = path.stat()
    except ValueError:  # a NUL, or what no encoding has
        raise OSError(errno.EINVAL, "no file can have this name") from None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "this is a folder; name a file in it", str(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "this is not an ordinary file", str(path))
    if most is not None and status.st_size > most:
        raise OSError(errno.EFBIG, f"the file has more than {most // 1_000_000} MB", str(path))
