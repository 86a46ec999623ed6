"""Secrets out of everything that is written or shown: answers, recordings, error messages, debug logs."""

from __future__ import annotations

import json
import logging
import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, unquote

REDACTED = "[REDACTED]"

_SECRET_VARIABLES = (
    "OPENAI_API_KEY",
    "OPENAI_ADMIN_KEY",
    "OPENAI_ORG_ID",
    "OPENAI_PROJECT_ID",
    "OPENAI_WEBHOOK_SECRET",
)
#: A secret that no text has by chance. Keys such as EMPTY, none, ollama or 1 keep nothing secret, and hiding them would
#: garble English text and formulas.
_STRONG = re.compile(r"(?s).{8,}|(?=.*[A-Za-z])(?=.*[\d:]).{4,}")
#: The shortest encoded form that no text has by chance.
_SHORTEST_FORM = 8
_USER_INFO = re.compile(r"//([^/?#\s'\"]*)@")
_QUERY = re.compile(r"(?<=://)([^\s'\"?#]{1,2000}\?)[^\s'\"#]*")
#: The names of parameters, or of headers in them, whose values are secrets, and of those that hold only such values.
_SECRET_NAME = re.compile(
    r"(^|api|access|auth|secret|private|subscription)[_-]?keys?$|headers?$|query$|"
    r"(secret|token|password|passwd|authorization|credential|cookie)s?$",
    re.IGNORECASE,
)
_COOKIE = re.compile(r"\s*[^=;]+=([^;]*)")
_SET_COOKIE = re.compile(r"set-cookie2?['\"], b?['\"]([^'\"]*)", re.IGNORECASE)
_HEADER_PAIR = re.compile(r"(\(b?(['\"])[\w-]+\2, b?)(['\"])(?:\\.|(?!\3)[^\\])*\3")
#: The members of a response that are the answer, and the names of those around it.
_ANSWER = frozenset({"content", "refusal", "finish_reason", "role", "embedding", "model"})
_AROUND = frozenset({"choices", "message", "data", "index", "error", "usage", "type", "text"})
# The loggers of the HTTP client that name headers and addresses; a filter acts only on the logger it is put on.
_LOGGERS = ("httpx2", *(f"httpcore2.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")))


