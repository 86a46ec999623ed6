"""Strings to judge: half of them formulas, half of them not, at any size, and labelled by both parsers."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval.datasets import DataSetError, data_set, file_problems
from pytest_autoeval.datasets.data_set import DataSet, DrawnDataSet
from pytest_autoeval.generation.vocabularies import ready_made
from pytest_autoeval.languages import FormulaSyntaxError, language
from pytest_autoeval.languages.ltl.nusmv import parse_nusmv
from pytest_autoeval.studies.temporal_logic.data_sets import _mistake_spaces


def made() -> DataSet:
    found = data_set("ltl_well_formedness")
    assert found is not None
    return found


def is_formula(text: str) -> bool:
    """As both parsers say, who must agree."""
    answers = set()
    for parse in (language("ltl").parse, parse_nusmv):
        try:
            parse(text)
        except FormulaSyntaxError:
            answers.add(False)
        else:
            answers.add(True)
    (answer,) = answers
    return answer


@pytest.mark.parametrize("size", [0, 1, 3, 8, 20])
def test_half_of_each_size_is_well_formed(size: int) -> None:
    items = made().items(size, 40, seed=1)
    assert sum(item.facts["expected"] for item in items) == 20
    assert len({item.text for item in items}) == 40
    for index, item in enumerate(items):
        assert is_formula(item.facts["text"]) is item.facts["expected"]
        assert item.text == item.facts["text"]
        assert (item.operators, item.index, item.seed) == (size, index, 1)
        assert language(item.language).measure(item.formula)["operators"] == size
        assert set(item.vocabulary.propositions) == set(
            language(item.language).symbols(item.formula).propositions
        )


def test_every_kind_of_mistake_has_its_turn() -> None:
    items = [item for item in made().items(6, 140) if not item.facts["expected"]]
    for space in _mistake_spaces(ready_made("default").only(["propositions"]), "default"):
        drawn = space.distinct(6, 0)
        assert {next(drawn) for _ in range(10)} <= {item.formula for item in items}


@pytest.mark.parametrize("name", ["ltl_well_formedness", "ltl_traces", "ltl_trace_writing"])
def test_the_names_of_generated_sets_can_be_chosen(name: str) -> None:
    generated = data_set(name)
    assert isinstance(generated, DrawnDataSet)
    for item in generated.over(["door_open", "Motor.on"]).items(5, 20):
        assert {*item.vocabulary.propositions} <= {"door_open", "Motor.on"}
        assert item.vocabulary_name.startswith("custom-")
        if name == "ltl_well_formedness":
            assert is_formula(item.facts["text"]) is item.facts["expected"]


def test_a_count_must_be_given() -> None:
    assert made().sizes is None
    with pytest.raises(DataSetError, match="ltl_well_formedness has no end"):
        made().items(3)


def test_a_typed_string_is_an_item_where_the_parsers_agree() -> None:
    for text, expected in ((" G (a -> F b)", True), ("G (a ->", False)):
        (item,) = made().typed(text)
        assert (item.facts["text"], item.facts["expected"]) == (text.strip(), expected)
    assert made().typed("a W b") == []
    with pytest.raises(FormulaSyntaxError):
        made().typed(" ")


def test_strings_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "strings.csv"
    path.write_text(
        "text,well_formed\nG(a  -> F b),yes\nG (a ->,No\na W b,no\na W b,yes\nG (a -> F c),false\n(((a,true\n((a,so\n"
    )
    found = data_set("ltl_well_formedness", [path])
    assert found is not None
    items = [item for size in found.sizes or () for item in found.items(size)]
    assert [(item.facts["text"], item.facts["expected"]) for item in items] == [
        ("a W b", False),
        ("G (a ->", False),
        ("G(a  -> F b)", True),
    ]
    assert [item.operators for item in items] == [1, 2, 3]
    assert found.typed("G (a -> F b)") == [items[2]]
    assert [
        problem.removeprefix(f"{path}:").partition("; use one")[0]
        for problem in file_problems([path])
    ] == [
        "5: contradicts strings.csv:4",
        "6: column 'well_formed': says 'false' of 'G (a -> F c)', but it is a formula",
        "7: column 'well_formed': says 'true' of '(((a', but it is not a formula",
        "8: column 'well_formed': 'so' is neither yes nor no",
    ]
