"""The models of a run, opened by name: a recording answers a request, or else the server, within the limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from pytest_autoeval.models.base import (
    AnswerSchema,
    Chat,
    ConfigurationError,
    Embedded,
    Embedder,
    Form,
    Message,
    Reply,
    digest_of,
    prompt_digest,
    wire_inputs,
    wire_messages,
)
from pytest_autoeval.models.journal import Journal, Kept
from pytest_autoeval.models.limiter import Limiter
from pytest_autoeval.models.limits import RunLimits
from pytest_autoeval.models.memory import RememberingModel
from pytest_autoeval.models.names import FAITHFUL, EmbedderName, is_embedder, is_local, is_offline
from pytest_autoeval.models.recording import Recordings
from pytest_autoeval.models.redaction import masked

RemoteRecordings=Recordings
from pytest_autoeval.models.responses import read_completion, read_embedding, read_vectors, trimmed
from pytest_autoeval.models.settings import CHAT, EMBEDDINGS, SCHEMA, ModelSettings, Route, ServerCall
from pytest_autoeval.models.upstream import Upstream

if TYPE_CHECKING:
    from pytest_autoeval.models.hub import HubClient
    from pytest_autoeval.models.offline.answer_key import AnswerKey


class ModelPool:
    """All models that a process asks in a run; they share clients, limits and the offline models' server.

    Nothing is connected, started or imported until a call needs it. Also a context manager.

    By default the offline models know the sentences of the shipped data sets, the limits are those of this pool alone,
    and no journal keeps answers. ``remote`` is the controlling process, if that has the recordings. The pool closes its
    limits.
    """

    def __init__(
        self,
        settings: ModelSettings,
        answer_key: AnswerKey | None = None,
        limits: RunLimits | None = None,
        journal: Journal | None = None,
        remote: HubClient | None = None,
    ) -> None:
        self._upstream = Upstream(settings, answer_key, limits or Limiter(settings))
        #: Knows every secret that this process knows.
        self.redactor = self._upstream.redactor
        self._journal = journal or Journal(None)
        self._remote = remote
        self._lock = Lock()
        self._recordings: dict[str, Recordings | RemoteRecordings] = {}
        self._models: dict[str, Chat | Embedder] = {}

    def open(self, name: str) -> Chat | Embedder:
        """The model of a name, which says whether it is one that only embeds texts; the same one each time.

        The pool closes it. Raises :class:`ConfigurationError` for an offline model that does not exist, and for an
        option that an embedding model does not have.
        """
        with self._lock:
            if name not in self._models:
                self._models[name] = self._opened(name)
            return self._models[name]

    def chat(self, name: str) -> Chat:
        """The model of a name that answers conversations; raises :class:`ConfigurationError` as :meth:`open` does."""
        model = self.open(name)
        if isinstance(model, Embedder):
            raise ConfigurationError(f"{name} is an embedding model; name a chat model")
        return model

    def embedder(self, name: str) -> Embedder:
        """The model of a name that only embeds texts; raises :class:`ConfigurationError` as :meth:`open` does."""
        model = self.open(EmbedderName.of(name).whole)
        assert isinstance(model, Embedder)
        return model

    def _opened(self, name: str) -> Chat | Embedder:
        is_own = name in self._upstream.settings.own
        if is_embedder(name) and not is_own:
            parts = EmbedderName.of(name)
            if is_local(name):
                from pytest_autoeval.models.local_embedder import LocalEmbedder

                return LocalEmbedder(parts, self.redactor)
            embedder = EmbeddingModel(parts, self._upstream, self._journal, self._remote)
            self._recordings[name] = embedder.recordings
            return embedder
        if is_offline(name) and name != FAITHFUL and not is_own:
            from pytest_autoeval.models.offline.catalogue import check_model

            check_model(name)
        chat = ChatModel(name, self._upstream, self._journal, self._remote)
        self._recordings[name] = chat.recordings
        return RememberingModel(chat)

    def longest_answer(self, model: str, limit: int | None) -> int | None:
        """The longest answer in tokens that a model is asked for, where a prompt's default is ``limit``."""
        connection = self._upstream.connection(model)
        chosen = connection.settings.max_tokens
        return chosen if isinstance(chosen, int) else limit if connection.default_limits else None

    def recordings(self, name: str) -> Recordings | RemoteRecordings:
        """Those of a model behind a server; raises :class:`ConfigurationError` as :meth:`open` does."""
        self.open(name)
        return self._recordings[name]

    def used_recordings(self) -> list[str]:
        """The recordings that were replayed or written by this process, as ``FOLDER/FILE``, sorted."""
        with self._lock:
            return sorted(file for recordings in self._recordings.values() for file in list(recordings.used))

    def unreadable_recordings(self) -> list[str]:
        """The recordings that could not be read, so that this process asked again: a line each, sorted."""
        with self._lock:
            return sorted(line for recordings in self._recordings.values() for line in list(recordings.unreadable))

    def submit(self, model, method, *a, **k):
        if not hasattr(self, "_ex"):
            from concurrent.futures import ThreadPoolExecutor
            self._ex = ThreadPoolExecutor(64)
        return self._ex.submit(lambda: getattr(self.open(model), method)(*a, **k))

    def stop(self): self._upstream.limits.close()
    def traffic(self): return self._upstream.limits.traffic()
    def refused_schemas(self): return self._upstream.limits.refused_schemas()
    def was_answered_by(self, s): return self._upstream.limits.was_answered_by(s)
    @property
    def journal(self): return self._journal

    def close(self) -> None:
        """Wakes all who wait for their turn with a :class:`CallError`, closes the clients, stops the offline server."""
        self._upstream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ServedModel:
    """A model that is asked by requests of one kind; thread-safe. Its name is that in ``--autoeval-model``."""

    def __init__(self, name: str, route: Route, upstream: Upstream, journal: Journal, remote: HubClient | None) -> None:
        self.name = name
        self.recordings: Recordings | RemoteRecordings
        if remote is None:
            self.recordings = Recordings(name, upstream.settings, upstream.limits, journal, route)
        else:
            self.recordings = RemoteRecordings(name, remote, keeps=upstream.settings.record_mode is not None)
        self._journal = journal
        self._connection = upstream.connection(name)
        self._settings = self._connection.settings
        self._parameters = masked(self._settings.parameters)
        self._route = route
        self._upstream = upstream

    def _body(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """What identifies a request, and what is sent but for parameters that are secret; without any secret."""
        redacted: dict[str, Any] = self._upstream.redactor.json({**body, **self._parameters})
        return redacted

    def _answer(
        self, call: ServerCall, read: Callable[[Any], Reply], kept: Callable[[Any], Any] = lambda payload: payload
    ) -> tuple[Any, Reply]:
        """The response to a request and what it says, without a digest; recorded where the mode records.

        One that an earlier run or a dead worker was given is taken over as it was then: nobody sees the difference in
        the results.

        ``call`` has no price yet; ``kept`` is the part of a response that is kept.
        """
        body, repeat = call.body, call.repeat
        key = digest_of([self._connection.address, self._route, body, repeat])
        answer = self._journal.find(key)
        if answer is None:
            payload = self.recordings.find(body, repeat)
            if payload is not None:
                return payload, replace(read(payload), cost=0.0, replayed=True)
            call = replace(call, price=self._connection.price(self.name))

            def keep(payload: Any, asked: Reply) -> None:
                nonlocal answer
                answer = Kept(kept(payload), asked.cost, asked.seconds)
                self._journal.keep(key, answer)

            try:
                self._upstream.ask(self._connection, call, read, keep)
            except ConfigurationError as error:
                raise ConfigurationError(f"{error}{self.recordings.hint}") from None
            assert answer is not None
        payload = self.recordings.keep(body, repeat, answer.payload)
        return payload, replace(read(payload), cost=answer.cost, seconds=answer.seconds, taken_over=answer.taken_over)


class ChatModel(ServedModel):
    """A model that answers conversations."""

    def __init__(self, name: str, upstream: Upstream, journal: Journal, remote: HubClient | None = None) -> None:
        super().__init__(name, CHAT, upstream, journal, remote)

    def complete(
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
        _, reply = self._answer(call, read_completion)
        # A recording may be replayed where no server is named.
        ended = limit if self._settings.max_tokens is None and reply.completion_tokens == limit else None
        return replace(reply, prompt_digest=prompt_digest(messages), messages=body["messages"], limit=ended)

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> bool:
        """Whether a recording would answer this, without asking."""
        return self.recordings.has(self._request(messages, repeat, schema), repeat)

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

    def __init__(self, name: EmbedderName, upstream: Upstream, journal: Journal, remote: HubClient | None) -> None:
        super().__init__(name.whole, EMBEDDINGS, upstream, journal, remote)
        self._parts = name

    def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:
        """The vectors in a recording where there is one, else the server's; raises :class:`ModelError`."""
        inputs = self._parts.inputs(texts, form)
        if not inputs:
            return Embedded((), Reply("", cost=0.0, prompt_tokens=0, completion_tokens=0))
        read = partial(read_embedding, count=len(inputs))
        body = self._request(inputs)
        call = ServerCall(model=self.name, route=self._route, body=body, repeat=repeat)
        payload, reply = self._answer(call, read, trimmed)
        reply = replace(reply, prompt_digest=digest_of(inputs), messages=wire_inputs(body["input"]))
        return Embedded(read_vectors(payload, len(inputs)), reply)

    def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:
        """Whether a recording would answer this, without asking."""
        return self.recordings.has(self._request(self._parts.inputs(texts, form)), repeat)

    def _request(self, inputs: list[str]) -> dict[str, Any]:
        """What identifies a request, and what is sent: no seed, for vectors are not drawn."""
        return self._body({"model": self._parts.model, "input": inputs, "encoding_format": "float"})
