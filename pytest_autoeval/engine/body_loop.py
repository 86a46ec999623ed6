"""The event loop of all `async` bodies of a process: a client that a session-scoped fixture made works in each."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from threading import Lock, Thread
from typing import Any

_PARTING = 1.0  # seconds that cancelled bodies have to clean up


class BodyLoop:
    """One loop in a thread of its own, which begins with the first body; thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None

    def run(self, body: Coroutine[Any, Any, Any]) -> Any:
        """What the body returns; it runs in the context of the caller, who waits."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(target=self._loop.run_forever, name="autoeval-async-bodies", daemon=True)
                self._thread.start()
        return asyncio.run_coroutine_threadsafe(body, self._loop).result()

    def close(self) -> None:
        """Cancels what still runs, and ends the loop and its thread."""
        with self._lock:
            loop, thread, self._loop = self._loop, self._thread, None
        if loop is None or thread is None:
            return

        async def end() -> None:
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.wait(others, timeout=_PARTING) if others else None
            await loop.shutdown_asyncgens()
            loop.stop()

        asyncio.run_coroutine_threadsafe(end(), loop)
        thread.join(2 * _PARTING)
        if not thread.is_alive():  # else a body blocks the loop
            loop.close()
