"""Samples that ended `different` have the places in which the two formulas differ; the results file keeps them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval import autoeval
from pytest_autoeval.engine.report import Report
from pytest_autoeval.engine.without_pytest import run_suites
from pytest_autoeval.languages import language
from pytest_autoeval.record.coding import encoded
from pytest_autoeval.record.file import read_file


@pytest.mark.parametrize(
    ("grammar", "model"),
    [
        ("propositional", "offline/negation-scope"),
        ("first_order", "offline/quantifier-swap"),
        ("regex", "offline/student?strength=0.7"),
        ("ltl", "offline/globally-for-eventually"),
    ],
)
def test_the_places_are_those_of_the_sample_s_own_texts(
    grammar: str, model: str, tmp_path: Path
) -> None:
    report = Report(run_suites([grammar], [model], samples=6, operators="2:5", shrink_budget=0))
    lang = language(grammar)
    assert any(sample.outcome == "different" for sample in report.samples)
    for sample in report.samples:
        spans = sample.differences
        if sample.outcome != "different":
            assert spans is None
            continue
        assert sample.translation is not None
        found = lang.differences(lang.tree(sample.formula), lang.tree(sample.translation))
        assert spans == {"formula": tuple(found[0]), "translation": tuple(found[1])}
        assert any(spans.values())
    report.write_results(tmp_path / "out.jsonl")
    assert list(map(encoded, read_file(tmp_path / "out.jsonl").samples)) == list(
        map(encoded, report.samples)
    )


@autoeval("propositional", operators=range(2, 3), samples=2)
def own_formula(sample: Any, round_trip: Any, assert_equivalent: Any) -> None:
    """What comes back is right; the body compares another formula."""
    round_trip(sample)
    assert_equivalent(f"¬({sample.formula})", sample.formula)


def test_formulas_that_came_back_right_have_no_places() -> None:
    report = Report(run_suites([own_formula], ["offline/faithful"], shrink_budget=0))
    assert {(sample.outcome, sample.differences) for sample in report.samples} == {
        ("different", None)
    }
