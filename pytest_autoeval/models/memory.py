"""One answer per question: within a process, equal requests are asked once."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from hashlib import sha256
from threading import Lock
from typing import Any

from pytest_autoeval.models.base import Chat, Message, ModelError, Reply


class RememberingModel:
    """A model that remembers its replies, so that Hypothesis, which asks again, sees no model that varies.

    Thread-safe: equal questions at the same time wait for one answer. A failure is raised for all who wait for it, and
    forgotten.
    """

    def __init__(self, model: Chat) -> None:
        self.name = model.name
        self.recorded = model.recorded
        self._model = model
        self._lock = Lock()
        #: By the digest of a question: its reply or, while that is on its way, what will hold it.
        self._replies: dict[bytes, Future[Reply] | Reply] = {}

    def complete(self, messages: Sequence[Message], *, repeat: int = 0, **more: Any) -> Reply:
        """The reply of the first time; a remembered one is a replay, which took no seconds and no money."""
        # Of many questions their texts would fill the memory.
        question = sha256(repr(([*messages], repeat, more)).encode()).digest()
        mine: Future[Reply] = Future()
        with self._lock:
            reply = self._replies.setdefault(question, mine)
        if reply is not mine:
            known = _result(reply) if isinstance(reply, Future) else reply
            return replace(known, seconds=0.0, cost=None if known.cost is None else 0.0, replayed=True)
        try:
            mine.set_result(self._model.complete(messages, repeat=repeat, **more))
        except BaseException as error:
            with self._lock:
                del self._replies[question]
            mine.set_exception(error)
            raise
        self._replies[question] = answer = mine.result()
        return answer


def _result(reply: Future[Reply]) -> Reply:
    try:
        return reply.result()
    except ModelError as error:
        # An exception belongs to one thread: raised in several, its traceback would grow with each.
        copy = type(error)(*error.args)
        for note in getattr(error, "__notes__", ()):
            copy.add_note(note)
        raise copy from None
