"""The same results with any number of workers and in any order."""

from __future__ import annotations

import pytest

from pytest_autoeval.reporting.row import Row, without_times

from .conftest import Rows, Run, Suite


def test_results_do_not_depend_on_workers_or_order(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    suite()
    pytester.makeconftest(
        """
        import os
        import time
        from pathlib import Path

        def pytest_configure(config):
            if worker := os.environ.get("PYTEST_XDIST_WORKER"):
                config.add_cleanup(lambda: (time.sleep(0.1), Path(f"{worker}.cleaned").touch()))

        def pytest_addoption(parser):
            parser.addoption("--backwards", action="store_true")

        def pytest_collection_modifyitems(config, items):
            if config.option.backwards:
                items.reverse()
        """
    )
    base = ("--autoeval-model=offline/student?strength=0.8", "--autoeval-repeats=2", "-q")
    runs: dict[str, tuple[str, ...]] = {
        "alone": ("-n", "0"),
        "two": ("-n", "2"),
        "one call at a time": ("--autoeval-concurrency=1",),
        "backwards": ("--backwards",),
        "without xdist": ("-p", "no:xdist"),
        "stolen work": ("-n", "3", "--dist", "worksteal", "--backwards"),
    }
    found, shown = {}, {}
    for name, arguments in runs.items():
        result = run(*base, *arguments, f"--autoeval-results={name}.jsonl", "-v")
        found[name] = [without_times(Row.from_json(row)) for row in rows(f"{name}.jsonl")]
        shown[name] = result.stdout.str().partition("smallest counterexamples")[2].partition("\n=")[0]
    assert len(found["alone"]) == 4 * 4 * 2
    assert {row.outcome for row in found["alone"]} > {"equivalent"}
    assert "reproduce" in shown["alone"]
    # Everybody's cleanups run to their end in a worker too.
    assert sorted(file.stem for file in pytester.path.glob("*.cleaned")) == ["gw0", "gw1", "gw2"]
    for name in runs:
        assert found[name] == found["alone"], name
        assert shown[name] == shown["alone"], name
