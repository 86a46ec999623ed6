"""The limiter of a run: how many calls are in flight, how fast they start, what they cost, when to give up."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable

from msgspec import Struct, field

from pytest_autoeval.models.call_limits import AttemptEnd, Budget, Seen, Traffic, stopped
from pytest_autoeval.models.model_settings import ModelSettings
from pytest_autoeval.models.protocols import ConfigurationError, LimitReachedError, ModelError
from pytest_autoeval.models.window import OpenWindow, ServerWindow

#: After so many refusals, all equal and without any answer before, a model is given up: it would refuse every call.
_EQUAL_REFUSALS = 5


class _ServerState(Struct, eq=False):
    """State of a server: its window, and why no call can succeed, empty if one can."""

    window: ServerWindow
    #: Waiting calls in order.
    queue: deque[_Waiting] = field(default_factory=deque)
    #: The calls that failed since the last answer.
    failing: set[object] = field(default_factory=set)
    #: Whether there was ever a connection to it.
    reached: bool = False
    problem: str = ""


class _ModelState(Struct, eq=False):
    """State of a model: whether it ever answered, its refusals before that, and why no call can succeed."""

    name: str
    answered: bool = False
    refusals: list[str] = field(default_factory=list)
    problem: str = ""


class Grant(Struct, frozen=True, eq=False):
    """Permission for one attempt, with the episode of its server and the number of answers of that server so far.

    ``reserve`` is what the budget keeps for it, in USD; None if it is unknown what it can cost.
    """

    server: _ServerState
    model: _ModelState
    episode: int
    answers: int
    reserve: float | None


class _Waiting(Struct, frozen=True, eq=False):
    """A call that waits for its turn; ``most`` is what it can cost at most in USD, None if unknown."""

    model: _ModelState
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
        self._servers: dict[str, _ServerState] = {}
        self._models: dict[str, _ModelState] = {}
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
            self._servers[server] = _ServerState(self._new_window())
        server_state = self._servers[server]
        model_state = self._models.setdefault(model, _ModelState(model))
        # A time in which the run asks nothing is no trouble of the server's.
        if not server_state.queue:
            server_state.window.wake(self._clock())
        # Most calls find room at once, and need neither a future nor a look at the queues. No call may overtake one
        # that waits, also for another server: they share the pace and the budget.
        if not self._anything_waits:
            grant = self._grant(server_state, model_state, most)
            if grant is not None:
                return grant
        turn: asyncio.Future[Grant] = asyncio.get_running_loop().create_future()
        server_state.queue.append(_Waiting(model_state, most, turn))
        self._serve()
        return await turn

    def _new_window(self) -> ServerWindow:
        low, high = self._settings.concurrency
        if self._settings.batch is not None:
            # The requests of a batch all wait at the same time, so the window is wide from the beginning.
            return OpenWindow(high, high)
        return ServerWindow(low, high)

    def left(self, grant: Grant) -> None:
        """Reports that the request of an attempt is being sent."""
        if grant is self._leaving:
            self._leaving = None
            self._next_start = self._clock() + self._interval
            self._serve()

    def release(self, grant: Grant, end: AttemptEnd) -> Seen:
        """Ends an attempt; returns the server's counts so far, zeros after an answer.

        Raises :class:`ConfigurationError` if no further call can succeed.
        """
        server = grant.server
        model = grant.model
        now = self._clock()
        self.budget.settle(model.name, end.cost, paid=end.paid, reserve=grant.reserve)
        server.window.end(end.ended, grant.episode, now, end.retry_after)
        self._learn(server, model, end, now)
        self.left(grant)  # the attempt may have failed before its request was sent
        self._serve()  # all servers share the budget
        if end.ended == "answered":
            return Seen(0, 0, False)
        if problem := model.problem or server.problem:
            raise ConfigurationError(problem)
        return Seen(server.window.answers, len(server.failing), model.answered)

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
        """Reports that a model answered in a run that this one continues. Any thread may call it."""
        self._models.setdefault(model, _ModelState(model)).answered = True

    def was_answered_by(self, server: str) -> bool:
        """Whether a server answered in this run."""
        return server in self._servers and self._servers[server].window.answers > 0

    def traffic(self) -> Traffic:
        """The current traffic of all servers."""
        # A copy, since another thread may add a server while this one reads.
        servers = list(self._servers.values())
        is_waiting = any(server.queue for server in servers)
        # The trouble of a server is shown before the pace, which the user chose.
        reasons = [server.window.why_fewer for server in servers if server.window.why_fewer]
        if is_waiting and self._next_start > self._clock():
            reasons.append("rpm")
        return Traffic(
            attempts=self.budget.attempts,
            answered=self._answered,
            in_flight=sum(server.window.in_flight for server in servers),
            window=sum(int(server.window.size) for server in servers),
            highest=sum(server.window.high for server in servers),
            why_fewer=reasons[0] if reasons else "",
            cost=self.budget.spent,
        )

    @property
    def _anything_waits(self) -> bool:
        # No `any`, whose generator takes longer than the test of one or two servers.
        for server in self._servers.values():  # noqa: SIM110
            if server.queue:
                return True
        return False

    def _serve(self) -> None:
        """Serves the queues as far as possible now, and sets a timer for the next start that only waits for time."""
        # As at the end of most calls. The timer is set only while something waits, and does nothing without.
        if not self._anything_waits:
            return
        for server in self._servers.values():
            self._serve_queue(server)
        due = min(map(self._due, self._servers.values()), default=math.inf)
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if due < math.inf:
            wait = max(0.0, due - self._clock())
            self._alarm = asyncio.get_running_loop().call_later(wait, self._serve)

    def _serve_queue(self, server: _ServerState) -> None:
        """Starts the waiting calls of a server in order, until one must go on waiting."""
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
                        return
                    turn.set_result(grant)
            server.queue.popleft()

    def _due(self, server: _ServerState) -> float:
        """When the first of the queue may start if nothing but time passes; infinite if it waits for something else."""
        if not server.queue:
            return math.inf
        window = server.window
        first = server.queue[0]
        try:
            may_be_paid = self.budget.allows(first.model.name, first.most)
        except LimitReachedError:
            # Another server has just got the rest of the budget. The call gets this error when it is served: now.
            return 0.0
        if not may_be_paid:
            return math.inf
        if window.pause_ends is not None:
            return max(window.pause_ends, self._next_start)
        return self._next_start if window.has_room(self._next_start) else math.inf

    def _grant(self, server: _ServerState, model: _ModelState, most: float | None) -> Grant | None:
        """A grant for a call whose turn it is, or None if it must wait; raises as :meth:`acquire`."""
        if self._stopped.is_set():
            raise stopped()
        # All calls fail at once then, without a wait for each sample.
        if problem := model.problem or server.problem:
            raise ConfigurationError(problem)
        now = self._clock()
        # The budget comes first: if it is spent, that is an error and no reason to wait.
        if not self.budget.allows(model.name, most):
            return None
        if now < self._next_start or not server.window.has_room(now):
            return None
        reserve = self.budget.start(model.name, most)
        episode = server.window.start()
        grant = Grant(server, model, episode, server.window.answers, reserve)
        if self._interval:
            # The pace is counted from the moment at which the request is sent, see `left`.
            self._leaving = grant
            self._next_start = math.inf
        return grant

    def _learn(self, server: _ServerState, model: _ModelState, end: AttemptEnd, now: float) -> None:
        """Updates the states of a server and a model after an attempt."""
        match end.ended:
            case "answered":
                self._answered += 1
                model.answered = True
                server.failing.clear()
            case "useless":
                model.problem = end.message
            # A model that has answered refuses single requests, and not all of them.
            case "refused" if not model.answered:
                model.refusals.append(end.alike)
                is_enough = len(model.refusals) == _EQUAL_REFUSALS
                are_equal = len(set(model.refusals)) == 1
                if end.at_once or (is_enough and are_equal):
                    model.problem = end.message
            # The address is wrong, or no server runs there. A server that was reached before may come back.
            case "unreached" if not server.reached:
                server.problem = end.message
            case "limited" | "failed" | "unreached":
                server.failing.add(end.call)
                self._lose_patience(server, end, now)
        server.reached = server.reached or end.ended not in {"unreached", "lost"}

    def _lose_patience(self, server: _ServerState, end: AttemptEnd, now: float) -> None:
        """Gives up a server that has not answered for too long, after one last attempt."""
        window = server.window
        patience = self._settings.patience
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
            # The last attempt is made when the patience ends, and not after a longer pause.
            window.pause_ends = min(window.pause_ends, gives_up)
