"""Options and candidates: chosen and ordered rightly by the faithful model, in formulas and in English."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from support import offline_sentences
from support.offline_sentences import (
    ZOO,
    formula,
    listed,
    ontology_in,
    said,
    sentence_item,
    shipped,
    told,
)

from pytest_autoeval.datasets import Item
from pytest_autoeval.languages.logic.verbalization import verbalize
from pytest_autoeval.models.offline.answer_key import AnswerKey

EVERY = ("Mia's the one who feeds otters, all of them.", "∀x. (Otter(x) → Feeds(mia, x))")
OPTIONS = (
    "∃x. (Otter(x) → Feeds(mia, x))",
    "∀x. (Otter(x) ∧ Feeds(mia, x))",
    "∀x. (¬Otter(x) ∨ Feeds(mia, x))",
)
CANDIDATES = (
    "¬∀x. (Otter(x) → Feeds(mia, x))",
    "∀x. (¬Otter(x) ∨ Feeds(mia, x))",
    "∀x. (Otter(x) ∧ Feeds(mia, x))",
    *(EVERY[1], "∃x. (Otter(x) ∧ ¬Feeds(mia, x))", "∃x. (Otter(x) → Feeds(mia, x))"),
)
FORMS = ("formulas", "english")


@pytest.fixture(autouse=True)
def zoo(monkeypatch: pytest.MonkeyPatch) -> AnswerKey:
    """A sentence of a user's own, known in this test alone."""
    key = AnswerKey()
    key.add_meanings([sentence_item(*EVERY)])
    monkeypatch.setattr(offline_sentences, "KEY", key)
    return key


def payloads(
    label: str, form: str, offered: tuple[str, ...], sentence: str = EVERY[0]
) -> dict[str, str]:
    """What a prompt of ours shows of formulas on offer."""
    if form == "formulas":
        return {"Symbols": ZOO.listed(), "Sentence": sentence, label: listed(offered)}
    return {
        "Sentence": sentence,
        label: listed([verbalize(formula(text), ZOO) for text in offered]),
    }


def payloads_of(item: Item, label: str, form: str) -> dict[str, str]:
    """What a prompt of ours shows of an item."""
    facts = item.facts
    if form == "formulas":
        shown = {"Symbols": ontology_in(item).listed(), label: listed(facts["candidates"])}
    else:
        shown = {label: listed(facts["candidates_english"])}
    return {"Sentence": facts["sentence"], **shown}


def chosen(model: str, item: Item, form: str, seed: int | None = None) -> Any:
    """The number that a model chooses of an item's candidates."""
    return told(model, seed, **payloads_of(item, "Options", form))


def ranked(model: str, item: Item, form: str, seed: int | None = None) -> Any:
    """The order that a model gives to an item's candidates."""
    return told(model, seed, **payloads_of(item, "Candidates", form))


def is_right(item: Item, order: Any) -> bool:
    """Whether an order has the reference and its equivalent first, the negations last."""
    first, last = item.facts["expected"]
    count = len(item.facts["candidates"])
    return (
        sorted(order) == [*range(1, count + 1)]
        and sorted(order[:2]) == first
        and sorted(order[-2:]) == last
    )


# The right answers


@pytest.mark.parametrize("form", FORMS)
def test_the_option_that_means_the_same_is_chosen(form: str) -> None:
    assert told("faithful", **payloads("Options", form, OPTIONS)) == 3
    assert told("faithful", **payloads("Options", form, (*OPTIONS[:2], EVERY[1]))) == 3


@pytest.mark.parametrize("form", FORMS)
def test_candidates_are_ordered_by_meaning(form: str) -> None:
    assert told("faithful", **payloads("Candidates", form, CANDIDATES)) == [2, 4, 3, 6, 1, 5]


@pytest.mark.parametrize("form", FORMS)
def test_every_shipped_choice_and_ranking_is_made_rightly(form: str) -> None:
    choices, rankings = shipped("fol_most_similar"), shipped("fol_ranking")
    assert min(len(choices), len(rankings)) >= 60
    assert [chosen("faithful", item, form) for item in choices] == [
        item.facts["expected"] for item in choices
    ]
    assert all(is_right(item, ranked("faithful", item, form)) for item in rankings)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("label", ["Options", "Candidates"])
def test_what_cannot_be_told_is_not_guessed(form: str, label: str) -> None:
    assert told("faithful", **payloads(label, form, OPTIONS[:2])) is None
    assert (
        told("faithful", **payloads(label, form, OPTIONS, "Nobody knows what otters dream of."))
        is None
    )
    broken = payloads(label, form, OPTIONS)
    assert told("faithful", **broken | {label: "these three"}) is None
    assert told("faithful", **broken | {label: broken[label].replace("2. ", "4. ")}) is None
    assert told("faithful", **broken | {label: f"{broken[label]}\n4. Otters ∧"}) is None


