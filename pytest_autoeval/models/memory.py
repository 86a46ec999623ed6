"""One answer per question: within a process, equal requests are asked once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

from pytest_autoeval.models.base import AnswerSchema, Message, Model, ModelError, Reply

Question = TypeVar("Question", bound=Hashable)
Remembered = TypeVar("Remembered")


class Memory(Generic[Question, Remembered]):
    """The answers of the first time; thread-safe.

    Equal questions at the same time wait for one answer. A failure is raised for all who wait for it, and forgotten.

    Args:
        most: questions that are remembered, the latest ones; None: all.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._lock = Lock()
        self._answers: OrderedDict[Question, Future[Remembered]] = OrderedDict()

    def answer(self, question: Question, ask: Callable[[], Remembered]) -> tuple[Remembered, bool]:
        """The answer to a question, and whether it was remembered."""
        mine: Future[Remembered] = Future()
        with self._lock:
            answer = self._answers.setdefault(question, mine)
            self._answers.move_to_end(question)
            if self._most is not None and len(self._answers) > self._most:
                self._answers.popitem(last=False)
        if answer is not mine:
            return _result(answer), True
        try:
            mine.set_result(ask())
        except BaseException as error:
            with self._lock:
                if self._answers.get(question) is mine:
                    del self._answers[question]
            mine.set_exception(error)
            raise
        return mine.result(), False


class RememberingModel:
    """A model that remembers its replies, so that Hypothesis, which asks again, sees no model that varies.

    Args:
        model: the model that is asked.
    """

    def __init__(self, model: Model) -> None:
        self.name = model.name
        self.recorded = model.recorded
        self.close = model.close
        self._model = model
        self._memory: Memory[tuple[tuple[Message, ...], int, AnswerSchema | None], Reply] = Memory()

    def complete(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> Reply:
        """The reply of the first time; a remembered one took no seconds and no money."""
        question = (tuple(messages), repeat, schema)
        reply, is_remembered = self._memory.answer(
            question, lambda: self._model.complete(messages, repeat=repeat, schema=schema)
        )
        return reply.repeated() if is_remembered else reply


def _result(answer: Future[Remembered]) -> Remembered:
    try:
        return answer.result()
    except ModelError as error:
        # An exception belongs to one thread: raised in several, its traceback would grow with each.
        copy = type(error)(*error.args)
        for note in getattr(error, "__notes__", ()):
            copy.add_note(note)
        raise copy from None
