"""The chat model: a conversation becomes a request, a recording or a server answers it, a reply comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pytest_autoeval.models.base import AnswerSchema, Message, Reply, StructuredOutputsUnsupportedError
from pytest_autoeval.models.completion import Completion, read_completion
from pytest_autoeval.models.digest import prompt_digest, wire_messages
from pytest_autoeval.models.endpoint import Answered, Endpoint
from pytest_autoeval.models.settings import ModelSettings


class ChatModel:
    """A model behind an OpenAI-compatible chat completions endpoint; thread-safe.

    Args:
        endpoint: where it is asked, under the name that is sent to the server.
        settings: what to send beside the messages.
        default_seed: sent where the settings have no seed; None: none is sent.
        on_close: called when the model is closed.
    """

    def __init__(
        self,
        endpoint: Endpoint[Completion],
        settings: ModelSettings,
        *,
        default_seed: int | None = None,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self._endpoint = endpoint
        self._settings = settings
        self._seed = default_seed if settings.seed is None else settings.seed
        self._on_close = on_close

    @property
    def name(self) -> str:
        """The name it was asked for by."""
        return self._endpoint.name

    def complete(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> Reply:
        """The answer of a recording where there is one, else of the server; raises :class:`ModelError`."""
        body = self._body(messages, repeat, schema)
        answered = self._endpoint.replay(body, repeat, read_completion) or self._asked(body, repeat, schema)
        return _reply(answered, prompt_digest(messages))

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> bool:
        """Whether a recording would answer this, without asking."""
        return self._endpoint.recorded(self._body(messages, repeat, schema), repeat)

    def close(self) -> None:
        """Releases what was opened for this model alone."""
        self._on_close()

    def _body(self, messages: Sequence[Message], repeat: int, schema: AnswerSchema | None) -> dict[str, Any]:
        """What identifies a request, and what is sent but for the name of one parameter; see ``Connection``."""
        settings = self._settings
        body: dict[str, Any] = {"model": self.name, "messages": wire_messages(messages)}
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if self._seed is not None:
            body["seed"] = self._seed + repeat
        if settings.max_tokens is not None and "max_completion_tokens" not in settings.parameters:
            body["max_tokens"] = settings.max_tokens
        if schema is not None:
            from pytest_autoeval.models.structured import PARAMETER, response_format

            body[PARAMETER] = response_format(schema)
        return self._endpoint.body(body | dict(settings.parameters))

    def _asked(self, body: dict[str, Any], repeat: int, schema: AnswerSchema | None) -> Answered[Completion]:
        if schema is None:
            return self._endpoint.ask(body, repeat, read_completion)
        from pytest_autoeval.models.structured import PARAMETER, Refusals

        if PARAMETER in self._settings.parameters:  # the user's own format: theirs to mend
            return self._endpoint.ask(body, repeat, read_completion)
        refusals = Refusals(self.name, self._endpoint.state)
        refusals.check(schema)
        try:
            return self._endpoint.ask(body, repeat, read_completion, is_schema_ours=True)
        except StructuredOutputsUnsupportedError as refusal:
            refusals.note(schema, refusal)
            raise


def _reply(answered: Answered[Completion], digest: str) -> Reply:
    completion = answered.content
    return Reply(
        text=completion.text,
        finish_reason=completion.finish_reason,
        refusal=completion.refusal,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        cost=answered.cost,
        seconds=answered.seconds,
        prompt_digest=digest,
        replayed=answered.replayed,
    )