# Faults

MISREADINGS = ("exists-implies", "forall-and", "only-if-reversed", "or-for-and", "quantifier-swap")


@pytest.mark.parametrize("form", FORMS)
def test_a_misreading_leads_to_the_option_that_says_so(form: str) -> None:
    assert told("forall-and", **payloads("Options", form, OPTIONS)) == 2
    assert told("quantifier-swap", **payloads("Options", form, OPTIONS)) == 1
    assert told("forall-and", **payloads("Candidates", form, CANDIDATES))[0] == 3


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("fault", MISREADINGS)
def test_each_misreading_shows_in_shipped_choices_and_rankings(fault: str, form: str) -> None:
    choices, rankings = shipped("fol_most_similar")[::3], shipped("fol_ranking")[::3]
    wrong_choices = [
        item for item in choices if chosen(fault, item, form) != item.facts["expected"]
    ]
    wrong_rankings = [item for item in rankings if not is_right(item, ranked(fault, item, form))]
    assert 0 < len(wrong_choices) < len(choices)
    assert 0 < len(wrong_rankings) < len(rankings)


@pytest.mark.parametrize("form", FORMS)
def test_who_chooses_the_first_looks_at_nothing(form: str) -> None:
    assert {chosen("first-option", item, form) for item in shipped("fol_most_similar")[::3]} == {1}
    assert any(item.facts["expected"] != 1 for item in shipped("fol_most_similar"))
    assert told("first-option", **payloads("Candidates", form, CANDIDATES)) == [2, 4, 3, 6, 1, 5]


@pytest.mark.parametrize("form", FORMS)
def test_who_looks_at_the_choices_alone_takes_the_one_in_their_midst(form: str) -> None:
    items = shipped("fol_most_similar")
    right = [chosen("choices-only", item, form) == item.facts["expected"] for item in items]
    # One edit away from each other candidate, where they are two edits apart: the study's own shortcut.
    assert sum(right) > 0.8 * len(items)
    assert not all(right)
    options = ["1. x is a cube.", "2. y is no cube.", "3. y is a small cube.", "4. y is a cube."]
    unknown = payloads("Options", form, OPTIONS) | {
        "Options": "\n".join(options),
        "Sentence": "Nobody knows this.",
    }
    assert told("choices-only", **unknown) == 4


@pytest.mark.parametrize("form", FORMS)
def test_who_does_not_sort_gives_the_order_back(form: str) -> None:
    items = shipped("fol_ranking")[::3]
    for item in items:
        assert ranked("unsorted", item, form) == [*range(1, len(item.facts["candidates"]) + 1)]
    assert not all(is_right(item, ranked("unsorted", item, form)) for item in items)
    assert told("unsorted", **payloads("Options", form, OPTIONS)) == 3


@pytest.mark.parametrize("form", FORMS)
def test_what_is_no_permutation_names_one_twice(form: str) -> None:
    assert told("not-a-permutation", **payloads("Candidates", form, CANDIDATES)) == [
        2,
        4,
        3,
        6,
        1,
        2,
    ]
    for item in shipped("fol_ranking")[::3]:
        order = ranked("not-a-permutation", item, form)
        assert len(order) == len(item.facts["candidates"]) == len(set(order)) + 1
    assert told("not-a-permutation", **payloads("Options", form, OPTIONS)) == 3


# The student


def right(strength: float, pair: tuple[str, str], label: str, seeds: int = 200) -> set[int]:
    """The seeds under which a student of a strength chooses, or orders, rightly."""
    offered = [
        pair[1],
        *(f"¬({pair[1]}) ∧ {extra}(mia)" for extra in ("Otter", "Keeper")),
        f"¬({pair[1]})",
    ]
    Random(1).shuffle(offered)
    asked_of = payloads(label, "formulas", tuple(offered), pair[0])
    model = f"student?strength={strength}"
    truth = said("faithful", **asked_of)
    return {seed for seed in range(seeds) if said(model, seed, **asked_of) == truth}


@pytest.mark.parametrize("label", ["Options", "Candidates"])
def test_a_stronger_student_gets_right_what_a_weaker_one_does(label: str) -> None:
    weak, middling, strong = (right(strength, EVERY, label) for strength in (0.5, 0.8, 0.95))
    assert set() < weak < middling < strong
