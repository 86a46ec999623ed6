"""A sentence into a formula over given names, of temporal and of first-order logic, and a formula into a sentence."""

from __future__ import annotations

from typing import Any

import pytest
from support.scripted import Scripted, message_of, part_of, performed, slots_of
from support.task_items import ONTOLOGY, item, ltl_item

from pytest_autoeval.languages import Verdict
from pytest_autoeval.languages.base import LimitError, VerdictOutcome
from pytest_autoeval.languages.ltl import LinearTemporalLogic
from pytest_autoeval.models.base import Reply
from pytest_autoeval.record.task_parts import First, Translated
from pytest_autoeval.studies.first_order_translation import translation
from pytest_autoeval.tasks.trial import UnsuitableSampleError

FUTURE = ltl_item(
    "G (x1 -> F x2)",
    sentence="Every time a ticket is opened, the ticket is closed at that moment or later.",
    propositions=[["a ticket is opened", "x1"], ["the ticket is closed", "x2"]],
)
PAST = ltl_item(
    "G (x1 -> O x2)",
    sentence="Whenever the vault opens, the code is entered at that moment or has been entered at some earlier one.",
    propositions=[["the vault opens", "x1"], ["the code is entered", "x2"]],
)


@pytest.mark.parametrize(
    ("answer", "outcome", "relation", "lacking"),
    [
        ("G (x1 -> F x2)", "equivalent", "equivalent", []),
        ("G (x1 -> F x2) & (x1 | !x1)", "equivalent", "equivalent", []),
        ("G (x1 -> x2)", "different", "stronger", []),
        ("G (x1 -> F (x1 | x2))", "different", "weaker", []),
        ("F (x1 & x2)", "different", "incomparable", []),
        ("G !x1", "different", "stronger", ["x2"]),
        ("FALSE", "different", "stronger", ["x1", "x2"]),
        ("G (x1 -> F (x2 & x3))", "foreign symbol", None, []),
        ("G (x1 -> F x3)", "foreign symbol", None, ["x2"]),
        ("G (x1 -> F", "unparseable", None, None),
    ],
)
def test_an_answer_leads_to_its_outcome_relation_and_missing_names(
    answer: str, outcome: str, relation: str | None, lacking: list[str] | None
) -> None:
    trial = performed("translate", FUTURE, answer)
    part = part_of(trial, Translated)
    assert (trial.outcome, part.relation, part.lacking) == (outcome, relation, lacking)
    assert part_of(trial, Translated).meaningful is (outcome in ("equivalent", "different"))
    assert part_of(trial, Translated).syntactically_correct is (outcome != "unparseable")


@pytest.mark.parametrize(("name", "interface"), [("translate", "detailed"), ("translate_sentence", "python")])
def test_an_answer_without_a_formula_is_reported_once(name: str, interface: str) -> None:
    shown = message_of(performed(name, FUTURE, "I do not know.", interface=interface))
    assert shown.startswith("no ltl formula in the answer")
    assert "found" not in shown


def test_a_difference_is_shown_with_its_witness_and_the_reference_on_the_left() -> None:
    trial = performed("translate", FUTURE, "G (x1 -> x2)")
    assert "left (expected): G (x1 -> F x2)" in message_of(trial)
    assert "right (actual):  G (x1 -> x2)" in message_of(trial)
    assert trial.witness is not None
    assert (trial.witness.to_json()["left"], trial.witness.to_json()["right"]) == (True, False)
    assert trial.translation == "G (x1 -> x2)"
    assert trial.compliant is True


@pytest.mark.parametrize(
    ("answer", "outcome", "relation"),
    [
        ("G (x1 -> O x2)", "equivalent", "equivalent"),
        ("!x1 W x2", "equivalent", "equivalent"),
        ("G (x1 -> Y x2)", "different", "stronger"),
        ("x1 -> O x2", "different", "weaker"),
    ],
)
def test_formulas_of_the_past_are_judged_at_the_first_position(answer: str, outcome: str, relation: str) -> None:
    trial = performed("translate_past", PAST, answer)
    assert (trial.outcome, part_of(trial, Translated).relation) == (outcome, relation)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (
            'formulaToFind = Always(LImplies(AtomicProposition("x1"), Eventually(AtomicProposition("x2"))))',
            "equivalent",
        ),
        ("```python\nformulaToFind = Always(LImplies(x1, Next(x2)))\n```", "different"),
        ("formulaToFind = Always(LImplies(x1, AtomicProposition('door')))", "foreign symbol"),
        ("formulaToFind = Always(LImplies(x1", "unparseable"),
    ],
)
def test_python_is_read_as_python(answer: str, outcome: str) -> None:
    assert performed("translate", FUTURE, answer, interface="python").outcome == outcome


