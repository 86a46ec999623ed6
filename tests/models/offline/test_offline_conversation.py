"""What an offline model takes a conversation for, and that its answer depends on that and the seed alone."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.offline_conversations import SPEAKING, asking, describe, read, round_trip

from pytest_autoeval.models.model_names import ModelOptionError
from pytest_autoeval.models.offline.answering import answer, request_in
from pytest_autoeval.models.offline.offline_models import UnknownOfflineModelError, check_model
from pytest_autoeval.models.protocols import Message


def user(*texts: str) -> list[Message]:
    """A conversation of the user's messages alone."""
    return [Message("user", text) for text in texts]


@pytest.mark.parametrize(
    ("text", "label", "payload"),
    [
        ("Formula:\np1 ∧ p2\n", "Formula", "p1 ∧ p2"),
        (
            "Description:\nThe string is made of\n  a 1,\n  then a 0.",
            "Description",
            "The string is made of\n  a 1,\n  then a 0.",
        ),
        ("Formula:\np1\n\nDescription:\np1 holds.", "Description", "p1 holds."),
        ("Formula:\np1\n\nFormula:\np2", "Formula", "p2"),
        ("Vocabulary: p1\n  Formula:\n  p1  ", "Formula", "p1"),
        ("Description: p1 holds.\n\nFormula:\n", "Description", "p1 holds."),
        ("Please describe this.\n\np1 ∨ ¬p2", "Formula", "p1 ∨ ¬p2"),
        ("Write this as a formula.\n\np1 does not hold.", "Description", "p1 does not hold."),
        ("Trace:\n\np1 does not hold.\n\np2 holds.", "Description", "p2 holds."),
        ("", "Description", ""),
    ],
)
def test_the_end_of_the_message_tells_what_is_asked(text: str, label: str, payload: str) -> None:
    assert request_in(user(text)).payloads == {label: payload}


def test_the_last_message_of_the_user_with_labels_counts() -> None:
    earlier = [Message("user", "Formula:\np1"), Message("assistant", "p1 holds.")]
    asked = [*earlier, Message("user", "Formula:\np2")]
    assert request_in(asked).payloads == {"Formula": "p2"}
    again = [
        *asked,
        Message("assistant", "Description:\np2 holds."),
        Message("user", "Look at your answer once more."),
    ]
    assert request_in(again).payloads == {"Formula": "p2"}


@pytest.mark.parametrize("model", ["faithful", "or-for-and", "student?strength=0.2"])
def test_a_second_look_changes_nothing(model: str) -> None:
    asked = asking("Description", "Either p1 holds or p2 holds, and p3 does not hold.")
    for seed in range(5):
        first = answer(f"offline/{model}", asked, seed)
        again = [
            *asked,
            Message("assistant", first.text),
            Message("user", "Look at your answer once more."),
        ]
        assert answer(f"offline/{model}", again, seed) == first


def test_english_of_others_is_not_understood() -> None:
    given = read("offline/faithful", "Neither p1 nor p2.")
    assert given.text.startswith("I cannot tell what this says")
    assert given.finish_reason == "stop"


def test_hostile_nesting_gets_an_answer() -> None:
    for words in (
        "it is not the case that " * 8_000,
        "it is not the case that " * 200,
        "at the next step, " * 200,
    ):
        assert read("offline/faithful", f"{words}p holds.").text.startswith(
            "I cannot tell what this says"
        )
    assert describe("offline/faithful", "¬(" * 20_000 + "p" + ")" * 20_000).text.startswith(
        "I cannot describe this"
    )


def test_answers_do_not_depend_on_the_order_of_calls_or_on_threads() -> None:
    formulas = [
        "(p1 ∨ ¬p2) ∧ ¬(p3 → p4)",
        "∀x1. (P(x1) ∧ ¬Q(x1, c1))",
        "(0*1)*01*",
        "¬p1 ∧ p2",
        "G (p -> X q)",
    ]
    calls = [
        (name, formula, seed) for name in SPEAKING for formula in formulas for seed in (None, 1, 2)
    ]
    calls += [
        ("offline/student?strength=0.5", formula, seed)
        for formula in formulas
        for seed in range(10)
    ]
    expected = {call: round_trip(*call) for call in calls}
    shuffled = random.Random(7).sample(calls, len(calls))
    with ThreadPoolExecutor(16) as pool:
        given = dict(zip(shuffled, pool.map(lambda call: round_trip(*call), shuffled), strict=True))
    assert given == expected


def test_an_unknown_fault_names_the_nearest() -> None:
    with pytest.raises(
        UnknownOfflineModelError, match=r"Did you mean 'offline/negation-scope'.*lists all"
    ):
        check_model("offline/negation-scop")
    with pytest.raises(UnknownOfflineModelError, match="no offline model 'gpt-5-mini'"):
        answer("gpt-5-mini", asking("Formula", "p1"))


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("offline/student?strength=1.2", "from 0 to 1, not '1.2'"),
        ("offline/student?strength=nan", "from 0 to 1, not 'nan'"),
        ("offline/student?stength=0.9", "no option 'stength'"),
        ("offline/leak?strength=0.9", "takes no options, and was given strength"),
    ],
)
def test_a_wrong_option_is_told(name: str, complaint: str) -> None:
    with pytest.raises(ModelOptionError, match=complaint):
        check_model(name)
