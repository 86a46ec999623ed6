"""Text that commands nothing: the runner of a CI job looks for commands in all that is printed.

GitHub's runner acts on a line that begins with ``::command::`` after white space, and on ``##[command]`` anywhere in a
line. Azure's looks for ``##vso[…]``, TeamCity's for ``##teamcity[…]``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO, cast

# Lines are wrapped later, and other programs know other white space: any `::` that begins a word might begin a line.
_COMMAND = re.compile(r"(?<![\w!-~…]):(?=:)|#(?=#[a-zA-Z]*\[)")


def inert(text: str) -> str:
    """The text, with the first sign of what might be a command written out, as in ``\\u003a:error::``.

    In JSON this is the same text.
    """
    return _COMMAND.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def inert_in_shell(command: str) -> str:
    """The command of a shell as :func:`shlex.join` writes it, so that it means the same and commands no runner."""
    return _COMMAND.sub(lambda match: f"{match[0]}''", command)


class ChangedStream:
    """A stream for text that changes each text that is written to it."""

    def __init__(self, stream: TextIO, change: Callable[[str], str]) -> None:
        self._stream = stream
        self._change = change

    def write(self, text: str) -> int:
        """Writes a text."""
        return self._stream.write(self._change(text))

    def writelines(self, texts: Iterable[str]) -> None:
        """Writes several texts."""
        for text in texts:
            self.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def inert_output() -> Iterator[None]:
    """Makes inert what this process prints; each text that is printed should end where a line ends."""
    out, err = (cast("TextIO", ChangedStream(stream, inert)) for stream in (sys.stdout, sys.stderr))
    with redirect_stdout(out), redirect_stderr(err):
        yield
