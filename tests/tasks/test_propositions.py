"""The propositions of a sentence: outcomes, scores by hand, kinds of error."""

from __future__ import annotations

import pytest
from ltl_items import item
from scripted import performed

from pytest_autoeval.models.base import Reply
from pytest_autoeval.tasks.propositions import error_kind

SUBJECT = item(
    "x1 -> (x2 & !x3)",
    sentence="If the badge is valid, the gate opens and no siren sounds.",
    propositions=[["the badge is valid", "x1"], ["the gate opens", "x2"], ["a siren sounds", "x3"]],
)
RIGHT = '"the badge is valid": x1\n"the gate opens": x2\n"a siren sounds": x3'


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (RIGHT, "correct"),
        ("x1: The badge is valid.\nx2: The gate will open.\nx3: The siren sounds.", "correct"),
        ('"a siren sounds": p1\n"the gate opens": p2\n"the badge is valid": p3', "correct"),
        ('{"badge": "the badge is valid", "gate": "the gate opens", "siren": "the siren sounds"}', "correct"),
        ('{"the badge is valid": "badge", "the gate opens": "gate", "the siren sounds": "siren"}', "correct"),
        ('"the badge is valid": x1\n"the gate opens": x2', "wrong answer"),
        (f'{RIGHT}\n"the guard sleeps": x4', "wrong answer"),
        ('"the badge is valid": x1\n"the gate opens": x2\n"no siren sounds": x3', "wrong answer"),
        ('"the badge is valid": x1\n"the gate opens": x2\n"a siren sounds": x2', "wrong answer"),
        (f'{RIGHT}\n"a siren sounds": x4', "wrong answer"),
        ("I see three propositions.", "unreadable answer"),
        ("I'm sorry, but I can't help with that.", "refused or empty"),
        ("", "refused or empty"),
        (Reply(RIGHT, finish_reason="length"), "truncated"),
    ],
)
def test_an_answer_leads_to_its_outcome(answer: Reply | str, outcome: str) -> None:
    trial = performed("propositions", SUBJECT, answer)
    assert (trial.outcome or "") == outcome
    assert ("message" in trial.notes) is (outcome != "correct")


def test_scores_of_the_right_answer_are_all_one() -> None:
    trial = performed("propositions", SUBJECT, RIGHT)
    assert trial.notes["scores"] == {
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
        "jaccard": 1.0,
        "levenshtein": 1.0,
    }
    assert trial.notes["error_kind"] is None
    assert trial.notes["answered"][0] == ["the badge is valid", "x1"]


def test_scores_by_hand() -> None:
    # found: 2 of 3 expected, 2 of 4 answered. "no siren sounds" pairs with "a siren sounds" and is no find.
    answer = '"the badge is valid": x1\n"the gate opens": x2\n"no siren sounds": x3\n"all": x4'
    trial = performed("propositions", SUBJECT, answer)
    scores = trial.notes["scores"]
    assert scores["precision"] == pytest.approx(2 / 4)
    assert scores["recall"] == pytest.approx(2 / 3)
    assert scores["f1"] == pytest.approx(4 / 7)
    # siren, sound | no, siren, sound: 2 of 3 words
    assert scores["jaccard"] == pytest.approx((1 + 1 + 2 / 3) / 4)
    # "a siren sounds" becomes "no siren sounds" by 2 edits of 15 letters
    assert scores["levenshtein"] == pytest.approx((1 + 1 + 13 / 15) / 4)
    assert trial.notes["error_kind"] == "semantic mismatch"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (RIGHT, None),
        ('"the badge is valid": x1\n"the gate opens": x2', "partial extraction"),
        (f'{RIGHT}\n"the guard sleeps": x4', "over-extraction"),
        ('"the badge is valid": x1\n"the gate is closed": x2\n"a siren sounds": x3', "semantic mismatch"),
        ('"the badge is valid": x1\n"the gate opens": x2\n"a siren sounds": x1', "semantic mismatch"),
        ('"the whole sentence and all of it": x1', "complete failure"),
        ("Nothing.", "complete failure"),
    ],
)
def test_kinds_of_error(answer: str, kind: str | None) -> None:
    assert performed("propositions", SUBJECT, answer).notes["error_kind"] == kind


@pytest.mark.parametrize(
    ("expected", "answered", "found", "kind"),
    [
        (3, 0, 0, "complete failure"),
        (3, 3, 0, "complete failure"),
        (3, 2, 2, "partial extraction"),
        (3, 5, 3, "over-extraction"),
        (3, 3, 2, "semantic mismatch"),
        (3, 2, 1, "semantic mismatch"),
        (3, 5, 2, "semantic mismatch"),
        (3, 3, 3, "semantic mismatch"),
    ],
)
def test_a_kind_of_error_is_a_matter_of_counts(expected: int, answered: int, found: int, kind: str) -> None:
    assert error_kind(expected, answered, found) == kind


def test_two_phrases_of_one_atom_want_one_name() -> None:
    pairs = [["the lamp is on", "x1"], ["the lamp shines", "x1"]]
    subject = item("G x1", sentence="The lamp is on, and it shines.", propositions=pairs)
    assert performed("propositions", subject, '"the lamp is on": a1\n"the lamp shines": a1').outcome == "correct"
    assert performed("propositions", subject, '"the lamp is on": a1\n"the lamp shines": a2').outcome == "wrong answer"


def test_self_refinement_keeps_both_answers() -> None:
    first = '"the badge is valid": x1'
    trial = performed("propositions", SUBJECT, first, RIGHT, prompting="self-refine")
    assert trial.outcome == "correct"
    assert (trial.notes["first_answer"], trial.notes["first_outcome"]) == (first, "wrong answer")
    assert trial.answer == RIGHT
    assert [call["stage"] for call in trial.calls] == ["propositions", "propositions refined"]
