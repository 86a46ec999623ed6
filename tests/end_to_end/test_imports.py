"""A suite that needs no solver, no Hypothesis and no client of a provider does not wait for their import."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from support.chat_server import ChatServer
from support.formula_server import sensible
from support.small_project import PLUGINS, SmallProject

import pytest_autoeval

NOTE = """
import sys
from pathlib import Path

def pytest_runtest_teardown():
    names = {"dd", "hypothesis", "httpx2", "openai", "scipy", "vcr", "yaml", "z3"}
    found = sorted(names & sys.modules.keys())
    Path("imported").write_text(" ".join(found))
"""

ROOMS = """
import os
import sys
from pathlib import Path

def pytest_unconfigure():
    rooms = ("datasets", "generation", "languages", "models", "tasks")
    found = {name for name in rooms if f"pytest_autoeval.{name}" in sys.modules}
    Path("rooms-" + os.environ.get("PYTEST_XDIST_WORKER", "controller")).write_text(" ".join(sorted(found)))
"""


def test_a_propositional_suite_imports_only_what_it_needs(tmp_path: Path) -> None:
    project = SmallProject(tmp_path)
    (tmp_path / "note.py").write_text(NOTE)
    with ChatServer(sensible) as server:
        asked = project.arguments(
            f"--autoeval-base-url={server.url}", "--autoeval-model=m", "-pnote"
        )
        environment = project.environment(OPENAI_API_KEY="none", PYTHONPATH=".")
        # No fork of a process that has imported them.
        command = [
            sys.executable,
            "-m",
            "pytest",
            *asked,
        ]
        subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    assert len(project.rows()) == 12
    assert not (tmp_path / "imported").read_text()


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_project_without_suites_imports_no_room(tmp_path: Path, workers: str) -> None:
    project = SmallProject(tmp_path)
    (tmp_path / "test_suite.py").write_text("def test_trivial(): pass\n")
    (tmp_path / "note.py").write_text(ROOMS)
    command = [sys.executable, "-m", "pytest", *PLUGINS, "-pnote", "-n", workers]
    subprocess.run(command, cwd=tmp_path, env=project.environment(PYTHONPATH="."), check=True)
    noted = [file.read_text() for file in tmp_path.glob("rooms-*")]
    assert noted == [""] * (1 + int(workers))


@pytest.mark.parametrize(
    "use", ["import pytest_autoeval.plugin", "from pytest_autoeval.__main__ import main; main()"]
)
def test_an_old_python_is_refused_in_one_line(use: str) -> None:
    """The file has nothing that Python 3.8 cannot read, so the line is printed there too."""
    pretend = "import sys; sys.version_info = (3, 10, 13); sys.version = '3.10.13 (main)'; "
    refused = subprocess.run(
        [sys.executable, "-c", pretend + use], capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert (
        refused.stderr == "pytest-autoeval needs Python 3.11 or newer, and this is Python 3.10.13\n"
    )
    ast.parse(Path(pytest_autoeval.__file__).read_text("utf-8"), feature_version=(3, 8))
