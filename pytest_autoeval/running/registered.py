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
        self._name = name
        self._factory = factory
        self._lock = Lock()
        self._model: Any = None
        self._answered = False

    @property
    def name(self) -> str:
        """The name it was registered by."""
        return self._name

    def complete(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> Reply:
        """The model's reply; raises :class:`ModelError` whatever the model raises."""
        started = perf_counter()
        try:
            reply = self._asked(messages, repeat, schema)
        except ModelError:
            raise
        except Exception as error:
            problem = f"{self._name}: {type(error).__name__}: {error} ({_place(error)})"
            raise (CallError if self._answered else ConfigurationError)(problem) from error
        self._answered = True
        if isinstance(reply, str):
            reply = Reply(reply, seconds=perf_counter() - started)
        if not isinstance(reply, Reply):
            raise ConfigurationError(f"{self._name}: complete() gave a {type(reply).__name__}, not a Reply or a text")
        return reply if reply.prompt_digest else dataclasses.replace(reply, prompt_digest=prompt_digest(messages))

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> bool:
        """Whether the model says that a recording would answer."""
        recorded = getattr(self._made(), "recorded", None)
        if recorded is None or (schema is not None and not _takes_schema(recorded)):
            return False
        return bool(recorded(messages, repeat=repeat, **_given(schema)))

    def close(self) -> None:
        """Closes the model, where it can be closed."""
        close = getattr(self._model, "close", None)
        if close is not None:
            close()

    def _asked(self, messages: Sequence[Message], repeat: int, schema: AnswerSchema | None) -> Any:
        complete = self._made().complete
        if schema is not None and not _takes_schema(complete):
            raise StructuredOutputsUnsupportedError(f"{self._name}: its complete() has no parameter 'schema'")
        return complete(messages, repeat=repeat, **_given(schema))

    def _made(self) -> Any:
        with self._lock:
            if self._model is None:
                self._model = self._factory()
            return self._model


def _takes_schema(method: Callable[..., Any]) -> bool:
    """Whether a method names a parameter ``schema``: one that takes any keywords may pass them on to who does not."""
    try:
        parameter = inspect.signature(method).parameters.get("schema")
    except (TypeError, ValueError):  # of some callables that are not written in Python
        return False
    return parameter is not None and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)


def _given(schema: AnswerSchema | None) -> dict[str, AnswerSchema]:
    """The keyword for a schema, left out where there is none: a model need not know it."""
    return {} if schema is None else {"schema": schema}


def _place(error: Exception) -> str:
    """Where it was raised: one line is shown for all samples, not a traceback for each."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"
