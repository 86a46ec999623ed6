"""Classifies failed attempts: try again, fail the call, or stop the run."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from types import MappingProxyType
from typing import Any

import aiohttp
from msgspec import structs

from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.call_limits import AttemptEnd, Failure, useless
from pytest_autoeval.models.constraints import PROBE_NAME
from pytest_autoeval.models.http_client import (
    LONGEST_BODY,
    MOST_REDIRECTS,
    BodyTooLongError,
    ConnectError,
    DecodingError,
    OtherHostError,
    Response,
    TooManyRedirectsError,
    UnsendableHeaderError,
)
from pytest_autoeval.models.model_names import is_offline
from pytest_autoeval.models.model_settings import ServerCall
from pytest_autoeval.models.protocols import (
    CallError,
    ConfigurationError,
    ModelError,
    StructuredOutputsUnsupportedError,
    json_or_none,
)
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.responses import excerpt
from pytest_autoeval.models.server_errors import ServerError, UnusableReplyError
from pytest_autoeval.models.window import Ended

#: The parameters of a request that hold its texts. They differ from request to request, and no option sets them.
_CONTENT_PARAMETERS = frozenset({"messages", "input"})
#: The codes of errors about a parameter that the model does not take.
_REFUSED_PARAMETER = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
#: The code or type of OpenAI's error about a quota that is used up.
_QUOTA_USED_UP = "insufficient_quota"
#: Statuses and codes of refusals that a second try cannot mend: the prompt is too long, or a filter does not like it.
_ABOUT_CONTENT = frozenset({413, 451})
_CONTENT_BLAMED = lazy_pattern(
    r"context_length|content|policy|filter|safety|moderation|string_above", re.IGNORECASE
)
#: Further attempts after a reply of status 200 that is no answer.
_SECOND_TRIES = 2
#: Besides 429 the two statuses of an overloaded server; 529 is Anthropic's.
_LIMITED = frozenset({429, 503, 529})
#: Further statuses after which another attempt may succeed: a timeout, a conflict, another process of the server, a
#: generation that failed (text-generation-inference), "too early", "retry with", no capacity (Groq), and connections
#: that a balancer or a proxy closed.
_TEMPORARY = frozenset({408, 409, 421, 424, 425, 449, 460, 498, 499})
#: Statuses that are about the key, the time or the rate, even if the message names the schema.
_NOT_ABOUT_SCHEMA = frozenset({401, 402, 408, 429})
#: By words and not by status: llama-cpp-python's server answers 500 to a type of `response_format` that it lacks.
_SCHEMA_BLAMED = lazy_pattern(
    r"response[_ ]format|json[_ ]schema|structured[_ -]?output|parse grammar", re.IGNORECASE
)
#: Words of a message about the form of an answer: a grammar, a schema, or the tool that some servers make of it.
_FORM_BLAMED = lazy_pattern(
    r"grammar|structured|schema|response[_ ]format|\btools?\b", re.IGNORECASE
)
#: The status of a server that lacks a feature: unlike other statuses ≥ 500, another attempt cannot succeed.
_NOT_IMPLEMENTED = 501
#: In these cases no request left, so that nothing can have cost money.
_NEVER_REACHED = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.InvalidURL,
    ConnectError,
)
#: The exceptions that an attempt may raise.
EXPECTED = (
    aiohttp.ClientError,
    BodyTooLongError,
    DecodingError,
    OtherHostError,
    TooManyRedirectsError,
    ConnectError,
    ModelError,
    OSError,
    RuntimeError,
    ValueError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAttempt:
    """A failed attempt, with the data for its messages.

    Attributes:
        call: what was asked.
        server: the name of the server in messages.
        has_key: whether the user set a key.
        key: the variable that holds the key.
        place: the option that names the server.
        number: the number of the attempt, from 1.
    """

    call: ServerCall
    server: str
    has_key: bool
    key: str = "OPENAI_API_KEY"
    place: str = "--autoeval-base-url"
    number: int
    redactor: Redactor

    @property
    def _where(self) -> str:
        return f"{self.call.model}: {self.server}"

    @property
    def _after_attempts(self) -> str:
        """The number of attempts as the end of a message; empty for the first attempt."""
        return "" if self.number == 1 else f", {self._attempts}"

    @property
    def _attempts(self) -> str:
        return "1 attempt" if self.number == 1 else f"{self.number} attempts"

    def refusal(self, response: Response) -> Failure:
        """The failure for a response whose status is not 2xx."""
        where, status = self._where, response.status
        error = _error_of(response)
        code = str(error.get("code"))
        text = error.get("message")
        if not isinstance(text, str):
            text = response.content.decode("utf-8", "replace")
        detail = (
            f"{status}: {excerpt(self.redactor.message(text))}" if text.strip() else str(status)
        )
        # First, since servers refuse a schema with all kinds of statuses, also those that would be tried again.
        refused_schema = self._refused_schema(status, f"{error or text}", detail)
        if refused_schema is not None:
            return refused_schema
        # Before the rate limits: a quota that is used up has the status 429 too, and no waiting mends it.
        if status in {401, 402} or _QUOTA_USED_UP in (code, error.get("type")):
            return useless(ConfigurationError(f"{where} {self._remedy(status, detail)}"))
        wait = retry_after(response.headers)
        if status in _LIMITED:
            header = self.redactor.message(response.headers.get("retry-after", ""))
            wish = f"; it asks to wait: {excerpt(header)}" if header else ""
            message = (
                f"{where} limits the rate ({detail}{wish}), {self._attempts}; "
                "lower --autoeval-concurrency or --autoeval-rpm"
            )
            end = AttemptEnd(ended="limited", retry_after=wait, message=message)
            return Failure(end=end, error=CallError(message))
        if status in _TEMPORARY or status >= 500:
            message = f"{where} failed ({detail}), {self._attempts}"
            end = AttemptEnd(ended="failed", retry_after=wait, message=message)
            return Failure(end=end, error=CallError(message))
        return self._refused_request(status, code, str(error.get("param") or ""), detail)

    def _refused_schema(self, status: int, text: str, detail: str) -> Failure | None:
        """The failure for a response that refuses the schema or grammar of the answer; None if it is about more.

        If the schema is not at fault, the request fails again without it, and that failure is reported.
        """
        schema = self.call.schema or ""
        is_probe = schema.startswith(PROBE_NAME)
        if is_probe and _is_about_form(status, text):
            problem = f"{self._where} refuses the parameters ({detail})"
        elif schema and status not in _NOT_ABOUT_SCHEMA and _SCHEMA_BLAMED.search(text):
            problem = f"{self._where} does not accept this schema for an answer ({detail})"
        else:
            return None
        return Failure(
            end=AttemptEnd(ended="other"), error=StructuredOutputsUnsupportedError(problem)
        )

    def _refused_request(self, status: int, code: str, parameter: str, detail: str) -> Failure:
        """The failure for a refusal that no time mends: of this request alone, or of all that are alike."""
        where = self._where
        # Of `messages[0].content`, `messages`.
        name = parameter.partition(".")[0].partition("[")[0]
        is_content = name in _CONTENT_PARAMETERS
        is_set_by_option = not is_content and (code in _REFUSED_PARAMETER or name in self.call.body)
        # Each request of the model has this option, so one refusal shows that none can succeed.
        refuses_option = status in {400, 422} and is_set_by_option
        if refuses_option:
            remedy = (
                f"refuses the parameter {parameter!r} ({detail}); change the option that sets it"
            )
        else:
            remedy = self._remedy(status, detail)
        end = AttemptEnd(
            ended="refused",
            alike=f"{status} {code}",
            message=f"{where} {remedy}",
            at_once=refuses_option,
        )
        # The same content is refused again; other refusals may be a whim of the server.
        is_about_content = (
            is_content or status in _ABOUT_CONTENT or _CONTENT_BLAMED.search(code) is not None
        )
        error_of_call = CallError(f"{where} refused this request ({detail}){self._after_attempts}")
        return Failure(end=end, error=error_of_call, second_tries=0 if is_about_content else 1)

    @property
    def _remedy_if_unreached(self) -> str:
        """What to check if the server cannot be reached."""
        if is_offline(self.call.model):
            return "the offline models run on this machine, and need its loopback interface"
        return f"check {self.place}, and whether the server runs"

    def broken(
        self, error: Exception | None, headers: Mapping[str, str] = MappingProxyType({})
    ) -> Failure:
        """The failure for an exception. A :class:`ModelError` means that the answer could not be used.

        ``headers`` are those of the response, if there was one.
        """
        match error:
            # Some servers send status 200 with an error such as `{"code": 429}` in the body: it means that status.
            case ServerError():
                content = json.dumps({"error": dict(error.error)}).encode()
                failure = self.refusal(Response(error.status, headers, content))
                return structs.replace(failure, end=structs.replace(failure.end, paid=error.paid))
            case UnusableReplyError():
                message = (
                    f"{self.call.model}: {self.redactor.message(str(error))}{self._after_attempts}"
                )
                return _unusable(message, is_outage=error.is_foreign)
            case DecodingError():
                detail = excerpt(self.redactor.message(str(error)))
                message = f"{self._where} sent an unreadable body ({detail}){self._after_attempts}"
                return _unusable(message, is_outage=True)
        return self._broken_connection(error)

    def _broken_connection(self, error: Exception | None) -> Failure:
        """The failure for an exception while there was no response, or before its end."""
        match error:
            case UnsendableHeaderError():
                # The client's own message would show the key.
                return useless(
                    ConfigurationError(
                        f"{self.call.model}: OPENAI_API_KEY, OPENAI_ORG_ID or OPENAI_PROJECT_ID cannot be sent in a "
                        "header: it has a line break or a character that is not ASCII"
                    )
                )
            case ConfigurationError():
                return useless(error)
        where = self._where
        # The text of the cause is shorter than aiohttp's.
        cause = getattr(error, "os_error", error)
        detail = excerpt(self.redactor.message(f"{type(cause).__name__}: {cause}"))
        ended: Ended = "other"
        match error:
            case CallError():
                message = f"{self.call.model}: {self.redactor.message(str(error))}"
            case BodyTooLongError():
                message = f"{where} sent more than {LONGEST_BODY // 1_000_000} MB for one answer"
            case OtherHostError():
                ended = "refused"
                host = excerpt(self.redactor.message(str(error)))
                message = (
                    f"{where} redirects to another host, {host}; nothing was sent to it; "
                    "if it is the right one, name it with --autoeval-base-url"
                )
            case TooManyRedirectsError():
                ended = "refused"
                message = (
                    f"{where} redirects more than {MOST_REDIRECTS} times; check --autoeval-base-url"
                )
            case _ if isinstance(error, _NEVER_REACHED):
                ended = "unreached"
                message = f"{where} cannot be reached ({detail}); {self._remedy_if_unreached}"
            case TimeoutError():
                ended = "failed"
                message = (
                    f"{self.call.model}: no answer from {self.server} in time ({self._attempts}); "
                    "raise --autoeval-timeout or lower --autoeval-concurrency"
                )
            case aiohttp.ClientError() | OSError():
                ended = "failed"
                message = f"{where} broke the connection ({detail}), {self._attempts}"
            case _:
                message = f"{self.call.model}: the call to {self.server} failed: {detail}"
        # The server may have made an answer, which is paid, before the connection broke.
        paid = ended in {"failed", "other"}
        timed_out = paid and isinstance(error, TimeoutError)
        # `alike` and `at_once` are read of refusals only, which are redirects here.
        end = AttemptEnd(ended=ended, paid=paid, message=message, alike="redirect", at_once=True)
        return Failure(end=end, error=CallError(message), timed_out=timed_out)

    def _remedy(self, status: int, detail: str) -> str:
        """What the server says with this status, and what the user can do."""
        match status:
            case 401 | 403 if not self.has_key:
                return f"needs a key ({detail}); set {self.key}"
            case 401 | 403:
                return f"refuses the key in {self.key} ({detail})"
            case 402:
                return f"asks for payment ({detail})"
            case 404:
                return (
                    f"does not know this model or address ({detail}); "
                    f"check --autoeval-model and {self.place}, which usually ends in /v1"
                )
            case 429:
                return f"reports that the quota is used up ({detail})"
        return f"refuses every request ({detail}); check {self.key}, --autoeval-model and the server's message"


def _is_about_form(status: int, text: str) -> bool:
    """Whether the refusal of a probe is about its form. A server that fails or loads its model is asked again."""
    # The key may lack a permission (403), and the model or the address may be unknown (404).
    if status in (*_NOT_ABOUT_SCHEMA, 403, 404):
        return False
    may_succeed_later = status in _LIMITED or status in _TEMPORARY or status >= 500
    if not may_succeed_later or status == _NOT_IMPLEMENTED:
        return True
    return _FORM_BLAMED.search(text) is not None


def _unusable(message: str, *, is_outage: bool) -> Failure:
    """The failure for a reply of status 200 that is no answer. It may have cost money."""
    end = AttemptEnd(ended="other", paid=True, message=message)
    return Failure(
        end=end, error=CallError(message), second_tries=_SECOND_TRIES, is_outage=is_outage
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait, ≥ 0; None without a readable header."""
    # The header in milliseconds first, as in `openai`'s client: it is the more exact one.
    for name, divisor in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(name, "")) / divisor
        except ValueError:
            continue
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        date = parsedate_tz(headers.get("retry-after", ""))
        return None if date is None else max(0.0, mktime_tz(date) - time.time())
    except (ValueError, OverflowError):
        return None


def _error_of(response: Response) -> dict[str, Any]:
    """The error of a response as a table; empty if its body has none. Some servers send its members alone."""
    body = json_or_none(response.content)
    error = body.get("error", body) if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}
