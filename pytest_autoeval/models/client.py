"""Models behind an OpenAI-compatible server: a recording answers a request, or else the server, within the limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_autoeval.models.base import AnswerSchema, Embedded, Form, Message, Reply
from pytest_autoeval.models.digest import CHAT, EMBEDDINGS, Route, digest_of, prompt_digest, wire_messages
from pytest_autoeval.models.memory import Memory
from pytest_autoeval.models.names import EmbedderName, base_name, is_offline
from pytest_autoeval.models.recording import Recordings
from pytest_autoeval.models.responses import read_completion, read_embedding, read_vectors, trimmed
from pytest_autoeval.models.settings import FREE, SCHEMA, ServerCall
from pytest_autoeval.models.upstream import Upstream

_OFFLINE_SEED = 0
_MOST_EMBEDDED = 64  # questions whose vectors are remembered; those of one may take a megabyte


class ServedModel:
    """A model behind one path of a server; thread-safe.

    Args:
        name: as in ``--autoeval-model``.
        route: the path.
        upstream: the servers of the run.
    """

    def __init__(self, name: str, route: Route, upstream: Upstream) -> None:
        self.name = name
        self.recordings = Recordings(name, upstream.settings, upstream.state, route)
        self._settings = upstream.settings
        self._route = route
        self._upstream = upstream
        prices = self._settings.prices
        self._price = FREE if is_offline(name) else prices.get(name, prices.get(base_name(name)))

    def _body(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """What identifies a request, and what is sent: with the user's parameters, and without secrets."""
        redacted: dict[str, Any] = self._upstream.redactor.json({**body, **self._settings.parameters})
        return redacted

    def _answer(
        self,
        body: Mapping[str, Any],
        repeat: int,
        read: Callable[[Any], Reply],
        *,
        kept: Callable[[Any], Any] = lambda payload: payload,
        schema: str | None = None,
    ) -> tuple[Any, Reply]:
        """The response to a request and what it says, without a digest; recorded where the mode records.

        Args:
            body: the request, made by :meth:`_body`.
            repeat: the number of its repeat.
            read: what a decoded response says; raises :class:`CallError`.
            kept: the part of a response that is kept.
            schema: the name of the schema in the request that we can do without; None: it has none.

        Raises :class:`ModelError`; after a :class:`ConfigurationError` no call of this model is made in this run.
        """
        payload = self.recordings.find(body, repeat)
        if payload is not None:
            return payload, replace(read(payload), cost=0.0, replayed=True)
        call = ServerCall(model=self.name, route=self._route, body=body, price=self._price, schema=schema)
        payload, asked = self._upstream.ask(call, read)
        payload = self.recordings.keep(body, repeat, kept(payload))
        return payload, replace(read(payload), cost=asked.cost, seconds=asked.seconds)


class ChatModel(ServedModel):
    """A model that answers conversations."""

    def __init__(self, name: str, upstream: Upstream) -> None:
        super().__init__(name, CHAT, upstream)
        default_seed = _OFFLINE_SEED if is_offline(name) else None
        self._seed = default_seed if self._settings.seed is None else self._settings.seed

    def complete(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> Reply:
        """The answer of a recording where there is one, else of the server; raises :class:`ModelError`."""
        # A format among the user's parameters is theirs to mend.
        ours = None if schema is None or SCHEMA in self._settings.parameters else schema.name
        body = self._request(messages, repeat, schema)
        _, reply = self._answer(body, repeat, read_completion, schema=ours)
        return replace(reply, prompt_digest=prompt_digest(messages))

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> bool:
        """Whether a recording would answer this, without asking."""
        return self.recordings.has(self._request(messages, repeat, schema), repeat)

    def close(self) -> None:
        """Nothing: what the models of a pool share, the pool closes."""

    def _request(self, messages: Sequence[Message], repeat: int, schema: AnswerSchema | None) -> dict[str, Any]:
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
            named = {"name": schema.name, "strict": True, "schema": dict(schema.value)}
            body[SCHEMA] = {"type": "json_schema", "json_schema": named}
        return self._body(body)


class EmbeddingModel(ServedModel):
    """A model that embeds texts; it remembers the vectors that it gave last.

    Args:
        name: as in ``--autoeval-model``, with the instruction that stands before every text.
        upstream: the servers of the run.
    """

    def __init__(self, name: EmbedderName, upstream: Upstream) -> None:
        super().__init__(name.whole, EMBEDDINGS, upstream)
        self._parts = name
        self._memory: Memory[tuple[tuple[str, ...], int], Embedded] = Memory(_MOST_EMBEDDED)

    def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:
        """The vectors in a recording where there is one, else the server's; raises :class:`ModelError`.

        Remembered ones took no seconds and no money.
        """
        inputs = self._parts.inputs(texts, form)
        if not inputs:
            return Embedded((), Reply("", cost=0.0, prompt_tokens=0, completion_tokens=0))
        question = (tuple(inputs), repeat)
        embedded, is_remembered = self._memory.answer(question, lambda: self._embedded(inputs, repeat))
        return replace(embedded, reply=embedded.reply.repeated()) if is_remembered else embedded

    def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:
        """Whether a recording would answer this, without asking."""
        return self.recordings.has(self._request(self._parts.inputs(texts, form)), repeat)

    def _embedded(self, inputs: list[str], repeat: int) -> Embedded:
        def read(payload: Any) -> Reply:
            read_vectors(payload, len(inputs))  # a response without them is no answer
            return read_embedding(payload)

        payload, reply = self._answer(self._request(inputs), repeat, read, kept=trimmed)
        return Embedded(read_vectors(payload, len(inputs)), replace(reply, prompt_digest=digest_of(inputs)))

    def _request(self, inputs: list[str]) -> dict[str, Any]:
        """What identifies a request, and what is sent: no seed, for vectors are not drawn."""
        return self._body({"model": self._parts.model, "input": inputs, "encoding_format": "float"})
