"""Grammars of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def grammar_file(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a grammar to a file of its own."""

    def written(text: str) -> Path:
        path = tmp_path / "mine.lark"
        path.write_text(text, encoding="utf-8")
        return path

    return written
