"""What an offline model takes a conversation for, and that its answer depends on that and the seed alone."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from offline_conversations import asking, describe, read, round_trip

from pytest_autoeval.languages import Formula
from pytest_autoeval.models.base import Message
from pytest_autoeval.models.offline import check_model, is_offline, offline_models
from pytest_autoeval.models.offline.behaviour import (
    Answer,
    OfflineOptionError,
    UnknownOfflineModelError,
    misreading,
    wording,
)
from pytest_autoeval.models.offline.conversation import Request, answer, request_in


def user(*texts: str) -> list[Message]:
    """A conversation of the user's messages alone."""
    return [Message("user", text) for text in texts]


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("Formula:\np1 ∧ p2\n", Request("describe", "p1 ∧ p2")),
        ("Formula: p1 ∧ p2", Request("describe", "p1 ∧ p2")),
        ("Description:\nBoth of these are true:\n  p1 holds;\n  p2 holds.", None),
        ("Formula:\np1\n\nDescription:\np1 holds.", Request("read", "p1 holds.")),
        ("Vocabulary: p1\n  Formula:\n  p1  ", Request("describe", "p1")),
        ("Formula: p1\nDescription:", Request("describe", "p1")),
        ("Description: p1 holds.\n\nFormula:\n", Request("read", "p1 holds.")),
        ("Please describe this.\n\np1 ∨ ¬p2", Request("describe", "p1 ∨ ¬p2")),
        ("Write this as a formula.\n\np1 does not hold.", Request("read", "p1 does not hold.")),
        ("0(01)*", Request("describe", "0(01)*")),
        ("", Request("read", "")),
    ],
)
def test_the_end_of_the_message_tells_what_is_asked(text: str, request_: Request | None) -> None:
    expected = request_ or Request("read", text.removeprefix("Description:\n"))
    assert request_in(user(text)) == expected


def test_the_last_message_of_the_user_counts() -> None:
    earlier = [Message("user", "Formula:\np1"), Message("assistant", "p1 holds.")]
    assert request_in([*earlier, Message("user", "Formula:\np2")]) == Request("describe", "p2")
    assert request_in([*earlier, Message("user", "Formula:\np2"), Message("assistant", "p2")]).payload == "p2"


@pytest.mark.parametrize(
    ("payload", "description"),
    [
        ("v", "v holds."),
        ("01", "The string is made of a 0, then a 1."),
        ("P(a)", "P holds of a."),
        ("~p & q", "Both p does not hold and q holds."),
    ],
)
def test_the_first_language_that_takes_a_formula_describes_it(payload: str, description: str) -> None:
    assert describe("offline/faithful", payload).text == description


def test_what_is_no_formula_is_not_described() -> None:
    assert describe("offline/faithful", "p1 ∧ ∧ p2").text.startswith("I cannot describe this")


def test_english_of_others_is_not_understood() -> None:
    given = read("offline/faithful", "Neither p1 nor p2.")
    assert given.text.startswith("I cannot tell what this says")
    assert given.finish_reason == "stop"


def test_hostile_nesting_gets_an_answer() -> None:
    assert read("offline/faithful", "it is not the case that " * 20_000 + "p holds.").text.startswith("I cannot follow")
    assert describe("offline/faithful", "¬(" * 20_000 + "p" + ")" * 20_000).text.startswith("I cannot describe this")


def test_answers_do_not_depend_on_the_order_of_calls_or_on_threads() -> None:
    formulas = ["(p1 ∨ ¬p2) ∧ ¬(p3 → p4)", "∀x1. (P(x1) ∧ ¬Q(x1, c1))", "(0*1)*01*", "¬p1 ∧ p2"]
    calls = [(name, formula, seed) for name, _ in offline_models() for formula in formulas for seed in (None, 1, 2)]
    calls += [("offline/student?strength=0.5", formula, seed) for formula in formulas for seed in range(10)]
    expected = {call: round_trip(*call) for call in calls}
    shuffled = random.Random(7).sample(calls, len(calls))
    with ThreadPoolExecutor(16) as pool:
        given = dict(zip(shuffled, pool.map(lambda call: round_trip(*call), shuffled), strict=True))
    assert given == expected


def test_is_offline_asks_the_name_alone() -> None:
    assert is_offline("offline/faithful")
    assert is_offline("offline/no-such-fault")
    assert not is_offline("gpt-5-mini")


def test_an_unknown_fault_names_the_nearest() -> None:
    with pytest.raises(UnknownOfflineModelError, match=r"Did you mean offline/negation-scope\?.*offline/leak"):
        check_model("offline/negation-scop")
    with pytest.raises(UnknownOfflineModelError, match="no offline model 'gpt-5-mini'"):
        answer("gpt-5-mini", asking("Formula", "p1"))


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("offline/student?strength=1.2", "from 0 to 1, not '1.2'"),
        ("offline/student?strength=-0.1", "from 0 to 1, not '-0.1'"),
        ("offline/student?strength=nan", "from 0 to 1, not 'nan'"),
        ("offline/student?strength=", "from 0 to 1, not ''"),
        ("offline/student?stength=0.9", "no option 'stength'"),
        ("offline/leak?strength=0.9", "takes no options, and was given strength"),
    ],
)
def test_a_wrong_option_is_told(name: str, complaint: str) -> None:
    with pytest.raises(OfflineOptionError, match=complaint):
        check_model(name)


def test_a_project_adds_faults_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_autoeval.models.offline.behaviour._REGISTERED", {})

    @misreading("denial", "denies everything", languages=("propositional",))
    def denial(formula: Formula) -> Formula:
        from pytest_autoeval.languages.logic.syntax import Not, Sentence

        assert isinstance(formula, Sentence)
        return Not(formula)

    @wording("shout", "raises its voice")
    def shout(formula: Formula, text: str) -> Answer:
        return Answer(f"{text}!")

    assert offline_models() == (("offline/denial", "denies everything"), ("offline/shout", "raises its voice"))
    assert round_trip("offline/denial", "p1").text == "¬p1"
    assert round_trip("offline/denial", "P(a)").text == "P(a)"
    assert round_trip("offline/shout", "P(a)").text == "P(a)!"
