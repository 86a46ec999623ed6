"""A worker of xdist: it draws, reads and decides, and asks the leading process for everything else.

The messages are pickled tuples on xdist's own connection. A worker notifies with ``(None, topic, value)`` and asks with
``(number, topic, value)``. The leader answers ``(number, value, error)``; without a number the message says that the
run is over.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from threading import Event as Flag
from threading import Lock
from typing import Any

import pytest

from pytest_autoeval.datasets.data_set import Item
from pytest_autoeval.engine.engine import RunServices
from pytest_autoeval.engine.events import Event, SampleEnded, SuiteJudged
from pytest_autoeval.engine.sample_budget import Admission
from pytest_autoeval.judging.baseline_runs import Baseline, Variant
from pytest_autoeval.made_once import made_once
from pytest_autoeval.models.asking import Method, Models
from pytest_autoeval.models.protocols import CallError, Chat, Embedder
from pytest_autoeval.record.coding import decoder
from pytest_autoeval.record.lines import Run
from pytest_autoeval.running.channel import Channel
from pytest_autoeval.running.crossing import Names, packed, unpacked_suites


class WorkerLink(RunServices):
    """A worker's connection to the leader of the run; thread-safe.

    ``session`` is the worker's, if it has begun. It ends when the leader says so or is gone.
    """

    def __init__(self, channel: Channel, session: pytest.Session | None = None) -> None:
        self._channel = channel
        self._numbers = count()
        self._lock = Lock()
        self._open: dict[int, Future[Any]] = {}
        self._session = session
        self._models = Models(self._ask_model)
        #: Set when nothing can be asked any longer.
        self.ended = Flag()
        self.when_ended: Callable[[], None] = lambda: None
        channel.setcallback(self._hear, endmarker=None)

    def open(self, name: str) -> Chat | Embedder:
        return self._models.open(name)

    def add_own_models(self, own: Collection[str]) -> None:
        """Sets the names of the models that a `conftest.py` added."""
        self._models = Models(self._ask_model, own)

    def start(self) -> Run:
        return self._line_of_run

    @made_once
    def _line_of_run(self) -> Run:
        run = decoder({})(self.ask("run").result())
        assert isinstance(run, Run)
        return run

    def emit(self, event: Event) -> None:
        match event:
            case SampleEnded(sample=sample):
                sample.suite.samples.append(sample)
            case SuiteJudged(suite=suite, end=end):
                suite.end = end
        self.notify(*packed(event, self._names))

    def add_meanings(self, items: Sequence[Item]) -> None:
        self.notify("meanings", items)

    def admits(self, needed: int, answered: int) -> Admission:
        admission: Admission = self.ask("admits", (needed, answered)).result()
        return admission

    def keep(self, needed: int, answered: int) -> None:
        self.notify("keep", (needed, answered))

    def baseline(self) -> Baseline | None:
        return self._baseline

    @made_once
    def _baseline(self) -> Baseline | None:
        reply = self.ask("baseline").result()
        if reply is None:
            return None
        suites, model, variant = reply
        return Baseline(unpacked_suites(suites), model, Variant(*variant))

    @made_once
    def _names(self) -> Names:
        return Names(self._baseline)

    def notify(self, topic: str, value: Any) -> None:
        """Notifies the leader; does nothing if it is gone."""
        with suppress(OSError):  # :meth:`_hear` notices too
            self._channel.send(pickle.dumps((None, topic, value)))

    def ask(self, topic: str, value: Any = None) -> Future[Any]:
        """A future of the leader's answer or error; :class:`CallError` if the run is over."""
        future: Future[Any] = Future()
        with self._lock:
            number = next(self._numbers)
            self._open[number] = future
            # Nobody would answer, and the future would wait for ever.
            if self.ended.is_set():
                self._give_up()
                return future
        # Outside the lock: a full pipe must not keep :meth:`_hear` from reading.
        with suppress(OSError):
            self._channel.send(pickle.dumps((number, topic, value)))
        return future

    def _ask_model(
        self, model: str, method: Method, /, *arguments: Any, **keywords: Any
    ) -> Future[Any]:
        return self.ask("model", (model, method, arguments, keywords))

    def _hear(self, message: bytes | None) -> None:
        # Without a message the channel is closed: the leader is gone.
        got: tuple[int | None, Any, Any] = (None, None, None)
        if message is not None:
            got = pickle.loads(message)  # noqa: S301 - from our leader
        number, value, error = got
        if number is not None:
            with self._lock:
                future = self._open.pop(number, None)
            if future is not None and error is None:
                future.set_result(value)
            elif future is not None:
                future.set_exception(error)
            return
        with self._lock:
            self.ended.set()
            self._give_up()
        self.when_ended()
        if self._session is not None:
            self._session.shouldstop = "the run was interrupted"

    def _give_up(self) -> None:
        while self._open:
            _, future = self._open.popitem()
            future.set_exception(CallError("the run was stopped before this call was made"))
