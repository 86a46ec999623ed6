"""The window of a server (AIMD): it grows while the server answers, and halves when it limits the rate."""

from __future__ import annotations

import math
import random
from typing import Literal

Ended = Literal["answered", "limited", "failed", "unreached", "refused", "useless", "other", "lost"]
"""How an attempt ended.

``limited``: the server limits the rate (429, 503, 529). ``failed``: the server or the connection failed.
``unreached``: there was no connection. ``refused``: the server refuses such requests. ``useless``: no call can succeed
before the user corrects something. ``other``: the response is unusable. ``lost``: unknown, the run was stopped.
"""

#: Attempts in flight at the beginning. It doubles in each round of answers until the server first limits the rate.
_START = 20
#: Seconds.
_FIRST_PAUSE = 0.5
#: Seconds to wait at most before the next attempt, whatever the server asks for.
LONGEST_PAUSE = 60.0


class ServerWindow:
    """The window of one server, its pauses, and the single attempt after a pause (the probe).

    An *episode* is a time in which the server limits the rate. It halves the window once: attempts that started before
    it do not halve the window again.
    """

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high
        self.size: float = min(high, max(low, _START))
        self.in_flight = 0
        self.answers = 0
        #: The number of the newest episode.
        self.episode = 0
        #: Why the window is below its maximum; else empty.
        self.why_fewer = ""
        #: Time of the first failed attempt since the last answer, or None.
        self.trouble_since: float | None = None
        #: When the pause ends and the probe may start; None: no pause.
        self.pause_ends: float | None = None
        self._last_end = -math.inf
        self._probing = False
        self._slow_start = True
        self._episodes_without_answer = 0
        self._failed_in_a_row = 0

    def wake(self, now: float) -> None:
        """Reports a call at an empty queue: a time without calls does not count as trouble of the server."""
        if self.in_flight == 0 and self.trouble_since is not None:
            # A failed call may wait so long before its next attempt.
            self.trouble_since += max(0.0, now - self._last_end - LONGEST_PAUSE)

    def has_room(self, now: float) -> bool:
        """Whether an attempt may start."""
        if self.pause_ends is not None:
            return now >= self.pause_ends
        return not self._probing and self.in_flight < int(self.size)

    def start(self) -> int:
        """Counts an attempt; returns the number of the episode, for :meth:`end`."""
        self.in_flight += 1
        if self.pause_ends is not None:
            self.pause_ends, self._probing = None, True
        return self.episode

    def end(self, ended: Ended, episode: int, now: float, retry_after: float | None = None) -> None:
        """Adapts the window to the end of an attempt that started in ``episode``; ``retry_after`` in seconds."""
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
            # Single errors are no sign of overload, but half a window of them is.
            if newest and (
                ended == "limited" or was_probe or self._failed_in_a_row >= self.size / 2
            ):
                self._back_off(
                    "rate limited" if ended == "limited" else "server errors", now, retry_after
                )
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
        # Only a full window shows that the server bears more. At first one more for each answer doubles it in a round;
        # after the first rate limit it grows by one in a round.
        if was_full:
            growth = 1 if self._slow_start else 1 / self.size
            self.size = min(self.high, self.size + growth)
            if self.size == self.high:
                self.why_fewer = ""

    def _back_off(self, why: str, now: float, retry_after: float | None) -> None:
        # Once for an episode and not for each refusal: all attempts of a full window are refused together.
        self.size = max(self.low, self.size / 2)
        self.why_fewer = why
        self.episode += 1
        # For good: after the first limit the window is near what the server bears, and doubling would overshoot.
        self._slow_start = False
        self._failed_in_a_row = 0
        own_pause = _FIRST_PAUSE * 2.0**self._episodes_without_answer
        pause = own_pause
        if retry_after is not None:
            # If the server refuses again after its own time, the pause doubles all the same.
            # Else a server that always asks for the same seconds would set the pace for ever.
            least = own_pause / 2 if self._episodes_without_answer else 0
            pause = max(retry_after, least)
        self._episodes_without_answer = min(self._episodes_without_answer + 1, 10)
        jitter = 1 + random.random() / 8  # noqa: S311  (other runs may wait for the same server)
        self.pause_ends = now + min(pause * jitter, LONGEST_PAUSE)


class OpenWindow(ServerWindow):
    """The window of a server that answers in batches: a failed request halves nothing."""

    def _back_off(self, why: str, now: float, retry_after: float | None) -> None:  # noqa: ARG002
        self._failed_in_a_row = 0
