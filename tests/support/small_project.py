"""A user's project in a folder of its own: a small suite, and pytest runs on it."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import Sample
from support.flat_rows import without_times

if sys.platform == "linux":
    from support.forked import Fork

SUITE = """
import pytest

@pytest.mark.autoeval("propositional", {arguments})
def test_round_trip(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
"""
#: Environment variables that would change a run.
_FOREIGN = (
    "OPENAI_",
    "PYTEST_",
    "COV_",
    "PYTHONDONTWRITEBYTECODE",
    "FORCE_COLOR",
    "NO_COLOR",
    "CI",
)
#: The plugins that the runs need. Searching for others takes a third of a short run.
PLUGINS = ("--disable-plugin-autoload", "-pautoeval", "-pxdist", "-phypothesispytest")
_RESULTS, _JUNIT = "results.jsonl", "junit.xml"


class Process(Protocol):
    """A process that runs pytest, with a part of the interface of `subprocess`."""

    pid: int
    returncode: int

    def poll(self) -> int | None: ...
    def communicate(self, input: None = None, timeout: float = ...) -> tuple[str, object]: ...  # noqa: A002


def start_pytest(folder: Path, arguments: list[str], environment: dict[str, str]) -> Process:
    """Starts pytest in a process group of its own: on Linux in a fork, which is quick, or in a fresh interpreter."""
    if sys.platform == "linux":
        return Fork(folder, arguments, environment)
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
    )


def run_in_repository(*arguments: str) -> tuple[int, str]:
    """Runs pytest from the repository's root; returns its exit code and output."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OPENAI_", "PYTEST_", "COV_"))
    }
    run = start_pytest(
        Path(__file__).parents[2], ["-p", "no:cacheprovider", *arguments], environment
    )
    text, _ = run.communicate(timeout=600)
    sys.stdout.write(f"{text}\nexit code {run.returncode}\n")  # a test that fails shows it
    return run.returncode, text


@dataclass(frozen=True)
class Ran:
    """What a run left: its exit code, its terminal output, its rows, and the failure of each suite."""

    code: int
    text: str
    rows: list[Sample]
    failures: dict[str, str]

    @property
    def lasting(self) -> list[dict[str, Any]]:
        """The rows without times, which are the same for equal runs."""
        return [without_times(row) for row in self.rows]

    @property
    def outcomes(self) -> Counter[str]:
        """The number of samples with each outcome."""
        return Counter(row.outcome for row in self.rows)

    @property
    def replayed(self) -> set[bool]:
        """Whether calls were replayed."""
        return {call.replayed for row in self.rows for call in row.calls}

    def failure(self, model: str) -> str:
        """Why a model's suite failed; empty if it passed."""
        [why] = self.of(model).failures.values()
        return why

    def of(self, model: str) -> Ran:
        """A model's part in the run."""
        failures = {name: why for name, why in self.failures.items() if name.endswith(f"[{model}]")}
        rows = [row for row in self.rows if row.model == model]
        return Ran(self.code, self.text, rows, failures)


class SmallProject:
    """A folder with `test_suite.py`; runs write only below it.

    ``arguments`` are those of the suite's marker; ``cache`` lets pytest have a cache folder.
    """

    def __init__(
        self,
        folder: Path,
        arguments: str = "operators=range(1, 4), samples=4",
        *,
        cache: bool = False,
    ) -> None:
        self.folder = folder
        self.cache = cache
        self.cassettes = folder / "cassettes"
        (folder / "test_suite.py").write_text(SUITE.format(arguments=arguments), encoding="utf-8")
        (folder / "backwards.py").write_text(
            "def pytest_collection_modifyitems(items): items.reverse()\n"
        )
        for name in ("home", "temporary"):
            (folder / name).mkdir()

    def run(self, *arguments: str, **environment: str) -> Ran:
        """Runs pytest to its end, by default without a key; removes an earlier run's results first."""
        for name in (_RESULTS, _JUNIT):
            (self.folder / name).unlink(missing_ok=True)
        return self.carry_out(*arguments, **environment)

    def carry_out(self, *arguments: str, **environment: str) -> Ran:
        """Runs pytest to its end without removing what an earlier run left."""
        return self.end_of(self.start(*arguments, **environment))

    def start(self, *arguments: str, **environment: str) -> Process:
        """Starts a run in a process group of its own."""
        return start_pytest(
            self.folder, self.arguments(*arguments), self.environment(**environment)
        )

    def end_of(self, process: Process) -> Ran:
        """Waits for a run and its workers to end, and returns what it left."""
        text, _ = process.communicate(timeout=60)
        sys.stdout.write(f"{text}\nexit code {process.returncode}\n")  # a test that fails shows it
        return Ran(process.returncode, text, self.rows(), self._failures())

    def arguments(self, *more: str) -> list[str]:
        """The arguments for pytest."""
        plugins = PLUGINS if self.cache else (*PLUGINS, "-pno:cacheprovider")
        return [*plugins, f"--junitxml={_JUNIT}", f"--autoeval-results={_RESULTS}", *more]

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of a run, without settings from outside."""
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)
        }
        return {
            **inherited,
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "temporary"),
            "COLUMNS": "120",
            **more,
        }

    def rows(self) -> list[Sample]:
        """The samples of the last run, in the order of their suites' names."""
        file = self.folder / _RESULTS
        suites = read_file(file).suites if file.exists() else []
        return [
            sample
            for suite in sorted(suites, key=lambda one: (one.name, one.model))
            for sample in suite.samples
        ]

    def recordings(self) -> list[Path]:
        """All files in the folder of recordings."""
        return sorted(path for path in self.cassettes.rglob("*") if path.is_file())

    def _failures(self) -> dict[str, str]:
        file = self.folder / _JUNIT
        cases: Any = ET.parse(file).iter("testcase") if file.exists() else ()
        found = {case.get("name"): case.find("failure") for case in cases}
        return {
            name: "" if failure is None else failure.text or "" for name, failure in found.items()
        }
