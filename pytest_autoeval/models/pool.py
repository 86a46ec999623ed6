"""The models of a run: opened by name, with everything that they share."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from pytest_autoeval.models.base import ConfigurationError, Model, RecordedEmbedder
from pytest_autoeval.models.client import ChatModel
from pytest_autoeval.models.digest import CHAT, EMBEDDINGS, Route
from pytest_autoeval.models.embedding.names import EmbedderName, is_embedder, is_local
from pytest_autoeval.models.endpoint import Endpoint
from pytest_autoeval.models.memory import RememberingEmbedder, RememberingModel
from pytest_autoeval.models.offline.names import FAITHFUL, is_offline
from pytest_autoeval.models.recording import Recordings
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.settings import FREE, ModelSettings
from pytest_autoeval.models.state import RunState

if TYPE_CHECKING:
    from pytest_autoeval.models.offline.answer_key import AnswerKey
    from pytest_autoeval.models.upstream import Upstream

_OFFLINE_SEED = 0


class ModelPool:
    """All models that a process asks in a run; they share clients, limits and the offline models' server.

    Nothing is connected, started or imported until a call needs it. Also a context manager.

    Args:
        settings: one for all models; its ``state_dir`` makes the limits those of all workers together.
        answer_key: what the offline models know of given sentences, by default those of the shipped data sets.
        closes_with_model: whether closing one of the models closes the pool.
    """

    def __init__(
        self, settings: ModelSettings, answer_key: AnswerKey | None = None, *, closes_with_model: bool = False
    ) -> None:
        self._settings = settings
        self._closes_with_model = closes_with_model
        self._answer_key = answer_key
        self._state = RunState(settings.state_dir)
        self._redactor = Redactor.of_environment(settings.base_url)
        self._servers: Upstream | None = None
        self._closed = False
        self._lock = Lock()
        self._recordings: dict[str, Recordings] = {}
        self._models: dict[str, Model] = {}
        self._embedders: dict[str, RecordedEmbedder] = {}

    def open(self, name: str) -> Model | RecordedEmbedder:
        """The model of a name, which says whether it is one that only embeds texts; the same one each time.

        The pool closes it. Raises :class:`ConfigurationError` for an offline model that does not exist, and for an
        option that an embedding model does not have.
        """
        return self.embedder(name) if is_embedder(name) else self.chat(name)

    def chat(self, name: str) -> Model:
        """The model of a name that answers conversations; raises :class:`ConfigurationError` as :meth:`open` does."""
        if is_embedder(name):
            raise ConfigurationError(f"{name} only embeds texts: name a model that answers conversations")
        with self._lock:
            if name not in self._models:
                self._models[name] = self._chat_model(name)
            return self._models[name]

    def embedder(self, name: str) -> RecordedEmbedder:
        """The model of a name that only embeds texts; raises :class:`ConfigurationError` as :meth:`open` does."""
        with self._lock:
            if name not in self._embedders:
                self._embedders[name] = self._embedding_model(name)
            return self._embedders[name]

    def used_recordings(self) -> list[str]:
        """The recordings that were replayed or written by this process, as ``FOLDER/FILE``, sorted."""
        with self._lock:
            recordings = list(self._recordings.values())
        return sorted(file for recording in recordings for file in recording.used())

    def close(self) -> None:
        """Wakes all who wait for their turn with a :class:`CallError`, closes the clients, stops the offline server."""
        with self._lock:
            self._closed, servers = True, self._servers
        if servers is not None:
            servers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _upstream(self) -> Upstream:
        from pytest_autoeval.models.upstream import Upstream

        with self._lock:
            if self._servers is None:
                self._servers = Upstream(self._settings, self._state, self._redactor, self._answer_key)
                if self._closed:
                    self._servers.close()
            return self._servers

    def _chat_model(self, name: str) -> Model:
        offline = is_offline(name)
        if offline and name != FAITHFUL:
            from pytest_autoeval.models.offline import check_model

            check_model(name)
        chat = ChatModel(
            self._endpoint(name, CHAT, priced_as=(name,)),
            self._settings,
            default_seed=_OFFLINE_SEED if offline else None,
            on_close=self._on_close,
        )
        return RememberingModel(chat)

    def _embedding_model(self, name: str) -> RecordedEmbedder:
        parts = EmbedderName.of(name)
        if is_local(name):
            from pytest_autoeval.models.embedding.local import LocalEmbedder

            return LocalEmbedder(parts)
        from pytest_autoeval.models.embedding.client import EmbeddingModel

        endpoint = self._endpoint(name, EMBEDDINGS, priced_as=(name, parts.base))
        return RememberingEmbedder(EmbeddingModel(parts, endpoint, self._settings, on_close=self._on_close))

    def _endpoint(self, name: str, route: Route, priced_as: tuple[str, ...]) -> Endpoint[Any]:
        charged = (price for key in priced_as if (price := self._settings.prices.get(key)) is not None)
        self._recordings[name] = Recordings(name, self._settings, self._state, route)
        return Endpoint(
            name,
            recordings=self._recordings[name],
            state=self._state,
            redactor=self._redactor,
            upstream=self._upstream,
            price=FREE if is_offline(name) else next(charged, None),
        )

    def _on_close(self) -> None:
        """A pool's models share what they use: the pool closes it, unless it is there for one model alone."""
        if self._closes_with_model:
            self.close()


def open_model(name: str, settings: ModelSettings | None = None) -> Model:
    """One model by itself, e.g. in a script; closing it closes all that was opened for it."""
    return ModelPool(settings or ModelSettings(), closes_with_model=True).chat(name)
