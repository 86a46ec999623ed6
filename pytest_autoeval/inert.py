"""Text without control characters for a terminal and without commands for a CI runner.

GitHub's runner acts on a line that begins with ``::command::`` after white space, and on ``##[command]`` anywhere in a
line. Azure's looks for ``##vso[…]``, TeamCity's for ``##teamcity[…]``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO, cast

from pytest_autoeval.lazy_pattern import lazy_pattern

# The first character of a possible command: the first colon of `::` at the start of a word, or the first `#` of `##[`
# and `##name[`. A word starts after a character that is none of letters, digits, visible ASCII and `…`. Lines are
# wrapped later, and programs differ in what is white space: any `::` at the start of a word might start a line.
_COMMAND = lazy_pattern(r"(?<![\w!-~…]):(?=:)|#(?=#[a-zA-Z]*\[)")
# All controls of ASCII and Latin-1, except for tabs and line ends, which are layout.
_CONTROL = lazy_pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def inert(text: str) -> str:
    """The text with control characters and the first character of possible commands escaped.

    They become ``\\x1b`` and ``\\u003a:error::``. In JSON this is the same text.
    """
    # A carriage return alone would let a terminal overwrite the line. Before a line end it does nothing.
    with_plain_line_ends = text.replace("\r\n", "\n")
    return without_commands(_CONTROL.sub(_escaped, with_plain_line_ends))


def without_commands(text: str) -> str:
    """The text with the first character of possible CI commands escaped."""
    return _COMMAND.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _escaped(control: re.Match[str]) -> str:
    code = ord(control[0])
    # JSON has no controls below 0x20 as they are. It may have the others, for which it reads ``\u`` as the same text.
    return f"\\x{code:02x}" if code < 0x20 else f"\\u{code:04x}"


def inert_in_shell(command: str) -> str:
    """A shell command, as from :func:`shlex.join`, with the same meaning and without CI commands.

    Two quotes after the first character of a possible command separate it from the second: ``:'':``. For a shell they
    are an empty text.
    """
    return _COMMAND.sub(lambda match: f"{match[0]}''", command)


class ChangedStream:
    """A text stream that changes each text before it is written."""

    def __init__(self, stream: TextIO, change: Callable[[str], str]) -> None:
        self.unchanged = stream
        self._change = change

    def write(self, text: str) -> int:
        return self.unchanged.write(self._change(text))

    def writelines(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unchanged, name)


class _ColourlessStream(ChangedStream):
    def isatty(self) -> bool:
        """False, so that nobody writes colours (as argparse does), which would be escaped."""
        return False


@contextmanager
def inert_output() -> Iterator[None]:
    """Makes the output of this process inert.

    Each text that is printed should end with a line end: a command in two texts, such as ``:`` and ``:error::``, would
    not be seen.
    """
    out = _ColourlessStream(sys.stdout, inert)
    err = _ColourlessStream(sys.stderr, inert)
    with redirect_stdout(cast("TextIO", out)), redirect_stderr(cast("TextIO", err)):
        yield
