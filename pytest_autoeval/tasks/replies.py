"""Asking a model and taking its reply: what it says, thoughts left out, or why it says nothing."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval import prompts
from pytest_autoeval.languages.wrappings import without_thoughts
from pytest_autoeval.models.base import AnswerSchema, Embedder, Message, Model, ModelError, Reply
from pytest_autoeval.tasks.answers.refusal import refused
from pytest_autoeval.tasks.failures import MeaningLostError
from pytest_autoeval.tasks.trial import Trial

#: What servers call it when an answer ends at the limit of tokens.
_TRUNCATED = frozenset({"length", "max_tokens", "model_length"})


@dataclass(frozen=True, slots=True)
class Exchange:
    """The reply that counts and, under self-refinement, the one before it."""

    final: Reply
    first: Reply | None = None


def complete(trial: Trial, stage: str, messages: list[Message], schema: AnswerSchema | None = None) -> Reply:
    """The reply to a conversation, its call recorded in the trial under ``stage``.

    Raises :class:`~pytest_autoeval.models.base.ModelError`; where a server takes no ``schema``, it is a
    :class:`~pytest_autoeval.models.base.StructuredOutputsUnsupportedError`.
    """
    model = speaking(trial)
    if schema is None:  # a model of the user's own need not know the keyword
        reply = model.complete(messages, repeat=trial.repeat)
    else:
        reply = model.complete(messages, repeat=trial.repeat, schema=schema)
    trial.add_call(stage, reply)
    return reply


def speaking(trial: Trial) -> Model:
    """The trial's model; raises :class:`ModelError` where it only embeds texts."""
    if isinstance(trial.model, Embedder):
        raise ModelError(
            f"{trial.model.name} only embeds texts, and cannot be asked in words: give it tasks that compare texts, "
            "such as most_similar_english"
        )
    return trial.model


def converse(
    trial: Trial,
    stage: str,
    messages: list[Message],
    template: prompts.PromptTemplate,
    schema: AnswerSchema | None = None,
) -> Exchange:
    """Asks; with self-refinement asks once more in the same conversation, with no word from outside on the answer."""
    reply = complete(trial, stage, messages, schema)
    if trial.prompting.way != "self-refine":
        return Exchange(reply)
    again = [*messages, Message("assistant", reply.text), Message("user", template.refine)]
    return Exchange(complete(trial, f"{stage} refined", again, schema), first=reply)


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
