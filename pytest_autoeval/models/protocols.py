"""Messages, replies, the protocols of chat and embedding models, and their errors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec
from msgspec import Struct

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.answer_grammar import AnswerGrammar
from pytest_autoeval.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from typing_extensions import TypeIs

#: Words in what servers report as the reason when an answer ends at the token limit: ``length``, ``max_tokens``,
#: ``model_context_window_exceeded``, ….
_TRUNCATED = lazy_pattern(
    r"length|max_?(?:\w+_)?tokens|token_?limit|context|truncat", re.IGNORECASE
)
#: Words in what servers report as the reason when the model or a filter withheld the answer.
_FILTERED = lazy_pattern(
    r"filter|safety|refus|prohibited|sensitive|block_?list|blocked|recitation|spii|guardrail|moderation|toxic|policy",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


# No dataclass: a call makes and copies several replies, and those of msgspec take a tenth of the time.
class Reply(Struct, frozen=True):
    """One answer of a model. A model of your own sets the fields it knows; the run sets the last seven.

    Attributes:
        text: the answer.
        finish_reason: why it ended, as the server sent it: ``stop``, ``length``, ``content_filter``, ``unknown``, ….
        refusal: the server's message of a refusal, or empty.
        prompt_tokens: number of tokens in the prompt, None if unknown.
        completion_tokens: number of tokens in the answer, None if unknown.
        reasoning_tokens: number of those that are hidden reasoning, None if unknown.
        cost: in USD: None if unknown, 0 if no call was made.
        seconds: wall-clock time, with retries and the waits between them.
        model: the version of the model that answered, as the server names it, or empty.
        system_fingerprint: the server's name of its configuration, or empty.
        prompt_digest: identifies the messages, without model, host and parameters.
        replayed: a recording gave the answer.
        repeated: an equal earlier call of this run gave the answer.
        messages: the messages sent, without secrets, as dicts with ``role`` and ``content``.
        taken_over: the answer comes from the interrupted run that this run continues.
        limit: the default limit in tokens, if the answer may have ended there.
        filled: the answer has exactly as many tokens as the request allows, so that it was cut off there, although the
            server reports another reason.
    """

    text: str
    finish_reason: str = "stop"
    refusal: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    model: str = ""
    system_fingerprint: str = ""
    prompt_digest: str = ""
    replayed: bool = False
    repeated: bool = False
    messages: Sequence[Mapping[str, str]] = ()
    taken_over: bool = False
    limit: int | None = None
    filled: bool = False

    @property
    def truncated(self) -> bool:
        """Whether the server cut the answer off at a token limit."""
        return self.filled or _TRUNCATED.search(self.finish_reason) is not None

    @property
    def withheld(self) -> bool:
        """Whether the server says that the model, or a filter, refused."""
        return bool(self.refusal) or _FILTERED.search(self.finish_reason) is not None


class MadeUpReply(Reply, frozen=True):
    """A reply that no model gave: a text of about the length that an answer would have."""


class AnswerSchema(Struct, frozen=True):
    """The schema of an answer, for servers that support structured outputs.

    ``name`` is the name sent to the server; ``text`` is the JSON Schema, as JSON. A ``constrained`` answer must follow
    it: a server without structured outputs gets a grammar.
    """

    name: str
    text: str
    constrained: bool = False

    @property
    def value(self) -> Mapping[str, Any]:
        """The JSON Schema."""
        schema: Mapping[str, Any] = json.loads(self.text)
        return schema


#: The form to which the server must restrict its answer.
AnswerForm = AnswerSchema | AnswerGrammar


class Model(Protocol):
    """A model of your own, for ``registry.add_model``: any class with this method. No base class is needed.

    ``complete`` may be ``async``. A model that can follow a JSON schema also takes
    ``schema: AnswerSchema | None = None``. A run makes one object, and calls its ``close()`` at the end, if it has one.
    """

    def complete(self, messages: Sequence[Message], /, *, repeat: int) -> Reply | str:
        """The answer to a conversation. Many threads call it at once; an ``async`` method runs on one event loop.

        ``repeat`` counts from 0: a model with random answers must draw a new answer for each repeat.
        Raises `TransientError` to be called again.
        """


class Chat(Protocol):
    """A chat model of a run; thread-safe."""

    @property
    def name(self) -> str:
        """The name, as in ``--autoeval-model``."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        repeat: int = 0,
        schema: AnswerForm | None = None,
        limit: int | None = None,
    ) -> Reply:
        """The answer to a conversation. Each ``repeat`` of one conversation gets its own answer.

        Args:
            messages: the conversation.
            repeat: number of the repeat, from 0.
            schema: a schema or grammar, sent to the server, which must follow it.
            limit: default limit of the answer in tokens; not part of the request's identity.

        Raises `ModelError`; `StructuredOutputsUnsupportedError` if the server takes no schema.
        """

    def recorded(
        self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerForm | None = None
    ) -> bool:
        """Whether a recording has the answer to this request. Makes no call."""


