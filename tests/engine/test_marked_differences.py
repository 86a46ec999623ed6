"""Rows that ended `different` have the places in which the two formulas differ; the results file keeps them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval import autoeval
from pytest_autoeval.engine.api import run_suites
from pytest_autoeval.engine.report import Report
from pytest_autoeval.languages import language
from pytest_autoeval.reporting.results import ResultsError, read, to_line
from pytest_autoeval.reporting.row import Row


@pytest.mark.parametrize(
    ("grammar", "model"),
    [
        ("propositional", "offline/negation-scope"),
        ("first_order", "offline/quantifier-swap"),
        ("regex", "offline/student?strength=0.7"),
        ("ltl", "offline/globally-for-eventually"),
    ],
)
def test_the_places_are_those_of_the_row_s_own_texts(grammar: str, model: str, tmp_path: Path) -> None:
    report = Report(run_suites([grammar], [model], samples=6, operators="2:5", shrink_budget=0))
    lang = language(grammar)
    different = [row for row in report.rows if row.outcome == "different"]
    assert different
    for row in report.rows:
        spans = row.facts.get("differences")
        if row.outcome != "different":
            assert spans is None
            continue
        assert row.translation is not None
        found = lang.differences(lang.tree(row.formula), lang.tree(row.translation))
        assert spans == {"formula": list(map(list, found[0])), "translation": list(map(list, found[1]))}
        assert any(spans.values())
    report.write_results(tmp_path / "out.jsonl")
    assert read(tmp_path / "out.jsonl").rows == list(report.rows)


@autoeval("propositional", operators=range(2, 3), samples=2)
def own_formula(sample: Any, round_trip: Any, assert_equivalent: Any) -> None:
    """What comes back is right; the body compares another formula."""
    round_trip(sample)
    assert_equivalent(f"¬({sample.formula})", sample.formula)


def test_formulas_that_came_back_right_have_no_places() -> None:
    rows = Report(run_suites([own_formula], ["offline/faithful"], shrink_budget=0)).rows
    assert {(row.outcome, "differences" in row.facts) for row in rows} == {("different", False)}


@pytest.mark.parametrize("wrong", ["text", {"formula": [1, 2]}, {"formula": [[0]]}, {"formula": [["a", 1]]}])
def test_places_of_another_type_are_refused(wrong: object, tmp_path: Path) -> None:
    (row, *_) = Report(run_suites(["propositional"], samples=1, operators="1")).rows
    file = tmp_path / "r.jsonl"
    file.write_text(to_line(Row.from_json({**row.to_json(), "differences": wrong})), "utf-8")
    with pytest.raises(ResultsError, match="differences is"):
        read(file)
