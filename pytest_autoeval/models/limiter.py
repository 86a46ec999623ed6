"""The one authority for a run's calls: how many are in flight, how fast they start, what they cost, when to give up."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Condition, Event, RLock, Thread
from typing import Any

from pytest_autoeval.models.base import ConfigurationError, LimitReachedError, ModelError
from pytest_autoeval.models.limits import NO_SCHEMA, AttemptEnd, Budget, Grant, RunLimits, Seen, Traffic, stopped
from pytest_autoeval.models.settings import ModelSettings
from pytest_autoeval.models.window import ServerWindow

#: So many refusals of one kind, with no answer before them, say that every call of a model will be refused.
_ALIKE = 5


@dataclass(frozen=True, slots=True)
class _Waiter:
    model: str
    answer: Callable[[Grant | ModelError], None]
    owner: object


@dataclass(slots=True)
class _Server:
    window: ServerWindow
    queue: deque[_Waiter] = field(default_factory=deque)
    failing: set[str] = field(default_factory=set)
    reached: bool = False
    problem: str = ""


@dataclass(slots=True)
class _Known:
    """What is known of a model: whether it ever answered, how it refused before, and why no call can succeed."""

    answered: bool = False
    refusals: list[str] = field(default_factory=list)
    problem: str = ""


class Limiter(RunLimits):
    """Grants attempts, in order, for all models and threads of a run; thread-safe. It lives in the controlling process.

    Each server has a window between the two numbers of ``settings.concurrency``, see :class:`ServerWindow`. The pace
    (``settings.rpm``) and the budget are those of the whole run.
    """

    def __init__(self, settings: ModelSettings, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._lock = RLock()
        self._budget = Budget(settings.max_calls, settings.max_cost)
        self._interval = 60.0 / settings.rpm if settings.rpm else 0.0
        self._next_start = 0.0
        #: The paced grant whose request has not left; 0 where there is none.
        self._leaving = 0
        self._servers: dict[str, _Server] = {}
        self._models: dict[str, _Known] = {}
        self._agreed: dict[str, Any] = {}
        self._answered = 0
        self._stopped = Event()
        self._alarm = Condition(self._lock)
        self._watch: Thread | None = None
        self._watch_wakes = math.inf

    def acquire(self, server: str, model: str) -> Grant:
        answers: SimpleQueue[Grant | ModelError] = SimpleQueue()
        self.request(server, model, answers.put)
        if answers.empty():
            self.keep_time()
        answer = answers.get()
        if isinstance(answer, ModelError):
            raise answer
        return answer

    def request(
        self, server: str, model: str, answer: Callable[[Grant | ModelError], None], owner: object = None
    ) -> None:
        """As :meth:`acquire`, without waiting: ``answer`` is called once, now or later, by any thread.

        It gets the grant, or the reason why there is none, and must be quick. ``owner`` is who may :meth:`withdraw`.
        """
        with self._lock:
            if server not in self._servers:
                self._servers[server] = _Server(ServerWindow(*self._settings.concurrency))
            asked = self._servers[server]
            if not asked.queue:
                asked.window.wake(self._clock())
            asked.queue.append(_Waiter(model, answer, owner))
            self._serve(asked)

    def withdraw(self, owner: object) -> None:
        """Forgets the requests of an owner."""
        with self._lock:
            for server in self._servers.values():
                server.queue = deque(waiter for waiter in server.queue if waiter.owner is not owner)
            self.serve()

    def release(self, server: str, model: str, grant: Grant, end: AttemptEnd) -> Seen:
        with self._lock:
            of_server, known, now = self._servers[server], self._models[model], self._clock()
            self._budget.settle(model, end.cost, paid=end.paid)
            of_server.window.end(end.ended, grant.episode, now, end.retry_after)
            self._learn(of_server, known, end, now)
            self.left(grant)  # its request may never have left
            self.serve()  # the budget is that of all servers
            if end.ended == "answered":
                return Seen(0, 0)
            if problem := known.problem or of_server.problem:
                raise ConfigurationError(problem)
            return Seen(of_server.window.answers, len(of_server.failing))

    def left(self, grant: Grant) -> None:
        with self._lock:
            if grant.paced and grant.paced == self._leaving:
                self._leaving, self._next_start = 0, self._clock() + self._interval
                self.serve()

    def pause(self, seconds: float) -> None:
        if self._stopped.wait(seconds):
            raise stopped()

    def agree(self, name: str, value: Any) -> Any:
        with self._lock:
            return self._agreed.get(name) if value is None else self._agreed.setdefault(name, value)

    def refused_schemas(self) -> dict[str, str]:
        """Why schemas were refused, once for each model."""
        with self._lock:
            found = {name.removeprefix(NO_SCHEMA): why for name, why in self._agreed.items() if NO_SCHEMA in name}
        return {name.rpartition(" ")[0]: why for name, why in found.items()}

    def was_answered_by(self, server: str) -> bool:
        """Whether a server answered in this run."""
        with self._lock:
            return server in self._servers and self._servers[server].window.answers > 0

    def traffic(self) -> Traffic:
        """What goes on now, over all servers."""
        with self._lock:
            servers, now = list(self._servers.values()), self._clock()
            waiting = any(server.queue for server in servers)
            reasons = [server.window.why_fewer for server in servers if server.window.why_fewer]
            paced = ["rpm"] if waiting and self._next_start > now else []
            return Traffic(
                attempts=self._budget.attempts,
                answered=self._answered,
                in_flight=sum(server.window.in_flight for server in servers),
                window=sum(int(server.window.size) for server in servers),
                highest=sum(server.window.high for server in servers),
                why_fewer=[*reasons, *paced, ""][0],
                cost=self._budget.spent,
            )

    def close(self) -> None:
        with self._lock:
            self._stopped.set()
            self._alarm.notify_all()
            self.serve()

    def due(self) -> float:
        """When :meth:`serve` will have something to do, by the clock; infinite where only :meth:`release` helps."""
        with self._lock:
            return min(map(self._due, self._servers.values()), default=math.inf)

    def serve(self) -> None:
        """Grants what the time that has passed allows."""
        with self._lock:
            for server in list(self._servers.values()):
                self._serve(server)

    def keep_time(self) -> None:
        """Makes a thread of its own call :meth:`serve` whenever it is due, until the run is stopped."""
        with self._lock:
            if self._watch is None and not self._stopped.is_set():
                self._watch = Thread(target=self._keep_time, name="autoeval-limiter", daemon=True)
                self._watch.start()

    def _keep_time(self) -> None:
        with self._alarm:
            while not self._stopped.is_set():
                self._watch_wakes = self.due()
                wait = self._watch_wakes - self._clock()
                self._alarm.wait(None if wait == math.inf else max(0.0, wait))
                self.serve()

    def _due(self, server: _Server) -> float:
        """When time alone lets the next one of a queue start; infinite where it does not."""
        window = server.window
        if not server.queue or not self._budget.allows(server.queue[0].model):
            return math.inf
        if window.pause_ends is not None:
            return max(window.pause_ends, self._next_start)
        return self._next_start if window.has_room(self._next_start) else math.inf

    def _serve(self, server: _Server) -> None:
        """Answers those who wait, as far as it is possible now."""
        while server.queue:
            answer = self._answer(server, server.queue[0].model)
            if answer is None:
                if self._due(server) < self._watch_wakes:
                    self._alarm.notify()
                return
            server.queue.popleft().answer(answer)

    def _answer(self, server: _Server, model: str) -> Grant | ModelError | None:
        """What the next one who waits is told; None where nothing can be said yet."""
        known = self._models.setdefault(model, _Known())
        if self._stopped.is_set():
            return stopped()
        if problem := known.problem or server.problem:  # one clear line for a run, not one wait for each sample
            return ConfigurationError(problem)
        try:
            allowed = self._budget.allows(model)
        except LimitReachedError as spent:
            return spent
        now = self._clock()
        if not allowed or now < self._next_start or not server.window.has_room(now):
            return None
        self._budget.start(model)
        if self._interval:
            self._leaving, self._next_start = self._budget.attempts, math.inf
        return Grant(server.window.start(), server.window.answers, self._leaving)

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
        """Gives a server up that has answered nothing for too long; one last attempt is made then."""
        window, patience = server.window, self._settings.patience
        if window.trouble_since is None:
            return
        gives_up = window.trouble_since + patience
        if now >= gives_up:
            waited = f"{patience:g} s" if patience < 60 else f"{patience / 60:g} min"
            server.problem = f"{end.message}; it has answered nothing for {waited} (--autoeval-patience)"
        elif window.pause_ends is not None:
            window.pause_ends = min(window.pause_ends, gives_up)
