"""The picture of the page in README and on the site's home is made by its script, and is small."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_BYTES = 250_000


@pytest.mark.extra("PIL")
def test_the_script_makes_the_picture_of_the_page(tmp_path: Path) -> None:
    made = tmp_path / "page.png"
    command = [sys.executable, str(ROOT / "docs/screenshot.py"), f"--to={made}"]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "page.png" in ran.stdout
    for picture in (made, ROOT / "docs/page.png"):
        start = picture.read_bytes()
        assert start.startswith(b"\x89PNG\r\n\x1a\n")
        assert len(start) < MOST_BYTES
        assert int.from_bytes(start[16:20]) == 1680, "the width"
