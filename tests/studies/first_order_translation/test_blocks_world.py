"""The shipped sentences about blocks: each formula agrees with its sentence, and no two mean the same."""

from __future__ import annotations

import itertools
import json
import random
import re
from functools import cache
from pathlib import Path

import pytest
from support.blocks_world_readings import READINGS, World

from pytest_autoeval import language
from pytest_autoeval.datasets.ontologies import glossary_of_row
from pytest_autoeval.languages.first_order.evaluate import FiniteModel, evaluate
from pytest_autoeval.languages.logic.laws import perturbations
from pytest_autoeval.languages.logic.syntax import Not, Quantified, Sentence

FILE = Path(__file__).parents[3] / "data" / "blocks_world.jsonl"
ROWS = {row["id"]: row for row in map(json.loads, FILE.read_text(encoding="utf-8").splitlines())}
FOL = language("first_order")
ONTOLOGY = glossary_of_row("blocks_world.ontology.json", FILE).ontology()

each_sentence = pytest.mark.parametrize("name", ROWS)


@cache
def formula_of(name: str) -> Sentence:
    tree = FOL.parse(ROWS[name]["formula"])
    assert isinstance(tree, Sentence)
    return tree


@cache
def models() -> tuple[FiniteModel, ...]:
    """Worlds of one to four blocks, some where a relation seldom holds and some where it mostly does."""
    chance = random.Random(5)
    return tuple(model_of(1 + number % 4, chance) for number in range(400))


def model_of(size: int, chance: random.Random) -> FiniteModel:
    domain = tuple(range(size))
    holds = {}
    for symbol in ONTOLOGY.vocabulary.predicates:
        share = chance.choice((0.1, 0.3, 0.5, 0.7, 0.9))
        tuples = itertools.product(domain, repeat=symbol[1])
        holds[symbol] = frozenset(each for each in tuples if chance.random() < share)
    constants = {name: chance.choice(domain) for name in ONTOLOGY.vocabulary.constants}
    return FiniteModel(domain, constants, {}, holds, left=False, right=False)


@each_sentence
def test_a_formula_holds_where_a_person_says_that_its_sentence_does(name: str) -> None:
    said = readings(name)
    assert [evaluate(formula_of(name), model) for model in models()] == said, ROWS[name]["sentence"]
    assert {*said} == {True, False}


def readings(name: str) -> list[bool]:
    """In which models the sentence is true, as a person says."""
    return [READINGS[name](World(model)) for model in models()]


@each_sentence
def test_the_models_distinguish_each_formula_with_one_change_from_its_sentence(name: str) -> None:
    said = readings(name)
    changed = [other for _, other in perturbations(formula_of(name))]
    meaning_something_else = [
        other for other in changed if FOL.equivalent(formula_of(name), other).outcome == "different"
    ]
    assert meaning_something_else
    for other in meaning_something_else:
        told = (
            evaluate(other, model) is not value for model, value in zip(models(), said, strict=True)
        )
        assert any(told), str(other)


@each_sentence
def test_a_formula_is_written_canonically_and_closed_over_the_ontology(name: str) -> None:
    text, formula = ROWS[name]["formula"], formula_of(name)
    assert FOL.format(formula) == text
    assert FOL.foreign(formula, ONTOLOGY.vocabulary) == ()
    assert set(FOL.symbols(formula).variables) <= {"x", "y", "z"}


@each_sentence
def test_a_formula_is_neither_always_true_nor_always_false(name: str) -> None:
    outcomes = [FOL.equivalent(formula_of(name), constant).outcome for constant in ("⊤", "⊥")]
    assert outcomes == ["different", "different"]


def test_no_two_sentences_mean_the_same() -> None:
    alike = [
        (first, second)
        for first, second in itertools.combinations(ROWS, 2)
        if FOL.equivalent(formula_of(first), formula_of(second)).outcome != "different"
    ]
    assert alike == []


def test_each_symbol_is_used_somewhere_and_has_glosses_with_its_places_in_them() -> None:
    stories = (FILE.parent / "blocks_world_stories.jsonl").read_text(encoding="utf-8")
    formulas = " ".join(row["formula"] for row in ROWS.values())
    for symbol in ONTOLOGY.symbols:
        assert re.search(rf"\b{symbol.name}\b", formulas + stories), symbol
        for gloss in [symbol.gloss] if symbol.is_term else [symbol.gloss, symbol.negative]:
            assert [word for word in gloss.split() if word in symbol.parameters] == list(
                symbol.parameters
            ), symbol
        assert symbol.is_term or symbol.negative == symbol.gloss.replace(" is ", " is not "), symbol


@each_sentence
def test_sentences_use_the_words_of_the_glossary(name: str) -> None:
    """Nothing that is known of blocks beside the words, such as that smaller is the converse of larger, is needed."""
    sentence, used = ROWS[name]["sentence"], FOL.symbols(formula_of(name))
    for symbol in ONTOLOGY.symbols:
        if symbol.name in {predicate for predicate, _ in used.predicates}:
            words = [
                word
                for word in symbol.gloss.split()
                if word not in {*symbol.parameters, "is", "a", "as", "and", "than"}
            ]
            assert all(re.search(rf"\b{word}s?\b", sentence) for word in words), symbol
    assert set(re.findall(r"[Bb]lock ([a-f])\b(?! (?:cube|pyramid))", sentence)) == set(
        used.constants
    )


def test_no_quantifier_is_idle_and_no_negation_double() -> None:
    for name in ROWS:
        for node in formula_of(name).subformulas():
            if isinstance(node, Quantified):
                assert node.variable in FOL.symbols(node.body).constants, name
            assert not (isinstance(node, Not) and isinstance(node.operand, Not)), name
