"""Served models: an answer comes from the journal, else from a recording, else from the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from msgspec import structs

from pytest_autoeval.models import constraints
from pytest_autoeval.models.constraints import Dialect
from pytest_autoeval.models.journal import Journal, JournalEntry
from pytest_autoeval.models.model_names import EmbedderName
from pytest_autoeval.models.model_settings import CHAT, EMBEDDINGS, SCHEMA, Route, ServerCall
from pytest_autoeval.models.protocols import (
    AnswerForm,
    AnswerSchema,
    CallError,
    ConfigurationError,
    Embedded,
    Form,
    Message,
    ModelError,
    RecordingMissError,
    Reply,
    StructuredOutputsUnsupportedError,
    digest_of,
    prompt_digest,
    wire_inputs,
    wire_messages,
)
from pytest_autoeval.models.purposes import Purpose
from pytest_autoeval.models.recording import Recordings
from pytest_autoeval.models.redaction import masked
from pytest_autoeval.models.responses import (
    failure_of,
    read_completion,
    read_embedding,
    read_vectors,
    trimmed,
)
from pytest_autoeval.models.upstream import Upstream

_T = TypeVar("_T")
_STOPPED = {"stop", "eos", "eos_token", "end_turn", "stop_sequence", "end", "end_of_text"}
_COMPLETE = {"complete", "completed", "finished"}
_UNSAID = {"unknown", "null", "none"}
#: What servers report as the reason when the model ended its answer: they use many words, or say nothing.
_ENDED = frozenset(_STOPPED | _COMPLETE | _UNSAID)


class ServedModel:
    """A model with requests of one route. Its name is that in ``--autoeval-model``.

    An equal request is sent once in a run: Hypothesis, which repeats examples, must not see a flaky model. Further
    answers are repeated: they take no seconds and cost nothing.
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
        #: The ends of the requests in flight, by their keys: an error, or None.
        self._in_flight: dict[bytes, asyncio.Future[Exception | None]] = {}
        #: One call at a time uses the recordings.
        self._reading = asyncio.Lock()

    def _body(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The body that identifies a request, without secrets; the connection adds secret parameters."""
        redacted: dict[str, Any] = self._upstream.redactor.json({**body, **self._parameters})
        return redacted

    async def _answer(
        self,
        call: ServerCall,
        read: Callable[[Any], Reply],
        kept: Callable[[Any], Any] = lambda payload: payload,
        of_request: Callable[[Reply], Mapping[str, Any]] = lambda _reply: {},
    ) -> tuple[Any, Reply]:
        """The response to a request and its reply, recorded if the mode records.

        An answer of a continued run keeps its cost and seconds, so that the results are those of one run.

        ``call`` has no price yet; ``kept`` returns the part of a response to store. ``of_request`` returns the members
        of a reply that depend on its request.
        """
        body, repeat = call.body, call.repeat
        key = self._key(call)
        async with _OnlyOne(self._in_flight, key):
            answer = self._journal.find(key)
            reply = None
            # Earlier releases took some failures for answers, and kept them.
            if answer is None or failure_of(answer.payload) is not None:
                payload = None
                # A run without recordings has no use for a thread at each call.
                if self.recordings.matters:
                    payload = await self._with_files(self.recordings.find, body, repeat)
                if payload is not None:
                    reply = read(payload)
                    return payload, structs.replace(
                        reply, cost=0.0, replayed=True, **of_request(reply)
                    )
                answer, reply = await self._asked(call, key, read, kept)
            elif answer.taken_over:
                self._upstream.limits.answered_before(self.name)
            if self.recordings.writes and not answer.again:
                await self._with_files(
                    self.recordings.keep, body, repeat, answer.payload, call.purpose
                )
        return answer.payload, _reply(answer, reply or read(answer.payload), of_request)

    def _key(self, call: ServerCall) -> bytes:
        """The key of a request in the journal."""
        identity = [self._connection.address, self._route, call.body, call.repeat]
        return bytes.fromhex(digest_of(identity))

    def _earlier_reply(
        self,
        call: ServerCall,
        read: Callable[[Any], Reply],
        of_request: Callable[[Reply], Mapping[str, Any]],
    ) -> Reply | None:
        """The reply that a continued run got, or None if it takes :meth:`_answer` to get one. Thread-safe."""
        # Recordings are used by one call at a time.
        if self.recordings.writes:
            return None
        answer = self._journal.earlier_answers.find(self._key(call))
        if answer is None:
            return None
        try:
            reply = read(answer.payload)
        except CallError:  # earlier releases took some failures for answers
            return None
        self._upstream.limits.answered_before(self.name)
        return _reply(answer, reply, of_request)

    async def _asked(
        self, call: ServerCall, key: bytes, read: Callable[[Any], Reply], kept: Callable[[Any], Any]
    ) -> tuple[JournalEntry, Reply]:
        """The server's answer, which the journal has now, and the reply read from it."""
        answers: list[tuple[JournalEntry, Reply]] = []

        def keep(payload: Any, reply: Reply, cost: float | None, seconds: float) -> None:
            entry = JournalEntry(kept(payload), cost, seconds)
            answers.append((entry, reply))
            self._journal.keep(key, entry)

        price = await self._connection.price(self.name)
        priced = call if price is None else structs.replace(call, price=price)
        try:
            await self._upstream.ask(self._connection, priced, read, keep)
        except ConfigurationError as error:
            raise ConfigurationError(f"{error}{self.recordings.hint}") from None
        return answers[0]

    async def _with_files(self, work: Callable[..., _T], *arguments: Any) -> _T:
        """The result of work on the recordings, which are used by one call at a time."""
        async with self._reading:
            # In a run that only replays, the loop has no other work. Otherwise a thread leaves it free for the calls.
            if self._settings.record_mode == "none":
                return work(*arguments)
            return await asyncio.to_thread(work, *arguments)


def _reply(
    answer: JournalEntry, reply: Reply, of_request: Callable[[Reply], Mapping[str, Any]]
) -> Reply:
    """The reply read from an answer, with what the journal and the request say about it."""
    cost, seconds = answer.cost, answer.seconds
    if answer.again:
        # An unknown cost stays unknown.
        cost = None if cost is None else 0.0
        seconds = 0.0
    # All members at once: a reply has many, and a copy of it for each step took a tenth of a call's time.
    return structs.replace(
        reply,
        cost=cost,
        seconds=seconds,
        repeated=answer.again,
        taken_over=answer.taken_over,
        **of_request(reply),
    )


class ChatModel(ServedModel):
    """A served chat model."""

    def __init__(self, name: str, upstream: Upstream, journal: Journal) -> None:
        super().__init__(name, CHAT, upstream, journal)
        self._detecting = asyncio.Lock()
        self._detected: Dialect | None = None

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        repeat: int = 0,
        schema: AnswerForm | None = None,
        limit: int | None = None,
        purpose: Purpose = "",
    ) -> Reply:
        """As :meth:`Chat.complete`; a recording of the answer keeps the ``purpose``."""
        form = await self._form(schema)
        # A format among the user's parameters is theirs to correct.
        sends_our_schema = SCHEMA in form and SCHEMA not in self._settings.parameters
        schema_name = schema.name if schema is not None and sends_our_schema else None
        body = self._request(messages, repeat, form)
        default_limit = limit if self._connection.default_limits else None
        call = ServerCall(
            model=self.name,
            route=self._route,
            body=body,
            repeat=repeat,
            schema=schema_name,
            limit=default_limit,
            purpose=purpose,
        )
        of_request = self._of_request(messages, body, limit, form)
        _, reply = await self._answer(call, read_completion, of_request=of_request)
        return reply

    def taken_over(
        self,
        messages: Sequence[Message],
        *,
        repeat: int = 0,
        schema: AnswerForm | None = None,
        limit: int | None = None,
        purpose: Purpose = "",
    ) -> Reply | None:
        """As :meth:`complete`, if a continued run got the answer and nothing else is to be done; else None.

        Any thread may call it.
        """
        del purpose  # that of a recording, and nothing is recorded here
        if schema is not None:  # the server may have to be asked how it constrains answers
            return None
        body = self._request(messages, repeat, {})
        call = ServerCall(model=self.name, route=self._route, body=body, repeat=repeat)
        of_request = self._of_request(messages, body, limit, {})
        return self._earlier_reply(call, read_completion, of_request)

    def _of_request(
        self,
        messages: Sequence[Message],
        body: Mapping[str, Any],
        limit: int | None,
        form: Mapping[str, Any],
    ) -> Callable[[Reply], Mapping[str, Any]]:
        """Returns the members of a reply that depend on its request."""

        def of_request(reply: Reply) -> Mapping[str, Any]:
            # Not the limit that is sent: a replay may name no server.
            at_limit = self._settings.max_tokens is None and reply.completion_tokens == limit
            return {
                "prompt_digest": prompt_digest(messages),
                "messages": body["messages"],
                "limit": limit if at_limit else None,
                "filled": not form and _is_filled(body, reply),
            }

        return of_request

    async def recorded(
        self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerForm | None = None
    ) -> bool:
        """As :meth:`Chat.recorded`."""
        forms: Sequence[Mapping[str, Any]] = [{}]
        if isinstance(schema, AnswerSchema) and not schema.constrained:
            forms = [constraints.schema_parameter(schema)]
        elif schema is not None:
            forms = [constraints.parameters(dialect, schema) for dialect in self._dialects]
        for form in forms:
            if await self._with_files(
                self.recordings.has, self._request(messages, repeat, form), repeat
            ):
                return True
        return False

    @property
    def _dialects(self) -> tuple[Dialect, ...]:
        """The dialects that the server may speak."""
        wanted = self._detected or self._settings.constrained
        if wanted is None or wanted == "auto":
            return constraints.DIALECTS
        return (wanted,)

    async def _form(self, form: AnswerForm | None) -> dict[str, Any]:
        """The parameters that constrain an answer to a form."""
        if form is None:
            return {}
        if isinstance(form, AnswerSchema) and not form.constrained:
            return constraints.schema_parameter(form)
        # Locked: many samples begin at once, and each would probe the server.
        async with self._detecting:
            if self._detected is None:
                self._detected = await self._detect()
        return constraints.parameters(self._detected, form)

    async def _detect(self) -> Dialect:
        """The dialect of the server. Each dialect is tried with one short question, which is recorded as any other.

        Raises :class:`ConfigurationError` if the server constrains no answer.
        """
        problems: dict[Dialect, ModelError] = {}
        for dialect in self._dialects:
            body = self._request(
                constraints.PROBE, 0, constraints.parameters(dialect, constraints.PROBE_GRAMMAR)
            )
            limit = constraints.PROBE_TOKENS if self._connection.default_limits else None
            name = f"{constraints.PROBE_NAME}{dialect}"
            call = ServerCall(
                model=self.name, route=self._route, body=body, repeat=0, schema=name, limit=limit
            )
            try:
                _, reply = await self._answer(call, read_completion)
            except (CallError, RecordingMissError, StructuredOutputsUnsupportedError) as error:
                problems[dialect] = error
                continue
            if reply.text.strip() == constraints.PROBE_WORD:
                return dialect
            problems[dialect] = CallError("the server ignores the grammar")
        # Without a recording of any question, and without a call, nothing is known about the server.
        if all(isinstance(problem, RecordingMissError) for problem in problems.values()):
            raise problems[self._dialects[0]]
        reasons = "; ".join(f"{dialect}: {problem}" for dialect, problem in problems.items())
        raise ConfigurationError(
            f"{self.name}: the server cannot constrain answers by a grammar ({reasons}); run without "
            "--autoeval-constrained, or name the server's dialect"
        )

    def _request(
        self, messages: Sequence[Message], repeat: int, form: Mapping[str, Any]
    ) -> dict[str, Any]:
        settings = self._settings
        body: dict[str, Any] = {"model": self.name, "messages": wire_messages(messages)}
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.seeds:
            if repeat < len(settings.seeds):
                body["seed"] = settings.seeds[repeat]
            else:
                # Further repeats have the numbers after the last seed.
                further_repeat = repeat - len(settings.seeds)
                body["seed"] = settings.seeds[-1] + 1 + further_repeat
        elif settings.seed is not None:
            body["seed"] = settings.seed + repeat
        if (
            isinstance(settings.max_tokens, int)
            and "max_completion_tokens" not in settings.parameters
        ):
            body["max_tokens"] = settings.max_tokens
        return self._body({**body, **form})


