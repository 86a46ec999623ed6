"""The models of a run: opened by name, with everything that they share."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Self

from pytest_autoeval.models.base import ConfigurationError, Embedder, Model
from pytest_autoeval.models.client import ChatModel, EmbeddingModel
from pytest_autoeval.models.memory import RememberingModel
from pytest_autoeval.models.names import FAITHFUL, EmbedderName, is_embedder, is_local, is_offline
from pytest_autoeval.models.recording import Recordings
from pytest_autoeval.models.settings import ModelSettings
from pytest_autoeval.models.upstream import Upstream

if TYPE_CHECKING:
    from pytest_autoeval.models.offline.answer_key import AnswerKey


class ModelPool:
    """All models that a process asks in a run; they share clients, limits and the offline models' server.

    Nothing is connected, started or imported until a call needs it. Also a context manager.

    Args:
        settings: one for all models; its ``state_dir`` makes the limits those of all workers together.
        answer_key: what the offline models know of given sentences, by default those of the shipped data sets.
    """

    def __init__(self, settings: ModelSettings, answer_key: AnswerKey | None = None) -> None:
        self._upstream = Upstream(settings, answer_key)
        self._lock = Lock()
        self._recordings: list[Recordings] = []
        self._chats: dict[str, Model] = {}
        self._embedders: dict[str, Embedder] = {}

    def open(self, name: str) -> Model | Embedder:
        """The model of a name, which says whether it is one that only embeds texts; the same one each time.

        The pool closes it. Raises :class:`ConfigurationError` for an offline model that does not exist, and for an
        option that an embedding model does not have.
        """
        return self.embedder(name) if is_embedder(name) else self.chat(name)

    def chat(self, name: str) -> Model:
        """The model of a name that answers conversations; raises :class:`ConfigurationError` as :meth:`open` does."""
        if is_embedder(name):
            raise ConfigurationError(f"{name} only embeds texts: name a model that answers conversations")
        if is_offline(name) and name != FAITHFUL:
            from pytest_autoeval.models.offline.catalogue import check_model

            check_model(name)
        with self._lock:
            if name not in self._chats:
                chat = ChatModel(name, self._upstream)
                self._recordings.append(chat.recordings)
                self._chats[name] = RememberingModel(chat)
            return self._chats[name]

    def embedder(self, name: str) -> Embedder:
        """The model of a name that only embeds texts; raises :class:`ConfigurationError` as :meth:`open` does."""
        parts = EmbedderName.of(name)
        with self._lock:
            if name not in self._embedders:
                if is_local(name):
                    from pytest_autoeval.models.local_embedder import LocalEmbedder

                    self._embedders[name] = LocalEmbedder(parts)
                else:
                    self._embedders[name] = model = EmbeddingModel(parts, self._upstream)
                    self._recordings.append(model.recordings)
            return self._embedders[name]

    def used_recordings(self) -> list[str]:
        """The recordings that were replayed or written by this process, as ``FOLDER/FILE``, sorted."""
        with self._lock:
            return sorted(file for recordings in self._recordings for file in list(recordings.used))

    def close(self) -> None:
        """Wakes all who wait for their turn with a :class:`CallError`, closes the clients, stops the offline server."""
        self._upstream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
