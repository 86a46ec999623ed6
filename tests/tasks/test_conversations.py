"""Whole conversations as prompts, and conversations that continue."""

from __future__ import annotations

from typing import Any

import pytest
from support.scripted import Scripted

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.models.protocols import Message, Reply
from pytest_autoeval.tasks.conversation import Turn
from pytest_autoeval.tasks.round_trip import Llm
from pytest_autoeval.tasks.trial import MeaningLostError, Trial, in_trial

SAID: list[Turn] = [
    {"role": "user", "content": "p or q?"},
    Message("assistant", "p"),
    {"role": "user", "content": "And now?"},
]


def test_a_conversation_is_asked_as_it_is_behind_the_system_prompt() -> None:
    model = Scripted("q")
    with in_trial(Trial(model)):
        assert Llm().ask(SAID, system="Be brief.") == "q"
    roles = [(message.role, message.content) for message in model.asked[0]]
    asked = [("user", "p or q?"), ("assistant", "p"), ("user", "And now?")]
    assert roles == [("system", "Be brief."), *asked]


def test_a_later_question_has_the_earlier_turns_without_thoughts() -> None:
    model = Scripted("<think>Hm.</think>Yes.", Reply("N", finish_reason="length"), "No.")
    trial = Trial(model)
    with in_trial(trial):
        chat = Llm().conversation("Be brief.")
        assert chat.ask("Is it?") == "Yes."
        with pytest.raises(MeaningLostError, match="cut off"):
            chat.ask("Why?")
        assert chat.ask("Still?", stage="again") == "No."
    last = [message.content for message in model.asked[2]]
    assert last == ["Be brief.", "Is it?", "Yes.", "Still?"]
    assert [message.content for message in chat.messages] == [*last, "No."]
    assert [call.stage for call in trial.calls] == ["ask", "ask", "again"]


@pytest.mark.parametrize(
    ("prompt", "problem"),
    [
        (
            [*SAID, {"role": "tool", "content": "1"}],
            "message 4 .* the role 'tool': the roles are system, user, assis",
        ),
        ([{"role": "user", "content": None}], 'message 1 .*write {"role": …, "content": "…"}'),
        ({"role": "user", "content": "p"}, "message 1 of the conversation is 'role'"),
        ([], "the prompt is empty"),
    ],
)
def test_a_bad_conversation_is_refused_in_one_line(prompt: Any, problem: str) -> None:
    with in_trial(Trial(Scripted())), pytest.raises(AutoevalError, match=problem):
        Llm().ask(prompt)


def test_a_conversation_needs_a_trial() -> None:
    with pytest.raises(AutoevalError, match="no trial"):
        Llm().conversation()
