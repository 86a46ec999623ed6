"""Workers of a hub: ends of a pipe inside this process, and processes that are started as xdist starts them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread
from typing import Any

import execnet

from pytest_autoeval.models.hub import Channel, Hub, HubClient

#: What a process does: it calls a function with its end of the pipe to the hub, and more.
_CALL = """
import importlib, sys
sys.path[:], module, name, hub, arguments = channel.receive()
getattr(importlib.import_module(module), name)(hub, *arguments)
"""


class _End:
    """An end of a pipe inside this process; what arrives is read by a thread of its own."""

    def __init__(self) -> None:
        self.other = self
        self.closed = False
        self._arrived: SimpleQueue[Any] = SimpleQueue()

    def send(self, item: object) -> None:
        if self.closed:
            raise OSError("closed")
        self.other._arrived.put(item)

    def setcallback(self, callback: Callable[[Any], Any], endmarker: object = None) -> None:
        def read() -> None:
            while (item := self._arrived.get()) is not None:
                callback(item)
            callback(endmarker)

        Thread(target=read, daemon=True).start()

    def close(self) -> None:
        for end in (self, self.other):
            end.closed = True
            end._arrived.put(None)


def pipe() -> tuple[Channel, Channel]:
    """Both ends of a new pipe."""
    one, other = _End(), _End()
    one.other, other.other = other, one
    return one, other


def client_of(hub: Hub, **answers: Callable[..., Any]) -> HubClient:
    """A new worker of a hub in this process; ``answers`` answer what it may ask."""
    ours, its = pipe()
    hub.connect(ours, answers)
    return HubClient(its)


class Process:
    """A process that has an end of a pipe to a hub."""

    def __init__(self, group: execnet.Group, hub: Hub) -> None:
        self._gateway = group.makegateway(f"popen//python={sys.executable}")
        asked = self._gateway.remote_exec("import os; channel.send(os.getpid())")
        self.pid: int = asked.receive()
        asked.waitclose()
        self._hub = hub
        self._work: Any = None

    def start(self, function: Callable[..., None], *arguments: object) -> None:
        """Calls a function there, with the channel to the hub and more."""
        channel = self._gateway.newchannel()
        self._hub.connect(channel)
        self._work = self._gateway.remote_exec(_CALL)
        self._work.send((sys.path, function.__module__, function.__name__, channel, arguments))

    def join(self) -> None:
        """Returns when the function does; raises what it raised, and :class:`EOFError` where the process died."""
        self._work.waitclose(60)


@contextmanager
def processes(hub: Hub, number: int) -> Iterator[list[Process]]:
    """So many processes."""
    group = execnet.Group()
    try:
        yield [Process(group, hub) for _ in range(number)]
    finally:
        group.terminate(timeout=1.0)
