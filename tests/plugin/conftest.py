"""A small suite to run the plugin on, in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROUND_TRIP = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(4), samples=4{more})
def test_round_trip(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
"""

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Callable[..., Path]:
    """Writes `test_suite.py`: the usual round trip, with more arguments of its marker, or a text of one's own."""

    def write(source: str = ROUND_TRIP, more: str = "") -> Path:
        return Path(pytester.makepyfile(test_suite=source.replace("{more}", more)))

    return write


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs pytest in a subprocess, without a key and without colours; the answer's text is in `.stdout`."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "PYTEST_ADDOPTS", "CI", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)

    return call


@pytest.fixture
def rows(pytester: pytest.Pytester) -> Callable[[str], list[dict[str, Any]]]:
    """Reads a results file."""

    def read(name: str) -> list[dict[str, Any]]:
        lines = (pytester.path / name).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    return read
