"""Premises and conclusions: judged rightly by the faithful model, in formulas and in English; not by faults."""

from __future__ import annotations

from typing import Any

import pytest
from support import offline_sentences
from support.offline_sentences import listed, shipped, story_item, told

from pytest_autoeval.datasets import Item
from pytest_autoeval.models.offline.answer_key import AnswerKey

PREMISES = (
    ("All otters swim, you know.", "∀x. (Otter(x) → Keeper(x))"),
    ("Mia's one.", "Otter(mia)"),
)
STORIES = [
    (("Mia swims.", "Keeper(mia)"), "True"),
    (("Mia stays dry.", "¬Keeper(mia)"), "False"),
    (("Mia feeds herself.", "Feeds(mia, mia)"), "Uncertain"),
]
FORMS = ("formulas", "english")


@pytest.fixture(autouse=True)
def zoo(monkeypatch: pytest.MonkeyPatch) -> AnswerKey:
    """Stories of a user's own, known in this test alone."""
    key = AnswerKey()
    key.add_meanings(story_item(PREMISES, conclusion) for conclusion, _ in STORIES)
    monkeypatch.setattr(offline_sentences, "KEY", key)
    return key


def concluded(model: str, item: Item, form: str, seed: int | None = None) -> Any:
    """What a model says of the conclusion of an item."""
    facts = item.facts
    if form == "formulas":
        shown = facts["premises_formulas"], facts["conclusion_formula"]
    else:
        shown = facts["premises"], facts["conclusion"]
    return told(model, seed, Premises=listed(shown[0]), Conclusion=shown[1])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("conclusion", "label"), STORIES)
def test_what_was_taught_is_judged_rightly(
    conclusion: tuple[str, str], label: str, form: str
) -> None:
    assert concluded("faithful", story_item(PREMISES, conclusion), form) == label


@pytest.mark.parametrize("form", FORMS)
def test_every_shipped_conclusion_is_judged_rightly(form: str) -> None:
    items = shipped("fol_entailment")
    assert {item.facts["expected"] for item in items} == {"True", "False", "Uncertain"}
    assert [concluded("faithful", item, form) for item in items] == [
        item.facts["expected"] for item in items
    ]


@pytest.mark.parametrize(
    ("premises", "conclusion"),
    [
        (["Mia's one."], "Mia swims."),
        (["Otter(mia)", "Mia's one."], "Keeper(mia)"),
        (["Otter(mia)", "¬Otter(mia)"], "Keeper(mia)"),
        (["Otter(mia) ∧"], "Keeper(mia)"),
    ],
)
def test_what_cannot_be_told_is_not_guessed(premises: list[str], conclusion: str) -> None:
    assert told("faithful", Premises=listed(premises), Conclusion=conclusion) is None
    assert told("faithful", Premises="\n".join(premises), Conclusion=conclusion) is None


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "fault", ["exists-implies", "forall-and", "or-for-and", "quantifier-swap", "negation-scope"]
)
def test_a_misreading_of_premises_shows_in_shipped_conclusions(fault: str, form: str) -> None:
    items = shipped("fol_entailment")
    wrong = [item for item in items if concluded(fault, item, form) != item.facts["expected"]]
    assert 0 < len(wrong) < len(items)


def test_only_if_is_misread_where_there_are_words() -> None:
    items = shipped("fol_entailment")
    wrong = {
        form: [
            item
            for item in items
            if concluded("only-if-reversed", item, form) != item.facts["expected"]
        ]
        for form in FORMS
    }
    assert not wrong["formulas"]
    assert wrong["english"]
    assert all(
        "only if" in " ".join([*item.facts["premises"], item.facts["conclusion"]])
        for item in wrong["english"]
    )
