"""Compares terminal output with stored snapshots, line by line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from difflib import unified_diff
from pathlib import Path

from pytest_autoeval.text import Line

_FOLDER = Path(__file__).parents[1] / "report" / "snapshots"
#: Set to store what is printed instead of comparing it.
UPDATE = "AUTOEVAL_UPDATE_SNAPSHOTS"


def assert_snapshot(name: str, lines: Iterable[Line]) -> None:
    """Asserts that the lines, each after its style, equal ``snapshots/NAME.txt``."""
    printed = [f"{line.style:<5} | {line.text}".rstrip() for line in lines]
    assert_text_snapshot(f"{name}.txt", "\n".join(printed) + "\n")


def assert_text_snapshot(name: str, text: str) -> None:
    """Asserts that a text equals ``snapshots/NAME``."""
    path = _FOLDER / name
    if os.environ.get(UPDATE):
        path.write_text(text, "utf-8")
    assert_same(path.read_text("utf-8") if path.exists() else "", text, f"snapshots/{name}")


def assert_same(stored: str, now: str, name: str) -> None:
    """Asserts that a text is what is stored. The message has a diff, and the command that accepts the change."""
    if stored != now:
        lines = unified_diff(_marked(stored), _marked(now), name, "now", lineterm="")
        raise AssertionError(
            "\n".join([f"{name} has changed. If it is right: {accepting()}", *lines])
        )


def _marked(text: str) -> Sequence[str]:
    """The lines of a text. The last one says whether a line end is missing: else the diff could be empty."""
    return (
        text.splitlines()
        if text.endswith("\n") or not text
        else [*text.splitlines(), "(no line end)"]
    )


def accepting() -> str:
    """The command that stores what the running test compares."""
    file = os.environ.get("PYTEST_CURRENT_TEST", "tests").partition("::")[0]
    return f"{UPDATE}=1 pytest {file}"
