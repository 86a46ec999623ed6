"""Asking a model: the rendered prompt, the reply, and the answer in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_autoeval import prompts
from pytest_autoeval.languages.answers import without_thoughts
from pytest_autoeval.models.base import AnswerSchema, Embedder, Message, Model, ModelError, Reply
from pytest_autoeval.tasks.trial import MeaningLostError, Trial

#: What servers report as the reason when an answer ends at the token limit.
_TRUNCATED = frozenset({"length", "max_tokens", "model_length"})


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt: the first messages, and the turn that asks to check the answer once more.

    ``stage`` is the name of the prompt; calls are recorded under it.
    """

    stage: str
    messages: list[Message]
    refine: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """The reply that counts and, with self-refinement, the first one."""

    final: Reply
    first: Reply | None = None


def rendered(trial: Trial, stage: str, language: str, slots: Mapping[str, str], interface: str = "") -> Prompt:
    """The prompt of a task, or of one half of the round trip, as the trial chooses it.

    The first of the ``slots`` carries the sample. Raises :class:`~pytest_autoeval.prompts.PromptError`.
    """
    template = prompts.load(stage, language, trial.prompts.folders, interface, tuple(slots))
    turns = template.render(slots, few_shot=trial.prompts.prompting == "few-shot")
    return Prompt(stage, [Message(role, content) for role, content in turns], template.refine)


def complete(trial: Trial, stage: str, messages: list[Message], schema: AnswerSchema | None = None) -> Reply:
    """The reply to a conversation; the call is recorded in the trial under ``stage``.

    Raises :class:`~pytest_autoeval.models.base.ModelError`, and its subclass
    :class:`~pytest_autoeval.models.base.StructuredOutputsUnsupportedError` where the server takes no ``schema``.
    """
    model = chat_model(trial)
    if schema is None:  # a user's own model need not have the keyword
        reply = model.complete(messages, repeat=trial.repeat)
    else:
        reply = model.complete(messages, repeat=trial.repeat, schema=schema)
    trial.add_call(stage, reply)
    return reply


def chat_model(trial: Trial) -> Model:
    """The trial's model; raises :class:`ModelError` for an embedding model."""
    if isinstance(trial.model, Embedder):
        raise ModelError(
            f"{trial.model.name} is an embedding model; this task needs a chat model. An embedding model can do the "
            "tasks that compare texts, such as most_similar_english"
        )
    return trial.model


def converse(trial: Trial, prompt: Prompt, schema: AnswerSchema | None = None) -> Exchange:
    """Asks; with self-refinement asks once more in the same conversation, without any comment on the answer."""
    reply = complete(trial, prompt.stage, prompt.messages, schema)
    if trial.prompts.prompting != "self-refine":
        return Exchange(reply)
    again = [*prompt.messages, Message("assistant", reply.text), Message("user", prompt.refine)]
    return Exchange(complete(trial, f"{prompt.stage} refined", again, schema), first=reply)


def answer_text(reply: Reply, stage: str) -> str:
    """The answer in a reply, without the model's thoughts: the other half of a round trip must not see them.

    Raises :class:`MeaningLostError` (``truncated``, ``refused or empty``).
    """
    if is_truncated(reply):
        raise MeaningLostError("truncated", f"{stage}: the answer was cut off at the token limit")
    text = without_thoughts(reply.text)
    if refused(reply):
        raise MeaningLostError("refused or empty", f"{stage}: the model refused: {reply.refusal or text[:200]}")
    if not text.strip():
        raise MeaningLostError("refused or empty", f"{stage}: the answer is empty")
    return text


def is_truncated(reply: Reply) -> bool:
    """Whether the server cut the answer off at the token limit."""
    return reply.finish_reason.lower() in _TRUNCATED


_OPENING = 200
#: What servers call it when they keep an answer back.
_FILTERED = frozenset({"content_filter", "safety", "refusal", "prohibited_content"})
_UNABLE = r"(?:can(?:no|['’])t|can not|unable|not able|won['’]t|will not|decline)"
_APOLOGY = (
    r"(?:(?:i['’]?m|i am|we['’]?re|we are)\s+(?:\w+\s+)?(?:sorry|afraid)"
    r"|sorry|apologies|unfortunately,?\s+(?:i|we)|i\s+apologi[sz]e|as an ai)"
)
#: What a model says that it cannot do. "We cannot have both p1 and p2" is a description.
_TASK = (
    r"(?:\s+(?:to|be|able|currently|really|just|directly|accurately|properly|reliably))*\s+(?:help|assist|comply|do|provide"
    r"|answer|fulfil|process|translat|transform|describ|express|explain|generat|complet|respond|creat|convert|formali[sz]"
    r"|pars|discuss|determin|interpret|understand|continu|writ|produc|access|proceed|engag|support|offer|supply|represent)"
)
_REFUSAL = re.compile(
    rf"^\W*{_APOLOGY}\b.{{0,120}}?\b{_UNABLE}\b"
    rf"|^\W*(?:i|we)(?:['’](?:m|re))?\s+(?:(?:am|are|must|have to)\s+)?(?:\w+ly\s+)?(?:decline\b|{_UNABLE}{_TASK})",
    re.IGNORECASE | re.DOTALL,
)


def is_withheld(reply: Reply) -> bool:
    """Whether the server says that the model, or a filter, refused."""
    return bool(reply.refusal) or reply.finish_reason.lower() in _FILTERED


def refused(reply: Reply) -> bool:
    """Whether the server says that the model refused, or its text opens as refusals do."""
    return is_withheld(reply) or _REFUSAL.search(without_thoughts(reply.text)[:_OPENING]) is not None
