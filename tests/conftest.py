"""What all tests of this repository share."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings
from support.program import Printed, Program

# How long an example takes is the machine's business; the benchmarks tell about speed. Continuous integration draws the
# same examples each time, so that a red run is about the change; at a desk they are new ones each time, and more.
_IN_CI = "CI" in os.environ
settings.register_profile(
    "pytest-autoeval", max_examples=40 if _IN_CI else 70, deadline=None, derandomize=_IN_CI
)
settings.load_profile("pytest-autoeval")

# These send signals, make named pipes, limit resources or run bash, which Windows does not know.
collect_ignore = (
    """
    datasets/test_reading_files.py documentation end_to_end/test_action.py end_to_end/test_faults.py
    end_to_end/test_killed_runs.py end_to_end/test_recorded_run.py languages/test_isolation.py
    models/offline/test_offline_command.py models/test_cassette_text.py models/test_hub.py models/test_journal.py
    models/test_recording_safety.py models/test_recordings.py plugin/test_interruption.py
    plugin/test_resume.py report/test_results_file.py
    """.split()  # noqa: SIM905
    if sys.platform == "win32"
    else []
)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test whose extras are missing; with ``AUTOEVAL_EXTRAS=required`` it fails."""
    names = [name for mark in item.iter_markers("extra") for name in mark.args]
    if missing := [
        name for name in names if find_spec(name) is None and shutil.which(name) is None
    ]:
        problem = f"not installed: {', '.join(missing)} (see CONTRIBUTING.md)"
        if os.environ.get("AUTOEVAL_EXTRAS") == "required":
            pytest.fail(problem, pytrace=False)
        pytest.skip(problem)


def pytest_collection_finish() -> None:
    """Keeps the garbage collector from looking again and again at thousands of tests and modules.

    With the usual thresholds it takes a tenth of the processor time of the tests.
    """
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str]) -> Program:
    """``python -m pytest_autoeval``, in this process."""

    def run(*arguments: str, code: int = 0) -> Printed:
        from pytest_autoeval.__main__ import main

        capsys.readouterr()  # what was printed before
        try:
            ended: object = main(list(arguments))
        except SystemExit as wrong_use:
            ended = wrong_use.code
        printed = Printed(*capsys.readouterr())
        assert ended == code, "".join(printed)
        return printed

    return run
