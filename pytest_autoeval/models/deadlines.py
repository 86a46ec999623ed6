"""Time limits of equal length, with one timer for all of them."""

from __future__ import annotations

import asyncio


class Deadlines:
    """Ends the limits of `asyncio.timeout(None)` after some seconds. All belong to one event loop.

    A timer for each request, which is nearly always cancelled, takes longer than all other bookkeeping of a call.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        #: When each limit ends, by the clock of the loop. All have the same length: the first to begin ends first.
        self._ends: dict[asyncio.Timeout, float] = {}
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, limit: asyncio.Timeout) -> None:
        """Starts a limit, inside its ``async with``; :meth:`end` must follow there."""
        loop = asyncio.get_running_loop()
        self._ends[limit] = end = loop.time() + self._seconds
        if self._timer is None:
            self._timer = loop.call_at(end, self._expire)

    def end(self, limit: asyncio.Timeout) -> None:
        self._ends.pop(limit, None)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        """Ends the limits whose time is over, and sets the timer for the next one."""
        loop = asyncio.get_running_loop()
        self._timer = None
        for limit, end in list(self._ends.items()):
            if end > loop.time():
                self._timer = loop.call_at(end, self._expire)
                return
            del self._ends[limit]
            limit.reschedule(end)
