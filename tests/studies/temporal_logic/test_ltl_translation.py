"""Translation into temporal logic: outcomes, relations to the reference, and how little is asked for them."""

from __future__ import annotations

from typing import Any

import pytest
from support.scripted import message_of, part_of, performed, slots_of
from support.task_items import ltl_item

from pytest_autoeval.languages import Verdict
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.ltl import LinearTemporalLogic
from pytest_autoeval.record.task_parts import First, Translated

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


@pytest.mark.parametrize(
    ("name", "interface"), [("translate", "detailed"), ("translate_sentence", "python")]
)
def test_an_answer_without_a_formula_is_reported_once(name: str, interface: str) -> None:
    shown = message_of(performed(name, FUTURE, "I do not know.", interface=interface))
    assert shown.startswith("no ltl formula in the answer")
    assert "found" not in shown


def test_a_difference_is_shown_with_its_witness_and_the_given_formula_first() -> None:
    trial = performed("translate", FUTURE, "G (x1 -> x2)")
    assert "given:    G (x1 -> F x2)" in message_of(trial)
    assert "model's:  G (x1 -> x2)" in message_of(trial)
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
def test_formulas_of_the_past_are_judged_at_the_first_position(
    answer: str, outcome: str, relation: str
) -> None:
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
        (
            "python",
            "```python\nformulaToFind = Always(LImplies(opened, Eventually(closed)))\n```",
            True,
        ),
        (
            "python",
            "```python\nformulaToFind = Always(LImplies(opened, Eventually(closed)))\n```\nDone.",
            False,
        ),
        ("detailed", "G (opened -> F closed)", True),
        ("detailed", "```\nG (opened -> F closed)\n```", False),
    ],
)
def test_a_fence_is_compliant_in_python_alone(
    interface: str, formula: str, compliant: bool
) -> None:
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
    trial = performed(
        "translate", FUTURE, "G (x1 -> F x2)", "G (x1 -> F x3)", prompting="self-refine"
    )
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
def test_no_more_is_asked_than_needed(
    answer: str, questions: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _Asked(monkeypatch)
    performed("translate", FUTURE, answer)
    assert asked.questions == questions


def test_an_undecided_equivalence_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    _Asked(monkeypatch, undecided="equivalence")
    trial = performed("translate", FUTURE, "G (x1 -> x2)")
    assert trial.outcome == "undecided"
    assert part_of(trial, Translated).relation is None
    assert "it was told to" in message_of(trial)


def test_without_the_entailment_there_is_a_difference_and_no_relation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _Asked(monkeypatch, undecided="entailment")
    trial = performed("translate", FUTURE, "G (x1 -> x2)")
    part = part_of(trial, Translated)
    assert (trial.outcome, part.relation, part.meaningful) == ("different", None, True)
