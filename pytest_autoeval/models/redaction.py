"""Removes secrets from everything that is written or shown: answers, recordings, error messages, debug logs."""

from __future__ import annotations

import json
import logging
import os
import re
import traceback
from base64 import b64encode
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, unquote

import msgspec

from pytest_autoeval.lazy_pattern import lazy_pattern

REDACTED = "[REDACTED]"

_SECRET_VARIABLES = (
    "OPENAI_API_KEY",
    "OPENAI_ADMIN_KEY",
    "OPENAI_ORG_ID",
    "OPENAI_PROJECT_ID",
    "OPENAI_WEBHOOK_SECRET",
)
#: A secret so long or varied that no text contains it by chance. Keys such as EMPTY, none, ollama or 1 are not secret,
#: and hiding them would garble English text and formulas.
_STRONG_SECRET = lazy_pattern(r"(?s).{8,}|(?=.*[A-Za-z])(?=.*[\d:]).{4,}")
#: The shortest encoded form that no text contains by chance.
_SHORTEST_FORM = 8
#: Number of cookies to hide.
_MAX_COOKIES = 100
_USER_INFO = lazy_pattern(r"//([^/?#\s'\"]*)@")
#: With a bound, so that the search takes linear time in texts from strangers.
_QUERY = lazy_pattern(r"(?<=://)([^\s'\"?#]{1,2000}\?)[^\s'\"#]*")
#: Names of request parameters and headers whose values are secrets or mappings with secrets.
_SECRET_NAME = lazy_pattern(
    r"(^|api|access|auth|secret|private|subscription)[_-]?keys?$|headers?$|query$|"
    r"(secret|token|password|passwd|authorization|credential|cookie)s?$",
    re.IGNORECASE,
)
#: Names of environment variables that usually hold a provider's secret.
_SECRET_VARIABLE = lazy_pattern(r"(^|_)(API)?(KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)S?(_|$)")
_COOKIE = lazy_pattern(r"\s*[^=;]+=([^;]*)")
_SET_COOKIE = lazy_pattern(r"set-cookie2?['\"], b?['\"]([^'\"]*)", re.IGNORECASE)
_HEADER_PAIR = lazy_pattern(r"(\(b?(['\"])[\w-]+\2, b?)(['\"])(?:\\.|(?!\3)[^\\])*\3")
#: The keys of a response whose values are the model's answer, and all keys that the protocol defines.
_ANSWER_KEYS = frozenset({"content", "refusal", "finish_reason", "role", "embedding", "model"})
_PROTOCOL_KEYS = _ANSWER_KEYS | {
    "choices",
    "message",
    "data",
    "index",
    "error",
    "usage",
    "type",
    "text",
}
_TRANSPORT_LOGGERS = ("connection", "http11", "http2", "proxy", "socks")
# The loggers of LiteLLM and its clients, which log headers and addresses; our own client does not. A filter acts only
# on the logger that it is added to.
_LOGGERS = (
    *("LiteLLM", "openai._base_client", "httpx", "httpx2"),
    *(f"httpcore.{logger}" for logger in _TRANSPORT_LOGGERS),
    *(f"httpcore2.{logger}" for logger in _TRANSPORT_LOGGERS),
)

_encode_json = json.JSONEncoder(ensure_ascii=False).encode


