"""Servers and their callers in simulated time: what a limiter makes of them, without a thread or a wait."""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from math import inf
from typing import Any

from pytest_autoeval.models import ModelError, ModelSettings
from pytest_autoeval.models.limiter import Limiter
from pytest_autoeval.models.limits import AttemptEnd, Grant

ANSWERED = AttemptEnd(ended="answered")
FAILED = AttemptEnd(ended="failed", message="the server failed")


def limited(retry_after: float | None = None) -> AttemptEnd:
    """The end of an attempt that met a rate limit."""
    return AttemptEnd(ended="limited", retry_after=retry_after, message="the server limits the rate")


#: How an attempt that starts at a time ends, given how many are in flight with it.
Server = Callable[[float, int], AttemptEnd]


def token_bucket(rate: float, burst: float, retry_after: Callable[[float], float] | None = None) -> Server:
    """Takes ``rate`` attempts a second; ``retry_after`` makes of the seconds to the next token what it says."""
    tokens, then = burst, 0.0

    def answer(now: float, _in_flight: int) -> AttemptEnd:
        nonlocal tokens, then
        tokens, then = min(burst, tokens + rate * (now - then)), now
        if tokens < 1:
            return limited(retry_after((1 - tokens) / rate) if retry_after else None)
        tokens -= 1
        return ANSWERED

    return answer


def per_minute(most: int) -> Server:
    """Takes so many attempts in each minute of the clock, and says nothing of the time to wait."""
    taken: Counter[int] = Counter()

    def answer(now: float, _in_flight: int) -> AttemptEnd:
        taken[int(now // 60)] += 1
        return ANSWERED if taken[int(now // 60)] <= most else limited()

    return answer


@dataclass
class Simulation:
    """Callers that make calls one after another until all are answered.

    ``latency`` are the mean seconds of an attempt that is answered; one that is not takes 0.05. A request leaves so
    many seconds after its grant as ``leaves_after`` says.
    """

    server: Server
    calls: int
    latency: float = 0.2
    callers: int = 64
    settings: ModelSettings = field(default_factory=ModelSettings)
    leaves_after: Callable[[], float] = lambda: 0.0
    now: float = 0.0

    def __post_init__(self) -> None:
        random.seed(0)  # the pauses are spread at random
        self.limiter = Limiter(self.settings, clock=lambda: self.now)
        self.ends: Counter[str] = Counter()
        self.windows: list[tuple[float, int]] = []
        self.problem: ModelError | None = None
        self._left = self.calls
        self._in_flight = 0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()

    def run(self, until: float = inf) -> Simulation:
        """Goes on until all calls are answered, one ends for good, or the time is over."""
        for _ in range(self.callers):
            self._after(0.0, self._next_call)
        while self.ends["answered"] < self.calls and self.problem is None and self.now < until:
            due, first = self.limiter.due(), self._events[0][0] if self._events else inf
            assert min(due, first) < inf, "nobody would ever wake"
            self.now = max(self.now, min(due, first))
            if due <= first:
                self.limiter.serve()
            else:
                heapq.heappop(self._events)[2]()
            self.windows.append((self.now, self.limiter.traffic().window))
        return self

    @property
    def wasted(self) -> float:
        """The share of the attempts that were not answered."""
        return 1 - self.ends["answered"] / self.ends.total()

    def _after(self, seconds: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._events, (self.now + seconds, next(self._numbers), action))

    def _next_call(self) -> None:
        if self._left:
            self._left -= 1
            self._ask()

    def _ask(self) -> None:
        self.limiter.request("remote", "model", self._granted)

    def _granted(self, grant: Grant | ModelError) -> None:
        if isinstance(grant, ModelError):
            self.problem = grant
            return
        self._after(self.leaves_after(), lambda: self._leaves(grant))

    def _leaves(self, grant: Grant) -> None:
        self.limiter.left(grant)
        self._in_flight += 1
        end = self.server(self.now, self._in_flight)
        took = self.latency * random.uniform(0.5, 1.5)
        self._after(took if end.ended == "answered" else 0.05, lambda: self._ended(grant, end))

    def _ended(self, grant: Grant, end: AttemptEnd) -> None:
        self._in_flight -= 1
        self.ends[end.ended] += 1
        try:
            self.limiter.release("remote", "model", grant, end)
        except ModelError as problem:
            self.problem = problem
            return
        if end.ended == "answered":
            self._next_call()
        else:
            self._after(0.5 if end.ended == "failed" else 0.0, self._ask)


def simulate(server: Server, calls: int, **more: Any) -> Simulation:
    """A simulation that has run to its end."""
    return Simulation(server, calls, **more).run()
