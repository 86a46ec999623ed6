"""The way of xdist's workers to the one limiter of their run, which lives in the controlling process."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any

from pytest_autoeval.models.base import ConfigurationError, ModelError
from pytest_autoeval.models.limiter import Limiter
from pytest_autoeval.models.limits import AttemptEnd, Grant, Seen, stopped

#: Where a hub listens, and the key that a worker shows.
Address = tuple[str, bytes]
#: What ends a connection: the other end is gone, or was never one of ours.
_GONE = (OSError, EOFError, AuthenticationError)
#: The number of the last message to a worker.
_PARTING = -1


class Hub:
    """Lets workers use a limiter, over a local socket; a thread for each worker.

    A worker that dies gives back what it holds.

    Args:
        limiter: that of the run.
    """

    def __init__(self, limiter: Limiter) -> None:
        self.limiter = limiter
        #: Called with the topic and the value of whatever a worker tells, by any thread.
        self.heard: Callable[[str, Any], None] = lambda _topic, _value: None
        key = secrets.token_bytes(32)
        # On Linux the name stands in no file system: a killed run leaves nothing behind.
        name = f"\0pytest-autoeval-{os.getpid()}-{secrets.token_hex(8)}" if sys.platform == "linux" else None
        self._listener = Listener(name, backlog=64, authkey=key)
        self.address: Address = (name or str(self._listener.address), key)
        self._closing = False
        self._workers: list[_Worker] = []
        limiter.keep_time()
        Thread(target=self._accept, name="autoeval-hub", daemon=True).start()

    def close(self) -> None:
        """Stops the limiter, lets no further worker in, and parts from those that are there."""
        self.limiter.close()
        self._closing = True
        for worker in self._workers:
            worker.part()
        with suppress(*_GONE):  # wakes the thread that waits for workers
            Client(self.address[0], authkey=self.address[1]).close()

    def _accept(self) -> None:
        with self._listener:  # whoever comes later is sent away
            while not self._closing:
                with suppress(*_GONE):
                    worker = _Worker(self._listener.accept(), self)
                    self._workers.append(worker)
                    Thread(target=worker.serve, name="autoeval-hub-worker", daemon=True).start()


class _Worker:
    """The hub's end of the connection to one worker."""

    def __init__(self, connection: Connection[Any, Any], hub: Hub) -> None:
        self._connection = connection
        self._hub = hub
        self._limiter = hub.limiter
        self._held: list[tuple[str, str, Grant]] = []
        self._holding = Lock()  # grants come from any thread
        self._sending = Lock()

    def serve(self) -> None:
        """Does what the worker asks for, until it is gone."""
        asked: dict[str, Callable[..., None]]
        asked = {"acquire": self._acquire, "release": self._release, "agree": self._agree, "tell": self._tell}
        with suppress(*_GONE):
            while (message := self._connection.recv()) is not None:
                number, what, arguments = message
                asked[what](number, *arguments)
        self._limiter.withdraw(self)
        for server, model, grant in self._held:
            with suppress(ConfigurationError):
                self._limiter.release(server, model, grant, AttemptEnd(ended="lost"))
        self._connection.close()

    def part(self) -> None:
        """Lets the worker know that the run is over."""
        with suppress(*_GONE):
            self._reply(_PARTING, None)

    def _acquire(self, number: int, server: str, model: str) -> None:
        def answer(grant: Grant | ModelError) -> None:
            if isinstance(grant, Grant):
                with self._holding:
                    self._held.append((server, model, grant))
            with suppress(*_GONE):  # :meth:`serve` will notice too, and give the grant back
                self._reply(number, grant)

        self._limiter.request(server, model, answer, self)

    def _release(self, number: int, server: str, model: str, grant: Grant, end: AttemptEnd) -> None:
        with self._holding:
            self._held.remove((server, model, grant))
        reply: Seen | ModelError
        try:
            reply = self._limiter.release(server, model, grant, end)
        except ConfigurationError as problem:
            reply = problem
        if end.ended != "answered":  # the worker waits for no reply then
            self._reply(number, reply)

    def _agree(self, number: int, name: str, value: Any) -> None:
        self._reply(number, self._limiter.agree(name, value))

    def _tell(self, _number: int, topic: str, value: Any) -> None:
        self._hub.heard(topic, value)

    def _reply(self, number: int, value: Any) -> None:
        with self._sending:
            self._connection.send((number, value))


class HubClient:
    """A worker's way to the limiter of its run, see :class:`RunLimits`; thread-safe.

    Args:
        address: that of the hub. Raises :class:`CallError` where it is gone.
    """

    def __init__(self, address: Address) -> None:
        try:
            self._connection = Client(address[0], authkey=address[1])
        except _GONE:
            raise stopped() from None
        #: Set when the controlling process is gone or has parted; not by :meth:`close`.
        self.lost = Event()
        #: Set by both: no further attempt starts.
        self.closed = Event()
        self._numbers = count()
        self._replies: dict[int, SimpleQueue[Any]] = {}
        self._agreed: dict[str, Any] = {}
        self._sending = Lock()
        Thread(target=self._listen, name="autoeval-hub-client", daemon=True).start()

    def acquire(self, server: str, model: str) -> Grant:
        """See :class:`RunLimits`."""
        grant: Grant = self._ask("acquire", server, model)
        return grant

    def release(self, server: str, model: str, grant: Grant, end: AttemptEnd) -> Seen:
        """See :class:`RunLimits`."""
        if end.ended == "answered":
            self._send((next(self._numbers), "release", (server, model, grant, end)))
            return Seen(0, 0)
        seen: Seen = self._ask("release", server, model, grant, end)
        return seen

    def pause(self, seconds: float) -> None:
        """See :class:`RunLimits`."""
        if self.closed.wait(seconds):
            raise stopped()

    def agree(self, name: str, value: Any) -> Any:
        """See :class:`RunLimits`."""
        if name not in self._agreed:
            agreed = self._ask("agree", name, value)
            if agreed is None:
                return None
            self._agreed[name] = agreed
        return self._agreed[name]

    def tell(self, topic: str, value: Any) -> None:
        """Tells the controlling process something, which :attr:`Hub.heard` hears; nothing where it is gone."""
        self._send((next(self._numbers), "tell", (topic, value)))

    def close(self) -> None:
        """See :class:`RunLimits`."""
        self._stop()
        self._send(None)  # the hub hangs up

    def _ask(self, what: str, *arguments: Any) -> Any:
        number, reply = next(self._numbers), SimpleQueue[Any]()
        self._replies[number] = reply
        if self.closed.is_set():
            raise stopped()
        self._send((number, what, arguments))
        answer = reply.get()
        if isinstance(answer, ModelError):
            raise answer
        return answer

    def _send(self, message: tuple[int, str, tuple[Any, ...]] | None) -> None:
        with self._sending, suppress(*_GONE):  # :meth:`_listen` notices too
            self._connection.send(message)

    def _listen(self) -> None:
        with suppress(*_GONE):
            while (message := self._connection.recv())[0] != _PARTING:
                number, answer = message
                self._replies.pop(number).put(answer)
        if not self.closed.is_set():
            self.lost.set()
            self._stop()

    def _stop(self) -> None:
        self.closed.set()
        for reply in list(self._replies.values()):
            reply.put(stopped())
