"""Everything that `pytest_autoeval` exports, used as a user would: the file is checked by mypy, and run here."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support import users_own

import pytest_autoeval

from .conftest import Run

FILE = Path(users_own.__file__)
GRAMMAR = r"""
// language: propositional
start: PROPOSITION "∧" PROPOSITION
PROPOSITION: /\w+/
"""


def test_the_users_file_uses_every_public_name() -> None:
    imported = [node for node in ast.parse(FILE.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
    names = {alias.name for node in imported if node.module == "pytest_autoeval" for alias in node.names}
    assert names == {*pytest_autoeval.__all__} - {"__version__"}
    assert all(hasattr(pytest_autoeval, name) for name in names)


def test_the_users_file_runs(pytester: pytest.Pytester, run: Run) -> None:
    for name in ("conftest.py", "test_user.py"):
        (pytester.path / name).write_text(FILE.read_text("utf-8"), "utf-8")
    (pytester.path / "twice.lark").write_text(GRAMMAR, "utf-8")
    for task, verb in (("negation", "Negate"), ("counting", "Count")):
        folder = pytester.path / "prompts" / task
        folder.mkdir(parents=True)
        (folder / "propositional.toml").write_text(f'user = "{verb}: ${{formula}}"', "utf-8")
    run("--autoeval-model=clerk").assert_outcomes(passed=6)
