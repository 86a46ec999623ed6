"""A sentence and its propositions into a formula, with operators of the past and without."""

from __future__ import annotations

from typing import Any

import pytest
from scripted import performed, slots_of
from task_items import ltl_item

from pytest_autoeval.languages import Formula, Verdict
from pytest_autoeval.languages.ltl import LinearTemporalLogic
from pytest_autoeval.models.base import Reply

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
    ("answer", "outcome", "relation", "meaningful", "syntactically_correct"),
    [
        ("G (x1 -> F x2)", "equivalent", "equivalent", True, True),
        ("!F (x1 & G !x2)", "equivalent", "equivalent", True, True),
        ("```\nG (x1 -> F x2)\n```", "equivalent", "equivalent", True, True),
        ("G (x1 -> x2)", "different", "stronger", True, True),
        ("G (x1 -> F (x1 | x2))", "different", "weaker", True, True),
        ("F (x1 & x2)", "different", "incomparable", True, True),
        ("false", "different", "stronger", True, True),
        ("G (x1 -> F x3)", "foreign symbol", None, False, True),
        ("G (x1 -> F", "unparseable", None, False, False),
        ("G (x1 = F x2)", "unparseable", None, False, False),
        ("I do not know.", "unparseable", None, False, False),
    ],
)
def test_an_answer_leads_to_its_outcome_and_relation(
    answer: str, outcome: str, relation: str | None, meaningful: bool, syntactically_correct: bool
) -> None:
    trial = performed("translate", FUTURE, answer)
    assert trial.outcome == outcome
    assert trial.notes["relation"] == relation
    assert trial.notes["meaningful"] is meaningful
    assert trial.notes["syntactically_correct"] is syntactically_correct


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("", "refused or empty"),
        ("I'm sorry, but I can't help with that.", "refused or empty"),
        ("I'm sorry, I can only offer `G (x1 -> F x2)`.", "equivalent"),
        (Reply("G (x1 -> F x2)", finish_reason="length"), "truncated"),
        (Reply("G (x1 -> F x2)", refusal="No."), "refused or empty"),
    ],
)
def test_answers_that_are_none(answer: Reply | str, outcome: str) -> None:
    assert performed("translate", FUTURE, answer).outcome == outcome


@pytest.mark.parametrize(
    ("task", "interface", "answer", "message"),
    [
        ("translate", "detailed", "G (x1 -> F", "no ltl formula in the answer: line 1, column 11: "),
        ("translate", "python", "I do not know.", "no ltl formula in the answer"),
        ("translate_sentence", "python", "I do not know.", "no ltl formula in the answer"),
    ],
)
def test_an_answer_without_a_formula_is_reported_once(task: str, interface: str, answer: str, message: str) -> None:
    shown = performed(task, FUTURE, answer, interface=interface).notes["message"]
    assert shown.startswith(message)
    assert "found" not in shown


def test_a_difference_is_shown_with_its_witness_and_the_reference_on_the_left() -> None:
    trial = performed("translate", FUTURE, "G (x1 -> x2)")
    assert "left (expected): G (x1 -> F x2)" in trial.notes["message"]
    assert "right (actual):  G (x1 -> x2)" in trial.notes["message"]
    found = trial.findings()
    assert (found["witness"]["left"], found["witness"]["right"]) == (True, False)
    assert found["translation"] == "G (x1 -> x2)"
    assert found["compliant"] is True


@pytest.mark.parametrize(
    ("answer", "outcome", "relation"),
    [
        ("G (x1 -> O x2)", "equivalent", "equivalent"),
        ("!x1 W x2", "equivalent", "equivalent"),
        ("G (x1 -> Y x2)", "different", "stronger"),
        ("x1 -> O x2", "different", "weaker"),
        ("G (x1 -> H x2)", "different", "stronger"),
    ],
)
def test_formulas_of_the_past_are_judged_at_the_first_position(answer: str, outcome: str, relation: str) -> None:
    trial = performed("translate_past", PAST, answer)
    assert (trial.outcome, trial.notes["relation"]) == (outcome, relation)


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
        ("formulaToFind = __import__('os')", "unparseable"),
    ],
)
def test_python_is_read_as_python(answer: str, outcome: str) -> None:
    assert performed("translate", FUTURE, answer, interface="python").outcome == outcome


def test_slots_list_the_propositions_a_line_each() -> None:
    assert slots_of("translate", FUTURE, "minimal") == {
        "sentence": FUTURE.facts["sentence"],
        "propositions": '"a ticket is opened": x1\n"the ticket is closed": x2',
    }


def test_self_refinement_keeps_both_answers_and_judges_each() -> None:
    trial = performed("translate", FUTURE, "G (x1 -> F", "G (x1 -> F x2)", prompting="self-refine")
    assert (trial.outcome, trial.answer) == ("equivalent", "G (x1 -> F x2)")
    assert (trial.notes["first_answer"], trial.notes["first_outcome"]) == ("G (x1 -> F", "unparseable")
    trial = performed("translate", FUTURE, "G (x1 -> F x2)", "G (x1 -> F x3)", prompting="self-refine")
    assert (trial.outcome, trial.notes["first_outcome"]) == ("foreign symbol", "equivalent")
    assert trial.notes["meaningful"] is False


class _Asked:
    """Counts what is asked of the oracle, and may give up on some of it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, undecided: str = "") -> None:
        self.questions: list[str] = []
        self._undecided = undecided
        for kind in ("equivalence", "entailment"):
            decide = getattr(LinearTemporalLogic, f"decide_{kind}")
            monkeypatch.setattr(LinearTemporalLogic, f"decide_{kind}", self._instead_of(decide, kind))

    def _instead_of(self, decide: Any, kind: str) -> Any:
        def answer(lang: Any, left: Formula, right: Formula, timeout: float) -> Verdict:
            self.questions.append(kind)
            if kind == self._undecided:
                return Verdict("undecided", "a test", reason="it was told to")
            found: Verdict = decide(lang, left, right, timeout)
            return found

        return answer


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


def test_what_the_oracle_leaves_undecided_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    _Asked(monkeypatch, undecided="equivalence")
    trial = performed("translate", FUTURE, "G (x1 -> x2)")
    assert trial.outcome == "undecided"
    assert trial.notes["relation"] is None
    assert "it was told to" in trial.notes["message"]


def test_without_the_entailment_there_is_a_difference_and_no_relation(monkeypatch: pytest.MonkeyPatch) -> None:
    _Asked(monkeypatch, undecided="entailment")
    trial = performed("translate", FUTURE, "G (x1 -> x2)")
    assert (trial.outcome, trial.notes["relation"], trial.notes["meaningful"]) == ("different", None, True)


def test_relations_hold_for_the_table_of_known_entailments() -> None:
    for stronger, weaker in [("G (a -> Y b)", "G (X a -> b)"), ("Y X a", "a"), ("G F (a & b)", "G F a & G F b")]:
        pairs = [[name, name] for name in ("a", "b")]
        subject = ltl_item(weaker, sentence="s", propositions=pairs)
        assert performed("translate_past", subject, stronger).notes["relation"] == "stronger"
        subject = ltl_item(stronger, sentence="s", propositions=pairs)
        assert performed("translate_past", subject, weaker).notes["relation"] == "weaker"
