"""One answer per question: within a process, equal requests are asked once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from threading import Lock
from typing import Generic, TypeVar

from pytest_autoeval.models.base import (
    AnswerSchema,
    Embedded,
    Form,
    Message,
    Model,
    ModelError,
    RecordedEmbedder,
    Reply,
)

_MOST_EMBEDDED = 64  # questions; the vectors of one may take a megabyte

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")


class _Memory(Generic[Question, Answer]):
    """The answers of the first time; thread-safe.

    Equal questions at the same time wait for one answer. A failure is raised for all who wait for it, and forgotten.

    Args:
        most: questions that are remembered, the latest ones; None: all.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._lock = Lock()
        self._answers: OrderedDict[Question, Future[Answer]] = OrderedDict()

    def answer(self, question: Question, ask: Callable[[], Answer]) -> tuple[Answer, bool]:
        """The answer to a question, and whether it was remembered."""
        mine: Future[Answer] = Future()
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
        self._model = model
        self._memory: _Memory[tuple[tuple[Message, ...], int, AnswerSchema | None], Reply] = _Memory()

    @property
    def name(self) -> str:
        """The name of the model that is asked."""
        return self._model.name

    def complete(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> Reply:
        """The reply of the first time; a remembered one took no seconds and no money."""
        question = (tuple(messages), repeat, schema)
        reply, is_remembered = self._memory.answer(
            question, lambda: self._model.complete(messages, repeat=repeat, schema=schema)
        )
        return _free(reply) if is_remembered else reply

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> bool:
        """Whether a recording would answer this."""
        return self._model.recorded(messages, repeat=repeat, schema=schema)

    def close(self) -> None:
        """Closes the model."""
        self._model.close()


class RememberingEmbedder:
    """An embedder that remembers the vectors that it gave last.

    Args:
        embedder: the embedder that is asked.
    """

    def __init__(self, embedder: RecordedEmbedder) -> None:
        self._embedder = embedder
        self._memory: _Memory[tuple[tuple[str, ...], Form, int], Embedded] = _Memory(_MOST_EMBEDDED)

    @property
    def name(self) -> str:
        """The name of the embedder that is asked."""
        return self._embedder.name

    def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:
        """The vectors of the first time; remembered ones took no seconds and no money."""
        question = (tuple(texts), form, repeat)
        embedded, is_remembered = self._memory.answer(
            question, lambda: self._embedder.embed(texts, form, repeat=repeat)
        )
        return replace(embedded, reply=_free(embedded.reply)) if is_remembered else embedded

    def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:
        """Whether a recording would answer this."""
        return self._embedder.recorded_texts(texts, form, repeat=repeat)

    def close(self) -> None:
        """Closes the embedder."""
        self._embedder.close()


def _result(answer: Future[Answer]) -> Answer:
    try:
        return answer.result()
    except ModelError as error:
        # An exception belongs to one thread: raised in several, its traceback would grow with each.
        copy = type(error)(*error.args)
        for note in getattr(error, "__notes__", ()):
            copy.add_note(note)
        raise copy from None


def _free(reply: Reply) -> Reply:
    return replace(reply, seconds=0.0, cost=None if reply.cost is None else 0.0)
