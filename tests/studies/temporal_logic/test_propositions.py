"""Extraction of propositions: outcomes, scores computed by hand, kinds of error."""

from __future__ import annotations

import pytest
from support.scripted import message_of, part_of, performed
from support.task_items import (
    ltl_item,
)

from pytest_autoeval.models.protocols import Reply
from pytest_autoeval.record.task_parts import Answered
from pytest_autoeval.studies.temporal_logic.parts import Phrases

BADGE = ltl_item(
    "x1 -> (x2 & !x3)",
    sentence="If the badge is valid, the gate opens and no siren sounds.",
    propositions=[["the badge is valid", "x1"], ["the gate opens", "x2"], ["a siren sounds", "x3"]],
)
PHRASES = '"the badge is valid": x1\n"the gate opens": x2\n"a siren sounds": x3'
TWO = '"the badge is valid": x1\n"the gate opens": x2'


@pytest.mark.parametrize(
    ("answer", "outcome", "kind"),
    [
        (PHRASES, "correct", None),
        (
            '"a siren sounds": p1\n"The gate will open.": p2\n"the badge is valid": p3',
            "correct",
            None,
        ),
        (TWO, "wrong answer", "partial extraction"),
        (f'{PHRASES}\n"the guard sleeps": x4', "wrong answer", "over-extraction"),
        (f'{TWO}\n"no siren sounds": x3', "wrong answer", "semantic mismatch"),
        (f'{TWO}\n"a siren sounds": x2', "wrong answer", "semantic mismatch"),
        ('"the whole sentence and all of it": x1', "wrong answer", "complete failure"),
        ("I see three propositions.", "unreadable answer", "complete failure"),
        ("I'm sorry, but I can't help with that.", "refused or empty", None),
        ("", "refused or empty", None),
        (Reply(PHRASES, finish_reason="length"), "truncated", None),
    ],
)
def test_propositions_lead_to_an_outcome_and_a_kind_of_error(
    answer: Reply | str, outcome: str, kind: str | None
) -> None:
    trial = performed("propositions", BADGE, answer)
    assert trial.outcome == outcome
    assert part_of(trial, Phrases).error_kind == kind
    assert bool(message_of(trial)) is (outcome != "correct")


def test_scores_of_the_right_answer_are_all_one() -> None:
    trial = performed("propositions", BADGE, PHRASES)
    assert part_of(trial, Phrases).scores == dict.fromkeys(
        ("precision", "recall", "f1", "jaccard", "levenshtein"), 1.0
    )
    assert part_of(trial, Answered).value[0] == ["the badge is valid", "x1"]


def test_scores_by_hand() -> None:
    # found: 2 of 3 expected, 2 of 4 answered. "no siren sounds" pairs with "a siren sounds" and is no find.
    trial = performed("propositions", BADGE, f'{TWO}\n"no siren sounds": x3\n"all": x4')
    scores = part_of(trial, Phrases).scores or {}
    assert scores["precision"] == pytest.approx(2 / 4)
    assert scores["recall"] == pytest.approx(2 / 3)
    assert scores["f1"] == pytest.approx(4 / 7)
    # siren, sound | no, siren, sound: 2 of 3 words
    assert scores["jaccard"] == pytest.approx((1 + 1 + 2 / 3) / 4)
    # "a siren sounds" becomes "no siren sounds" by 2 edits of 15 letters
    assert scores["levenshtein"] == pytest.approx((1 + 1 + 13 / 15) / 4)
    assert part_of(trial, Phrases).error_kind == "semantic mismatch"


def test_two_phrases_of_one_atom_want_one_name() -> None:
    pairs = [["the lamp is on", "x1"], ["the lamp shines", "x1"]]
    subject = ltl_item("G x1", sentence="The lamp is on, and it shines.", propositions=pairs)
    assert (
        performed("propositions", subject, '"the lamp is on": a1\n"the lamp shines": a1').outcome
        == "correct"
    )
    assert (
        performed("propositions", subject, '"the lamp is on": a1\n"the lamp shines": a2').outcome
        == "wrong answer"
    )
