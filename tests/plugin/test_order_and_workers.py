"""The same results with any number of workers and in any order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval.reporting.results import without_times

Run = Callable[..., pytest.RunResult]
Rows = Callable[[str], list[dict[str, Any]]]


def test_results_do_not_depend_on_workers_or_order(suite: Callable[..., Path], run: Run, rows: Rows) -> None:
    suite()
    base = ("--autoeval-model=offline/student?strength=0.8", "--autoeval-repeats=2", "-q")
    ways = {
        "alone": ("-n", "0"),
        "two": ("-n", "2"),
        "eight": ("-n", "8"),
        "one call at a time": ("--autoeval-concurrency=1",),
        "backwards": ("-p", "backwards"),
    }
    Path("backwards.py").write_text(
        "def pytest_collection_modifyitems(items):\n    items.reverse()\n", encoding="utf-8"
    )
    found = {}
    for name, arguments in ways.items():
        run(*base, *arguments, f"--autoeval-results={name}.jsonl")
        found[name] = [without_times(row) for row in rows(f"{name}.jsonl")]
    assert len(found["alone"]) == 4 * 4 * 2
    assert {row["outcome"] for row in found["alone"]} > {"equivalent"}
    for name, result in found.items():
        assert result == found["alone"], name
