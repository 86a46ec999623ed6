"""A user's own code: where it raised an exception, and how it can be called. Imports only the standard library."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import lru_cache
from inspect import Parameter, signature
from pathlib import Path
from traceback import FrameSummary, StackSummary, walk_tb
from types import TracebackType
from typing import Any

_PACKAGE = Path(__file__).resolve().parent
#: Where Python keeps its own modules.
_STANDARD = Path(os.__file__).resolve().parent
#: The folders of installed packages.
_INSTALLED = {"site-packages", "dist-packages"}


def last_line(error: BaseException) -> FrameSummary | None:
    """The last line of the user's own code that ran before an exception; None if none ran.

    Lines of this package and of libraries are left out. The user's code may itself be an installed package, so the
    last line outside of this package counts if all others are of libraries.
    """
    frames = StackSummary.extract(walk_tb(error.__traceback__), lookup_lines=False)
    outside = [frame for frame in frames if not _is_below(frame.filename, _PACKAGE)]
    own = [frame for frame in outside if not _is_of_library(frame)]
    candidates = own or outside
    return candidates[-1] if candidates else None


def place_of(error: BaseException) -> str:
    """The end of a message about an exception: `` (conftest.py:12)``; empty if no line of the user's code ran."""
    frame = last_line(error)
    return "" if frame is None else f" ({Path(frame.filename).name}:{frame.lineno})"


def without_our_frames(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of this package, and those of Python between them."""
    kept: TracebackType | None = None
    for entry in reversed(list(_entries(traceback))):
        filename = entry.tb_frame.f_code.co_filename
        # The user's code may itself be an installed package.
        is_pythons = filename.startswith("<") or (
            _is_below(filename, _STANDARD) and _INSTALLED.isdisjoint(Path(filename).parts)
        )
        if not is_pythons and not _is_below(filename, _PACKAGE):
            kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return kept


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def typed_text(error: BaseException) -> str:
    """The text of an exception with its type: ``KeyError: 'colour'``."""
    try:
        text = str(error)
    except Exception as problem:  # noqa: BLE001  (its `__str__` may be the user's code)
        text = f"its text cannot be made ({type(problem).__name__})"
    return f"{type(error).__name__}: {text}"


def _is_of_library(frame: FrameSummary) -> bool:
    path = Path(frame.filename)
    return (
        frame.filename.startswith("<")
        or not _INSTALLED.isdisjoint(path.parts)
        or _is_below(frame.filename, _STANDARD)
    )


# Each sample that fails asks it about the same few files, and to resolve a path takes a look at each of its folders.
@lru_cache(maxsize=1024)
def _is_below(filename: str, folder: Path) -> bool:
    return Path(filename).resolve().is_relative_to(folder)


def takes_repeat(complete: Callable[..., Any]) -> bool:
    """Whether a method ``complete`` can be called as a run calls it; of a callable without a signature, it is."""
    try:
        parameters = signature(complete).parameters
    except (TypeError, ValueError):
        return True
    takes_any = any(value.kind is Parameter.VAR_KEYWORD for value in parameters.values())
    return takes_any or "repeat" in parameters
