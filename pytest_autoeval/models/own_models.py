"""Models that a `conftest.py` added: objects in this process, asked like a server."""

from __future__ import annotations

import inspect
import json
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from pytest_autoeval.models.base import (
    AnswerSchema,
    CallError,
    ConfigurationError,
    Message,
    ModelError,
    Reply,
    StructuredOutputsUnsupportedError,
    TransientError,
)
from pytest_autoeval.models.connections import Connection
from pytest_autoeval.models.limits import AttemptEnd, Failure, useless
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.responses import cleaned
from pytest_autoeval.models.settings import SCHEMA, ModelSettings, Price, ServerCall


class OwnConnection(Connection):
    """A model that the user registered; its factory makes it at the first call. See :class:`Model`.

    ``complete`` gets the schema of an answer if it has a parameter ``schema``; otherwise it is asked in words. An
    exception other than :class:`TransientError` is an error of the call. It stops the run at once if the model has
    never answered, as with a server that was never reached.
    """

    def __init__(self, model: str, settings: ModelSettings, redactor: Redactor) -> None:
        self.server = f"own/{model}"
        self.address = ""
        #: No parameter of a request reaches the model. This one keeps its recordings from a served model of its name.
        self.settings = ModelSettings(parameters={"in_process": True})
        self._prices = settings.prices
        self._factory = settings.own[model]
        self._redactor = redactor
        self._lock = Lock()
        self._model: Any = None

    def price(self, model: str) -> Price | None:
        """The user's price, for replies that do not say their cost."""
        return self._prices.get(model)

    def attempt(
        self, call: ServerCall, read: Callable[[Any], Reply], number: int, leaves: Callable[[], None]
    ) -> tuple[Any, Reply] | Failure:
        del number
        try:
            self._made()
            leaves()
            reply = self._complete(call)
        except TransientError as error:
            message = self._redactor.message(f"{call.model}: {error}")
            end = AttemptEnd(ended="limited", retry_after=error.retry_after, message=message)
            return Failure(end=end, error=CallError(message))
        except ConfigurationError as error:
            return useless(error)
        except ModelError as error:
            return Failure(end=AttemptEnd(ended="other"), error=error)
        except Exception as error:  # noqa: BLE001  (it may raise anything)
            failure = raised(error, call.model, self._redactor)
            failure.error.__cause__ = error
            return failure
        payload = cleaned(_completion(reply), self._redactor)
        return payload, replace(read(payload), cost=reply.cost, seconds=reply.seconds)

    def close(self) -> None:
        """Closes the model, where it can be closed."""
        if hasattr(self._model, "close"):
            self._model.close()

    def _complete(self, call: ServerCall) -> Reply:
        complete = self._made().complete
        messages = [Message(**message) for message in call.body["messages"]]
        more = {}
        if SCHEMA in call.body:
            if "schema" not in inspect.signature(complete).parameters:
                raise StructuredOutputsUnsupportedError(f"{call.model}: complete() has no parameter 'schema'")
            asked = call.body[SCHEMA]["json_schema"]
            more = {"schema": AnswerSchema(asked["name"], json.dumps(asked["schema"]))}
        reply = complete(messages, repeat=call.repeat, **more)
        if not isinstance(reply, str | Reply):
            problem = f"complete() returned a {type(reply).__name__}; return a Reply or a text"
            raise ConfigurationError(f"{call.model}: {problem}")
        return Reply(reply) if isinstance(reply, str) else reply

    def _made(self) -> Any:
        with self._lock:
            if self._model is None:
                self._model = self._factory()
            return self._model


def raised(error: Exception, model: str, redactor: Redactor) -> Failure:
    """What an exception of code in this process means: the first of a model that never answered stops the run."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}:{last.lineno}"
    message = redactor.message(f"{model}: {type(error).__name__}: {error} ({place})")
    return Failure(end=AttemptEnd(ended="refused", message=message, at_once=True), error=CallError(message))


def _completion(reply: Reply) -> dict[str, Any]:
    return {
        "choices": [
            {
                "message": {"role": "assistant", "content": reply.text, "refusal": reply.refusal or None},
                "finish_reason": reply.finish_reason,
            }
        ],
        "usage": {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
            "completion_tokens_details": {"reasoning_tokens": reply.reasoning_tokens},
        },
    }
