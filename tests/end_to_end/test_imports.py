"""A suite that needs no solver, no Hypothesis and no client of a provider does not wait for their import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.chat_server import ChatServer
from support.formula_server import sensible
from support.small_project import SmallProject

NOTE = """
import sys
from pathlib import Path

def pytest_runtest_teardown():
    names = {"dd", "hypothesis", "httpx2", "openai", "scipy", "vcr", "yaml", "z3"}
    found = sorted(names & sys.modules.keys())
    Path("imported").write_text(" ".join(found))
"""


def test_a_propositional_suite_imports_only_what_it_needs(tmp_path: Path) -> None:
    project = SmallProject(tmp_path)
    (tmp_path / "note.py").write_text(NOTE)
    with ChatServer(sensible) as server:
        asked = project.arguments(f"--autoeval-base-url={server.url}", "--autoeval-model=m", "-pnote")
        environment = project.environment(OPENAI_API_KEY="none", PYTHONPATH=".")
        command = [sys.executable, "-m", "pytest", *asked]  # no fork of a process that has imported them
        subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    assert len(project.rows()) == 12
    assert not (tmp_path / "imported").read_text()
