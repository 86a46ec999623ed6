"""Connections to models that a `conftest.py` added: objects in this process, called like a server."""

from __future__ import annotations

import asyncio
import inspect
import json
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import structs

from pytest_autoeval.models.call_limits import AttemptEnd, Failure, useless
from pytest_autoeval.models.connections import Connection
from pytest_autoeval.models.loop import MadeOnce
from pytest_autoeval.models.model_settings import SCHEMA, ModelSettings, Price, ServerCall
from pytest_autoeval.models.protocols import (
    AnswerSchema,
    CallError,
    ConfigurationError,
    Message,
    ModelError,
    Reply,
    StructuredOutputsUnsupportedError,
    TransientError,
)
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.responses import cleaned
from pytest_autoeval.models.server_errors import ServerError
from pytest_autoeval.users_code import place_of


class OwnConnection(Connection):
    """A model that the user registered; its factory makes it at the first call. See :class:`Model`.

    ``complete`` runs in a thread, one for each call in flight; an ``async`` one runs on the event loop of all calls. It
    gets the schema of an answer if it has a parameter ``schema``. An exception other than :class:`TransientError` fails
    the call. If the model has never answered, five equal ones stop the run; one of its factory does so at once.
    """

    def __init__(self, model: str, settings: ModelSettings, redactor: Redactor) -> None:
        self.server = f"own/{model}"
        self.address = ""
        #: The parameter does not reach the model. It separates its recordings from those of a served model of its name.
        self.settings = ModelSettings(parameters={"in_process": True})
        self._prices = settings.prices
        self._redactor = redactor
        factory = settings.own[model]
        self._model: MadeOnce[Any] = MadeOnce(lambda: asyncio.to_thread(factory))

    async def price(self, model: str) -> Price | None:
        # Not needed for a limit of the cost: its replies may say what they cost.
        return self._prices.get(model)

    async def attempt(
        self,
        call: ServerCall,
        read: Callable[[Any], Reply],
        number: int,
        leaves: Callable[[], None],
    ) -> tuple[Any, Reply] | Failure:
        del number
        is_made = False
        try:
            model = await self._model.get()
            is_made = True
            leaves()
            reply = await _complete(model.complete, call)
        except BaseException as error:  # SystemExit of the user's code must not end the run either
            if isinstance(error, asyncio.CancelledError) and _is_cancelled():
                raise
            return _failure(error, call.model, self._redactor, is_made=is_made)
        # In the form of a server's response, so that recordings, journal and reading are the same for all models.
        payload = cleaned(_completion(reply), self._redactor)
        try:
            # The model knows better than a list of prices what its answer cost and took.
            return payload, structs.replace(read(payload), cost=reply.cost, seconds=reply.seconds)
        except ServerError as error:
            message = self._redactor.message(f"{call.model}: {error}")
            end = AttemptEnd(ended="failed", cost=reply.cost, paid=True, message=message)
            return Failure(end=end, error=CallError(message))

    async def close(self) -> None:
        for model in self._model.made:
            if hasattr(model, "close"):
                await _called(model.close)


async def _complete(complete: Callable[..., Any], call: ServerCall) -> Reply:
    messages = [Message(**message) for message in call.body["messages"]]
    keywords = {}
    if SCHEMA in call.body:
        if "schema" not in inspect.signature(complete).parameters:
            raise StructuredOutputsUnsupportedError(
                f"{call.model}: complete() has no parameter 'schema'"
            )
        schema = call.body[SCHEMA]["json_schema"]
        keywords = {"schema": AnswerSchema(schema["name"], json.dumps(schema["schema"]))}
    reply = await _called(complete, messages, repeat=call.repeat, **keywords)
    if not isinstance(reply, str | Reply):
        value = "None" if reply is None else f"a value of the type {type(reply).__name__}"
        problem = f"complete() returned {value}; return a Reply or a text"
        raise ConfigurationError(f"{call.model}: {problem}")
    return Reply(reply) if isinstance(reply, str) else reply


async def _called(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """The result of a function, called in a thread, or on the loop if it is ``async``."""
    if inspect.iscoroutinefunction(function):
        return await function(*arguments, **keywords)
    result = await asyncio.to_thread(function, *arguments, **keywords)
    # A partial or a decorated method may hide that it is `async`.
    return await result if inspect.isawaitable(result) else result


def _is_cancelled() -> bool:
    """Whether the run cancelled this call; the user's code may raise `CancelledError` too."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _failure(error: BaseException, model: str, redactor: Redactor, *, is_made: bool) -> Failure:
    match error:
        case TransientError():
            message = redactor.message(f"{model}: {_text(error)}")
            end = AttemptEnd(ended="limited", retry_after=error.retry_after, message=message)
            return Failure(end=end, error=CallError(message))
        case ConfigurationError():
            return useless(error)
        case ModelError():
            return Failure(end=AttemptEnd(ended="other"), error=error)
    # A model may refuse one question, such as that of another test, and answer all others.
    return raised(error, model, redactor, at_once=not is_made)


def raised(
    error: BaseException, model: str, redactor: Redactor, *, at_once: bool = True
) -> Failure:
    """The failure for an exception of code in this process.

    It stops the run if the model has never answered: ``at_once``, or after some that are equal.
    """
    place = place_of(error) or _last_place(error)
    message = redactor.message(f"{model}: {type(error).__name__}: {_text(error)}{place}")
    end = AttemptEnd(ended="refused", message=message, alike=message, at_once=at_once)
    return Failure(end=end, error=CallError(message))


def _last_place(error: BaseException) -> str:
    """The last line that ran, where none is the user's."""
    frames = traceback.extract_tb(error.__traceback__)
    return (
        f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else " (no traceback)"
    )


def _text(error: BaseException) -> str:
    """The text of an exception, whose ``__str__`` may raise anything."""
    try:
        return str(error)
    except BaseException as problem:  # noqa: BLE001
        return f"its text cannot be made ({type(problem).__name__})"


def _completion(reply: Reply) -> dict[str, Any]:
    return {
        "model": reply.model or None,
        "system_fingerprint": reply.system_fingerprint or None,
        "choices": [
            {
                "message": {
                    "role": "assistant",
                    "content": reply.text,
                    "refusal": reply.refusal or None,
                },
                "finish_reason": reply.finish_reason,
            }
        ],
        "usage": {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
            "completion_tokens_details": {"reasoning_tokens": reply.reasoning_tokens},
        },
    }
