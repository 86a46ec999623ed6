"""Models ``litellm/PROVIDER/NAME``, called through the library LiteLLM in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from pytest_autoeval.models.call_limits import Failure, useless
from pytest_autoeval.models.connections import Connection
from pytest_autoeval.models.loop import MadeOnce
from pytest_autoeval.models.model_names import LITELLM
from pytest_autoeval.models.model_settings import ModelSettings, Price, ServerCall
from pytest_autoeval.models.own_models import raised
from pytest_autoeval.models.prices import litellm_library, needed_price
from pytest_autoeval.models.protocols import CallError, ConfigurationError, Reply
from pytest_autoeval.models.redaction import (
    LogRedaction,
    Redactor,
    secrets_of_environment,
    shown_url,
)
from pytest_autoeval.models.responses import cleaned

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry

#: Names of the errors of an HTTP client which mean that the provider was not reached. By name, because providers have
#: clients of several libraries.
_NEVER_REACHED = frozenset({"ConnectError", "ConnectTimeout"})
#: Errors of LiteLLM's own code, for an unexpected argument or response.
_INTERNAL_ERRORS = (ValueError, TypeError, LookupError, AttributeError)


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_connection(LITELLM, LiteLLMConnection)


class LiteLLMConnection(Connection):
    """The models of one provider. LiteLLM reads its key from the environment."""

    def __init__(self, model: str, settings: ModelSettings, redactor: Redactor) -> None:
        self.server = "/".join(model.split("/")[:2])
        self.address = ""
        self.settings = settings
        self._redactor = redactor
        self._log_redaction = LogRedaction(redactor)
        self._library = MadeOnce(lambda: asyncio.to_thread(self._import_library))

    async def price(self, model: str) -> Price | None:
        # The import takes seconds, so it happens before the call occupies one of the places for concurrent calls.
        await self._library.get()
        return needed_price(model, self.settings)

    async def attempt(
        self,
        call: ServerCall,
        read: Callable[[Any], Reply],
        number: int,
        leaves: Callable[[], None],
    ) -> tuple[Any, Reply] | Failure:
        litellm = await self._library.get()
        # The run counts, logs and spaces its attempts itself, so LiteLLM must not repeat any.
        defaults = {"timeout": self.settings.timeout, "num_retries": 0, "max_retries": 0}
        # A copy: LiteLLM's code for some providers removes messages from the list.
        body = deepcopy(
            {
                **defaults,
                **call.body,
                **self.settings.parameters,
                "model": call.model.removeprefix(LITELLM),
            }
        )
        leaves()
        try:
            # LiteLLM's own timeout applies to each read from the connection. This one is for the whole call.
            async with asyncio.timeout(self.settings.timeout):
                response = await litellm.acompletion(**body)
            payload = cleaned(json.loads(response.model_dump_json(warnings=False)), self._redactor)
            return payload, read(payload)
        except Exception as error:  # noqa: BLE001  (LiteLLM and its providers may raise anything)
            return self._failure(litellm, error, call, number)

    async def close(self) -> None:
        for litellm in self._library.made:
            # The cache finds clients by the id of their loop, which a later loop may have again.
            clients = litellm.in_memory_llm_clients_cache.cache_dict
            id_of_loop = str(id(asyncio.get_running_loop()))
            keys = [key for key in clients if key.endswith(id_of_loop)]
            for key in keys:
                client = clients.pop(key)
                with suppress(Exception):
                    await client.close()
        self._log_redaction.remove()

    def _import_library(self) -> Any:
        litellm = litellm_library()
        # After the import, which reads the file `.env`.
        self._redactor.learn(secrets_of_environment())
        self._log_redaction.install()
        return litellm

    def _failure(self, litellm: Any, error: Exception, call: ServerCall, number: int) -> Failure:
        """The failure, classified like that of a server. The first of these kinds that fits counts."""
        from pytest_autoeval.models.failures import FailedAttempt
        from pytest_autoeval.models.http_client import ConnectError, Response

        causes = list(_causes(error))
        missing = litellm.validate_environment(call.model.removeprefix(LITELLM))["missing_keys"]
        failed = FailedAttempt(
            call=call,
            server=f"{self.server.removeprefix(LITELLM)} (through LiteLLM)",
            has_key=not missing or "api_key" in self.settings.parameters,
            key=", ".join(missing) or "the environment",
            place="api_base in --autoeval-parameters",
            number=number,
            redactor=self._redactor,
        )
        # Some errors of LiteLLM have a traceback in their text.
        text = shown_url(str(error).partition("\nTraceback (most")[0])
        # LiteLLM raises this error for everything that it does not know.
        is_unknown = isinstance(error, litellm.APIConnectionError)
        # The library of a provider is not installed.
        if is_unknown and any(isinstance(cause, ImportError) for cause in causes):
            return useless(ConfigurationError(self._redactor.message(f"{call.model}: {text}")))
        # Raised by `read`: the reply is unusable.
        if isinstance(error, CallError):
            return failed.broken(error)
        if isinstance(error, litellm.Timeout | TimeoutError):
            return failed.broken(TimeoutError(text))
        if any(type(cause).__name__ in _NEVER_REACHED for cause in causes):
            return failed.broken(ConnectError(text))
        status = _status(causes, is_unknown=is_unknown)
        is_internal = is_unknown and isinstance(causes[-1], _INTERNAL_ERRORS)
        if not isinstance(status, int) or is_internal:
            return raised(error, call.model, self._redactor)
        received = getattr(error, "litellm_response_headers", None) or {}
        headers = {
            name: received[name] for name in ("retry-after", "retry-after-ms") if name in received
        }
        body = {"message": text, "code": type(error).__name__}
        return failed.refusal(Response(status, headers, json.dumps({"error": body}).encode()))


def _status(causes: Sequence[BaseException], *, is_unknown: bool) -> Any:
    """The HTTP status of an error, the first of its ``causes``; None, or any value of LiteLLM's, if it has none."""
    import openai

    # The client cannot be made without a key. Its other errors are of subclasses.
    if any(type(cause) is openai.OpenAIError for cause in causes):
        return 401
    status = getattr(causes[0], "status_code", None)
    if is_unknown:
        # LiteLLM gives such an error a status of its own. That of the provider is among the causes.
        codes = [getattr(cause, "status_code", None) or 0 for cause in causes[1:]]
        return next((code for code in codes if code >= 400), status)
    return status


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error, what caused it, the cause of that, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
