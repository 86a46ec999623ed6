"""`--autoeval-batch`: the same rows as a live run, asked in batches."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.batch_server import BatchServer, Faults
from support.formula_server import erring
from support.small_project import SmallProject

#: A run that does not wait long for further requests and looks often.
HASTY = """
from pytest_autoeval.models import batches
batches.QUIET, batches.FIRST_PAUSE, batches.LONGEST_PAUSE, batches.TICK = 0.7, 0.02, 0.05, 0.02
"""


@pytest.fixture
def project(tmp_path: Path) -> SmallProject:
    (tmp_path / "conftest.py").write_text(HASTY)
    return SmallProject(tmp_path, "operators=range(1, 4), samples=20, threshold=0.99", cache=True)


def test_rows_are_those_of_the_live_run(project: SmallProject) -> None:
    with BatchServer(erring) as server:
        options = ["--autoeval-model=a", f"--autoeval-base-url={server.url}", "--autoeval-shrink-budget=0"]
        live = project.run(*options)
        sent = len(server.requests)
        ran = project.run(*options, "--autoeval-batch")
        assert ran.lasting == live.lasting
        assert ran.code == live.code
        assert len(server.requests) == sent
        assert len(server.batches) == 2
        assert set(server.uploads.values()) == {1}
