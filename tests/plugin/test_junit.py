"""JUnit XML: what a gate measured, as properties of its test case."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval.reporting.analysis import Rules, analyse
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.junit import properties
from pytest_autoeval.reporting.results import Row

from .conftest import Run, Suite


def gates(path: Path) -> dict[str, dict[str, str]]:
    """The properties of each test case that is a gate, by its name."""
    cases: Any = ET.parse(path).iter("testcase")
    return {
        case.get("name"): {one.get("name"): one.get("value") for one in case.iter("property")}
        for case in cases
        if case.get("name").endswith(("::gate", "::baseline"))
    }


@pytest.mark.parametrize(("family", "workers"), [("xunit1", ()), ("xunit2", ()), ("xunit2", ("-n", "2"))])
def test_a_gate_tells_what_it_measured(
    run: Run, suite: Suite, pytester: pytest.Pytester, family: str, workers: tuple[str, ...]
) -> None:
    suite(more=", threshold=0.95")
    result = run(
        *("--autoeval-model=offline/negation-scope", "--junitxml=junit.xml", "-o", f"junit_family={family}"),
        *workers,
        apart=bool(workers),
    )
    assert result.ret == 1
    [(name, told)] = gates(pytester.path / "junit.xml").items()
    assert name == "test_round_trip[offline/negation-scope]::gate"
    assert told["autoeval.kind"] == "threshold"
    assert told["autoeval.model"] == "offline/negation-scope"
    assert told["autoeval.verdict"] == "failed"
    assert told["autoeval.threshold"] == "0.95"
    rate = float(told["autoeval.rate"])
    assert 0 < float(told["autoeval.interval_low"]) < rate < float(told["autoeval.interval_high"]) < 0.95
    assert int(told["autoeval.samples"]) == 16
    assert told["autoeval.counterexample"].startswith("different: ")
    assert told["autoeval.reason"].endswith("is below the threshold 95 %")


def test_a_gate_against_the_baseline_tells_the_difference(run: Run, suite: Suite, pytester: pytest.Pytester) -> None:
    suite()
    run("--autoeval-results=old.jsonl")
    run(
        *("--autoeval-model=offline/negation-scope", "--autoeval-baseline=old.jsonl", "--autoeval-fail-on=drop:5%"),
        "--junitxml=junit.xml",
    )
    told = gates(pytester.path / "junit.xml")["test_round_trip[offline/negation-scope]::baseline"]
    assert (told["autoeval.kind"], told["autoeval.verdict"]) == ("baseline", "failed")
    assert told["autoeval.baseline_model"] == "offline/faithful"
    assert told["autoeval.drop"] == "0.05"
    assert (told["autoeval.pairs"], told["autoeval.won"]) == ("16", "0")
    assert float(told["autoeval.difference"]) == -int(told["autoeval.lost"]) / 16
    assert float(told["autoeval.difference_low"]) < float(told["autoeval.difference"])
    assert float(told["autoeval.difference"]) < float(told["autoeval.difference_high"]) < 0
    assert 0 < float(told["autoeval.p_value"]) <= float(told["autoeval.p_value_holm"]) < 0.05


def row(outcome: str, code: str, index: int = 0, **changes: Any) -> Row:
    whole = {"suite": "s", "model": "m", "operators": 1, "measures": None, "index": index, "repeat": 0, "formula": "p"}
    told = {
        "outcome": outcome,
        "code": code,
        "compliant": True,
        "leaked": False,
        "trivial": None,
        "calls": [],
        "error": None,
    }
    return {**whole, **told, **changes}


def test_values_are_one_line_that_xml_can_hold() -> None:
    hostile = 'a\x1b[2J\x00\ud800\ufffe\u202e"<&]]>\r\n\u2028b'
    bad = row("different", "AE101", formula=hostile, translation=hostile, witness_text=hostile)
    analysis = analyse([bad], Rules(threshold=1.0), counterexamples=[Counterexample(row=bad, command="")])
    told = properties(analysis.gates[0], analysis)
    document = ET.Element("properties")
    for name, value in told:
        assert value.isprintable()
        ET.SubElement(document, "property", name=name, value=value)
    back = ET.fromstring(ET.tostring(document))
    assert [(one.get("name"), one.get("value")) for one in back] == told
    assert dict(told)["autoeval.counterexample"].startswith("different: a\\x1b[2J\\x00\\ud800")


def test_what_is_not_known_is_left_out() -> None:
    analysis = analyse([row("error", "AE107", error="no network")], Rules())
    assert properties(analysis.gates[0], analysis) == [
        ("autoeval.kind", "threshold"),
        ("autoeval.model", "m"),
        ("autoeval.verdict", "failed"),
        ("autoeval.samples", "1"),
        ("autoeval.errors", "1"),
        ("autoeval.reason", analysis.gates[0].reason),
    ]


def test_the_smallest_counterexample_is_named() -> None:
    found = [row("different", "AE101", number, formula=text) for number, text in enumerate(("p ∧ q", "r", "s ∧ t ∧ u"))]
    other = row("different", "AE101", model="n", formula="x")
    examples = [Counterexample(row=one, command="") for one in (*found, other)]
    analysis = analyse([*found, other], Rules(threshold=0.5), counterexamples=examples)
    told = {gate.model: dict(properties(gate, analysis))["autoeval.counterexample"] for gate in analysis.gates}
    assert told == {"m": "different: r: no answer", "n": "different: x: no answer"}


def test_undecided_samples_are_counted_apart() -> None:
    analysis = analyse([row("equivalent", "AE100"), row("undecided", "AE106", 1)], Rules(threshold=0.9))
    told = dict(properties(analysis.gates[0], analysis))
    assert (told["autoeval.rate"], told["autoeval.undecided"], told["autoeval.samples"]) == ("0.5", "1", "2")