class Redactor:
    """Replaces every known secret by a mark, also where it is encoded for a URL, in Base64 or in JSON; thread-safe.

    A secret is weak that is shorter than 8 characters, unless it has 4 and more with letters and digits: texts may have
    it by chance. So a model's answer keeps it, and nothing else.

    Args:
        secrets: values to hide.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._lock = Lock()
        self._secrets: frozenset[str] = frozenset()
        #: The forms of strong secrets: a look for each is faster than one for their pattern.
        self._forms: tuple[str, ...] = ()
        self._strong = self._any = _pattern((), ())
        self.learn(secrets)

    @classmethod
    def of_run(
        cls, base_url: str | None, parameters: Mapping[str, Any], environ: Mapping[str, str] = os.environ
    ) -> Redactor:
        """What the client reads from the environment, what a base URL carries beside the address, and parameters."""
        secrets = [environ.get(name, "") for name in _SECRET_VARIABLES]
        headers = environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
        secrets += [line.partition(":")[2] for line in headers]
        for url in filter(None, (base_url, environ.get("OPENAI_BASE_URL"))):
            if found := _USER_INFO.search(url):
                secrets += [form for part in (found[1], *found[1].split(":", 1)) for form in (part, unquote(part))]
            secrets += [value for _, value in parse_qsl(url.partition("?")[2])]
        return cls([*secrets, *_secrets_in(parameters)])

    def learn(self, secrets: Iterable[str]) -> None:
        """Hides further values from now on, and each line of them."""
        found = {part.strip() for secret in secrets for part in (secret, *secret.splitlines())} - {""}
        with self._lock:
            if found <= self._secrets:
                return
            self._secrets = self._secrets | found
            strong = {secret for secret in self._secrets if _STRONG.fullmatch(secret)}
            forms = {form for secret in self._secrets for form in _forms(secret)}
            forms = strong | {form for form in forms if len(form) >= _SHORTEST_FORM}
            # The longest first: one secret may begin like another.
            self._forms = tuple(sorted(forms, key=len, reverse=True))
            self._strong = _pattern(self._forms, ())
            self._any = _pattern(self._forms, sorted(self._secrets - strong, key=len, reverse=True))

    def learn_cookies(self, set_cookie_headers: Iterable[str]) -> None:
        """Hides the values of cookies that a server sets, which it may well repeat in a body."""
        self.learn(match[1].strip('" ') for header in set_cookie_headers if (match := _COOKIE.match(header)))

    def text(self, text: str) -> str:
        """The text without secrets, but for weak ones."""
        return self._strong.sub(REDACTED, text) if any(form in text for form in self._forms) else text

    def message(self, text: str) -> str:
        """The text, which is no answer of a model, without any secret; a weak one is hidden where it is a word."""
        return self._any.sub(REDACTED, text)

    def json(self, value: Any, *, weak: bool = False) -> Any:
        """A JSON value without secrets, and without lone surrogates, which no file can hold.

        With ``weak`` it is a response, in which weak secrets are left in the answer alone.
        """
        match value:
            case str():
                text = value.encode("utf-8", "replace").decode("utf-8")
                return self.message(text) if weak else self.text(text)
            case list():
                return [self.json(item, weak=weak) for item in value]
            case dict():
                return {
                    self.json(name, weak=weak and name not in _ANSWER | _AROUND): self.json(
                        item, weak=weak and name not in _ANSWER
                    )
                    for name, item in value.items()
                }
            case _:
                return value


def masked(parameters: Any) -> Any:
    """Parameters of a request, with a mark for each text whose name, or that of a table around it, names a secret."""
    if isinstance(parameters, Mapping):
        return {
            name: _blank(value) if _SECRET_NAME.search(name) else masked(value) for name, value in parameters.items()
        }
    return [masked(value) for value in parameters] if isinstance(parameters, list) else parameters


def shown_url(url: str) -> str:
    """A URL as messages show it, or a text with URLs: without user name, password and query."""
    return _QUERY.sub(lambda match: f"{match[1]}…", _USER_INFO.sub("//", url))


def _blank(value: Any) -> Any:
    match value:
        case str():
            return REDACTED
        case list():
            return [_blank(item) for item in value]
        case Mapping():
            return {name: _blank(item) for name, item in value.items()}
        case _:
            return value


def _secrets_in(value: Any, *, below: bool = False) -> Iterator[str]:
    """The texts that :func:`masked` hides."""
    match value:
        case str() if below:
            yield value
        case list():
            for item in value:
                yield from _secrets_in(item, below=below)
        case Mapping():
            for name, item in value.items():
                yield from _secrets_in(item, below=below or _SECRET_NAME.search(name) is not None)


def _pattern(anywhere: Iterable[str], words: Iterable[str]) -> re.Pattern[str]:
    """Finds texts anywhere, and others as words."""
    parts = [*map(re.escape, anywhere), *(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])" for word in words)]
    return re.compile("|".join(parts) or r"(?!)")


def _forms(secret: str) -> Iterator[str]:
    """A secret as it is, in a URL, in texts of JSON and Python, and in Base64, also amid other bytes."""
    yield secret
    yield from (quote(secret), quote(secret, safe=""), quote_plus(secret))
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1])
    content = secret.encode("utf-8", "surrogateescape")
    for before in range(3):
        encoded = b64encode(bytes(before) + content).decode()
        # The signs at both ends hang on the bytes beside.
        inner = encoded[(0, 2, 3)[before] : (before + len(content)) * 8 // 6]
        whole = () if before else (encoded,)
        for form in (inner, *whole):
            yield from (form, form.replace("+", "-").replace("/", "_"))


class LogRedaction(logging.Filter):
    """Keeps secrets out of the debug log of the HTTP client, which names every header of a response and every URL."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrites the record; drops none."""
        message = record.getMessage()
        # The log is written before the client hands over the response: its cookies are news here.
        self._redactor.learn_cookies(_SET_COOKIE.findall(message))
        message = shown_url(_HEADER_PAIR.sub(rf"\1\3{REDACTED}\3", message))
        record.msg, record.args = self._redactor.message(message), ()
        return True

    def install(self) -> None:
        """Starts to filter."""
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def remove(self) -> None:
        """Stops to filter."""
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)