class Redactor:
    """Replaces every known secret by ``[REDACTED]``, also if it is encoded for a URL, in Base64 or in JSON.

    A secret is weak if a text may contain it by chance. It is strong if it has at least 8 characters, or at least 4
    with a letter and a digit or colon. A weak secret is left in a model's answer and hidden elsewhere. Redactors are
    thread-safe.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._lock = Lock()
        self._secrets: frozenset[str] = frozenset()
        #: Bounded, because a server may set a new cookie with each answer.
        self._cookies: deque[str] = deque(maxlen=_MAX_COOKIES)
        #: Texts to hide anywhere, and texts to hide as whole words. The longest come first, since a short text may
        #: begin a longer one.
        self._forms: tuple[str, ...] = ()
        self._words: tuple[str, ...] = ()
        #: Both as they stand in JSON.
        self._forms_in_json: tuple[str, ...] = ()
        self._words_in_json: tuple[str, ...] = ()
        self.learn(secrets)

    @classmethod
    def of_run(
        cls,
        base_url: str | None,
        parameters: Mapping[str, Any],
        environ: Mapping[str, str] = os.environ,
    ) -> Redactor:
        """Hides the secrets of the environment, of URLs, and of request parameters."""
        secrets = [environ.get(name, "") for name in _SECRET_VARIABLES]
        headers = environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
        secrets += [line.partition(":")[2] for line in headers]
        proxies = [value for name, value in environ.items() if name.upper().endswith("_PROXY")]
        for url in filter(None, (base_url, environ.get("OPENAI_BASE_URL"), *proxies)):
            match = _USER_INFO.search(url)
            if match:
                # "user:password", and each of both.
                credentials = [
                    match[1],
                    *match[1].split(":", 1),
                ]
                secrets += [*credentials, *map(unquote, credentials)]
            secrets += [value for _, value in parse_qsl(url.partition("?")[2])]
        masked(parameters, secrets=secrets)
        return cls(secrets)

    def learn(self, secrets: Iterable[str]) -> None:
        """Hides further values, and each line of them."""
        with self._lock:
            self._secrets = self._secrets.union(_with_lines(secrets))
            self._prepare()

    def learn_cookies(self, set_cookie_headers: Iterable[str]) -> None:
        """Hides the values of cookies that a server sets, which it may repeat in a body; only the last 100."""
        matches = filter(None, map(_COOKIE.match, set_cookie_headers))
        values = _with_lines(match[1].strip('" ') for match in matches)
        with self._lock:
            # A cookie that is known needs no new forms of all secrets.
            fresh = values.difference(self._secrets, self._cookies)
            if fresh:
                self._cookies.extend(fresh)
                self._prepare()

    def _prepare(self) -> None:
        secrets = self._secrets.union(self._cookies)
        strong = {secret for secret in secrets if _STRONG_SECRET.fullmatch(secret)}
        encoded: set[str] = set()
        for secret in secrets:  # also of weak ones: in Base64 they are long
            encoded.update(form for form in _encoded(secret) if len(form) >= _SHORTEST_FORM)
        self._forms = tuple(sorted(strong | encoded, key=len, reverse=True))
        self._words = tuple(sorted(secrets - strong, key=len, reverse=True))
        self._forms_in_json = tuple(map(_in_json, self._forms))
        self._words_in_json = tuple(map(_in_json, self._words))

    def text(self, text: str) -> str:
        """The text without strong secrets."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, REDACTED)
        return text

    def message(self, text: str) -> str:
        """A text that no model wrote, without any secret. Weak secrets are hidden only where they are whole words."""
        text = self.text(text)
        for word in self._words:
            if word in text:
                text = re.sub(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", REDACTED, text)
        return text

    def json(self, value: Any, *, weak: bool = False) -> Any:
        """A JSON value without secrets, and without lone surrogates, which no file can hold.

        ``weak``: the value is a response; weak secrets are hidden too, except in the answer. Returns the value itself
        if nothing is replaced.
        """
        # One search of the whole text is much faster than one of each string in it, and finds nothing in most. msgspec
        # writes strings as `json` does, in a fifth of the time.
        try:
            written = msgspec.json.encode(value).decode()
        except (TypeError, ValueError):  # such as for a lone surrogate
            return self._replaced(value, weak=weak)
        sought = self._forms_in_json
        if weak:
            sought += self._words_in_json
        if any(form in written for form in sought):
            return self._replaced(value, weak=weak)
        return value

    def _replaced(self, value: Any, *, weak: bool) -> Any:
        match value:
            case str():
                text = value.encode("utf-8", "replace").decode("utf-8")
                return self.message(text) if weak else self.text(text)
            case list():
                return [self._replaced(item, weak=weak) for item in value]
            case dict():
                replaced = {}
                for name, item in value.items():
                    new_name = self._replaced(name, weak=weak and name not in _PROTOCOL_KEYS)
                    replaced[new_name] = self._replaced(
                        item, weak=weak and name not in _ANSWER_KEYS
                    )
                return replaced
        return value


def masked(parameters: Any, *, secret: bool = False, secrets: list[str] | None = None) -> Any:
    """The parameters of a request, with ``[REDACTED]`` for each string under a secret name, at any depth.

    ``secret``: the parameters are already under a secret name. ``secrets`` collects the masked strings.
    """
    match parameters:
        case str() if secret:
            if secrets is not None:
                secrets.append(parameters)
            return REDACTED
        case list():
            return [masked(item, secret=secret, secrets=secrets) for item in parameters]
        case Mapping():
            items = {}
            for name, item in parameters.items():
                is_secret = secret or _SECRET_NAME.search(name) is not None
                items[name] = masked(item, secret=is_secret, secrets=secrets)
            return items
    return parameters


def secrets_of_environment(environ: Mapping[str, str] = os.environ) -> list[str]:
    """The values of all variables with the name of a secret, except those that a text may contain by chance."""
    secrets = [value for name, value in environ.items() if _SECRET_VARIABLE.search(name)]
    return [secret for secret in secrets if len(secret) >= _SHORTEST_FORM]


def shown_url(url: str) -> str:
    """A URL, or a text with URLs, without user names, passwords and queries."""
    return _QUERY.sub(lambda match: f"{match[1]}…", _USER_INFO.sub("//", url))


def _with_lines(secrets: Iterable[str]) -> set[str]:
    """The secrets and each of their lines: a key of several lines may be shown in part."""
    texts: set[str] = set()
    for secret in secrets:
        texts.update(map(str.strip, (secret, *secret.splitlines())))
    return texts - {""}


def _in_json(text: str) -> str:
    return _encode_json(text)[1:-1]


def _encoded(secret: str) -> Iterator[str]:
    """A secret in a URL, in strings of JSON and Python, and in Base64, also in the middle of other bytes."""
    content = secret.encode("utf-8", "surrogatepass")
    yield from (quote(content), quote(content, safe=""), quote_plus(content))
    yield from (json.dumps(secret)[1:-1], _in_json(secret), repr(secret)[1:-1])
    # Base64 writes three bytes as four characters, so a secret in other bytes has one of three forms. Their first and
    # last characters depend on the neighbouring bytes: two characters after one other byte, three after two.
    for bytes_before, start in ((0, 0), (1, 2), (2, 3)):
        encoded = b64encode(bytes(bytes_before) + content).decode()
        end = (bytes_before + len(content)) * 8 // 6
        for form in (encoded[start:end], encoded[start:]):
            yield form
            yield form.replace("+", "-").replace("/", "_")  # the alphabet for URLs


class LogRedaction(logging.Filter):
    """Removes secrets from the logs of LiteLLM's clients, which show every header of a response and every URL."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        # The client logs a response before it returns it: its cookies are still unknown.
        self._redactor.learn_cookies(_SET_COOKIE.findall(message))
        if record.exc_info and record.exc_info[0] is not None:
            message += "\n" + "".join(traceback.format_exception(*record.exc_info)).rstrip()
            record.exc_info = None
        message = shown_url(_HEADER_PAIR.sub(rf"\1\3{REDACTED}\3", message))
        record.msg, record.args = self._redactor.message(message), ()
        return True

    def install(self) -> None:
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def remove(self) -> None:
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)
