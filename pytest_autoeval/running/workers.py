"""xdist's workers, seen from the process that leads the run.

Nothing heavy is imported before a worker has suites.
"""

from __future__ import annotations

import pickle
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

import pytest

from pytest_autoeval.made_once import made_once
from pytest_autoeval.running.channel import Channel, write_whole
from pytest_autoeval.running.run_state import CHANNEL, WORKERS, keep_collected

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pytest_autoeval.engine.leader import Leader
    from pytest_autoeval.engine.sample_budget import SampleBudget
    from pytest_autoeval.record.file import ResultsError
    from pytest_autoeval.record.lines import SuiteRecord
    from pytest_autoeval.running.crossing import Names, Receiver


@dataclass
class Workers:
    """All workers of a run, and what they sent besides the events of their suites.

    ``refused`` is why one of them cannot begin. ``failures`` counts the failed tests, if a run stops after failures.
    """

    config: pytest.Config
    refused: str = ""
    failures: int = 0
    links: list[_Link] = field(default_factory=list)
    #: Why samples can no longer be written. Every further question then ends in this error.
    problem: ResultsError | None = None

    def connect(self, node: Any) -> None:
        """Gives a worker that xdist is about to start its end of a channel, and serves the other end."""
        channel = node.gateway.newchannel()
        write_whole(channel)
        node.workerinput[CHANNEL] = channel
        self.links.append(_Link(channel, self))

    @made_once
    def names(self) -> Names:
        """The names by which workers refer to samples of the baseline."""
        from pytest_autoeval.running.crossing import Names
        from pytest_autoeval.running.run_services import leader_of

        return Names(leader_of(self.config).baseline())

    def stop(self) -> None:
        for link in self.links:
            link.send((None, "stop", None))

    def wait(self, seconds: float) -> None:
        """Waits at most so many seconds until all workers that sent something have sent everything."""
        end = monotonic() + seconds
        # A worker that has sent nothing has nothing left to send.
        for link in [link for link in self.links if link.has_sent]:
            link.parted.wait(max(0.0, end - monotonic()))

    def close(self) -> None:
        """Sends nothing more."""
        for link in self.links:
            link.close()


def workers_of(config: pytest.Config) -> Workers:
    """The controller's view of the workers of a run."""
    if WORKERS not in config.stash:
        config.stash[WORKERS] = Workers(config)
        config.add_cleanup(config.stash[WORKERS].close)
    workers: Workers = config.stash[WORKERS]
    return workers


class _Link:
    """The leader's end of one worker's channel."""

    def __init__(self, channel: Channel, workers: Workers) -> None:
        self._channel = channel
        self._workers = workers
        #: Set when the worker has sent everything, or is gone.
        self.parted = Event()
        #: Whether the worker has sent something.
        self.has_sent = False
        #: The suites that the worker has started, by number. Another worker may have started them again.
        self._suites: dict[int, SuiteRecord] = {}
        self._receiver: Receiver | None = None
        #: Set when a suite of the worker asks for its first sample under a limit of calls.
        self._budget: SampleBudget | None = None
        #: Messages to send, None at the end. The thread waits for a full pipe, so that nobody else does.
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._sender = Thread(target=self._send, name="autoeval-sender", daemon=True)
        self._sender.start()
        channel.setcallback(self._hear, endmarker=None)

    def send(self, message: tuple[int | None, Any, Any]) -> None:
        self._outgoing.put(pickle.dumps(message))

    def close(self) -> None:
        self._outgoing.put(None)

    def _send(self) -> None:
        # The worker may be gone. xdist notices, and starts another.
        with suppress(OSError):
            while (data := self._outgoing.get()) is not None:
                self._channel.send(data)

    def _hear(self, data: bytes | None) -> None:
        if data is None:
            self.parted.set()
            # The samples of a worker that died need no calls any more, and others may start.
            if self._budget is not None:
                self._budget.forget(self)
            self.close()
            return
        self.has_sent = True
        number, topic, value = pickle.loads(data)  # noqa: S301 - from a worker that xdist started for us
        match topic:
            case "suites":
                self.send((number, keep_collected(self._workers.config, value), None))
                # What the first call needs is imported while the workers get ready.
                if value:
                    Thread(
                        target=import_module, args=["pytest_autoeval.models.failures"], daemon=True
                    ).start()
            case "refused":
                self._workers.refused = value
            case "failed":
                self._workers.failures += value
            case "failures":
                self.send((number, self._workers.failures, None))
            case "parted":
                self.parted.set()
            case _:
                from pytest_autoeval.running.run_services import leader_of

                self._serve(leader_of(self._workers.config), number, topic, value)

    def _serve(self, leader: Leader, number: int | None, topic: str, value: Any) -> None:
        match topic:
            case "run":
                self._start(leader, number)
            case "suite" | "sample" | "event":
                self._take(leader, topic, value)
            case "admits":
                self._budget = leader.sample_budget
                self.send((number, self._budget.admits(self, *value), None))
            case "keep":
                leader.sample_budget.keep(self, *value)
            case "meanings":
                leader.add_meanings(value)
            case "model":
                model, method, arguments, keywords = value
                if self._workers.problem is not None:
                    self.send((number, None, self._workers.problem))
                    return
                future = leader.pool.submit(model, method, *arguments, **keywords)
                future.add_done_callback(lambda done: self._answer(number, done))
            case "baseline":
                from pytest_autoeval.running.crossing import packed_suites

                try:
                    earlier, model = leader.earlier_runs, leader.settings.baseline_model
                    variant = tuple(leader.settings.baseline_variant or ())
                    baseline = (
                        None if earlier is None else (packed_suites(earlier.suites), model, variant)
                    )
                    self.send((number, baseline, None))
                except Exception as error:  # noqa: BLE001 - the worker waits for an answer
                    self._refuse(number, error)

    def _start(self, leader: Leader, number: int | None) -> None:
        """Answers with the line of the run, once it is in the results."""
        from pytest_autoeval.record.coding import encoded
        from pytest_autoeval.record.file import ResultsError

        try:
            self.send((number, encoded(leader.start()), None))
        except ResultsError as problem:
            self.send((number, None, problem))

    def _take(self, leader: Leader, topic: str, value: Any) -> None:
        """Takes an event of the worker's suites."""
        from pytest_autoeval.engine.events import SuiteStarted
        from pytest_autoeval.record.file import ResultsError
        from pytest_autoeval.running.crossing import Receiver

        try:
            if self._receiver is None:
                self._receiver = Receiver(leader.start(), self._suites, lambda: self._workers.names)
            event = self._receiver.event(topic, value)
            if isinstance(event, SuiteStarted):
                self._suites[event.suite.number] = event.suite
            leader.emit(event)
        except ResultsError as problem:
            self._workers.problem = problem

    def _answer(self, number: int | None, done: Future[Any]) -> None:
        if done.cancelled():
            from pytest_autoeval.models.call_limits import stopped

            self._refuse(number, stopped())
        elif (error := done.exception()) is not None:
            self._refuse(number, error)
        else:
            self.send((number, done.result(), None))

    def _refuse(self, number: int | None, error: BaseException) -> None:
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301 - it may not come back whole
        except Exception:  # noqa: BLE001
            from pytest_autoeval.models.protocols import CallError

            error = CallError(f"{type(error).__name__}: {error}")
        self.send((number, None, error))
