"""A model that a `conftest.py` added: plain Python, made to behave as the models behind a server do."""

from __future__ import annotations

import dataclasses
import inspect
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any

from pytest_autoeval.models import (
    AnswerSchema,
    CallError,
    ConfigurationError,
    Message,
    ModelError,
    Reply,
    StructuredOutputsUnsupportedError,
    prompt_digest,
)


class RegisteredModel:
    """What a factory makes at the first call, under the name that it was registered by.

    Only ``complete(messages, repeat=…)`` is needed of it; a plain text will do for a reply. Where ``complete`` has a
    parameter ``schema`` too, it is given the schema of an answer; elsewhere it is asked in words. What it raises is an
    error of the call, and stops the run at once where the model has never answered, as with a server that was never
    reached.
    """

    def __init__(self, name: str, factory: Callable[[], Any]) -> None:
        self.name = name
        self._factory = factory
        self._lock = Lock()
        self._model: Any = None
        self._answered = False

    def complete(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> Reply:
        """The model's reply; raises :class:`ModelError` whatever the model raises."""
        started = perf_counter()
        try:
            reply = _called(self._made().complete, messages, repeat, schema)
        except ModelError:
            raise
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(last.filename).name}:{last.lineno}"
            problem = f"{self.name}: {type(error).__name__}: {error} ({place})"
            raise (CallError if self._answered else ConfigurationError)(problem) from error
        self._answered = True
        if isinstance(reply, str):
            reply = Reply(reply, seconds=perf_counter() - started)
        if not isinstance(reply, Reply):
            raise ConfigurationError(f"{self.name}: complete() gave a {type(reply).__name__}, not a Reply or a text")
        return reply if reply.prompt_digest else dataclasses.replace(reply, prompt_digest=prompt_digest(messages))

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> bool:
        """Whether the model says that a recording would answer."""
        recorded = getattr(self._made(), "recorded", None)
        try:
            return recorded is not None and bool(_called(recorded, messages, repeat, schema))
        except StructuredOutputsUnsupportedError:
            return False

    def close(self) -> None:
        """Closes the model, where it can be closed."""
        if hasattr(self._model, "close"):
            self._model.close()

    def _made(self) -> Any:
        with self._lock:
            if self._model is None:
                self._model = self._factory()
            return self._model


def _called(method: Callable[..., Any], messages: Sequence[Message], repeat: int, schema: AnswerSchema | None) -> Any:
    """What a method gives; it need not know of schemas, and where it does, it has a parameter of that name."""
    if schema is None:
        return method(messages, repeat=repeat)
    if "schema" not in inspect.signature(method).parameters:
        raise StructuredOutputsUnsupportedError("a method of the model has no parameter 'schema'")
    return method(messages, repeat=repeat, schema=schema)
