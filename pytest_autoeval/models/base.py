"""What a model is to the rest of the house: messages in, a reply out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pytest_autoeval.errors import AutoevalError

if TYPE_CHECKING:
    from typing_extensions import TypeIs

#: What servers report as the reason when an answer ends at the token limit.
_TRUNCATED = frozenset({"length", "max_tokens", "model_length"})


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a model. A model of your own sets what it knows; the run sets the last five.

    Attributes:
        text: the answer.
        finish_reason: why it ended, as the server sent it: ``stop``, ``length``, ``content_filter``, ``unknown``, ….
        refusal: the server's message of a refusal, or empty.
        prompt_tokens: number of tokens in the prompt, None if unknown.
        completion_tokens: number of tokens in the answer, None if unknown.
        reasoning_tokens: number of those that are hidden reasoning, None if unknown.
        cost: in USD: None if unknown, 0 if nothing was asked.
        seconds: wall-clock time, with retries and the waits between them.
        prompt_digest: identifies the messages; model, host and parameters do not count.
        replayed: a recording or an earlier call of this run gave the answer.
        messages: what was sent, without secrets, as dicts with ``role`` and ``content``.
        taken_over: the answer comes from the interrupted run that this run continues.
        limit: the default limit in tokens, if the answer may have ended there.
    """

    text: str
    finish_reason: str = "stop"
    refusal: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    prompt_digest: str = ""
    replayed: bool = False
    messages: Sequence[Mapping[str, str]] = ()
    taken_over: bool = False
    limit: int | None = None

    @property
    def truncated(self) -> bool:
        """Whether the server cut the answer off at a token limit."""
        return self.finish_reason.lower() in _TRUNCATED


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """What an answer must look like where the server supports structured outputs.

    ``name`` is the schema's name for the server; ``text`` its JSON Schema, as JSON.
    """

    name: str
    text: str

    @property
    def value(self) -> Mapping[str, Any]:
        """The JSON Schema."""
        schema: Mapping[str, Any] = json.loads(self.text)
        return schema


class Model(Protocol):
    """A model of your own, for ``registry.add_model``: any class with this method. No base class is needed.

    ``complete`` may be ``async``. A model that can follow a JSON schema also takes
    ``schema: AnswerSchema | None = None``. A run makes one object, and calls its ``close()`` at the end, if it has one.
    """

    def complete(self, messages: Sequence[Message], /, *, repeat: int) -> Reply | str:
        """The answer to a conversation. Many threads call it at once; an ``async`` one runs on one event loop.

        ``repeat`` is the number of the repeat, from 0: a model with random answers must draw a new one for each.
        Raises `TransientError` to be asked again.
        """


class Chat(Protocol):
    """A chat model as a run asks it, whatever stands behind it; safe to call from many threads."""

    @property
    def name(self) -> str:
        """The name it was asked for by, as in ``--autoeval-model``."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        repeat: int = 0,
        schema: AnswerSchema | None = None,
        limit: int | None = None,
    ) -> Reply:
        """The answer to a conversation; equal conversations of different ``repeat`` are asked anew.

        With a ``schema`` the server is asked to keep to it. ``limit`` is the longest answer in tokens, where the user
        says nothing else; it does not identify a request. Raises `ModelError`:
        `StructuredOutputsUnsupportedError` where the server takes no schema.
        """

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> bool:
        """Whether a recording would answer this, without asking."""


#: What a text is that is embedded: a sentence, or a formula.
Form = Literal["english", "formulas"]


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of some texts, in their order, all of one length; ``reply`` has no text, only what the call took."""

    vectors: tuple[tuple[float, ...], ...]
    reply: Reply


class Embedder(Protocol):
    """A model that places texts in a vector space and says nothing; safe to call from many threads."""

    @property
    def name(self) -> str:
        """The name it was asked for by, as in ``--autoeval-model``."""

    def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:
        """The vectors of texts of one form; raises `ModelError`."""

    def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:
        """Whether a recording would answer this, without asking."""


def only_embeds(model: Chat | Embedder) -> TypeIs[Embedder]:
    """Whether a model answers no conversations."""
    return hasattr(model, "embed")


#: The one JSON text of a value: keys sorted, no white space, ASCII only.
canonical_json: Callable[[Any], str] = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def digest_of(value: Any) -> str:
    """The SHA-256 of a JSON value, in hexadecimal."""
    return sha256(canonical_json(value).encode("ascii")).hexdigest()


def wire_messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    """A conversation as a request's body carries it."""
    return [{"role": message.role, "content": message.content} for message in messages]


def wire_inputs(texts: Sequence[str]) -> list[dict[str, str]]:
    """Texts to embed, in the form of a conversation."""
    return [{"role": "input", "content": text} for text in texts]


def prompt_digest(messages: Sequence[Message]) -> str:
    """The SHA-256 of a conversation, in hexadecimal: no model, parameter or host takes part."""
    return digest_of(wire_messages(messages))


class ModelError(AutoevalError):
    """A model gave no answer."""


class ConfigurationError(ModelError):
    """No call can succeed until the user corrects a key, model name, server or option: the run stops at once."""


class CallError(ModelError):
    """This one call failed for good (network, server, malformed response): the sample ends as ``error``."""


class TransientError(ModelError):
    """A model of your own raises this error to be asked again, for example after a rate limit.

    The run then waits, and makes fewer calls at once.

    Args:
        message: the reason, shown if no attempt succeeds.
        retry_after: seconds to wait, ≥ 0; None leaves this to the run.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class StructuredOutputsUnsupportedError(ModelError):
    """The server does not take a schema for its answers: ask it in words."""


class RecordingMissError(ModelError):
    """Nothing is recorded for this request, and the mode asks no model.

    The message shows how the nearest recorded request differs: requests that miss for one reason have one message. A
    note names the file of the nearest.
    """


class LimitReachedError(ModelError):
    """``--autoeval-max-calls`` or ``--autoeval-max-cost`` is spent: no further call is made in this run."""
