"""The models of a run: opened by name, with everything that they share."""

from __future__ import annotations

from threading import Event, Lock
from typing import Self

from pytest_autoeval.models.base import Model
from pytest_autoeval.models.client import ChatModel, RunLimits
from pytest_autoeval.models.connection import Connection
from pytest_autoeval.models.limits import Budget
from pytest_autoeval.models.memory import RememberingModel
from pytest_autoeval.models.offline import check_model, is_offline
from pytest_autoeval.models.prices import FREE
from pytest_autoeval.models.recording import Recordings
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.servers import LoopbackServer, Server, UserServer
from pytest_autoeval.models.settings import ModelSettings
from pytest_autoeval.models.state import RunState
from pytest_autoeval.models.throttle import Pace, Slots

_OFFLINE_SEED = 0


class ModelPool:
    """All models that a process asks in a run; they share clients, limits and the offline models' server.

    Nothing is connected, started or imported until a call needs it. Also a context manager.

    Args:
        settings: one for all models; its ``state_dir`` makes the limits those of all workers together.
        closes_with_model: whether closing one of the models closes the pool.
    """

    def __init__(self, settings: ModelSettings, *, closes_with_model: bool = False) -> None:
        self._settings = settings
        self._closes_with_model = closes_with_model
        self._stop = Event()
        self._state = RunState(settings.state_dir)
        self._redactor = Redactor.of_environment(settings.base_url)
        self._limits = RunLimits(
            slots=Slots(settings.concurrency, settings.state_dir, self._stop),
            budget=Budget(settings.max_calls, settings.max_cost, self._state),
            state=self._state,
        )
        self._remote = self._connection(UserServer(settings.base_url))
        self._offline = self._connection(LoopbackServer())
        self._lock = Lock()
        self._recordings: dict[str, Recordings] = {}
        self._models: dict[str, Model] = {}

    def open(self, name: str) -> Model:
        """The model of a name; the same one each time. The pool closes it.

        Raises :class:`ConfigurationError` for an offline model that does not exist.
        """
        with self._lock:
            if name not in self._models:
                self._models[name] = RememberingModel(self._chat_model(name))
            return self._models[name]

    def used_recordings(self) -> list[str]:
        """The recordings that were replayed or written by this process, as ``FOLDER/FILE``, sorted."""
        with self._lock:
            recordings = list(self._recordings.values())
        return sorted(file for recording in recordings for file in recording.used())

    def close(self) -> None:
        """Wakes all who wait for their turn with a :class:`CallError`, closes the clients, stops the offline server."""
        self._stop.set()
        self._remote.close()
        self._offline.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connection(self, server: Server) -> Connection:
        pace = Pace(self._settings.rpm, self._state, self._stop)
        return Connection(server, self._settings, pace=pace, redactor=self._redactor, state=self._state)

    def _chat_model(self, name: str) -> ChatModel:
        offline = is_offline(name)
        if offline:
            check_model(name)
        self._recordings[name] = Recordings(name, self._settings, self._state)
        return ChatModel(
            name,
            self._settings,
            connection=self._offline if offline else self._remote,
            recordings=self._recordings[name],
            limits=self._limits,
            redactor=self._redactor,
            price=FREE if offline else self._settings.prices.get(name),
            default_seed=_OFFLINE_SEED if offline else None,
            on_close=self.close if self._closes_with_model else _keep_open,
        )


def open_model(name: str, settings: ModelSettings | None = None) -> Model:
    """One model by itself, e.g. in a script; closing it closes all that was opened for it."""
    return ModelPool(settings or ModelSettings(), closes_with_model=True).open(name)


def _keep_open() -> None:
    """A pool's models share what they use: the pool closes it."""
