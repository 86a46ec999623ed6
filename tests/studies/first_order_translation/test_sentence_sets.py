"""The data sets of sentences with formulas: the facts of items and their candidates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from pytest_autoeval.datasets import Item, data_set
from pytest_autoeval.languages import language
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.logic.verbalization import verbalize
from pytest_autoeval.languages.ontology import ontology_of_facts
from pytest_autoeval.studies.first_order_translation.candidates import (
    MostSimilarSet,
    RankingSet,
    TranslationSet,
)
from pytest_autoeval.studies.first_order_translation.sentence_files import read_sentences

LOGIC = language("first_order")
NAMES = ("fol_translation", "fol_most_similar", "fol_ranking")
ONTOLOGY = {
    "Tall(x)": ["x is tall", "x is not tall"],
    "Likes(x, y)": "x likes y",
    "ann": "Ann",
    "bob": "Bob",
}
ROWS = (
    ("Ann is tall.", "Tall(ann)"),
    ("Everyone whom Ann likes is tall.", "∀x (Likes(ann, x) → Tall(x))"),
    ("Bob is tall or likes somebody.", "Tall(bob) ∨ ∃x Likes(bob, x)"),
    ("Ann is tall or not.", "Tall(ann) ∨ ¬Tall(ann)"),
    (
        "Ann is tall and likes Bob, or she likes nobody.",
        "(Tall(ann) and Likes(ann, bob)) ∨ ¬∃x Likes(ann, x)",
    ),
)


@pytest.fixture
def mine(tmp_path: Path) -> list[Path]:
    path = tmp_path / "mine.jsonl"
    rows = [
        {"id": f"s{number}", "sentence": sentence, "formula": formula, "ontology": ONTOLOGY}
        for number, (sentence, formula) in enumerate(ROWS, start=1)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return [path]


def items_of(
    name: str, files: list[Path] | None = None, seed: int = 0, count: int | None = None
) -> list[Item]:
    found = data_set(name, files or [])
    assert found is not None
    return [item for size in found.sizes or () for item in found.items(size, count, seed)]


def formulas(facts: Mapping[str, Any]) -> list[Sentence]:
    return [cast("Sentence", LOGIC.parse(text)) for text in facts["candidates"]]


def test_an_item_to_translate_has_the_facts_of_its_row(mine: list[Path]) -> None:
    item = next(item for item in items_of("fol_translation", mine) if item.facts["item"] == "s5")
    assert item.facts == {
        "sentence": ROWS[4][0],
        "ontology": [
            ["Tall(x)", "predicate", "x is tall", "x is not tall"],
            ["Likes(x, y)", "predicate", "x likes y", ""],
            ["ann", "term", "Ann", ""],
            ["bob", "term", "Bob", ""],
        ],
        "ontology_derived": False,
        "data_set": "mine",
        "source": "mine.jsonl:5",
        "item": "s5",
        "repair": "another notation, read as (Tall(ann) ∧ Likes(ann, bob)) ∨ ¬∃x. Likes(ann, x)",
    }
    assert (item.grammar, item.language, item.operators) == ("fol_translation", "first_order", 4)
    assert item.vocabulary.predicates == (("Tall", 1), ("Likes", 2))
    assert item.vocabulary.constants == ("ann", "bob")


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_sentences_are_items_of_every_set(name: str) -> None:
    found = data_set(name)
    assert found is not None
    assert found.problems == ()
    assert found.sizes == (1, 2, 3, 4, 5, 6)
    for size in found.sizes:
        first, *_ = found.items(size, 1)
        assert first.facts["data_set"] == "blocks_world"
        assert first.operators == LOGIC.measure(first.formula)["operators"] == size
        assert found.items(size, 1)[0] == first


def test_the_right_choice_is_the_formula_and_the_others_differ_from_it(mine: list[Path]) -> None:
    for item in items_of("fol_most_similar", mine):
        facts = item.facts
        candidates = formulas(facts)
        assert candidates[facts["expected"] - 1] == item.formula
        assert facts["edits"][facts["expected"] - 1] == "reference"
        assert sorted(facts["edits"]).count("reference") == 1
        assert facts["perturbations"] == len(candidates) - 1 > 0
        for at, candidate in enumerate(candidates):
            assert (LOGIC.equivalent(candidate, item.formula).outcome == "equivalent") is (
                at + 1 == facts["expected"]
            )


def test_the_ranking_that_is_expected_is_right(mine: list[Path]) -> None:
    for item in items_of("fol_ranking", mine):
        facts = item.facts
        first, last = facts["expected"]
        assert {facts["kinds"][number - 1] for number in first} == {"reference", "equivalent"}
        assert {facts["kinds"][number - 1] for number in last} == {
            "negation",
            "negation normal form",
        }
        assert facts["perturbations"] == facts["kinds"].count("perturbation")
        assert facts["law"]
        for number, candidate in enumerate(formulas(facts), start=1):
            assert (LOGIC.equivalent(candidate, item.formula).outcome == "equivalent") is (
                number in first
            )
            assert (LOGIC.equivalent(candidate, f"¬({item.formula})").outcome == "equivalent") is (
                number in last
            )


@pytest.mark.parametrize("name", NAMES[1:])
def test_the_english_of_the_candidates_is_that_of_the_ontology(mine: list[Path], name: str) -> None:
    for item in items_of(name, mine):
        ontology = ontology_of_facts(item.facts["ontology"], derived=item.facts["ontology_derived"])
        english = [verbalize(formula, ontology) for formula in formulas(item.facts)]
        assert item.facts["candidates_english"] == english
        assert len(set(english)) == len(english)


@pytest.mark.parametrize("name", NAMES[1:])
def test_the_candidates_depend_on_formula_and_seed_alone(mine: list[Path], name: str) -> None:
    sentences = read_sentences(mine)
    made = {"fol_most_similar": MostSimilarSet, "fol_ranking": RankingSet}[name]
    one, other = made(name, sentences), made(name, sentences)
    for size in reversed(one.sizes):
        assert other.items(size, 1, seed=3) == one.items(size, seed=3)[:1]
    assert [item.facts for item in items_of(name, mine, seed=3)] != [
        item.facts for item in items_of(name, mine)
    ]
    assert {item.seed for item in items_of(name, mine, seed=3)} == {3}


def test_sentences_without_candidates_are_left_out_and_counted(mine: list[Path]) -> None:
    found = data_set("fol_most_similar", mine)
    assert found is not None
    ids = {item.facts["item"] for size in found.sizes or () for item in found.items(size)}
    assert ids == {"s1", "s2", "s3", "s5"}
    assert found.shortfalls == ("fol_most_similar: 1 of size 1 without candidates: tautology (1)",)


def test_a_smallest_size_without_candidates_is_no_size(mine: list[Path]) -> None:
    found = data_set("fol_ranking", mine)
    assert found is not None
    assert found.sizes == (1, 2, 4)
    assert (
        found.shortfalls[0]
        == "fol_ranking: 1 of size 0 without candidates: no negation normal form (1)"
    )


def test_shortfalls_count_all_sentences_of_a_size(tmp_path: Path) -> None:
    path = tmp_path / "atoms.jsonl"
    # What denies an atom has no other normal form, what denies a literal has one.
    formulas = (
        "P(a)",
        "¬P(a)",
        "P(b)",
    )
    path.write_text(
        "".join(f"{json.dumps({'sentence': text, 'formula': text})}\n" for text in formulas)
    )
    found = data_set("fol_ranking", [path])
    assert found is not None
    assert found.sizes == (0,)
    assert not found.shortfalls
    assert len(found.items(0)) == 1
    assert found.shortfalls == (
        "fol_ranking: 2 of size 0 without candidates: no negation normal form (2)",
    )


@pytest.mark.parametrize("name", NAMES)
def test_an_item_is_found_by_its_formula_its_id_and_its_source(mine: list[Path], name: str) -> None:
    found = data_set(name, mine)
    assert found is not None
    (item,) = found.typed("∀x. (Likes(ann, x) → Tall(x))", 5)
    assert item in found.items(2, seed=5)
    assert found.named("s2", 5) == found.named("mine.jsonl:2", 5) == [item]
    assert found.named("s9", 5) == found.named("mine.jsonl", 5) == found.typed("Tall(bob)", 5) == []


def test_the_line_of_a_story_names_all_of_its_sentences(tmp_path: Path) -> None:
    row = {
        "premises": ["Everyone is tall.", "Ann likes Bob."],
        "premises-FOL": ["∀x Tall(x)", "Likes(ann, bob)"],
        "conclusion": "Ann is tall.",
        "conclusion-FOL": "Tall(ann)",
        "label": "True",
    }
    path = tmp_path / "my stories.jsonl"
    path.write_text(json.dumps(row))
    found = TranslationSet("fol_translation", read_sentences([path]))
    assert len(found.named("my stories.jsonl:1")) == 3
    assert [item.text for item in found.named("my stories.jsonl:1 premises-FOL[2]")] == [
        "Likes(ann, bob)"
    ]
    assert {item.facts["ontology_derived"] for item in found.named("my stories.jsonl:1")} == {True}
