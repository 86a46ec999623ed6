"""Asking a model and taking its reply: what it says, thoughts left out, or why it says nothing."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval import prompts
from pytest_autoeval.languages.wrappings import without_thoughts
from pytest_autoeval.models.base import Message, Reply
from pytest_autoeval.tasks.failures import MeaningLostError
from pytest_autoeval.tasks.refusal import refused
from pytest_autoeval.tasks.trial import Trial

#: What servers call it when an answer ends at the limit of tokens.
_TRUNCATED = frozenset({"length", "max_tokens", "model_length"})


@dataclass(frozen=True, slots=True)
class Exchange:
    """The reply that counts and, under self-refinement, the one before it."""

    final: Reply
    first: Reply | None = None


def complete(trial: Trial, stage: str, messages: list[Message]) -> Reply:
    """The reply to a conversation, its call recorded in the trial under ``stage``."""
    reply = trial.model.complete(messages, repeat=trial.repeat)
    trial.add_call(stage, reply)
    return reply


def converse(trial: Trial, stage: str, messages: list[Message], template: prompts.PromptTemplate) -> Exchange:
    """Asks; with self-refinement asks once more in the same conversation, with no word from outside on the answer."""
    reply = complete(trial, stage, messages)
    if trial.prompting.way != "self-refine":
        return Exchange(reply)
    again = [*messages, Message("assistant", reply.text), Message("user", template.refine)]
    return Exchange(complete(trial, f"{stage} refined", again), first=reply)


def said(reply: Reply, stage: str) -> str:
    """What a reply says, thoughts left out: the other half of a round trip must not hear them.

    Raises :class:`MeaningLostError` (``truncated``, ``refused or empty``).
    """
    if is_truncated(reply):
        raise MeaningLostError("truncated", f"{stage}: the answer was cut off at the token limit")
    text = without_thoughts(reply.text)
    if not text.strip() and not refused(reply):
        raise MeaningLostError("refused or empty", f"{stage}: the answer is empty")
    if refused(reply):
        raise MeaningLostError("refused or empty", f"{stage}: the model refused: {reply.refusal or text[:200]}")
    return text


def is_truncated(reply: Reply) -> bool:
    """Whether the server ended the answer at the limit of tokens."""
    return reply.finish_reason.lower() in _TRUNCATED
