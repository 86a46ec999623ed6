"""Small suites to run the plugin on: in this process, which is quick, or in one of their own."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol
from unittest.mock import Mock

import pytest
from support.flat_rows import flat_rows, lasting_rows
from support.forked import PRELOADED, workers_of
from support.installed import remember_packages
from support.program import Program
from support.small_project import PLUGINS, start_pytest

# Runs inside this process forget the modules that they were the first to import. So all of them are imported before.
for _name in PRELOADED:
    import_module(_name)
remember_packages()

ROUND_TRIP = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(4), samples=4{more})
def test_round_trip(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
"""
SENTENCES_SUITE = """
import pytest

@pytest.mark.autoeval("requirements.md", language="ltl", task="sentence_round_trip"{more})
def test_requirements(sample, perform):
    perform(sample)
"""
FAITHFUL = "--autoeval-model=offline/faithful"
#: Misreads the listed sentences, but not their paraphrases.
MISREAD = "--autoeval-model=offline/misread-sentences?sentences=wrong.txt"
#: What the world outside may say to the runs in here.
_OF_OUTSIDE = (
    *("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID"),
    *("PYTEST_ADDOPTS", "CI", "FORCE_COLOR", "GITHUB_STEP_SUMMARY"),
)
#: What the run of this test must not hand on to those in here.
_OF_OURS = ("PYTEST_CURRENT_TEST", "PYTEST_VERSION", "PYTEST_XDIST_")
#: What stands in the last line of a run.
_DURATION = re.compile(r" in \d+\.\d\ds")


class Run(Protocol):
    """Runs pytest on what stands in the current folder.

    ``apart`` runs it in a process of its own, as does ``-n 2``. ``cache`` lets it keep a cache.
    """

    def __call__(
        self, *arguments: str, apart: bool = False, cache: bool = False
    ) -> pytest.RunResult: ...


Suite = Callable[..., Path]
Rows = Callable[[str], list[dict[str, Any]]]


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    """Writes `test_suite.py`: the usual round trip, with more arguments of its marker, or a text of one's own."""

    def write(source: str = ROUND_TRIP, more: str = "") -> Path:
        return Path(pytester.makepyfile(test_suite=source.replace("{more}", more)))

    return write


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs pytest without a key and without colours."""
    for name in _OF_OUTSIDE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments: str, apart: bool = False, cache: bool = False) -> pytest.RunResult:
        plugins = PLUGINS if cache else (*PLUGINS, "-pno:cacheprovider")
        if not apart and not workers_of(arguments):
            return pytester.runpytest_inprocess(*plugins, *arguments)
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(_OF_OURS)
        }
        process = start_pytest(Path.cwd(), [*plugins, *arguments], environment)
        text, _ = process.communicate(timeout=120)
        sys.stdout.write(f"{text}\nexit code {process.returncode}\n")  # a test that fails shows it
        result = pytest.RunResult(process.returncode, text.splitlines(), [], 0.0)
        if not _DURATION.search(text):
            broken = AssertionError(
                f"the run ended with exit code {process.returncode} and without pytest's last line. It printed:\n{text}"
            )
            if process.returncode < 0:
                raise broken
            # Some runs are meant to end so; nobody may ask them for their outcomes.
            monkeypatch.setattr(result, "parseoutcomes", Mock(side_effect=broken))
        return result

    return call


@pytest.fixture
def report(program: Program) -> Program:
    """Runs the command ``report``."""
    return partial(program, "report")


@pytest.fixture
def bare_prompts(pytester: pytest.Pytester) -> None:
    """Prompts that are a verb and a formula or description: a model can count what it is asked."""
    for task, user in (
        ("informalize", "Describe ${formula}"),
        ("autoformalize", "Read ${description}"),
    ):
        folder = pytester.path / "prompts" / task
        folder.mkdir(parents=True)
        (folder / "propositional.toml").write_text(f'user = "{user}"', encoding="utf-8")


@pytest.fixture
def rows(pytester: pytest.Pytester) -> Rows:
    """Reads the samples of a results file, each as a flat dict."""
    return lambda name: flat_rows(pytester.path / name)


def marked(marker: str, body: str, takes: str = "sample", before: str = "") -> str:
    """The text of a suite: what stands before it, the arguments of its marker and of its test, and its body."""
    body = body.replace("TRIP", "assert_equivalent(round_trip(sample), sample.formula)")
    if "round_trip" in body:
        takes += ", round_trip, assert_equivalent"
    lines = body.replace("\n", "\n    ")
    return f"import pytest\n{before}\n\n@pytest.mark.autoeval({marker})\ndef test_it({takes}):\n    {lines}\n"


def lasting(file: str | Path) -> list[dict[str, Any]]:
    """The rows of a file, but for times."""
    return lasting_rows(file)


def said(result: pytest.RunResult) -> str:
    """All that a run printed, with each line of a failed suite's message whole."""
    before, heading, after = result.stdout.str().partition("= FAILURES =")
    messages, end, rest = after.partition("= autoeval =")
    return before + heading + re.sub(r"\n +", " ", messages) + end + rest + result.stderr.str()
