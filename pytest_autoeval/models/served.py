"""What a run asks of one model: the journal answers, or a recording, or else the server within the limits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from pytest_autoeval.models.base import (
    AnswerSchema,
    ConfigurationError,
    Embedded,
    Form,
    Message,
    Reply,
    digest_of,
    prompt_digest,
    wire_inputs,
    wire_messages,
)
from pytest_autoeval.models.journal import Journal, Kept
from pytest_autoeval.models.memory import Asking
from pytest_autoeval.models.names import EmbedderName
from pytest_autoeval.models.recording import Recordings
from pytest_autoeval.models.redaction import masked
from pytest_autoeval.models.responses import read_completion, read_embedding, read_vectors, trimmed
from pytest_autoeval.models.settings import CHAT, EMBEDDINGS, SCHEMA, Route, ServerCall
from pytest_autoeval.models.upstream import Upstream

_T = TypeVar("_T")


class ServedModel:
    """A model that is asked by requests of one kind. Its name is that in ``--autoeval-model``.

    An equal question is asked once in a run: Hypothesis, which asks again, sees no model that varies. The further
    answers are replays, which took no seconds and no money.
    """

    def __init__(self, name: str, route: Route, upstream: Upstream, journal: Journal) -> None:
        self.name = name
        self.recordings = Recordings(name, upstream.settings, journal, route)
        self._journal = journal
        self._connection = upstream.connection(name)
        self._settings = self._connection.settings
        self._parameters = masked(self._settings.parameters)
        self._route = route
        self._upstream = upstream
        self._asking = Asking()
        #: Recordings are read and written by one call at a time, and in a thread where the loop may have other work.
        self._reading = asyncio.Lock()

    def _body(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """What identifies a request, and what is sent but for parameters that are secret; without any secret."""
        redacted: dict[str, Any] = self._upstream.redactor.json({**body, **self._parameters})
        return redacted

    async def _recorded(self, body: Mapping[str, Any], repeat: int) -> bool:
        return await self._with_files(self.recordings.has, body, repeat)

    async def _answer(
        self, call: ServerCall, read: Callable[[Any], Reply], kept: Callable[[Any], Any] = lambda payload: payload
    ) -> tuple[Any, Reply]:
        """The response to a request and what it says, without a digest; recorded where the mode records.

        One that an earlier run was given is taken over as it was then: nobody sees the difference in the results.

        ``call`` has no price yet; ``kept`` is the part of a response that is kept.
        """
        body, repeat = call.body, call.repeat
        key = bytes.fromhex(digest_of([self._connection.address, self._route, body, repeat]))
        async with self._asking.alone(key):
            answer = self._journal.find(key)
            if answer is None:
                payload = None
                if self.recordings.matters:
                    payload = await self._with_files(self.recordings.find, body, repeat)
                if payload is not None:
                    return payload, replace(read(payload), cost=0.0, replayed=True)
                answer = await self._asked(call, key, read, kept)
            if self.recordings.writes and not answer.again:
                await self._with_files(self.recordings.keep, body, repeat, answer.payload)
        cost, seconds = answer.cost, answer.seconds
        if answer.again:
            cost, seconds = None if cost is None else 0.0, 0.0
        reply = replace(
            read(answer.payload), cost=cost, seconds=seconds, replayed=answer.again, taken_over=answer.taken_over
        )
        return answer.payload, reply

    async def _asked(
        self, call: ServerCall, key: bytes, read: Callable[[Any], Reply], kept: Callable[[Any], Any]
    ) -> Kept:
        """The server's answer, which is in the journal."""
        answers: list[Kept] = []

        def keep(payload: Any, cost: float | None, seconds: float) -> None:
            answers.append(Kept(kept(payload), cost, seconds))
            self._journal.keep(key, answers[0])

        priced = replace(call, price=await self._connection.price(self.name))
        try:
            await self._upstream.ask(self._connection, priced, read, keep)
        except ConfigurationError as error:
            raise ConfigurationError(f"{error}{self.recordings.hint}") from None
        return answers[0]

    async def _with_files(self, work: Callable[..., _T], *arguments: Any) -> _T:
        async with self._reading:
            if self._settings.record_mode == "none":
                return work(*arguments)
            return await asyncio.to_thread(work, *arguments)


class ChatModel(ServedModel):
    """A model that answers conversations."""

    def __init__(self, name: str, upstream: Upstream, journal: Journal) -> None:
        super().__init__(name, CHAT, upstream, journal)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        repeat: int = 0,
        schema: AnswerSchema | None = None,
        limit: int | None = None,
    ) -> Reply:
        """The answer of a recording where there is one, else of the server; raises :class:`ModelError`."""
        # A format among the user's parameters is theirs to mend.
        ours = None if schema is None or SCHEMA in self._settings.parameters else schema.name
        body = self._request(messages, repeat, schema)
        default = limit if self._connection.default_limits else None
        call = ServerCall(model=self.name, route=self._route, body=body, repeat=repeat, schema=ours, limit=default)
        _, reply = await self._answer(call, read_completion)
        # A recording may be replayed where no server is named.
        ended = limit if self._settings.max_tokens is None and reply.completion_tokens == limit else None
        return replace(reply, prompt_digest=prompt_digest(messages), messages=body["messages"], limit=ended)

    async def recorded(
        self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None
    ) -> bool:
        """Whether a recording would answer this, without asking."""
        return await self._recorded(self._request(messages, repeat, schema), repeat)

    def _request(self, messages: Sequence[Message], repeat: int, schema: AnswerSchema | None) -> dict[str, Any]:
        """What identifies a request, and what is sent but for the name of one parameter; see ``HttpConnection``."""
        settings = self._settings
        body: dict[str, Any] = {"model": self.name, "messages": wire_messages(messages)}
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.seed is not None:
            body["seed"] = settings.seed + repeat
        if isinstance(settings.max_tokens, int) and "max_completion_tokens" not in settings.parameters:
            body["max_tokens"] = settings.max_tokens
        if schema is not None:
            named = {"name": schema.name, "strict": True, "schema": dict(schema.value)}
            body[SCHEMA] = {"type": "json_schema", "json_schema": named}
        return self._body(body)


class EmbeddingModel(ServedModel):
    """A model that embeds texts, behind an instruction."""

    def __init__(self, name: EmbedderName, upstream: Upstream, journal: Journal) -> None:
        super().__init__(name.whole, EMBEDDINGS, upstream, journal)
        self._parts = name

    async def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:
        """The vectors in a recording where there is one, else the server's; raises :class:`ModelError`."""
        inputs = self._parts.inputs(texts, form)
        if not inputs:
            return Embedded((), Reply("", cost=0.0, prompt_tokens=0, completion_tokens=0))
        read = partial(read_embedding, count=len(inputs))
        body = self._request(inputs)
        call = ServerCall(model=self.name, route=self._route, body=body, repeat=repeat)
        payload, reply = await self._answer(call, read, trimmed)
        reply = replace(reply, prompt_digest=digest_of(inputs), messages=wire_inputs(body["input"]))
        return Embedded(read_vectors(payload, len(inputs)), reply)

    async def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:
        """Whether a recording would answer this, without asking."""
        return await self._recorded(self._request(self._parts.inputs(texts, form)), repeat)

    def _request(self, inputs: list[str]) -> dict[str, Any]:
        """What identifies a request, and what is sent: no seed, for vectors are not drawn."""
        return self._body({"model": self._parts.model, "input": inputs, "encoding_format": "float"})