def _is_filled(body: Mapping[str, Any], reply: Reply) -> bool:
    """Whether an answer ends at the limit of its request, although the server says that the model ended it.

    A constrained answer may end there because its grammar allows no more.
    """
    if (
        reply.finish_reason.lower() not in _ENDED
        or reply.refusal
        or reply.completion_tokens is None
    ):
        return False
    return reply.filled or reply.completion_tokens in {
        body.get("max_completion_tokens"),
        body.get("max_tokens"),
    }


class EmbeddingModel(ServedModel):
    """A served embedding model, with the instruction of its name."""

    def __init__(self, name: EmbedderName, upstream: Upstream, journal: Journal) -> None:
        super().__init__(name.full_name, EMBEDDINGS, upstream, journal)
        self._parts = name

    async def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:
        """As :meth:`Embedder.embed`."""
        inputs = self._parts.inputs(texts, form)
        if not inputs:
            return Embedded((), Reply("", cost=0.0, prompt_tokens=0, completion_tokens=0))
        read = partial(read_embedding, count=len(inputs))
        body = self._request(inputs)
        call = ServerCall(model=self.name, route=self._route, body=body, repeat=repeat)
        payload, reply = await self._answer(call, read, trimmed)
        reply = structs.replace(
            reply, prompt_digest=digest_of(inputs), messages=wire_inputs(body["input"])
        )
        return Embedded(read_vectors(payload, len(inputs)), reply)

    async def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:
        """As :meth:`Embedder.recorded_texts`."""
        return await self._with_files(
            self.recordings.has, self._request(self._parts.inputs(texts, form)), repeat
        )

    def _request(self, inputs: list[str]) -> dict[str, Any]:
        return self._body({"model": self._parts.model, "input": inputs, "encoding_format": "float"})


