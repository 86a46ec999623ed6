"""Writes the files that a user asks for, and spares all others.

One rule for all of them: a file is replaced only if it is an ordinary one and an earlier output of the same kind, or
empty. Links are followed. The new content replaces the old one as a whole.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

_BEGINNING = 8_192  # bytes by which the kind of a file is recognised


class OutputKind(Struct, frozen=True):
    """A kind of output: its name for messages, how its files begin, and a text in the first bytes of each."""

    name: str
    begins: tuple[str, ...]
    contains: str = ""

    def is_kind_of(self, beginning: bytes) -> bool:
        """Whether a file that begins so is an output of this kind. An empty file can be replaced by any."""
        starts = tuple(start.encode() for start in self.begins)
        return not beginning.strip() or (
            beginning.startswith(starts) and self.contains.encode() in beginning
        )


RESULTS = OutputKind("results of a run", ('{"kind":"run"', '{"schema_version"'))
PAGE = OutputKind(
    "a page of pytest-autoeval",
    ("<!doctype html>",),
    '<meta name="referrer" content="no-referrer">',
)
SUMMARY = OutputKind("a summary in JSON of pytest-autoeval", ('{\n  "schema_version"',))
MARKDOWN = OutputKind(
    "a summary in Markdown of pytest-autoeval", ("## ✓ ", "## ✗ ", "## ? ", "## ! ", "## · ")
)
QUESTIONS = OutputKind(
    "questions of pytest-autoeval",
    # The last one was that of earlier releases.
    ("# Questions\n", "answer,question,requirement,", "answer,question,place,"),
)
CASES = OutputKind(
    "cases of questions of pytest-autoeval", ('{\n "questions of pytest-autoeval":',)
)
TRENDS = OutputKind("trends of pytest-autoeval", ("run,date,dated_by,",))
FORMULAS = OutputKind("formulas that `generate` wrote", ('{"grammar"',))
MISSED = OutputKind("items that no model passed, as arguments of pytest", ("--autoeval-formula=",))
FAILURES = OutputKind("formulas on which a model failed", ('{"formula"',))


def target_of(path: Path, kind: OutputKind | None = None) -> Path:
    """The file that a path names, with links followed; it need not exist.

    Raises :class:`OSError`, whose ``strerror`` says what is wrong, if it cannot be replaced: a folder, a device, a
    pipe, links that form a loop, a file that may not be written, a file of another ``kind``.
    """
    try:
        target = path.resolve()
        mode = path.stat().st_mode
    except (
        FileNotFoundError,
        NotADirectoryError,
    ):
        # The folders above it are not there yet, or cannot be made.
        return target
    except RuntimeError:  # how Python 3.11 and 3.12 report a loop
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None
    except ValueError:  # a NUL, or what no encoding has
        raise OSError(errno.EINVAL, "no file can have this name") from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "this is not an ordinary file", str(path))
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    if kind is not None and not kind.is_kind_of(_beginning(target)):
        problem = f"the file exists and does not contain {kind.name}, so it is not overwritten; name another file"
        raise FileExistsError(errno.EEXIST, problem, str(path))
    return target


def write_file(path: Path, texts: Iterable[str | bytes], kind: OutputKind | None = None) -> None:
    """Writes texts to a file in UTF-8, and makes the folders above it.

    The file is replaced as a whole, or left as it was if this raises :class:`OSError`, as :func:`target_of`.
    """
    target = target_of(path, kind)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with fresh.open("wb") as file:
            file.writelines(text.encode() if isinstance(text, str) else text for text in texts)
        with suppress(OSError):  # a new file has no mode to keep
            shutil.copymode(target, fresh)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def append_text(path: Path, text: str) -> None:
    """Appends to an ordinary file, such as the summary of a job. Raises :class:`OSError`, as :func:`target_of`."""
    target = target_of(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("ab") as file:
        file.write(text.encode())


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_BEGINNING)
