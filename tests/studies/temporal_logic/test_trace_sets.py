"""Traces to judge and to write: any size, half satisfying and half violating, checked by the evaluator."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pytest_autoeval.datasets import Item, data_set
from pytest_autoeval.datasets.data_set import DataSet
from pytest_autoeval.languages import FormulaSyntaxError, language
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.oracle.normal import by_number
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces.lasso import parse_trace


def made(name: str) -> DataSet:
    found = data_set(name)
    assert found is not None
    assert found.sizes is None
    return found


def all_items(found: DataSet) -> list[Item]:
    return [item for size in found.sizes or () for item in found.items(size)]


def is_true(item: Item) -> bool:
    assert isinstance(item.formula, Temporal)
    trace = parse_trace(item.facts["trace"], sorted(item.vocabulary.propositions, key=by_number))
    assert str(trace) == item.facts["trace"]
    return holds(item.formula, trace)


@pytest.mark.parametrize("size", [0, 1, 4, 9])
def test_half_of_the_traces_satisfy_their_formula(size: int) -> None:
    items = made("ltl_traces").items(size, 20, seed=3)
    assert [item.index for item in items] == list(range(20))
    assert sum(item.facts["expected"] for item in items) == 10
    for item in items:
        assert is_true(item) is item.facts["expected"]
        assert language("ltl").measure(item.formula)["operators"] == item.operators == size
    assert len({item.text for item in items}) == 20


def test_traces_differ_in_shape() -> None:
    items = made("ltl_traces").items(4, 40)
    states = Counter(item.facts["trace"].count(";") + 1 for item in items)
    assert len(states) >= 3
    assert max(states) <= 6
    assert len({item.facts["trace"] for item in items}) > 30


def test_each_formula_is_asked_for_both_kinds_of_traces() -> None:
    items = made("ltl_trace_writing").items(3, 21, seed=5)
    assert [item.facts["expected"] for item in items] == (["satisfying", "violating"] * 11)[:21]
    assert [item.formula for item in items[0:20:2]] == [item.formula for item in items[1:20:2]]
    for formula in {item.formula for item in items}:
        for name, constant in language("ltl").trivial().items():
            assert language("ltl").equivalent(formula, constant).outcome == "different", name


def test_formulas_that_are_always_or_never_true_are_left_out() -> None:
    texts = [item.text for item in made("ltl_traces").items(1, 500)]
    assert "G p1" in texts
    assert "Y p1" not in texts
    assert not [text for text in texts if text.startswith("Y ")]


def test_a_typed_formula_has_a_question_for_each_value_that_it_can_have() -> None:
    judged, written = made("ltl_traces"), made("ltl_trace_writing")
    assert [item.facts["expected"] for item in judged.typed("x1 U x2")] == [True, False]
    assert all(is_true(item) is item.facts["expected"] for item in judged.typed("x1 U x2"))
    assert [item.facts["expected"] for item in judged.typed("Y x1")] == [False]
    assert [item.facts["expected"] for item in written.typed("F x1")] == ["satisfying", "violating"]
    assert [item.facts["expected"] for item in written.typed("x1 | !x1")] == ["satisfying"]
    assert written.typed("F x1")[0].vocabulary.propositions == ("x1",)
    for found in (judged, written):
        with pytest.raises(FormulaSyntaxError):
            found.typed("F (x1")


def test_formulas_of_a_file_are_asked_for_once(tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_text(
        '{"formula": "F x1", "trace": "cycle{x1}", "satisfies": true}\n'
        '{"formula": "F x1", "trace": "cycle{!x1}", "satisfies": false}\n'
        '{"sentence": "Always.", "propositions": {"it is so": "x1"}, "formula": "G x1"}\n'
        '{"formula": "x1 | !x1"}\n'
    )
    writing, judging = data_set("ltl_trace_writing", [path]), data_set("ltl_traces", [path])
    assert writing is not None
    assert judging is not None
    assert [
        (item.text, item.facts["expected"], item.facts["source"]) for item in all_items(writing)
    ] == [
        ("F x1", "satisfying", "mixed.jsonl:1"),
        ("F x1", "violating", "mixed.jsonl:1"),
        ("G x1", "satisfying", "mixed.jsonl:3"),
        ("G x1", "violating", "mixed.jsonl:3"),
        ("x1 | !x1", "satisfying", "mixed.jsonl:4"),
    ]
    assert [(item.facts["trace"], item.facts["expected"]) for item in all_items(judging)] == [
        ("cycle{x1}", True),
        ("cycle{!x1}", False),
    ]
