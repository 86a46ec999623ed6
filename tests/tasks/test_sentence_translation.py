"""A sentence into a formula over names of the model's own: every verdict with its alignment."""

from __future__ import annotations

import pytest
from ltl_items import item
from scripted import performed, slots_of

from pytest_autoeval.models.base import Reply

SUBJECT = item(
    "G (x1 -> F x2)",
    sentence="Every request is granted sooner or later.",
    propositions=[["a request is made", "x1"], ["the request is granted", "x2"]],
)
LISTED = '"a request is made": request\n"the request is granted": grant\n'


@pytest.mark.parametrize(
    ("answer", "outcome", "alignment", "basis"),
    [
        (
            f"{LISTED}Formula: G (request -> F grant)",
            "equivalent",
            [["request", "x1"], ["grant", "x2"]],
            "phrases and oracle",
        ),
        (f"{LISTED}Formula: G (grant -> F request)", "different", [["request", "x1"], ["grant", "x2"]], "phrases"),
        (f"{LISTED}Formula: G (request -> X grant)", "different", [["request", "x1"], ["grant", "x2"]], "phrases"),
        ("Formula: G (p -> F q)", "equivalent", [["p", "x1"], ["q", "x2"]], "oracle"),
        (f"{LISTED}Formula: G (request -> F", "unparseable", None, None),
        (f"{LISTED}Formula: G request", "foreign symbol", None, None),
        (f"{LISTED}Formula: G (request -> F granted_2)", "foreign symbol", None, None),
        (f"{LISTED}Formula: G (p -> F q)", "foreign symbol", None, None),
        (
            '"a request is made": request\nFormula: G (request -> F grant)',
            "equivalent",
            [["request", "x1"], ["grant", "x2"]],
            "phrases and oracle",
        ),
        (
            '{"sentence": "Every request is granted sooner or later.", "formula": "G (request -> F grant)"}',
            "equivalent",
            [["request", "x1"], ["grant", "x2"]],
            "oracle",
        ),
        (f'{LISTED}"time passes": t\nFormula: G (request -> F (grant & t))', "foreign symbol", None, None),
        (
            f'{LISTED}"time passes": t\nFormula: G (request -> F (grant & (t | !t)))',
            "equivalent",
            [["request", "x1"], ["grant", "x2"]],
            "phrases and oracle",
        ),
        ("I'm sorry, but I can't help with that.", "refused or empty", None, None),
        (Reply(f"{LISTED}Formula: G (request -> F grant)", finish_reason="length"), "truncated", None, None),
    ],
)
def test_an_answer_leads_to_its_outcome(
    answer: Reply | str, outcome: str, alignment: list[list[str]] | None, basis: str | None
) -> None:
    trial = performed("translate_sentence", SUBJECT, answer)
    assert trial.outcome == outcome
    assert trial.notes.get("alignment") == alignment
    assert trial.notes.get("alignment_basis") == basis
    if outcome in ("equivalent", "different"):
        assert trial.notes["meaningful"] is True
    elif "meaningful" in trial.notes:
        assert trial.notes["meaningful"] is False


def test_a_failure_shows_the_alignment_and_the_formula_over_our_names() -> None:
    message = performed("translate_sentence", SUBJECT, f"{LISTED}Formula: G (grant -> F request)").notes["message"]
    assert "names aligned by phrases: request is x1, grant is x2" in message
    assert "right (actual):  G (x2 -> F x1)" in message


def test_names_that_cannot_be_compared_are_counted_in_the_message() -> None:
    message = performed("translate_sentence", SUBJECT, f"{LISTED}Formula: G request").notes["message"]
    assert (
        message == "the formula says something of 1 propositions (request), the sentence of 2: they cannot be compared"
    )


def test_names_that_are_not_those_listed_are_named_in_the_message() -> None:
    message = performed("translate_sentence", SUBJECT, f"{LISTED}Formula: G (request -> F new)").notes["message"]
    assert message.startswith("the formula uses new, which the answer does not list, and not grant, which it lists")


