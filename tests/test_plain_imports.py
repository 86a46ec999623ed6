"""pytest rewrites assertions in the modules of an installed plugin. Ours are imported as they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

#: As pytest does with the files of an installed plugin.
MARKS = """
import pytest

pytest.register_assert_rewrite("pytest_autoeval")
"""
LOADERS = """
import sys
from importlib.util import find_spec
import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook

@pytest.mark.autoeval("propositional", samples=1, operators=[2])
def test_a_run_imports_most_modules(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample.formula), sample.formula)

def test_no_module_of_ours_is_rewritten():
    modules = [module for name, module in sys.modules.items() if name.startswith("pytest_autoeval.")]
    assert len(modules) > 100
    rewritten = [name.__name__ for name in modules if isinstance(name.__loader__, AssertionRewritingHook)]
    assert not rewritten

def test_the_packaged_suites_are_tests():
    spec = find_spec("pytest_autoeval.suites.test_propositional")
    assert isinstance(spec.loader, AssertionRewritingHook)
"""


def test_only_the_packaged_suites_are_rewritten(tmp_path: Path) -> None:
    (tmp_path / "marks.py").write_text(MARKS, "utf-8")
    (tmp_path / "test_loaders.py").write_text(LOADERS, "utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{Path(__file__).parents[1]}{os.pathsep}{tmp_path}"}
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir=."]
    done = subprocess.run(
        [*command, "-p", "marks", "-p", "pytest_autoeval.plugin"],
        cwd=tmp_path,
        env={**environment, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout
