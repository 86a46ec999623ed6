"""Ontologies of rows: an object, its JSON, or a file beside the data; errors in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.ontologies import glossary_of_row, used_symbols
from pytest_autoeval.languages.logic.parser import parse

LARGER = {"Larger(x, y)": "x is larger than y", "a": "the block called a"}


def read(value: Any, *formulas: str) -> list[list[str]]:
    return (
        glossary_of_row(value, Path("data.jsonl"))
        .ontology(used_symbols(map(parse, formulas)))
        .to_facts()
    )


@pytest.mark.parametrize(
    ("gloss", "positive", "negative"),
    [
        ("x is tall", "x is tall", ""),
        ("  x  is tall. ", "x is tall", ""),
        (["x is tall", "x is not tall"], "x is tall", "x is not tall"),
        ({"positive": "x is tall", "negative": "x is short"}, "x is tall", "x is short"),
    ],
)
def test_a_gloss_and_its_negation_may_be_written_in_several_ways(
    gloss: Any, positive: str, negative: str
) -> None:
    assert read({"Tall(x)": gloss}) == [["Tall(x)", "predicate", positive, negative]]


def test_first_letter_and_places_decide_the_kind_of_a_symbol() -> None:
    glosses = {
        "Rain": "it rains",
        "ann": "Ann",
        "Larger( x,y )": "x is larger than y",
        "older(x, y)": "x is older than y",
    }
    ontology = glossary_of_row(glosses, Path("data.jsonl")).ontology()
    assert ontology.vocabulary.propositions == ("Rain",)
    assert ontology.vocabulary.constants == ("ann",)
    assert ontology.vocabulary.predicates == (("Larger", 2), ("older", 2))
    assert not ontology.derived


def test_formulas_decide_the_kind_of_a_symbol() -> None:
    glossary = {
        "rain": "it rains",
        "Ann": "Ann",
        "mother(x)": "the mother of x",
        "Kind(x)": "x is kind",
    }
    facts = read(glossary, "rain → Kind(mother(Ann))")
    assert [kind for _, kind, _, _ in facts] == ["predicate", "term", "term", "predicate"]


def test_an_ontology_stands_in_the_row_as_its_json_or_in_a_file_beside_the_data(
    tmp_path: Path,
) -> None:
    (tmp_path / "blocks.json").write_text(json.dumps(LARGER))
    data = tmp_path / "data.csv"
    found = [
        glossary_of_row(value, data)
        for value in (LARGER, json.dumps(LARGER), "blocks.json", " blocks.json ")
    ]
    assert len(set(found)) == 1


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({}, "an ontology needs symbols; write "),
        (7, "an ontology cannot be 7; write "),
        ("\ud800.json", "an ontology cannot be '\\ud800.json'; write "),
        ("none.json", "none.json: there is no such file; write "),
        ('{"a": ', "line 1, column 7: not JSON: Expecting value"),
        ('{"a": "a", "a": "b"}', "not JSON: the key 'a' occurs twice in one object"),
        (
            {"Larger(x, x)": "x is larger than x"},
            "'Larger(x, x)': each argument needs another name",
        ),
        ({"is larger": "x"}, "'is larger' is not a symbol; write "),
        (
            {"Not(x)": "x is not"},
            "'Not(x)': 'Not' is a connective (¬), not a name; give it another name",
        ),
        (
            {"all": "everything"},
            "'all': 'all' is a quantifier (∀), not a name; give it another name",
        ),
        (
            {"True": "what is true"},
            "'True': 'True' is a truth constant, not a name; give it another name",
        ),
        ({"Larger(x, y)": "x is larger"}, "'Larger(x, y)': 'x is larger' does not mention y"),
        ({"Tall(x)": ["x is tall", "it is not"]}, "'Tall(x)': 'it is not' does not mention x"),
        ({"a": ""}, "'a' needs a gloss: "),
        ({"a": {"gloss": "a"}}, "'a' needs a gloss: "),
        (
            {"P(x)": "x is", "P(x, y)": "x is y"},
            "'P' occurs 2 times; give each symbol another name",
        ),
    ],
)
def test_a_bad_ontology_is_reported(value: Any, problem: str) -> None:
    with pytest.raises(DataSetError) as caught:
        glossary_of_row(value, Path("data.jsonl"))
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'["a"]', "blocks.json: an ontology must be an object; write "),
        (b"\xff", "blocks.json:1: not UTF-8 at byte 0"),
        (b"{\n{", "blocks.json: line 2, column 1: not JSON: "),
    ],
)
def test_a_file_that_holds_no_ontology_is_named(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    (tmp_path / "blocks.json").write_bytes(content)
    with pytest.raises(DataSetError) as caught:
        glossary_of_row("blocks.json", tmp_path / "data.jsonl")
    assert str(caught.value).removeprefix(f"{tmp_path}/").startswith(problem)
