"""The limiter of a run: how many calls are in flight, how fast they start, what they cost, when to give up."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from pytest_autoeval.models.call_limits import AttemptEnd, Budget, Seen, Traffic, stopped
from pytest_autoeval.models.model_settings import ModelSettings
from pytest_autoeval.models.protocols import ConfigurationError, LimitReachedError, ModelError
from pytest_autoeval.models.window import OpenWindow, ServerWindow

#: Number of equal refusals, without any answer before, after which a model is given up.
_ALIKE = 5


@dataclass(slots=True)
class _Server:
    window: ServerWindow
    #: Waiting calls in order.
    queue: deque[_Waiting] = field(default_factory=deque)
    failing: set[object] = field(default_factory=set)
    reached: bool = False
    problem: str = ""


@dataclass(slots=True)
class _Known:
    """State of a model: whether it ever answered, its refusals before that, and why no call can succeed."""

    name: str
    answered: bool = False
    refusals: list[str] = field(default_factory=list)
    problem: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Grant:
    """Permission for one attempt, with the episode of its server and the number of answers of that server so far.

    ``reserve`` is what the budget keeps for it, in USD; None if it is unknown what it can cost.
    """

    server: _Server
    model: _Known
    episode: int
    answers: int
    reserve: float | None


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """A call that waits for its turn; ``most`` is what it can cost at most in USD, None if unknown."""

    model: _Known
    most: float | None
    turn: asyncio.Future[Grant]


class Limiter:
    """Grants attempts, in order, for all models of a run. It belongs to an event loop; any thread may read its state.

    Each server has a window between the two numbers of ``settings.concurrency``, see :class:`ServerWindow`. The pace
    (``settings.rpm``) and the budget apply to the whole run. ``clock`` is that of the loop, in seconds.
    """

    def __init__(
        self, settings: ModelSettings, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        self._clock = clock
        self.budget = Budget(settings.max_calls, settings.max_cost)
        self._interval = 60.0 / settings.rpm if settings.rpm else 0.0
        self._next_start = 0.0
        #: With a pace: the grant whose request is not sent yet; until then no other attempt starts.
        self._leaving: Grant | None = None
        self._servers: dict[str, _Server] = {}
        self._models: dict[str, _Known] = {}
        self._answered = 0
        self._stopped = asyncio.Event()
        self._alarm: asyncio.TimerHandle | None = None

    async def acquire(self, server: str, model: str, most: float | None = None) -> Grant:
        """Waits until one attempt may start; :meth:`release` must follow.

        ``most``: what the attempt can cost at most, in USD; None if unknown.

        Raises :class:`LimitReachedError` if the budget is spent, :class:`ConfigurationError` if no call of this
        model can succeed, :class:`CallError` if the run is being stopped.
        """
        if server not in self._servers:
            low, high = self._settings.concurrency
            batch = self._settings.batch is not None
            self._servers[server] = _Server(
                # All requests of a batch leave together: a window that opens slowly would cut it into small batches.
                OpenWindow(high, high) if batch else ServerWindow(low, high)
            )
        state, known = self._servers[server], self._models.setdefault(model, _Known(model))
        # A time in which the run asks nothing is no trouble of the server's.
        if not state.queue:
            state.window.wake(self._clock())
        # Most calls find room at once, and need neither a future nor a look at the queues.
        if not any(each.queue for each in self._servers.values()):
            grant = self._grant(state, known, most)
            if grant is not None:
                return grant
        turn: asyncio.Future[Grant] = asyncio.get_running_loop().create_future()
        state.queue.append(_Waiting(known, most, turn))
        self._serve()
        return await turn

    def left(self, grant: Grant) -> None:
        """Reports that the request of an attempt is being sent."""
        if grant is self._leaving:
            self._leaving, self._next_start = None, self._clock() + self._interval
            self._serve()

    def release(self, grant: Grant, end: AttemptEnd) -> Seen:
        """Ends an attempt; returns the server's counts so far, zeros after an answer.

        Raises :class:`ConfigurationError` if no further call can succeed.
        """
        server, known, now = grant.server, grant.model, self._clock()
        self.budget.settle(known.name, end.cost, paid=end.paid, reserve=grant.reserve)
        server.window.end(end.ended, grant.episode, now, end.retry_after)
        self._learn(server, known, end, now)
        self.left(grant)  # the attempt may have failed before its request was sent
        self._serve()  # all servers share the budget
        if end.ended == "answered":
            return Seen(0, 0, False)
        if problem := known.problem or server.problem:
            raise ConfigurationError(problem)
        return Seen(server.window.answers, len(server.failing), grant.model.answered)

    async def pause(self, seconds: float) -> None:
        """Waits between attempts; raises :class:`CallError` if the run is being stopped."""
        try:
            async with asyncio.timeout(seconds):
                await self._stopped.wait()
        except TimeoutError:
            return
        raise stopped()

    def stop(self) -> None:
        """Starts no further attempt; waiting calls get a :class:`CallError`."""
        self._stopped.set()
        self._serve()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def answered_before(self, model: str) -> None:
        """Reports that a model answered in a run that this one continues."""
        self._models.setdefault(model, _Known(model)).answered = True

    def was_answered_by(self, server: str) -> bool:
        """Whether a server answered in this run."""
        return server in self._servers and self._servers[server].window.answers > 0

    def traffic(self) -> Traffic:
        """The current traffic of all servers."""
        servers, now = list(self._servers.values()), self._clock()
        waiting = any(server.queue for server in servers)
        reasons = [server.window.why_fewer for server in servers if server.window.why_fewer]
        paced = ["rpm"] if waiting and self._next_start > now else []
        return Traffic(
            attempts=self.budget.attempts,
            answered=self._answered,
            in_flight=sum(server.window.in_flight for server in servers),
            window=sum(int(server.window.size) for server in servers),
            highest=sum(server.window.high for server in servers),
            why_fewer=[*reasons, *paced, ""][0],
            cost=self.budget.spent,
        )

    def _serve(self) -> None:
        """Serves the queues as far as possible now, and sets a timer for the next start that only waits for time."""
        for server in self._servers.values():
            while server.queue:
                first = server.queue[0]
                turn = first.turn
                if not turn.done():  # else the call was cancelled
                    try:
                        grant = self._grant(server, first.model, first.most)
                    except ModelError as error:
                        turn.set_exception(error)
                    else:
                        if grant is None:
                            break
                        turn.set_result(grant)
                server.queue.popleft()
        due = min(map(self._due, self._servers.values()), default=math.inf)
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if due < math.inf:
            wait = max(0.0, due - self._clock())
            self._alarm = asyncio.get_running_loop().call_later(wait, self._serve)

    def _due(self, server: _Server) -> float:
        """When the first of the queue may start if nothing but time passes; infinite if it waits for something else."""
        window = server.window
        try:
            if not server.queue or not self.budget.allows(
                server.queue[0].model.name, server.queue[0].most
            ):
                return math.inf
        except LimitReachedError:  # another server has just got the rest of the budget
            return 0.0
        if window.pause_ends is not None:
            return max(window.pause_ends, self._next_start)
        return self._next_start if window.has_room(self._next_start) else math.inf

    def _grant(self, server: _Server, known: _Known, most: float | None) -> Grant | None:
        """A grant for a call whose turn it is, or None if it must wait; raises as :meth:`acquire`."""
        if self._stopped.is_set():
            raise stopped()
        # All calls fail at once then, without a wait for each sample.
        if problem := known.problem or server.problem:
            raise ConfigurationError(problem)
        now = self._clock()
        if (
            not self.budget.allows(known.name, most)
            or now < self._next_start
            or not server.window.has_room(now)
        ):
            return None
        reserve = self.budget.start(known.name, most)
        grant = Grant(server, known, server.window.start(), server.window.answers, reserve)
        if self._interval:
            self._leaving, self._next_start = grant, math.inf
        return grant

    def _learn(self, server: _Server, known: _Known, end: AttemptEnd, now: float) -> None:
        match end.ended:
            case "answered":
                self._answered += 1
                known.answered = True
                server.failing.clear()
            case "useless":
                known.problem = end.message
            case "refused" if not known.answered:
                known.refusals.append(end.alike)
                alike = len(known.refusals) == _ALIKE and len(set(known.refusals)) == 1
                known.problem = end.message if alike or end.at_once else known.problem
            case "unreached" if not server.reached:
                server.problem = end.message
            case "limited" | "failed" | "unreached":
                server.failing.add(end.call)
                self._lose_patience(server, end, now)
        server.reached = server.reached or end.ended not in {"unreached", "lost"}

    def _lose_patience(self, server: _Server, end: AttemptEnd, now: float) -> None:
        """Gives up a server that has not answered for too long, after one last attempt."""
        window, patience = server.window, self._settings.patience
        # A batch takes hours, so silence says nothing about its server.
        if window.trouble_since is None or self._settings.batch is not None:
            return
        gives_up = window.trouble_since + patience
        if now >= gives_up:
            waited = f"{patience:g} s" if patience < 60 else f"{patience / 60:g} min"
            server.problem = (
                f"{end.message}; it has answered nothing for {waited} (--autoeval-patience)"
            )
        elif window.pause_ends is not None:
            window.pause_ends = min(window.pause_ends, gives_up)
