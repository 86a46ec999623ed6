"""Translation into first-order logic, and back: outcomes, relations, LE scores."""

from __future__ import annotations

import pytest
from support.scripted import Scripted, part_of, performed, slots_of
from support.task_items import ONTOLOGY, item

from pytest_autoeval.languages.base import LimitError
from pytest_autoeval.models.protocols import Reply
from pytest_autoeval.record.task_parts import Translated
from pytest_autoeval.studies.first_order_translation import translation
from pytest_autoeval.tasks.trial import UnsuitableSampleError


@pytest.mark.parametrize(
    ("answer", "outcome", "relation"),
    [
        ("∀x. (Cube(x) → Large(x))", "equivalent", "equivalent"),
        ("The formula is `∀x. (Cube(x) → Large(x))`.", "equivalent", "equivalent"),
        ("∀x. (Cube(x) ∧ Large(x))", "different", "stronger"),
        ("∃x. (Cube(x) → Large(x))", "different", "weaker"),
        ("∀x. (Large(x) → Cube(x))", "different", "incomparable"),
        ("∀x. (Cube(x) → Big(x))", "foreign symbol", None),
        ("∀x. (Cube(x) → Large(x, x))", "foreign symbol", None),
        ("Cube(x) → Large(x)", "foreign symbol", None),
        ("Every cube is large.", "unparseable", None),
        ("", "refused or empty", None),
        (Reply("∀x. (Cube(x) → Large(x))", finish_reason="length"), "truncated", None),
    ],
)
def test_an_answer_in_first_order_logic_leads_to_its_outcome_and_relation(
    answer: Reply | str, outcome: str, relation: str | None
) -> None:
    trial = performed("logical_translation", item(), answer)
    assert trial.outcome == outcome
    assert part_of(trial, Translated).relation == relation


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("∀x. (Cube(x) → Large(x))", 1.0),
        ("∃x. (Cube(x) → Large(x))", 1.0),  # quantifiers are nothing to it
        ("∀x. (Cube(x) ∧ Large(x))", 0.5),
        ("∀x. (Cube(x) → Large(x, x))", 1.0),
        ("Every cube is large.", None),
        ("", None),
    ],
)
def test_the_le_score_stands_beside_the_verdict(answer: str, score: float | None) -> None:
    assert part_of(performed("logical_translation", item(), answer), Translated).le_score == score


def test_a_formula_too_large_for_the_le_score_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*formulas: object) -> float:
        raise LimitError(f"{len(formulas)} are too large", "", 0)

    monkeypatch.setattr(translation, "le_score", refuse)
    trial = performed("logical_translation", item(), "∀x. (Cube(x) → Large(x))")
    assert (trial.outcome, part_of(trial, Translated).le_score) == ("equivalent", None)


def test_the_whole_ontology_is_given_and_may_be_used() -> None:
    assert slots_of("logical_translation", item()) == {
        "sentence": "Every cube is large.",
        "symbols": ONTOLOGY.listed(),
    }
    assert (
        performed("logical_translation", item(), "∀x. (Cube(x) → Larger(x, a))").outcome
        == "different"
    )


def test_a_sample_without_an_ontology_is_refused_with_what_it_lacks() -> None:
    with pytest.raises(UnsuitableSampleError, match="'ontology'"):
        performed("logical_translation", item(ontology=None), "⊤")


def test_a_description_is_translated_back_in_a_conversation_of_its_own() -> None:
    described = "Everything is a large cube."
    trial = performed("informalization", item(), described, "∀x. (Cube(x) ∧ Large(x))")
    assert isinstance(trial.model, Scripted)
    assert (trial.outcome, trial.description, trial.leaked) == ("different", described, False)
    assert [message.role for message in trial.model.asked[1]] == ["system", "user"]
    assert trial.model.asked[1][-1].content.endswith(f"Sentence:\n{described}")
    assert [call.stage for call in trial.calls] == ["informalization", "logical_translation"]
    assert performed("informalization", item(), "").outcome is None
