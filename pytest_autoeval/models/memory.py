"""One answer per question: within a process, equal requests are asked once."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from threading import Lock

from pytest_autoeval.models.base import Message, Model, ModelError, Reply

Question = tuple[tuple[Message, ...], int]


class RememberingModel:
    """A model that remembers its replies, so that Hypothesis, which asks again, sees no model that varies.

    Equal requests at the same time wait for one answer. A failure is told to all who wait for it, and forgotten.

    Args:
        model: the model that is asked.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._lock = Lock()
        self._replies: dict[Question, Future[Reply]] = {}

    @property
    def name(self) -> str:
        """The name of the model that is asked."""
        return self._model.name

    def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> Reply:
        """The reply of the first time; a remembered one took no seconds and no money."""
        question = (tuple(messages), repeat)
        mine: Future[Reply] = Future()
        with self._lock:
            reply = self._replies.setdefault(question, mine)
        if reply is not mine:
            return _remembered(reply)
        try:
            mine.set_result(self._model.complete(messages, repeat=repeat))
        except BaseException as error:
            with self._lock:
                del self._replies[question]
            mine.set_exception(error)
            raise
        return mine.result()

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0) -> bool:
        """Whether a recording would answer this."""
        return self._model.recorded(messages, repeat=repeat)

    def close(self) -> None:
        """Closes the model."""
        self._model.close()


def _remembered(reply: Future[Reply]) -> Reply:
    try:
        known = reply.result()
    except ModelError as error:
        # An exception belongs to one thread: raised in several, its traceback would grow with each.
        told = type(error)(*error.args)
        for note in getattr(error, "__notes__", ()):
            told.add_note(note)
        raise told from None
    return replace(known, seconds=0.0, cost=None if known.cost is None else 0.0)
