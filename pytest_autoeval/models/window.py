"""How many attempts one server takes at once: one more while it answers, half as many when it limits the rate."""

from __future__ import annotations

import math
import random
from typing import Literal

Ended = Literal["answered", "limited", "failed", "unreached", "refused", "useless", "other", "lost"]
"""How an attempt ended.

``limited``: the server says that there are too many (429, 503, 529). ``failed``: it broke down, or the connection did.
``unreached``: there was no connection at all. ``refused``: it takes no such request. ``useless``: no call can succeed
before the user mends something. ``other``: it answered something that is no answer. ``lost``: nobody knows, for
the run was stopped.
"""

_START = 20
_FIRST_PAUSE = 0.5  # seconds
#: Seconds that anybody waits at most before the next attempt, whatever the server asks for.
LONGEST_PAUSE = 60.0


class ServerWindow:
    """The window of one server (AIMD), its pauses, and the one attempt that goes first after a pause (the probe).

    An *episode* is a time in which the server limits the rate. It halves the window once: attempts that started before
    do not halve it again, however they end and whatever time the server asks to wait.
    """

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high
        self.size: float = min(high, max(low, _START))
        self.in_flight = 0
        self.answers = 0
        #: The number of the newest episode.
        self.episode = 0
        #: Why the window is smaller than it could be; empty where it is not.
        self.why_fewer = ""
        #: When the first attempt failed of those since the last answer; None: none did.
        self.trouble_since: float | None = None
        #: When a pause ends and the probe may start.
        self.pause_ends: float | None = None
        self._last_end = -math.inf
        self._probing = False
        self._slow_start = True
        self._episodes_without_answer = 0
        self._failed_in_a_row = 0

    def wake(self, now: float) -> None:
        """Somebody asks while nobody waits: a time in which nobody asked is no trouble of the server."""
        if self.in_flight == 0 and self.trouble_since is not None:
            # A call that failed may wait so long before it asks again.
            self.trouble_since += max(0.0, now - self._last_end - LONGEST_PAUSE)

    def has_room(self, now: float) -> bool:
        """Whether an attempt may start."""
        if self.pause_ends is not None:
            return now >= self.pause_ends
        return not self._probing and self.in_flight < int(self.size)

    def start(self) -> int:
        """Counts an attempt, and returns the number of the episode, which :meth:`end` needs."""
        self.in_flight += 1
        if self.pause_ends is not None:
            self.pause_ends, self._probing = None, True
        return self.episode

    def end(self, ended: Ended, episode: int, now: float, retry_after: float | None = None) -> None:
        """Draws the conclusions from an attempt that started in ``episode``; ``retry_after`` in seconds."""
        was_full = self.in_flight >= int(self.size)
        self.in_flight -= 1
        self._last_end = now
        newest = episode == self.episode
        was_probe = newest and self._probing
        self._probing = self._probing and not newest
        if ended == "answered":
            self._answered(newest=newest, was_full=was_full)
        elif ended in {"limited", "failed", "unreached"}:
            self.trouble_since = now if self.trouble_since is None else self.trouble_since
            self._failed_in_a_row += 1
            # Single errors are no sign of too much load: half a window of them is.
            if newest and (ended == "limited" or was_probe or self._failed_in_a_row >= self.size / 2):
                self._back_off("rate limited" if ended == "limited" else "server errors", now, retry_after)
            elif self.pause_ends is not None and retry_after:
                self.pause_ends = max(self.pause_ends, now + min(retry_after, LONGEST_PAUSE))
        elif ended == "lost" and was_probe:
            self.pause_ends = now

    def _answered(self, *, newest: bool, was_full: bool) -> None:
        self.answers += 1
        self.trouble_since = None
        self._failed_in_a_row = 0
        if not newest:
            return
        self._episodes_without_answer = 0
        if was_full:
            self.size = min(self.high, self.size + (1 if self._slow_start else 1 / self.size))
            if self.size == self.high:
                self.why_fewer = ""

    def _back_off(self, why: str, now: float, retry_after: float | None) -> None:
        self.size = max(self.low, self.size / 2)
        self.why_fewer = why
        self.episode += 1
        self._slow_start = False
        self._failed_in_a_row = 0
        own = _FIRST_PAUSE * 2.0**self._episodes_without_answer
        # A server that refuses again after the time that it asked for is believed less.
        pause = own if retry_after is None else max(retry_after, own / 2 if self._episodes_without_answer else 0)
        self._episodes_without_answer = min(self._episodes_without_answer + 1, 10)
        jitter = 1 + random.random() / 8  # noqa: S311  (other runs may wait for the same server)
        self.pause_ends = now + min(pause * jitter, LONGEST_PAUSE)
