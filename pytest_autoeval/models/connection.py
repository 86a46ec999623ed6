"""One client to one server, built at the first call that needs it, shared by all models and threads of a process."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_autoeval.models.base import ConfigurationError, ModelError
from pytest_autoeval.models.digest import EMBEDDINGS, Route
from pytest_autoeval.models.limits import Pace, RunState
from pytest_autoeval.models.redaction import LogRedaction, Redactor
from pytest_autoeval.models.settings import ModelSettings, ServerCall

if TYPE_CHECKING:
    import httpx2
    import openai

_OPENAI_HOST = "api.openai.com"
_REACHED = "reached"


@dataclass(kw_only=True, eq=False)
class Connection:
    """The way to one OpenAI-compatible server; thread-safe.

    Args:
        url: its base URL, asked for at the first call: a server of ours is started then.
        key: the key to send, None where the user set none.
        settings: timeouts and retries.
        pace: waited for before every request, retries too.
        redactor: hides secrets in what the server says, and learns its cookies.
        state: where the workers note that the server was reached.
    """

    url: Callable[[], str]
    key: Callable[[], str | None]
    settings: ModelSettings
    pace: Pace
    redactor: Redactor
    state: RunState

    def __post_init__(self) -> None:
        self._lock = Lock()
        self._url = ""
        self._client: openai.OpenAI | None = None
        self._reached = False
        self._log_redaction = LogRedaction(self.redactor)

    def ask(self, call: ServerCall) -> bytes:
        """The body of the response to a request.

        Raises :class:`ConfigurationError` where no request can succeed, :class:`CallError` where this one did not,
        :class:`StructuredOutputsUnsupportedError` where the server does not take a schema that we can do without.
        """
        import httpx2
        import openai

        try:
            response = self._post(call.route, dict(call.body))
        except openai.APIStatusError as error:
            self._note_reached()
            failure = self._failure(error, call)
        except (openai.OpenAIError, httpx2.InvalidURL, RuntimeError, ValueError) as error:
            failure = self._failure(error, call)
        else:
            self._note_reached()
            return response.content
        # Raised outside the handler: the client's own error may carry what the server repeated of a secret.
        raise failure

    def close(self) -> None:
        """Closes the client."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None
                self._log_redaction.remove()

    def _post(self, route: Route, body: dict[str, Any]) -> httpx2.Response:
        client, model = self._open(), body.pop("model")
        if route == EMBEDDINGS:
            embeddings = client.embeddings.with_raw_response
            return embeddings.create(model=model, input=body.pop("input"), extra_body=body).http_response
        if _host(self._url) == _OPENAI_HOST and "max_tokens" in body:
            # OpenAI's newer models refuse the old name; most other servers do not know the new one.
            body["max_completion_tokens"] = body.pop("max_tokens")
        completions = client.chat.completions.with_raw_response
        return completions.create(model=model, messages=body.pop("messages"), extra_body=body).http_response

    def _open(self) -> openai.OpenAI:
        import openai

        with self._lock:
            if self._client is None:
                self._url, key = self.url(), self.key()
                if key is None and _host(self._url) == _OPENAI_HOST:
                    raise ConfigurationError(
                        "OPENAI_API_KEY is not set: set it, name another server with --autoeval-base-url, "
                        "or use an offline model such as --autoeval-model=offline/faithful"
                    )
                transport = openai.DefaultHttpxClient(
                    timeout=self.settings.timeout,
                    trust_env=not _is_loopback(self._url),
                    event_hooks={"request": [lambda _: self.pace.wait()], "response": [self._after_response]},
                )
                self._client = openai.OpenAI(
                    base_url=self._url,
                    api_key=key or "no-key",  # servers of one's own often want none, the client wants one
                    timeout=self.settings.timeout,
                    max_retries=self.settings.max_retries,
                    http_client=transport,
                )
                self._log_redaction.install()
            return self._client

    def _after_response(self, response: httpx2.Response) -> None:
        self.redactor.learn_cookies(response.headers.get_list("set-cookie"))
        if _seconds(response.headers.get("retry-after", "")) > self.settings.max_retry_wait:
            response.headers["x-should-retry"] = "false"  # the client obeys this before the wait

    def _failure(self, error: Exception, call: ServerCall) -> ModelError:
        from pytest_autoeval.models.failures import Failed

        return Failed(
            call=call,
            address=shown_url(self._url),
            has_key=self.key() is not None,
            was_reached=bool(self.state.read(_REACHED)),
            redactor=self.redactor,
        ).failure(error)

    def _note_reached(self) -> None:
        if not self._reached:
            self.state.update(_REACHED, lambda _: {"reached": True})
            self._reached = True


def user_url(base_url: str | None) -> str:
    """The server of ``--autoeval-base-url``, else of ``OPENAI_BASE_URL``, else OpenAI's, as the client reads them."""
    return base_url or os.environ.get("OPENAI_BASE_URL") or f"https://{_OPENAI_HOST}/v1"


def user_key() -> str | None:
    """The user's key, as the client would read it."""
    return os.environ.get("OPENAI_API_KEY", "").strip() or None


def shown_url(url: str) -> str:
    """A base URL as messages show it: without a user name and password."""
    head, separator, rest = url.partition("//")
    authority, slash, path = rest.partition("/")
    return f"{head}{separator}{authority.rpartition('@')[2]}{slash}{path}" if separator else url


def _is_loopback(url: str) -> bool:
    """Whether a base URL is on this machine, where a proxy must not be asked."""
    host = _host(url)
    return host in {"localhost", "::1"} or host.startswith("127.")


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # the client will say what is wrong with it
        return ""


def _seconds(retry_after: str) -> float:
    """How long a Retry-After header asks to wait: a number of seconds or a date; 0 for anything else."""
    try:
        return float(retry_after)
    except ValueError:
        pass
    try:
        return (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return 0.0
