"""How many files of the package does one small run enter? Counts those of which a function runs.

    python benchmarks/files_entered.py [PYTEST ARGUMENT ...]

Without arguments it runs one formula of the propositional suite, replayed from a recording that it makes first. The
body of a class counts as a function, the body of a module does not.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType

import pytest

import pytest_autoeval

PACKAGE = str(Path(pytest_autoeval.__file__).parent)
DEFAULT = (
    "suites/test_propositional.py",
    "--autoeval-samples=1",
    "--autoeval-operators=3:4",
    "-q",
    "-p",
    "no:cacheprovider",
)


def main(arguments: list[str]) -> int:
    """Runs pytest in this process under a profile function, then prints the files by room."""
    entered: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(PACKAGE):
            entered.add(code.co_filename)

    with tempfile.TemporaryDirectory() as folder:
        if not arguments:
            arguments = [*DEFAULT, f"--autoeval-cassettes={folder}"]
            recording = [sys.executable, "-m", "pytest", *arguments, "--autoeval-record-mode=all"]
            subprocess.run(recording, check=True)  # noqa: S603 - our own command
        threading.setprofile(note)
        sys.setprofile(note)
        status = pytest.main(arguments)
        sys.setprofile(None)
    rooms: dict[str, int] = {}
    for name in sorted(entered):
        inside = Path(name).relative_to(PACKAGE)
        room = inside.parts[0] if len(inside.parts) > 1 else "(top)"
        rooms[room] = rooms.get(room, 0) + 1
    for room, number in rooms.items():
        print(f"{number:5}  {room}")
    print(f"{len(entered):5}  files of the package were entered")
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
