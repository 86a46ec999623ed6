"""The properties of a suite's test case in JUnit XML, from its rows."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from result_rows import row

from pytest_autoeval.reporting.analysis import analyse
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.judging.gates import Rules
from pytest_autoeval.reporting.junit import properties


def test_values_are_one_line_that_xml_can_hold() -> None:
    hostile = 'a\x1b[2J\x00\ud800\ufffe\u202e"<&]]>\r\n\u2028b'
    bad = row("different", suite=hostile, formula=hostile, translation=hostile, witness_text=hostile)
    (judgement,) = analyse([bad], Rules(threshold=1.0)).judgements
    found = properties(judgement, [Counterexample(row=bad, command="")])
    document = ET.Element("properties")
    for name, value in found:
        assert value.isprintable()
        ET.SubElement(document, "property", name=name, value=value)
    back = ET.fromstring(ET.tostring(document))
    assert [(one.get("name"), one.get("value")) for one in back] == found
    assert dict(found)["autoeval.counterexample"].startswith("different: a\\x1b[2J\\x00\\ud800")


def test_what_is_not_known_is_left_out() -> None:
    (judgement,) = analyse([row("error", error="no network")], Rules()).judgements
    assert properties(judgement, []) == [
        ("autoeval.kind", "threshold"),
        ("autoeval.model", "offline/student"),
        ("autoeval.verdict", "failed"),
        ("autoeval.samples", "1"),
        ("autoeval.errors", "1"),
        ("autoeval.reason", judgement.gate.reason),
    ]


def test_the_smallest_counterexample_is_named() -> None:
    nothing = {"translation": None, "answer": None}
    found = [
        row("different", model="m", index=number, formula=text, **nothing)
        for number, text in enumerate(("p ∧ q", "r", "s ∧ t ∧ u"))
    ]
    other = row("different", model="n", formula="x", **nothing)
    examples = [Counterexample(row=one, command="") for one in (*found, other)]
    judgements = analyse([*found, other], Rules(threshold=0.5)).judgements
    named = {one.gate.model: dict(properties(one, examples))["autoeval.counterexample"] for one in judgements}
    assert named == {"m": "different: r: no answer", "n": "different: x: no answer"}


def test_undecided_samples_are_counted_apart() -> None:
    rows = [row("equivalent"), row("undecided", index=1, formula="p1")]
    (judgement,) = analyse(rows, Rules(threshold=0.9)).judgements
    values = dict(properties(judgement, []))
    assert (values["autoeval.rate"], values["autoeval.undecided"], values["autoeval.samples"]) == ("0.5", "1", "2")
