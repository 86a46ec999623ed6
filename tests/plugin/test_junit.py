"""JUnit XML: what a suite's gates measured, as properties of its test case."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROUND_TRIP, Run, Suite


def properties(path: Path) -> dict[str, dict[str, str]]:
    """The properties of each test case, by its name."""
    cases: Any = ET.parse(path).iter("testcase")
    return {
        case.get("name"): {one.get("name"): one.get("value") for one in case.iter("property")}
        for case in cases
    }


@pytest.mark.parametrize(("family", "workers"), [("xunit1", ()), ("xunit2", ("-n", "2"))])
def test_a_suite_reports_what_its_gate_measured(
    run: Run, suite: Suite, pytester: pytest.Pytester, family: str, workers: tuple[str, ...]
) -> None:
    suite(more=", threshold=0.95")
    result = run(
        "--autoeval-model=offline/negation-scope",
        "--junitxml=junit.xml",
        "-o",
        f"junit_family={family}",
        *workers,
        apart=bool(workers),
    )
    assert result.ret == 1
    [(name, values)] = properties(pytester.path / "junit.xml").items()
    assert name == "test_round_trip[offline/negation-scope]"
    assert values["autoeval.kind"] == "threshold"
    assert values["autoeval.model"] == "offline/negation-scope"
    assert values["autoeval.verdict"] == "failed"
    assert values["autoeval.threshold"] == "0.95"
    rate = float(values["autoeval.rate"])
    assert (
        0
        < float(values["autoeval.interval_low"])
        < rate
        < float(values["autoeval.interval_high"])
        < 0.95
    )
    assert int(values["autoeval.samples"]) == 16
    assert values["autoeval.counterexample"].startswith("different: ")
    assert "is below the threshold 95 %; only 16 samples: " in values["autoeval.reason"]


@pytest.mark.parametrize(("arguments", "asked"), [((), 0), (("--junitxml=junit.xml",), 1)])
def test_files_are_looked_up_for_it_alone_and_once(
    suite: Suite, run: Run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], asked: int
) -> None:
    looked_up: list[Path] = []
    monkeypatch.setattr(
        "pytest_autoeval.running.controller_hooks.installed_module", looked_up.append
    )
    suite(ROUND_TRIP.replace("{more}", "") + "def test_other(): pass")
    run(*arguments).assert_outcomes(passed=2)
    assert len(looked_up) == asked