class _OnlyOne:
    """Waits until no equal request is in flight; the body of the ``async with`` is then the only one.

    Equal concurrent requests are sent once; the journal holds the answers. Raises a copy of the error of the request
    that it waited for. A later request tries again.
    """

    # A class, since `asynccontextmanager` takes a twentieth of the time of a call: each one makes a generator, which
    # the loop registers.
    def __init__(
        self, in_flight: dict[bytes, asyncio.Future[Exception | None]], key: bytes
    ) -> None:
        self._in_flight, self._key = in_flight, key

    async def __aenter__(self) -> None:
        # A loop, since several calls may have waited, and the first of them asks again after an error.
        while self._key in self._in_flight:
            if (error := await asyncio.shield(self._in_flight[self._key])) is not None:
                raise _copy(error)
        self._in_flight[self._key] = asyncio.get_running_loop().create_future()

    async def __aexit__(
        self, _kind: object, failure: BaseException | None, _traceback: object
    ) -> None:
        end = self._in_flight.pop(self._key)
        end.set_result(failure if isinstance(failure, Exception) else None)


def _copy(error: Exception) -> Exception:
    # Raised in several threads, one exception would collect the tracebacks of all.
    copy = type(error)(*error.args)
    for note in getattr(error, "__notes__", ()):
        copy.add_note(note)
    return copy
