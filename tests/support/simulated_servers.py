"""Servers and their callers in simulated time, to test a limiter without waiting."""

from __future__ import annotations

import asyncio
import random
import selectors
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from pytest_autoeval.models import ModelError, ModelSettings
from pytest_autoeval.models.call_limits import AttemptEnd
from pytest_autoeval.models.limiter import Limiter

ANSWERED = AttemptEnd(ended="answered")
FAILED = AttemptEnd(ended="failed", message="the server failed")


def limited(retry_after: float | None = None) -> AttemptEnd:
    """The end of an attempt that met a rate limit."""
    return AttemptEnd(
        ended="limited", retry_after=retry_after, message="the server limits the rate"
    )


#: How an attempt ends that starts at a time, given the number of attempts in flight with it.
Server = Callable[[float, int], AttemptEnd]


def token_bucket(
    rate: float, burst: float, retry_after: Callable[[float], float] | None = None
) -> Server:
    """Accepts ``rate`` attempts a second. ``retry_after`` maps the seconds to the next token to the server's answer."""
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
    """Accepts this number of attempts in each minute of the clock, without a hint when to retry."""
    taken: Counter[int] = Counter()

    def answer(now: float, _in_flight: int) -> AttemptEnd:
        taken[int(now // 60)] += 1
        return ANSWERED if taken[int(now // 60)] <= most else limited()

    return answer


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next event; it fails if there is none."""

    def __init__(self) -> None:
        self.now = 0.0
        loop = self

        class Jumps(selectors.SelectSelector):
            def select(self, timeout: float | None = None) -> Any:
                assert timeout is not None, "nobody would ever wake"
                loop.now += timeout
                return super().select(0)

        super().__init__(Jumps())

    def time(self) -> float:
        return self.now


def in_simulated_time(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A decorator: the test runs on a loop of its own in simulated time."""

    @wraps(test)
    def run(*arguments: Any, **more: Any) -> None:
        loop = SimulatedLoop()
        try:
            loop.run_until_complete(test(*arguments, **more))
        finally:
            loop.close()

    return run


@dataclass
class Simulation:
    """Callers that make calls one after another until all are answered.

    ``latency`` are the mean seconds of an answered attempt; others take 0.05. A request leaves ``leaves_after`` seconds
    after its grant.
    """

    server: Server
    calls: int
    latency: float = 0.2
    callers: int = 64
    settings: ModelSettings = field(default_factory=ModelSettings)
    leaves_after: Callable[[], float] = lambda: 0.0

    def __post_init__(self) -> None:
        random.seed(0)  # the pauses are spread at random
        self._loop = SimulatedLoop()
        self.limiter = Limiter(self.settings, clock=self._loop.time)
        self.ends: Counter[str] = Counter()
        self.windows: list[tuple[float, int]] = []
        self.problem: ModelError | None = None
        self._left = self.calls
        self._in_flight = 0

    def run(self, until: float | None = None) -> Simulation:
        """Runs until all calls are answered, one fails for good, or the time is over."""
        self._loop.run_until_complete(self._run(until))
        self._loop.close()
        return self

    @property
    def now(self) -> float:
        return self._loop.now

    @property
    def wasted(self) -> float:
        """The share of attempts without an answer."""
        return 1 - self.ends["answered"] / self.ends.total()

    async def _run(self, until: float | None) -> None:
        callers = [asyncio.create_task(self._caller()) for _ in range(self.callers)]
        done, left = await asyncio.wait(callers, timeout=until, return_when=asyncio.FIRST_EXCEPTION)
        for caller in left:
            caller.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        for caller in done:
            if isinstance(problem := caller.exception(), ModelError):
                self.problem = problem

    async def _caller(self) -> None:
        while self._left:
            self._left -= 1
            while not await self._is_answered():
                pass

    async def _is_answered(self) -> bool:
        grant = await self.limiter.acquire("remote", "model")
        await asyncio.sleep(self.leaves_after())
        self.limiter.left(grant)
        self._in_flight += 1
        end = self.server(self.now, self._in_flight)
        took = self.latency * random.uniform(0.5, 1.5)
        await asyncio.sleep(took if end.ended == "answered" else 0.05)
        self._in_flight -= 1
        self.ends[end.ended] += 1
        self.limiter.release(grant, end)
        self.windows.append((self.now, self.limiter.traffic().window))
        if end.ended == "failed":
            await asyncio.sleep(0.5)
        return end.ended == "answered"


def simulate(server: Server, calls: int, **more: Any) -> Simulation:
    """A simulation that has run to its end."""
    return Simulation(server, calls, **more).run()
