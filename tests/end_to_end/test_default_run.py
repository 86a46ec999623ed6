"""The command of the README's first lines: its answers stand in `cassettes/`, all of them and no others."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_autoeval.reporting.results import read
from pytest_autoeval.reporting.row import Row

ROOT = Path(__file__).parents[2]
RENEW = (
    "the recordings of the default run are not those of the suites as they stand; renew them from the repository's "
    "root: rm -r cassettes/*; pytest suites --autoeval-record-mode=all"
)


@dataclass(frozen=True)
class DefaultRun:
    """What a run of the suites from the repository's root came to."""

    code: int
    text: str
    rows: list[Row]


def run_suites(results: Path, *arguments: str) -> DefaultRun:
    """Runs `pytest suites` with these arguments as well."""
    foreign = ("OPENAI_", "PYTEST_", "COV_")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "suites",
            "-p",
            "no:cacheprovider",
            f"--autoeval-results={results}",
            *arguments,
        ],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith(foreign)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    return DefaultRun(done.returncode, done.stdout, read(results).rows)


@pytest.fixture(scope="module")
def default_run(tmp_path_factory: pytest.TempPathFactory) -> DefaultRun:
    """The default command as it is typed."""
    return run_suites(tmp_path_factory.mktemp("default") / "results.jsonl")


def test_every_formula_of_the_suites_goes_round(default_run: DefaultRun) -> None:
    assert default_run.code == 0, default_run.text
    assert {row.outcome for row in default_run.rows} == {"equivalent", "correct"}
    assert {row.model for row in default_run.rows} == {"offline/faithful"}


def test_the_default_run_asks_nobody(default_run: DefaultRun) -> None:
    assert {call.replayed for row in default_run.rows for call in row.calls} == {True}, RENEW


def test_no_recording_is_missing_and_none_is_left_over(tmp_path: Path) -> None:
    replayed = run_suites(tmp_path / "results.jsonl", "--autoeval-record-mode=none", "-v")
    assert replayed.code == 0, RENEW
    assert "did not use" not in replayed.text, RENEW


def test_recordings_are_small_and_of_the_default_model_alone() -> None:
    recordings = [path for path in (ROOT / "cassettes").rglob("[!.]*") if path.is_file()]
    assert recordings, RENEW
    assert {path.parent.name for path in recordings} == {"offline--faithful"}, RENEW
    assert max(path.stat().st_size for path in recordings) < 8192
    assert sum(path.stat().st_size for path in recordings) < 8 * 2**20
