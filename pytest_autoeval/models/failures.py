"""What went wrong when a server was asked, in one line: whether this call failed, or whether none can succeed."""

from __future__ import annotations

import re
from dataclasses import dataclass

import httpx2
import openai

from pytest_autoeval.models.base import (
    CallError,
    ConfigurationError,
    ModelError,
    StructuredOutputsUnsupportedError,
)
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.responses import excerpt
from pytest_autoeval.models.settings import ServerCall

_CONTENT = frozenset({"messages", "input"})  # what differs from request to request
_REFUSED_PARAMETER = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
#: The statuses with which servers say that they take no schema, some of them by breaking down.
_NO_SCHEMA = frozenset({400, 404, 415, 422, 500, 501})
_SCHEMA_BLAMED = re.compile(r"response[_ ]format|json[_ ]schema|structured[_ -]?output|parse grammar", re.IGNORECASE)
_NEVER_REACHED = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
    httpx2.InvalidURL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A call that failed, with the words that every message about it needs.

    ``has_key`` says whether the user set a key; ``was_reached`` whether the server ever answered in this run.
    """

    call: ServerCall
    address: str
    has_key: bool
    was_reached: bool
    redactor: Redactor

    @property
    def _where(self) -> str:
        return f"{self.call.model}: the server at {self.address}"

    def failure(self, error: Exception) -> ModelError:
        """The error of ours for one of the client's."""
        match error:
            case openai.APIStatusError():
                return self._refusal(error)
            case openai.APITimeoutError() if not isinstance(error.__cause__, _NEVER_REACHED):
                return CallError(
                    f"{self.call.model}: no answer from {self.address} in time ({_attempts(error)}); "
                    "raise --autoeval-timeout or lower --autoeval-concurrency"
                )
            case openai.APIConnectionError() | httpx2.InvalidURL():
                return self._lost_connection(error)
            case UnicodeError():
                return self._unfit_header()
            case _:
                detail = excerpt(self.redactor.text(f"{type(error).__name__}: {error}"))
                return CallError(f"{self.call.model}: the call to {self.address} failed: {detail}")

    def _refusal(self, error: openai.APIStatusError) -> ModelError:
        where, body = self._where, error.body
        words = body.get("message") if isinstance(body, dict) else body
        text = words if isinstance(words, str) else error.response.text
        detail = f"{error.status_code}: {excerpt(self.redactor.text(text))}" if text.strip() else str(error.status_code)
        # What is wrong with the rest shows when it is asked without a schema.
        blames_schema = error.status_code in _NO_SCHEMA and _SCHEMA_BLAMED.search(f"{error.param} {error.body}")
        if self.call.schema is not None and blames_schema:
            return StructuredOutputsUnsupportedError(f"{where} does not take this schema for an answer ({detail})")
        if remedy := self._remedy(error, detail):
            return ConfigurationError(f"{where} {remedy}")
        if error.status_code == 429:
            asked = self.redactor.text(error.response.headers.get("retry-after", ""))
            wait = f"; it asks to wait: {excerpt(asked)}" if asked else ""
            return CallError(
                f"{where} limits the rate ({detail}{wait}), {_attempts(error)}; "
                "lower --autoeval-concurrency or --autoeval-rpm"
            )
        if error.status_code >= 500:
            return CallError(f"{where} failed ({detail}), {_attempts(error)}")
        return CallError(f"{where} refused this request ({detail})")

    def _remedy(self, error: openai.APIStatusError, detail: str) -> str:
        """What the user has to mend before any request can succeed; empty where only this one failed."""
        parameter = (error.param or "").partition(".")[0].partition("[")[0]
        shared = parameter not in _CONTENT and (error.code in _REFUSED_PARAMETER or parameter in self.call.body)
        match error.status_code:
            case 401 | 403 if not self.has_key:
                remedy = f"wants a key ({detail}); set OPENAI_API_KEY"
            case 401 | 403:
                remedy = f"refuses the key in OPENAI_API_KEY ({detail})"
            case 402:
                remedy = f"wants to be paid first ({detail})"
            case 404:
                remedy = (
                    f"does not know this model or address ({detail}); "
                    "mend --autoeval-model or --autoeval-base-url, which usually ends in /v1"
                )
            case 429 if error.code == "insufficient_quota":
                remedy = f"says that the quota is spent ({detail})"
            case 400 | 422 if shared:
                remedy = f"refuses the parameter {error.param!r} ({detail}); mend the option that sets it"
            case _:
                remedy = ""
        return remedy

    def _lost_connection(self, error: Exception) -> ModelError:
        cause = error.__cause__ or error
        where, detail = self._where, excerpt(self.redactor.text(f"{type(cause).__name__}: {cause}"))
        if isinstance(cause, httpx2.LocalProtocolError):
            return self._unfit_header()
        if isinstance(cause, _NEVER_REACHED) and not self.was_reached:
            return ConfigurationError(f"{where} cannot be reached ({detail}); mend --autoeval-base-url or start it")
        return CallError(f"{where} broke the connection ({detail}), {_attempts(error)}")

    def _unfit_header(self) -> ConfigurationError:
        # The client's own message would show the key.
        return ConfigurationError(
            f"{self.call.model}: OPENAI_API_KEY, OPENAI_ORG_ID or OPENAI_PROJECT_ID cannot be sent in a header: "
            "it has a line break or a sign that is not ASCII"
        )


def _attempts(error: Exception) -> str:
    """How often the client tried: it counts its retries in a header of the request."""
    request = getattr(error, "request", None)
    retries = 0 if request is None else int(request.headers.get("x-stainless-retry-count", 0))
    return "1 attempt" if retries == 0 else f"{retries + 1} attempts"
