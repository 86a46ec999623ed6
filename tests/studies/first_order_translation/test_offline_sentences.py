"""Sentences of first-order logic: translated, taken apart, described; rightly by the faithful model alone."""

from __future__ import annotations

import pytest
from support import offline_sentences
from support.offline_sentences import (
    FOL,
    UNKNOWN,
    ZOO,
    formula,
    ontology_in,
    said,
    sentence_item,
    shipped,
)

from pytest_autoeval.languages.ontology import Ontology, Symbol
from pytest_autoeval.models.offline.answer_key import AnswerKey

EVERY = ("Mia's the one who feeds otters, all of them.", "∀x. (Otter(x) → Feeds(mia, x))")
SOME = ("Some of the keepers are otters.", "∃x. (Keeper(x) ∧ Otter(x))")
ONLY = (
    "A keeper feeds Mia only if it is an otter.",
    "∀x. (Keeper(x) → (Feeds(x, mia) → Otter(x)))",
)
IFF = ("Mia is a keeper if and only if she is an otter.", "Keeper(mia) ↔ Otter(mia)")


@pytest.fixture(autouse=True)
def zoo(monkeypatch: pytest.MonkeyPatch) -> AnswerKey:
    """Sentences of a user's own, known in this test alone."""
    key = AnswerKey()
    key.add_meanings(sentence_item(*pair) for pair in (EVERY, SOME, ONLY, IFF))
    monkeypatch.setattr(offline_sentences, "KEY", key)
    return key


def translated(model: str, sentence: str, ontology: Ontology = ZOO, seed: int | None = None) -> str:
    """What a model writes for a sentence over the symbols of an ontology."""
    return said(model, seed, Symbols=ontology.listed(), Sentence=sentence)


# The right answers


@pytest.mark.parametrize(("sentence", "text"), [EVERY, SOME, ONLY, IFF])
def test_a_sentence_that_was_taught_is_translated_rightly(sentence: str, text: str) -> None:
    assert translated("faithful", sentence) == text
    assert translated("faithful", f"  {sentence.replace(' ', '  ')} ") == text


def test_every_shipped_sentence_is_translated_rightly() -> None:
    items = shipped("fol_translation")
    assert len(items) >= 60
    for item in items:
        assert translated("faithful", item.facts["sentence"], ontology_in(item)) == item.text


def test_of_one_sentence_with_several_formulas_the_symbols_tell(zoo: AnswerKey) -> None:
    farm = Ontology(
        (Symbol("Goat", ("x",), "x is an otter"), Symbol("FedByMia", ("x",), "Mia feeds x"))
    )
    river = Ontology((*farm.symbols, Symbol("otto", (), "Otto", is_term=True)))
    of_farm, of_river = "∀x. (Goat(x) → FedByMia(x))", "∀x. ((Goat(x) → FedByMia(x)) ∧ Goat(otto))"
    zoo.add_meanings(
        [sentence_item(EVERY[0], of_farm, farm), sentence_item(EVERY[0], of_river, river)]
    )
    assert [translated("faithful", EVERY[0], words) for words in (ZOO, farm, river)] == [
        EVERY[1],
        of_farm,
        of_river,
    ]


@pytest.mark.parametrize(
    "payloads",
    [
        {"Symbols": ZOO.listed(), "Sentence": "Nobody knows what otters dream of."},
        {"Symbols": "Goat(x): x is a goat", "Sentence": EVERY[0]},
        {"Symbols": "Goat(x): x is a goat", "Formula_to_describe": "Otter(mia)"},
        {"Symbols": ZOO.listed(), "Formula_to_describe": "Otter(mia) ∧"},
        {"Statement_to_formalize": "Nobody knows what otters dream of."},
        {"Statement_to_analyse": "Nobody knows what otters dream of."},
    ],
)
def test_what_is_not_known_is_not_guessed(payloads: dict[str, str]) -> None:
    assert said("faithful", **payloads).startswith(UNKNOWN)


def test_a_symbol_of_ones_own_is_listed_with_the_gloss_of_the_right_one() -> None:
    lines = said("faithful", Statement_to_formalize=EVERY[0]).splitlines()
    assert lines == [
        "the_mia: Mia",
        "IsFeeds(x, y): x feeds y",
        "IsOtter(x): x is an otter",
        "Formula: ∀x. (IsOtter(x) → IsFeeds(the_mia, x))",
    ]
    assert said("faithful", Statement_to_analyse=EVERY[0]).splitlines() == lines[:-1]


def test_every_shipped_sentence_is_described_so_that_it_can_be_read_back() -> None:
    for item in shipped("fol_translation"):
        ontology = ontology_in(item)
        for model in ("faithful", "leak"):
            description = said(model, Symbols=ontology.listed(), Formula_to_describe=item.text)
            back = formula(translated(model, description, ontology))
            lost = FOL.equivalent(back, item.formula).outcome == "different"
            assert not (lost and model == "faithful"), item.text
            assert description.startswith("In signs: ") is (model == "leak")


# Faults

#: The faults of first-order logic that misread, each with a formula that the data must have.
MISREADINGS = (
    *("exists-implies", "forall-and", "only-if-reversed", "or-for-and", "negation-scope"),
    *("quantifier-swap", "argument-swap", "constant-as-variable"),
)


@pytest.mark.parametrize(
    ("fault", "known", "read"),
    [
        ("exists-implies", SOME, "∃x. (Keeper(x) → Otter(x))"),
        ("forall-and", EVERY, "∀x. (Otter(x) ∧ Feeds(mia, x))"),
        ("only-if-reversed", ONLY, "∀x. (Keeper(x) → (Otter(x) → Feeds(x, mia)))"),
        ("only-if-reversed", EVERY, EVERY[1]),
        ("only-if-reversed", IFF, IFF[1]),
        ("quantifier-swap", SOME, "∀x. (Keeper(x) ∧ Otter(x))"),
    ],
)
def test_a_fault_shows_in_a_translation(fault: str, known: tuple[str, str], read: str) -> None:
    assert translated(fault, known[0]) == read


@pytest.mark.parametrize("fault", MISREADINGS)
def test_each_misreading_loses_the_meaning_of_a_shipped_sentence(fault: str) -> None:
    items = shipped("fol_translation")
    lost = [
        item
        for item in items
        if (read := translated(fault, item.facts["sentence"], ontology_in(item))) != item.text
        and FOL.equivalent(read, item.formula).outcome == "different"
    ]
    assert 0 < len(lost) < len(items)