@pytest.mark.parametrize(
    ("interface", "formula", "compliant"),
    [
        ("python", "formulaToFind = Always(LImplies(opened, Eventually(closed)))", True),
        ("python", "```python\nformulaToFind = Always(LImplies(opened, Eventually(closed)))\n```", True),
        ("python", "```python\nformulaToFind = Always(LImplies(opened, Eventually(closed)))\n```\nDone.", False),
        ("detailed", "G (opened -> F closed)", True),
        ("detailed", "```\nG (opened -> F closed)\n```", False),
    ],
)
def test_a_fence_is_compliant_in_python_alone(interface: str, formula: str, compliant: bool) -> None:
    phrases = '"a ticket is opened": opened\n"the ticket is closed": closed\n'
    trial = performed("translate_sentence", FUTURE, phrases + formula, interface=interface)
    assert trial.outcome == "equivalent"
    assert trial.reading is not None
    assert trial.reading.compliant is compliant


def test_slots_list_the_propositions_a_line_each() -> None:
    assert slots_of("translate", FUTURE, "minimal") == {
        "sentence": FUTURE.facts["sentence"],
        "propositions": '"a ticket is opened": x1\n"the ticket is closed": x2',
    }


def test_self_refinement_keeps_both_answers_and_judges_each() -> None:
    trial = performed("translate", FUTURE, "G (x1 -> F", "G (x1 -> F x2)", prompting="self-refine")
    assert (trial.outcome, trial.answer) == ("equivalent", "G (x1 -> F x2)")
    assert trial.part(First) == First(answer="G (x1 -> F", outcome="unparseable")
    trial = performed("translate", FUTURE, "G (x1 -> F x2)", "G (x1 -> F x3)", prompting="self-refine")
    assert (trial.outcome, part_of(trial, First).outcome) == ("foreign symbol", "equivalent")
    assert part_of(trial, Translated).meaningful is False


class _Asked:
    """Counts what is asked of the oracle, and may give up on some of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, undecided: str = "") -> None:
        self.questions: list[str] = []
        decide = LinearTemporalLogic.decide

        def answer(lang: Any, relation: Any, left: Any, right: Any, timeout: float) -> Verdict:
            self.questions.append(relation)
            if relation == undecided:
                return Verdict(VerdictOutcome.UNDECIDED, "a test", reason="it was told to")
            return decide(lang, relation, left, right, timeout)

        monkeypatch.setattr(LinearTemporalLogic, "decide", answer)


@pytest.mark.parametrize(
    ("answer", "questions"),
    [
        ("G (x1 -> F x2)", ["equivalence"]),
        ("G (x1 -> x2)", ["equivalence", "entailment"]),
        ("F (x1 & x2)", ["equivalence", "entailment"]),
        ("G (x1 -> F x3)", []),
    ],
)
def test_no_more_is_asked_than_needed(answer: str, questions: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = _Asked(monkeypatch)
    performed("translate", FUTURE, answer)
    assert asked.questions == questions


def test_an_undecided_equivalence_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    _Asked(monkeypatch, undecided="equivalence")
    trial = performed("translate", FUTURE, "G (x1 -> x2)")
    assert trial.outcome == "undecided"
    assert part_of(trial, Translated).relation is None
    assert "it was told to" in message_of(trial)


def test_without_the_entailment_there_is_a_difference_and_no_relation(monkeypatch: pytest.MonkeyPatch) -> None:
    _Asked(monkeypatch, undecided="entailment")
    trial = performed("translate", FUTURE, "G (x1 -> x2)")
    part = part_of(trial, Translated)
    assert (trial.outcome, part.relation, part.meaningful) == ("different", None, True)


# --- first-order logic ---


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
    assert slots_of("logical_translation", item()) == {"sentence": "Every cube is large.", "symbols": ONTOLOGY.listed()}
    assert performed("logical_translation", item(), "∀x. (Cube(x) → Larger(x, a))").outcome == "different"


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
