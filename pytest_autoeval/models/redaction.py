"""Secrets out of everything that is written or shown: answers, recordings, error messages, debug logs."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any
from urllib.parse import unquote

REDACTED = "[REDACTED]"

_SECRET_VARIABLES = (
    "OPENAI_API_KEY",
    "OPENAI_ADMIN_KEY",
    "OPENAI_ORG_ID",
    "OPENAI_PROJECT_ID",
    "OPENAI_WEBHOOK_SECRET",
)
# Keys such as EMPTY, none or ollama keep nothing secret, and hiding them would garble English text.
_SHORTEST_SECRET = 8
_USER_INFO = re.compile(r"[^/]*//([^/@]*)@")
_COOKIE = re.compile(r"\s*[^=;]+=([^;]*)")
_SET_COOKIE = re.compile(r"set-cookie2?['\"], b?['\"]([^'\"]*)", re.IGNORECASE)
_HEADER_PAIR = re.compile(
    r"(\(b?['\"](?:set-cookie2?|cookie|authorization|openai-[\w-]+)['\"], b?)(['\"]).*?\2", re.IGNORECASE
)
# The loggers of the HTTP client that name headers and addresses; a filter acts only on the logger it is put on.
_LOGGERS = ("httpx2", *(f"httpcore2.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")))


class Redactor:
    """Replaces every known secret by a mark; thread-safe.

    Args:
        secrets: values to hide; those shorter than 8 characters are left alone.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._lock = Lock()
        self._secrets: frozenset[str] = frozenset()
        self._pattern: re.Pattern[str] | None = None
        self.learn(secrets)

    @classmethod
    def of_environment(cls, base_url: str | None, environ: Mapping[str, str] = os.environ) -> Redactor:
        """What the client reads from the environment, and what a base URL carries before its ``@``."""
        secrets = [environ.get(name, "") for name in _SECRET_VARIABLES]
        headers = environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
        secrets += [line.partition(":")[2] for line in headers]
        for url in (base_url, environ.get("OPENAI_BASE_URL")):
            if found := _USER_INFO.match(url or ""):
                secrets += [form for part in found[1].split(":", 1) for form in (part, unquote(part))]
        return cls(secrets)

    def learn(self, secrets: Iterable[str]) -> None:
        """Hides further values from now on."""
        with self._lock:
            known = self._secrets.union(secret.strip() for secret in secrets)
            known = frozenset(secret for secret in known if len(secret) >= _SHORTEST_SECRET)
            if known != self._secrets:
                self._secrets = known
                # The longest first: one secret may begin like another.
                longest_first = sorted(known, key=lambda secret: (-len(secret), secret))
                self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def learn_cookies(self, set_cookie_headers: Iterable[str]) -> None:
        """Hides the values of cookies that a server sets, which it may well repeat in a body."""
        self.learn(match[1].strip('" ') for header in set_cookie_headers if (match := _COOKIE.match(header)))

    def text(self, text: str) -> str:
        """The text without secrets."""
        return text if self._pattern is None else self._pattern.sub(REDACTED, text)

    def json(self, value: Any) -> Any:
        """A JSON value without secrets, and without lone surrogates, which no file can hold."""
        match value:
            case str():
                return self.text(value.encode("utf-8", "replace").decode("utf-8"))
            case list():
                return [self.json(item) for item in value]
            case dict():
                return {self.json(key): self.json(item) for key, item in value.items()}
            case _:
                return value


class LogRedaction(logging.Filter):
    """Keeps secrets out of the debug log of the HTTP client, which names every header of a response."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrites the record; drops none."""
        message = record.getMessage()
        # The log is written before the client hands over the response: its cookies are news here.
        self._redactor.learn_cookies(_SET_COOKIE.findall(message))
        message = _HEADER_PAIR.sub(rf"\1\2{REDACTED}\2", message)
        record.msg, record.args = self._redactor.text(message), ()
        return True

    def install(self) -> None:
        """Starts to filter."""
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def remove(self) -> None:
        """Stops to filter."""
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)
