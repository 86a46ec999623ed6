"""Failures that a server reports with status 200: in the body of a response, or in a choice with half an answer.

Such a reply is the server's failure and not the model's answer: it has the meaning of the HTTP status that its error
names, and it is never recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.protocols import CallError, json_or_none

#: Words in what servers report as the end of an answer that they did not finish: ``network_error``, ``load`` (of the
#: model), ``insufficient_system_resource``, …. A filter stops an answer on purpose (``ERROR_TOXIC``).
_BROKEN_OFF: Final = lazy_pattern(
    r"error(?!_toxic)|abort|cancel|fail|time_?d?_?out|disconnect|interrupt|insufficient|unavailable|overload|preempt"
    r"|crash|kill|shut_?down|exception|incomplete|out_?of_?memory|^oom$|^internal$|^(?:un)?load$",
    re.IGNORECASE,
)
#: Words in the code, type or status of an error, each with the HTTP status that they mean. The first pattern counts:
#: `invalid_api_key` is about the key, so `invalid` comes last.
_STATUSES_OF_WORDS: Final = (
    (lazy_pattern(r"payment|billing|insufficient_(?:credit|balance|funds)", re.IGNORECASE), 402),
    (lazy_pattern(r"rate_?limit|too_?many|exhausted|throttl|quota", re.IGNORECASE), 429),
    (
        lazy_pattern(
            r"overload|unavailable|capacity|busy|insufficient_system|loading", re.IGNORECASE
        ),
        503,
    ),
    (lazy_pattern(r"unauthenticated|unauthorized|authentication|api_?key", re.IGNORECASE), 401),
    (lazy_pattern(r"permission|forbidden", re.IGNORECASE), 403),
    (lazy_pattern(r"not_?found", re.IGNORECASE), 404),
    (lazy_pattern(r"time_?d?_?out|deadline", re.IGNORECASE), 504),
    (
        lazy_pattern(
            r"invalid|bad_?request|unsupported|context_length|content_(?:policy|filter)",
            re.IGNORECASE,
        ),
        400,
    ),
)
#: The status of an error that names none.
_STATUS_IF_UNKNOWN: Final = 500
#: A status in a text, such as ``HTTP 503``.
_ERROR_STATUS = lazy_pattern(r"(?<!\d)[45]\d\d(?!\d)")
#: The members of an error that may hold its status, as a number or as words.
_STATUS_MEMBERS: Final = ("code", "status", "status_code", "http_status", "error_code", "type")
#: Words of a text that is the name of an error, such as "rate limited"; a longer text is a sentence about it.
_MOST_WORDS_OF_NAME = 4
#: Codes with which some servers report success.
_SUCCESS_CODES: Final = frozenset({0, "0", 200, "200", "ok", "success"})
#: Values that say nothing. A tuple and not a set, because the last two cannot be hashed.
_BLANK: Final[tuple[object, ...]] = (None, "", False, 0, [], {})
#: How many errors around an error are opened: each proxy may add one.
_MOST_NESTED = 5


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
    if not isinstance(payload, dict):
        return None
    error = _error_table(payload.get("error"))
    if error is not None:
        return _server_error(error, payload, paid="choices" in payload)
    if "choices" in payload or "data" in payload:
        return None
    # Some servers send the members of an error without a table around them.
    has_form = "message" in payload and bool(payload.keys() & {"code", "type"})
    has_status = any(_status_in_number(payload.get(name)) is not None for name in _STATUS_MEMBERS)
    return _server_error(payload, {}) if has_form or has_status else None


def broken_off(choice: Any) -> ServerError | None:
    """The failure that a choice of a response reports, in an error of its own or in its finish reason, or None."""
    if not isinstance(choice, dict):
        return None
    for holder in (choice, choice.get("message")):
        error = _error_table(holder.get("error")) if isinstance(holder, dict) else None
        if error is not None:
            return _server_error(error, {}, paid=True)
    reason = finish_reason(choice)
    if not _is_broken_off(reason):
        return None
    message = f"the answer was broken off, finish_reason {reason!r}"
    return _server_error({"message": message, "code": reason}, {}, paid=True)


# A server has a few reasons, and each of thousands of answers has one of them.
@lru_cache(maxsize=64)
def _is_broken_off(reason: str) -> bool:
    return _BROKEN_OFF.search(re.sub(r"[\W_]+", "_", reason)) is not None


def finish_reason(choice: Mapping[str, Any]) -> str:
    """The finish reason of a choice; empty if it has none. Some servers send a table, whose type is the reason."""
    reason = choice.get("finish_reason")
    if isinstance(reason, dict):
        reason = reason.get("type")
    return reason if isinstance(reason, str) else ""


def _error_table(value: Any) -> Mapping[str, Any] | None:
    """An error as a table; None if the value reports none."""
    if value is None:  # as in nearly every response
        return None
    error = _innermost(value)
    if isinstance(error, Mapping):
        # Some servers send an error with every answer, with a code of success or without any value.
        code = error.get("code")
        reports_success = isinstance(code, int | str) and code in _SUCCESS_CODES
        is_blank = all(member in _BLANK for member in error.values())
        return None if is_blank or reports_success else error
    if isinstance(error, str) and error.strip():
        words = error.split()
        # A short text is the name of the error, and shows its status as a code would: ``rate_limited``.
        code = "_".join(words) if len(words) <= _MOST_WORDS_OF_NAME else None
        return {"message": error, "code": code}
    if error in _BLANK or (isinstance(error, str) and not error.strip()):
        return None
    return {"message": str(error), "code": error}


def _innermost(error: Any) -> Any:
    """The error in an error, a list or a JSON text: proxies pack up the error of the server behind them."""
    for _ in range(_MOST_NESTED):
        inner = _opened(error)
        if not inner or not isinstance(inner, Mapping | list):
            break
        error = inner
    return error


def _opened(error: Any) -> Any:
    """What an error has directly inside; None if it has nothing that may be an error."""
    match error:
        case [first, *_]:
            return first
        case str():
            return json_or_none(error)
        case {"error": inner}:
            return inner
    return None


def _server_error(
    error: Mapping[str, Any], around: Mapping[str, Any], *, paid: bool = False
) -> ServerError:
    """The failure of an error. ``around`` is the table that holds the error: it may name the status instead."""
    status = _status(error, around)
    # The first of these members with a text is the message; without any, all of the error is.
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
    values = [error.get(name) for name in _STATUS_MEMBERS]
    values += [around.get(name) for name in _STATUS_MEMBERS]
    # All values are looked at for a number before any is read as words: `type` may name only a class of errors.
    for status_in in (_status_in_number, _status_in_words):
        for value in values:
            status = status_in(value)
            if status is not None:
                return status
    return _STATUS_IF_UNKNOWN


def _status_in_number(value: Any) -> int | None:
    """The HTTP status of an error: the number itself, or the first one in a text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 400 <= value < 600 else None
    if not isinstance(value, str):
        return None
    match = _ERROR_STATUS.search(value)
    return int(match[0]) if match else None


def _status_in_words(value: Any) -> int | None:
    """The HTTP status that the words of a code, such as ``rate_limit_exceeded``, stand for."""
    if not isinstance(value, str):
        return None
    name = re.sub(r"[\W_]+", "_", value)
    for pattern, status in _STATUSES_OF_WORDS:
        if pattern.search(name):
            return status
    return None
