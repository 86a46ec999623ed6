"""Compares terminal output with stored snapshots, line by line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pytest_autoeval.text import Line

_FOLDER = Path(__file__).parents[1] / "report" / "snapshots"
#: Set to store what is printed instead of comparing it.
_UPDATE = "AUTOEVAL_UPDATE_SNAPSHOTS"


def assert_snapshot(name: str, lines: Iterable[Line]) -> None:
    """Asserts that the lines, each after its style, equal ``snapshots/NAME.txt``."""
    printed = [f"{line.style:<5} | {line.text}".rstrip() for line in lines]
    path = _FOLDER / f"{name}.txt"
    if os.environ.get(_UPDATE):
        path.write_text("\n".join(printed) + "\n", "utf-8")
    assert path.exists(), f"no snapshot {path}; run once with {_UPDATE}=1"
    assert printed == path.read_text("utf-8").splitlines(), f"run with {_UPDATE}=1 to accept"


def assert_text_snapshot(name: str, text: str) -> None:
    """Asserts that a text equals ``snapshots/NAME``."""
    path = _FOLDER / name
    if os.environ.get(_UPDATE):
        path.write_text(text, "utf-8")
    assert path.exists(), f"no snapshot {path}; run once with {_UPDATE}=1"
    assert text == path.read_text("utf-8"), f"run with {_UPDATE}=1 to accept"
