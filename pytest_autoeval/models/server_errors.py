"""Failures that a server reports with status 200: in the body of a response, or in a choice with half an answer.

Such a reply is the server's failure and not the model's answer: it has the meaning of the HTTP status that its error
names, and it is never recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pytest_autoeval.models.protocols import CallError, json_or_none

#: Words in what servers report as the end of an answer that they did not finish: ``network_error``, ``load`` (of the
#: model), ``insufficient_system_resource``, …. A filter stops an answer on purpose (``ERROR_TOXIC``).
_BROKEN_OFF: Final = re.compile(
    r"error(?!_toxic)|abort|cancel|fail|time_?d?_?out|disconnect|interrupt|insufficient|unavailable|overload|preempt"
    r"|crash|kill|shut_?down|exception|incomplete|out_?of_?memory|^oom$|^internal$|^(?:un)?load$",
    re.IGNORECASE,
)
#: The statuses of the words in the code, type or status of an error; the first pattern that occurs counts.
_STATUSES: Final = (
    (re.compile(r"payment|billing|insufficient_(?:credit|balance|funds)", re.IGNORECASE), 402),
    (re.compile(r"rate_?limit|too_?many|exhausted|throttl|quota", re.IGNORECASE), 429),
    (
        re.compile(
            r"overload|unavailable|capacity|busy|insufficient_system|loading", re.IGNORECASE
        ),
        503,
    ),
    (re.compile(r"unauthenticated|unauthorized|authentication|api_?key", re.IGNORECASE), 401),
    (re.compile(r"permission|forbidden", re.IGNORECASE), 403),
    (re.compile(r"not_?found", re.IGNORECASE), 404),
    (re.compile(r"time_?d?_?out|deadline", re.IGNORECASE), 504),
    (
        re.compile(
            r"invalid|bad_?request|unsupported|context_length|content_(?:policy|filter)",
            re.IGNORECASE,
        ),
        400,
    ),
)
#: The status of an error that names none.
_UNNAMED: Final = 500
_NUMBER = re.compile(r"(?<!\d)[45]\d\d(?!\d)")
_NAMES: Final = ("code", "status", "status_code", "http_status", "error_code", "type")
#: Of an error that is only a name, such as "rate limited".
_MOST_WORDS = 4
#: Codes of success in the table `error` that some servers send with every answer.
_NO_ERROR: Final = frozenset({0, "0", 200, "200", "ok", "success"})
_BLANK: Final[tuple[object, ...]] = (None, "", False, 0, [], {})
#: Errors in errors.
_DEEPEST = 5


class ServerError(CallError):
    """A reply of status 200 is the server's failure. ``status`` is the HTTP status that it should have had.

    ``error`` is the error in the form of OpenAI's protocol: a table with ``message``, ``code`` and ``type``. ``paid``:
    the reply has a part of an answer, which may cost money.
    """

    def __init__(
        self, message: str, status: int, error: Mapping[str, Any], *, paid: bool = False
    ) -> None:
        super().__init__(message, status, error)
        self.status, self.error, self.paid = status, error, paid

    def __str__(self) -> str:
        return str(self.args[0])


class UnusableReplyError(CallError):
    """A reply of status 200 has no answer. The server may give one when it is asked again.

    ``is_foreign``: the body is nothing that a model's server sends, such as an empty one or a page of HTML.
    """

    def __init__(self, message: str, *, is_foreign: bool = False) -> None:
        super().__init__(message)
        self.is_foreign = is_foreign


def error_in(payload: Any) -> ServerError | None:
    """The failure that a decoded response of status 200 reports, or None."""
    if not isinstance(payload, Mapping):
        return None
    error = _error(payload.get("error"))
    if error is not None:
        return _server_error(error, payload, paid="choices" in payload)
    if "choices" in payload or "data" in payload:
        return None
    # Some servers send the members of an error without a table around them.
    has_form = "message" in payload and bool(payload.keys() & {"code", "type"})
    has_status = any(_number(payload.get(name)) is not None for name in _NAMES)
    return _server_error(payload, {}) if has_form or has_status else None


def broken_off(choice: Any) -> ServerError | None:
    """The failure that a choice of a response reports, in an error of its own or in its finish reason, or None."""
    if not isinstance(choice, Mapping):
        return None
    for holder in (choice, choice.get("message")):
        error = _error(holder.get("error")) if isinstance(holder, Mapping) else None
        if error is not None:
            return _server_error(error, {}, paid=True)
    reason = finish_reason(choice)
    if not _BROKEN_OFF.search(re.sub(r"[\W_]+", "_", reason)):
        return None
    message = f"the answer was broken off, finish_reason {reason!r}"
    return _server_error({"message": message, "code": reason}, {}, paid=True)


def finish_reason(choice: Mapping[str, Any]) -> str:
    """The finish reason of a choice, some servers' table with a type included; empty if it has none."""
    reason = choice.get("finish_reason")
    if isinstance(reason, Mapping):
        reason = reason.get("type")
    return reason if isinstance(reason, str) else ""


def _error(value: Any) -> Mapping[str, Any] | None:
    """An error as a table; None if the value reports none."""
    if value is None:  # as in nearly every response
        return None
    value = _innermost(value)
    if isinstance(value, Mapping):
        # Some servers send an error with every answer, with a code of success or without any value.
        code = value.get("code")
        reports_success = isinstance(code, int | str) and code in _NO_ERROR
        is_blank = all(member in _BLANK for member in value.values())
        return None if is_blank or reports_success else value
    if isinstance(value, str) and value.strip():
        words = value.split()
        code = "_".join(words) if len(words) <= _MOST_WORDS else None
        return {"message": value, "code": code}
    if value in (None, False, "", 0):
        return None
    return {"message": str(value), "code": value}


def _innermost(error: Any) -> Any:
    """The error in an error, a list or a JSON text: proxies pack up the error of the server behind them."""
    for _ in range(_DEEPEST):
        inner: Any = None
        match error:
            case [first, *_]:
                inner = first
            case str():
                inner = json_or_none(error)
            case {"error": inner}:
                pass
        if not inner or not isinstance(inner, Mapping | list):
            break
        error = inner
    return error


def _server_error(
    error: Mapping[str, Any], around: Mapping[str, Any], *, paid: bool = False
) -> ServerError:
    status = _status(error, around)
    message = repr(dict(error))
    for name in ("message", "detail", "msg", "error_msg"):
        text = error.get(name)
        if isinstance(text, str) and text.strip():
            message = text
            break
    table = {name: error[name] for name in ("code", "type", "param") if name in error}
    table["message"] = message
    return ServerError(f"{status}: {message}", status, table, paid=paid)


def _status(error: Mapping[str, Any], around: Mapping[str, Any]) -> int:
    """The HTTP status that an error stands for. A number is more exact than a word, wherever it stands."""
    values = [holder.get(name) for holder in (error, around) for name in _NAMES]
    # All values are looked at for a number before any is read as words: `type` may name only a class of errors.
    for meaning in (_number, _named):
        for value in values:
            status = meaning(value)
            if status is not None:
                return status
    return _UNNAMED


def _number(value: Any) -> int | None:
    """The HTTP status of an error that a value is, or that a text has."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 400 <= value < 600 else None
    if not isinstance(value, str):
        return None
    match = _NUMBER.search(value)
    return int(match[0]) if match else None


def _named(value: Any) -> int | None:
    """The HTTP status that the words of a code, such as ``rate_limit_exceeded``, stand for."""
    if not isinstance(value, str):
        return None
    name = re.sub(r"[\W_]+", "_", value)
    return next((status for pattern, status in _STATUSES if pattern.search(name)), None)
