"""The way of xdist's workers to their controller: the limits of the run, and whatever else only the controller has.

It goes over the connection that xdist has to a worker anyway, on this machine or another. What is sent is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from itertools import count
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Protocol

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.models.base import (
    CallError,
    ConfigurationError,
    LimitReachedError,
    ModelError,
    RecordingMissError,
    StructuredOutputsUnsupportedError,
)
from pytest_autoeval.models.limiter import Limiter
from pytest_autoeval.models.limits import AttemptEnd, Grant, RunLimits, Seen, stopped

_KNOWN = (CallError, ConfigurationError, LimitReachedError, RecordingMissError, StructuredOutputsUnsupportedError)
_ERRORS: Mapping[str, type[AutoevalError]] = {one.__name__: one for one in _KNOWN}
#: What the controller says when the run is over.
_PARTING = "[]"
#: How many threads answer what workers ask.
_THREADS = 4


class Channel(Protocol):
    """One end of a two-way pipe for texts, as execnet gives it; thread-safe."""

    def send(self, item: object) -> None:
        """Sends a text; raises :class:`OSError` where the other end is gone."""

    def setcallback(self, callback: Callable[[Any], Any], endmarker: object = ...) -> None:
        """From now on each text that arrives is given to ``callback``, in order, by the thread that reads them all.

        At the end of the pipe that is the ``endmarker``.
        """

    def close(self) -> None:
        """Ends the pipe."""


class Hub:
    """The controller's side: lets workers use a limiter, hears what they tell, and answers what they ask.

    A worker that dies gives back what it holds.

    ``hear`` is called with the topic and the value of whatever a worker tells, in order, one call at a time, before
    anything that the worker sends afterwards is seen; it must be quick.
    """

    def __init__(self, limiter: Limiter, hear: Callable[[str, Any], None] = lambda _topic, _value: None) -> None:
        self.limiter = limiter
        self.hear = hear
        self.hearing = Lock()  # each worker has a thread of its own
        self._threads = ThreadPoolExecutor(_THREADS, "autoeval-hub")
        self._workers: list[_Worker] = []
        limiter.keep_time()

    def connect(
        self,
        channel: Channel,
        answers: Mapping[str, Callable[..., Any]] | None = None,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        """Begins to serve a worker. ``answers`` answer what it may ask, by topic; ``ended`` is called when it is gone.

        An answer is of JSON's types; it may take a while, and may raise :class:`AutoevalError`.
        """
        self._workers.append(_Worker(channel, self, answers or {}, ended))

    def close(self) -> None:
        """Stops the limiter, parts from the workers, and ends when all that they asked for before is done."""
        self.limiter.close()
        for worker in self._workers:
            worker.part()
        self._threads.shutdown()

    def wait_for_workers(self, seconds: float) -> None:
        """Waits until all workers are gone, at most so long."""
        end = monotonic() + seconds
        for worker in self._workers:
            worker.gone.wait(max(0.0, end - monotonic()))

    def do(self, work: Callable[[], None]) -> None:
        """Does some work in a thread of its own, unless the hub is closed."""
        with suppress(RuntimeError):
            self._threads.submit(work)


class _Worker:
    def __init__(
        self, channel: Channel, hub: Hub, answers: Mapping[str, Callable[..., Any]], ended: Callable[[], None]
    ) -> None:
        self._channel = channel
        self._hub = hub
        self._limiter = hub.limiter
        self._answers = answers
        self._ended = ended
        self._held: list[tuple[str, str, Grant]] = []
        self._holding = Lock()  # grants come from any thread
        self.gone = Event()
        #: What is to be sent, None at the end: the limiter and the other workers do not wait for a pipe that is full.
        self._replies: SimpleQueue[str | None] = SimpleQueue()
        Thread(target=self._send, name="autoeval-hub-sender", daemon=True).start()
        channel.setcallback(self._hear, endmarker=None)

    def part(self) -> None:
        """Lets the worker know that the run is over."""
        self._replies.put(_PARTING)

    def _send(self) -> None:
        with suppress(OSError):  # the worker is gone, :meth:`_end` notices too
            while (text := self._replies.get()) is not None:
                self._channel.send(text)

    def _hear(self, text: str | None) -> None:
        if text is None:
            self._end()
            return
        number, topic, arguments = json.loads(text)
        match topic:
            case "acquire":
                self._acquire(number, *arguments)
            case "release":
                self._release(number, *arguments)
            case "left":
                self._limiter.left(Grant(*arguments))
            case "agree":
                self._reply(number, self._limiter.agree(*arguments))
            case _ if number is None:
                with self._hub.hearing:
                    self._hub.hear(topic, *arguments)
            case _:
                self._hub.do(lambda: self._answer(number, topic, lambda: self._answers[topic](*arguments)))

    def _acquire(self, number: int, server: str, model: str) -> None:
        def answer(grant: Grant | ModelError) -> None:
            if isinstance(grant, Grant):
                with self._holding:
                    self._held.append((server, model, grant))
            self._reply(number, grant)

        self._limiter.request(server, model, answer, self)

    def _release(self, number: int | None, server: str, model: str, grant: list[int], end: Mapping[str, Any]) -> None:
        granted = Grant(*grant)
        with self._holding:
            self._held.remove((server, model, granted))
        self._answer(number, "release", lambda: self._limiter.release(server, model, granted, AttemptEnd(**end)))

    def _answer(self, number: int | None, topic: str, work: Callable[[], Any]) -> None:
        reply: Any
        try:
            reply = work()
        except AutoevalError as problem:
            reply = problem
        except Exception as problem:  # noqa: BLE001  (the worker waits for a reply)
            reply = ConfigurationError(f"{topic}: {type(problem).__name__}: {problem}")
        if number is not None:
            self._reply(number, reply)

    def _reply(self, number: int, value: Any) -> None:
        reply = [number, value]
        if isinstance(value, AutoevalError):
            reply = [number, None, type(value).__name__, str(value), getattr(value, "__notes__", [])]
        self._replies.put(json.dumps(reply))

    def _end(self) -> None:
        self.gone.set()
        self._replies.put(None)
        self._limiter.withdraw(self)
        for server, model, grant in self._held:
            with suppress(ConfigurationError):
                self._limiter.release(server, model, grant, AttemptEnd(ended="lost", paid=True))
        self._hub.do(self._ended)


class HubClient(RunLimits):
    """A worker's way to its controller, among others to the limiter of the run; thread-safe."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        #: Set when the controlling process is gone or has parted; not by :meth:`close`.
        self.lost = Event()
        #: Set by both: no further attempt starts.
        self.closed = Event()
        self._numbers = count()
        self._replies: dict[int, SimpleQueue[list[Any]]] = {}
        self._agreed: dict[str, Any] = {}
        channel.setcallback(self._hear, endmarker=None)

    def acquire(self, server: str, model: str) -> Grant:
        return Grant(*self.ask("acquire", server, model))

    def left(self, grant: Grant) -> None:
        if grant.paced:
            self._send(None, "left", grant)

    def release(self, server: str, model: str, grant: Grant, end: AttemptEnd) -> Seen:
        arguments = server, model, grant, asdict(end)
        if end.ended == "answered":
            self._send(None, "release", arguments)
            return Seen(0, 0)
        return Seen(*self.ask("release", *arguments))

    def pause(self, seconds: float) -> None:
        if self.closed.wait(seconds):
            raise stopped()

    def agree(self, name: str, value: Any) -> Any:
        if name not in self._agreed:
            agreed = self.ask("agree", name, value)
            if agreed is None:
                return None
            self._agreed[name] = agreed
        return self._agreed[name]

    def tell(self, topic: str, value: Any) -> None:
        """Tells the controlling process something of JSON's types, see :class:`Hub`; nothing where it is gone."""
        self._send(None, topic, [value])

    def ask(self, topic: str, *arguments: Any) -> Any:
        """The controller's answer, see :meth:`Hub.connect`; raises its error, and :class:`CallError` at the end."""
        number, reply = next(self._numbers), SimpleQueue[list[Any]]()
        self._replies[number] = reply
        if self.closed.is_set():
            raise stopped()
        self._send(number, topic, arguments)
        answer, *error = reply.get()
        if error:
            name, text, notes = error
            problem = _ERRORS.get(name, AutoevalError)(text)
            for note in notes:
                problem.add_note(note)
            raise problem
        return answer

    def close(self) -> None:
        self._stop()
        self._channel.close()

    def _send(self, number: int | None, topic: str, arguments: Any) -> None:
        with suppress(OSError):  # :meth:`_hear` notices too
            self._channel.send(json.dumps([number, topic, arguments]))

    def _hear(self, text: str | None) -> None:
        if text is None or text == _PARTING:
            if not self.closed.is_set():
                self.lost.set()
                self._stop()
            return
        number, *answer = json.loads(text)
        self._replies.pop(number).put(answer)

    def _stop(self) -> None:
        self.closed.set()
        problem = stopped()
        for reply in list(self._replies.values()):
            reply.put([None, type(problem).__name__, str(problem), []])


def write_whole(channel: Any) -> None:
    """Makes what several threads send over a socket arrive message by message, which execnet leaves to its callers."""
    io = channel.gateway._io  # noqa: SLF001  (xdist's own threads send over it too)
    if hasattr(io, "sock"):
        lock, write = Lock(), io.write

        def alone(data: bytes) -> None:
            with lock:
                write(data)

        io.write = alone
