"""The pool of a run's models: one event loop, in one thread of the controller, makes all calls."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection
from concurrent.futures import Future
from contextlib import suppress
from threading import RLock
from typing import TYPE_CHECKING, Any, Self

from pytest_autoeval.errors import NoThreadError
from pytest_autoeval.models.asking import Method, Models, check_name, embeds
from pytest_autoeval.models.call_limits import Traffic, stopped
from pytest_autoeval.models.constraints import PROBE_NAME
from pytest_autoeval.models.journal import Journal
from pytest_autoeval.models.local_embedder import LocalEmbedder
from pytest_autoeval.models.loop import CallLoop
from pytest_autoeval.models.model_names import EmbedderName, is_local
from pytest_autoeval.models.model_settings import ModelSettings
from pytest_autoeval.models.protocols import CallError, LimitReachedError, ModelError, Reply
from pytest_autoeval.models.recording import folders_of, has_recordings
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.served import ChatModel, EmbeddingModel, ServedModel
from pytest_autoeval.models.upstream import Upstream

if TYPE_CHECKING:
    from pytest_autoeval.models.offline.answer_key import AnswerKey

#: Seconds to wait for paid answers after the run is stopped.
_GRACE = 0.4
#: Seconds that closing the connections may take.
_ENDING = 5.0
#: Keeps alive what a forked process inherited: see `submit`.
_OF_ANOTHER_PROCESS: list[object] = []


class ModelPool(Models):
    """All models of a run; they share connections, limits and the offline server. Thread-safe; a context manager.

    The first call that needs a connection, server or library opens or imports it.

    Args:
        settings: the settings of all models.
        answer_key: the sentences that offline models know; default: those of the shipped data sets.
        journal: default: one that lasts as long as the pool.
    """

    def __init__(
        self,
        settings: ModelSettings,
        answer_key: AnswerKey | None = None,
        journal: Journal | None = None,
    ) -> None:
        super().__init__(self.submit, settings.own)
        self.redactor = Redactor.of_run(settings.base_url, settings.parameters)
        self.journal = journal or Journal(None)
        self._settings = settings
        self._answer_key = answer_key
        self._starting = RLock()  # reentrant: a signal handler may stop the run at any moment
        self._stopped = False
        #: Why the run ended before a batch was answered; else empty.
        self.suspended = ""
        self._begin()

    def _begin(self) -> None:
        """Makes the state that does not survive a fork."""
        self._upstream = Upstream(
            self._settings, self._answer_key, self.redactor, self.journal, self._suspend
        )
        self._served: dict[str, ServedModel | LocalEmbedder] = {}
        #: The requests that the loop has not seen, with their futures.
        self._submitted: list[tuple[Any, ...]] = []
        self._calls: dict[asyncio.Task[None], Future[Any]] = {}
        self._loop: CallLoop | None = None
        self._process = os.getpid()

    def submit(self, model: str, method: Method, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The future result of a model's method; see :class:`Submit`.

        The future cannot be cancelled. It raises :class:`CallError` if the run is stopped.
        """
        future: Future[Any] = Future()
        # From here on nobody can cancel it: the call may be paid already, and the journal wants its answer.
        future.set_running_or_notify_cancel()
        reply = self._taken_over(model, method, args, kwargs)
        with self._starting:
            if self._process != os.getpid():
                # Freeing these objects would close connections of the parent process.
                _OF_ANOTHER_PROCESS.append((self._upstream, self._calls, self._loop))
                self._begin()
            if self._stopped:
                future.set_exception(stopped())
                return future
            if reply is not None:
                future.set_result(reply)
                return future
            if self._loop is None:
                loop = CallLoop()
                try:
                    loop.start()
                except NoThreadError as error:
                    loop.close()
                    future.set_exception(error)
                    return future
                self._loop = loop
            self._submitted.append((future, model, method, args, kwargs))
            # One wake-up for all requests that the loop has not seen: it costs both threads a system call.
            if len(self._submitted) == 1:
                self._loop.call_soon_threadsafe(self._start_submitted)
        return future

    def _taken_over(self, name: str, method: Method, args: Any, kwargs: Any) -> Reply | None:
        """The reply that a continued run got, if nothing but its journal is needed for it.

        The thread that asks looks it up itself: the way to the loop and back takes longer than all the rest.
        """
        is_continued = self.journal.earlier and self._settings.batch is None
        # A forked process shares the position in the journal's files with its parent.
        if not is_continued or method != "complete" or self._process != os.getpid():
            return None
        model = self._served.get(name)
        if not isinstance(model, ChatModel):  # no call has asked it yet
            return None
        try:
            return model.taken_over(*args, **kwargs)
        except Exception:  # noqa: BLE001  (the loop meets it too, and the future gets it)
            return None

    def longest_answer(self, model: str, limit: int | None) -> int | None:
        """The limit of answers in tokens that requests to a model carry; ``limit`` is the prompt's default."""
        connection = self._upstream.connection(model)
        chosen = connection.settings.max_tokens
        if isinstance(chosen, int):
            return chosen
        return limit if connection.default_limits else None

    def has_recordings(self, model: str) -> bool:
        """Whether there is any recording of a model; it need not be of a request of this run."""
        return any(map(has_recordings, folders_of(model, self._settings)))

    def traffic(self) -> Traffic:
        """The current traffic of all servers."""
        return self._upstream.limits.traffic()

    def stir(self) -> None:
        """Reports activity of the run, so that no batch is uploaded too early; thread-safe."""
        if (batches := self._upstream.batches) is not None:
            batches.stir()

    def batches(self) -> str:
        """The batches that the run waits for, as a line; empty if there is none."""
        batches = self._upstream.batches
        return "" if batches is None else batches.progress

    def was_answered_by(self, server: str) -> bool:
        """Whether a server answered in this run."""
        return self._upstream.limits.was_answered_by(server)

    def refused_schemas(self) -> dict[str, str]:
        """For each model that refused a schema: a reason."""
        return {
            model: why
            for (model, schema), why in list(self._upstream.refused_schemas.items())
            if not schema.startswith(PROBE_NAME)
        }

    def used_recordings(self) -> list[str]:
        """The recordings that were replayed or written, as ``FOLDER/FILE``, sorted."""
        return sorted(
            file for model in self._with_recordings() for file in list(model.recordings.used)
        )

    def unreadable_recordings(self) -> list[str]:
        """The unreadable recordings, whose requests were sent again: a line each, sorted."""
        return sorted(
            line for model in self._with_recordings() for line in list(model.recordings.unreadable)
        )

    def stop(self) -> None:
        """Starts no further attempt; waiting calls get a :class:`CallError`.

        Calls in flight have 0.4 s to end, so that the journal gets their answers; then they are cancelled.
        """
        with self._starting:
            if self._stopped:
                return
            self._stopped = True
            if self._loop is not None and self._process == os.getpid():
                self._loop.call_soon_threadsafe(self._stop)

    def close(self) -> None:
        """Stops; closes all connections, the user's own models, the offline server and all threads."""
        self.stop()
        loop, self._loop = self._loop, None
        try:
            if loop is not None and self._process == os.getpid():
                ending = asyncio.run_coroutine_threadsafe(self._end(), loop)
                with suppress(TimeoutError):
                    ending.result(_ENDING)
        finally:
            if loop is not None and self._process == os.getpid():
                loop.end()
            self.journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _with_recordings(self) -> Collection[ServedModel]:
        return [model for model in list(self._served.values()) if isinstance(model, ServedModel)]

    # The methods below run on the loop.

    def _start_submitted(self) -> None:
        with self._starting:
            submitted, self._submitted = self._submitted, []
        for future, *request in submitted:
            self._start(future, *request)

    def _start(self, future: Future[Any], *request: Any) -> None:
        self.stir()
        if self.suspended:
            future.set_exception(LimitReachedError(self.suspended))
            return
        if self._upstream.limits.stopped:
            future.set_exception(stopped())
            return
        self._calls[asyncio.get_running_loop().create_task(self._do(future, *request))] = future

    async def _do(
        self, future: Future[Any], name: str, method: Method, args: Any, kwargs: Any
    ) -> None:
        result, failure = None, None
        try:
            if name not in self._served:
                self._served[name] = self._model(name)
            result = await getattr(self._served[name], method)(*args, **kwargs)
        except Exception as error:  # noqa: BLE001
            failure = error
        except BaseException as error:  # noqa: BLE001  (it would end the loop or the waiting thread)
            failure = CallError(f"{name}: {type(error).__name__} was raised")
        # Here, since a callback of the task would be one more step of the loop for each call. A task that is cancelled
        # before it begins stays, and is done.
        task = asyncio.current_task()
        if task is not None:
            del self._calls[task]
        if future.done():  # by `_fail_all`
            return
        if failure is None:
            future.set_result(result)
        else:
            future.set_exception(failure)

    def _model(self, name: str) -> ServedModel | LocalEmbedder:
        check_name(name, self._settings.own)
        if not embeds(name, self._settings.own):
            return ChatModel(name, self._upstream, self.journal)
        parts = EmbedderName.of(name)
        if is_local(name):
            return LocalEmbedder(parts, self.redactor)
        return EmbeddingModel(parts, self._upstream, self.journal)

    def _suspend(self, why: str) -> None:
        """Ends the run: all calls, those in flight too, get a :class:`LimitReachedError`."""
        self.suspended = why
        self._fail_all(LimitReachedError(why))

    def _stop(self) -> None:
        self._upstream.limits.stop()
        error = CallError("the run was stopped while this call was made")
        asyncio.get_running_loop().call_later(_GRACE, self._fail_all, error)

    def _fail_all(self, error: ModelError) -> None:
        for task, future in self._calls.items():
            if not future.done():
                # A new error for each call: one that is raised in several threads would collect the tracebacks of all.
                future.set_exception(type(error)(*error.args))
            task.cancel()

    async def _end(self) -> None:
        while unfinished := [task for task in self._calls if not task.done()]:
            await asyncio.wait(unfinished)
        await self._upstream.close()