def test_the_relation_is_that_of_the_aligned_formulas() -> None:
    trial = performed("translate_sentence", SUBJECT, f"{LISTED}Formula: G (request -> grant)")
    assert trial.notes["relation"] == "stronger"
    assert trial.findings()["translation"] == "G (request -> grant)"


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (
            'formulaToFind = Always(LImplies(AtomicProposition("request"), Eventually(AtomicProposition("grant"))))',
            "equivalent",
        ),
        ("formulaToFind = Always(LImplies(grant, Eventually(request)))", "different"),
        ("formulaToFind = Always(request", "unparseable"),
    ],
)
def test_python_lists_phrases_first_and_assigns_then(code: str, outcome: str) -> None:
    trial = performed("translate_sentence", SUBJECT, f"{LISTED}{code}", interface="python")
    assert trial.outcome == outcome


def test_where_the_right_alignment_may_have_been_missed_the_verdict_is_open() -> None:
    facts = dict(SUBJECT.facts)
    subject = item("(x2 | !x2) & G (x1 -> F x2)", **facts)
    assert performed("translate_sentence", subject, "Formula: G (p -> F q)").outcome == "equivalent"
    trial = performed("translate_sentence", subject, "Formula: G (p -> F q)", verify_timeout=0.0)
    assert trial.outcome == "undecided"
    assert trial.notes["relation"] is None
    assert trial.notes["alignment_basis"] == "phrases"


def test_many_names_with_phrases_of_other_words_leave_the_verdict_open() -> None:
    words = ["rain", "snow", "hail", "wind", "fog", "sun", "ice"]
    subject = item(
        " & ".join(f"F x{i}" for i in range(1, 8)),
        sentence="All sorts of weather come.",
        propositions=[[word, f"x{i}"] for i, word in enumerate(words, 1)],
    )
    wrong = f"Formula: {' & '.join(f'F {word}' for word in words[:-1])} & G ice"
    assert performed("translate_sentence", subject, wrong).outcome == "different"
    trial = performed("translate_sentence", subject, wrong.replace("snow", "flurry"))
    assert trial.outcome == "undecided"
    assert "names may stand for other propositions" in trial.notes["message"]
    right = wrong.replace("snow", "flurry").replace("G ice", "F ice")
    assert performed("translate_sentence", subject, right).outcome == "equivalent"


def test_the_model_is_asked_about_the_sentence_alone() -> None:
    assert slots_of("translate_sentence", SUBJECT, "detailed") == {"requirement": SUBJECT.facts["sentence"]}


def test_self_refinement_keeps_both_answers() -> None:
    first, second = f"{LISTED}Formula: G (grant -> F request)", f"{LISTED}Formula: G (request -> F grant)"
    trial = performed("translate_sentence", SUBJECT, first, second, prompting="self-refine")
    assert (trial.outcome, trial.notes["first_outcome"], trial.answer) == ("equivalent", "different", second)
    assert trial.notes["first_answer"] == first


@pytest.mark.parametrize(
    ("answer", "compliant"),
    [
        (f"{LISTED}Formula: G (request -> F grant)", True),
        (f"{LISTED}G (request -> F grant)", True),
        (f"{LISTED}\nFormula: G (request -> F grant)", False),
        (f"{LISTED}Formula: G (request => F [grant])", False),
        ("Formula: G (request -> F grant)", False),
        (f"Sure!\n{LISTED}Formula: G (request -> F grant)", False),
    ],
)
def test_compliant_is_the_form_that_was_asked_for(answer: str, compliant: bool) -> None:
    reading = performed("translate_sentence", SUBJECT, answer).reading
    assert reading is not None
    assert reading.formula is not None
    assert (reading.compliant, reading.recovered) == (compliant, not compliant)