#: The kind of the texts to embed: an instruction may stand before them, another one for each kind.
Form = Literal["english", "formulas"]


class Embedded(Struct, frozen=True):
    """The vectors of some texts, in order, all of one length; ``reply`` holds cost, tokens and time, but no text."""

    vectors: tuple[tuple[float, ...], ...]
    reply: Reply


class Embedder(Protocol):
    """An embedding model of a run; thread-safe."""

    @property
    def name(self) -> str:
        """The name, as in ``--autoeval-model``."""

    def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:
        """The vectors of texts of one form; raises `ModelError`."""

    def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:
        """Whether a recording has the vectors of this request. Makes no call."""


def only_embeds(model: Chat | Embedder) -> TypeIs[Embedder]:
    """Whether a model is an embedding model."""
    return hasattr(model, "embed")


#: The canonical JSON text of a value: keys sorted, no white space, ASCII only.
canonical_json: Callable[[Any], str] = json.JSONEncoder(
    sort_keys=True, separators=(",", ":")
).encode


def json_value(text: str | bytes) -> Any:
    """As `json.loads`, which raises the errors; in a tenth of its time."""
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError, msgspec.MsgspecError):
        # Python's reader takes more: infinite numbers, half a pair of surrogates, UTF-16.
        return json.loads(text)


def json_or_none(text: str | bytes) -> Any:
    """The value of a JSON text; None if the text is damaged, or nested too deeply."""
    try:
        return json_value(text)
    except (ValueError, RecursionError):
        return None


def digest_of(value: Any) -> str:
    """The SHA-256 of a JSON value, in hexadecimal."""
    return sha256(canonical_json(value).encode("ascii")).hexdigest()


def wire_messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    """The messages as they stand in the body of a request."""
    return [{"role": message.role, "content": message.content} for message in messages]


def wire_inputs(texts: Sequence[str]) -> list[dict[str, str]]:
    """Texts to embed, in the form of messages."""
    return [{"role": "input", "content": text} for text in texts]


def prompt_digest(messages: Sequence[Message]) -> str:
    """The SHA-256 of the messages, in hexadecimal, without model, parameters and host."""
    return digest_of(wire_messages(messages))


class ModelError(AutoevalError):
    """A model gave no answer."""


class ConfigurationError(ModelError):
    """No call can succeed until the user corrects a key, model name, server or option: the run stops at once."""


class CallError(ModelError):
    """This one call failed for good (network, server, malformed response): the sample ends as ``error``."""


class TransientError(ModelError):
    """A model of your own raises this error to be called again, for example after a rate limit.

    The run then waits, and makes fewer calls at once.

    Args:
        message: the reason, shown if no attempt succeeds.
        retry_after: seconds to wait, ≥ 0; None leaves this to the run.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class StructuredOutputsUnsupportedError(ModelError):
    """The server does not take a schema for its answers: the prompt must describe the form."""


class RecordingMissError(ModelError):
    """No recording has this request, and the record mode makes no call.

    The message shows how the nearest recorded request differs, so that all samples of a changed prompt have the same
    message. A note names the file of that request.
    """


class LimitReachedError(ModelError):
    """``--autoeval-max-calls`` or ``--autoeval-max-cost`` is reached: this run makes no further call."""
