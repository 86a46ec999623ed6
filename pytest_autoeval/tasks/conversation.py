"""Prompts of a test's own: a text, a whole conversation, or a conversation that continues with each question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args, get_type_hints

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.models.protocols import Message
from pytest_autoeval.tasks.task import Prompt, answer_text, complete
from pytest_autoeval.tasks.trial import Trial

#: A message, or ``{"role": …, "content": …}``.
Turn = Message | Mapping[str, str]

_ROLES = get_args(get_type_hints(Message)["role"])


class Conversation:
    """A conversation with the model under test in one trial; each prompt contains all earlier turns."""

    def __init__(self, trial: Trial, system: str = "") -> None:
        self._trial = trial
        #: The turns so far, without the model's thoughts.
        self.messages = [Message("system", system)] if system else []

    def ask(self, text: str, *, stage: str = "ask") -> str:
        """The model's answer to the next question; recorded like every call.

        Raises :class:`MeaningLostError` if the answer was cut off, empty or a refusal; then the question is not added
        to the conversation.
        """
        messages = [*self.messages, *messages_of(text)]
        with self._trial.calling():
            answer = answer_text(complete(self._trial, Prompt(stage, messages)), stage)
        self.messages = [*messages, Message("assistant", answer)]
        return answer


def messages_of(prompt: str | Sequence[Turn], system: str = "") -> list[Message]:
    """The messages of a prompt, after the system prompt if there is one; raises :class:`AutoevalError`."""
    if not prompt:
        raise AutoevalError("there is nothing to ask: the prompt is empty")
    turns = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    first = [Message("system", system)] if system else []
    return [*first, *(_message(turn, number) for number, turn in enumerate(turns, 1))]


def _message(turn: object, number: int) -> Message:
    if isinstance(turn, Mapping) and set(turn) == {"role", "content"}:
        turn = Message(turn["role"], turn["content"])
    if not isinstance(turn, Message) or not isinstance(turn.content, str):
        raise AutoevalError(
            f'message {number} of the conversation is {turn!r:.100}: write {{"role": …, "content": "…"}} or a Message'
        )
    if turn.role not in _ROLES:
        raise AutoevalError(
            f"message {number} of the conversation has the role {turn.role!r}: the roles are {', '.join(_ROLES)}"
        )
    return turn
