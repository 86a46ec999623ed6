"""One client to one server, built at the first call that needs it, shared by all models and threads of a process."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import TYPE_CHECKING, Any

from pytest_autoeval.models.base import ConfigurationError, ModelError
from pytest_autoeval.models.digest import EMBEDDINGS, Route
from pytest_autoeval.models.redaction import LogRedaction, Redactor
from pytest_autoeval.models.servers import Server, is_loopback, is_openai, shown_url
from pytest_autoeval.models.settings import ModelSettings
from pytest_autoeval.models.state import RunState
from pytest_autoeval.models.throttle import Pace

if TYPE_CHECKING:
    import httpx2
    import openai

_REACHED = "reached"


class Connection:
    """The way to one OpenAI-compatible server; thread-safe.

    Args:
        server: where it is.
        settings: timeouts and retries.
        pace: waited for before every request, retries too.
        redactor: hides secrets in what the server says, and learns its cookies.
        state: where the workers note that the server was reached.
    """

    def __init__(
        self, server: Server, settings: ModelSettings, *, pace: Pace, redactor: Redactor, state: RunState
    ) -> None:
        self._server = server
        self._settings = settings
        self._pace = pace
        self._redactor = redactor
        self._state = state
        self._lock = Lock()
        self._client: openai.OpenAI | None = None
        self._reached = False
        self._log_redaction = LogRedaction(redactor)

    def ask(self, route: Route, body: Mapping[str, Any], *, model: str, is_schema_ours: bool = False) -> bytes:
        """The body of the response to a request; ``model`` is the name by which messages speak of it.

        Raises :class:`ConfigurationError` where no request can succeed, :class:`CallError` where this one did not,
        :class:`StructuredOutputsUnsupportedError` where the server does not take the request's schema, which
        ``is_schema_ours`` says can be done without.
        """
        import httpx2
        import openai

        try:
            response = self._post(route, body)
        except openai.APIStatusError as error:
            self._note_reached()
            failure = self._failure(error, body, model, is_schema_ours=is_schema_ours)
        except (openai.OpenAIError, httpx2.InvalidURL, RuntimeError, ValueError) as error:
            failure = self._failure(error, body, model)
        else:
            self._note_reached()
            return response.content
        # Raised outside the handler: the client's own error may carry what the server repeated of a secret.
        raise failure

    def close(self) -> None:
        """Closes the client and stops a server of ours."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None
                self._log_redaction.remove()
            self._server.close()

    def _post(self, route: Route, body: Mapping[str, Any]) -> httpx2.Response:
        wire = dict(body)
        if route == EMBEDDINGS:
            model, texts = wire.pop("model"), wire.pop("input")
            embeddings = self._open().embeddings.with_raw_response
            return embeddings.create(model=model, input=texts, extra_body=wire).http_response
        if is_openai(self._server.url()) and "max_tokens" in wire:
            # OpenAI's newer models refuse the old name; most other servers do not know the new one.
            wire["max_completion_tokens"] = wire.pop("max_tokens")
        model, messages = wire.pop("model"), wire.pop("messages")
        completions = self._open().chat.completions.with_raw_response
        return completions.create(model=model, messages=messages, extra_body=wire).http_response

    def _open(self) -> openai.OpenAI:
        import openai

        with self._lock:
            if self._client is None:
                url, key = self._server.url(), self._server.key()
                if key is None and is_openai(url):
                    raise ConfigurationError(
                        "OPENAI_API_KEY is not set: set it, name another server with --autoeval-base-url, "
                        "or use an offline model such as --autoeval-model=offline/faithful"
                    )
                transport = openai.DefaultHttpxClient(
                    timeout=self._settings.timeout,
                    trust_env=not is_loopback(url),
                    event_hooks={"request": [self._before_request], "response": [self._after_response]},
                )
                self._client = openai.OpenAI(
                    base_url=url,
                    api_key=key or "no-key",  # servers of one's own often want none, the client wants one
                    timeout=self._settings.timeout,
                    max_retries=self._settings.max_retries,
                    http_client=transport,
                )
                self._log_redaction.install()
            return self._client

    def _before_request(self, request: httpx2.Request) -> None:
        del request
        self._pace.wait()

    def _after_response(self, response: httpx2.Response) -> None:
        self._redactor.learn_cookies(response.headers.get_list("set-cookie"))
        if _seconds(response.headers.get("retry-after", "")) > self._settings.max_retry_wait:
            response.headers["x-should-retry"] = "false"  # the client obeys this before the wait

    def _failure(
        self, error: Exception, body: Mapping[str, Any], model: str, *, is_schema_ours: bool = False
    ) -> ModelError:
        from pytest_autoeval.models.failures import Asked

        asked = Asked(
            model=model,
            address=shown_url(self._server.url()),
            body=body,
            is_schema_ours=is_schema_ours,
            has_key=self._server.key() is not None,
            was_reached=bool(self._state.read(_REACHED)),
            redactor=self._redactor,
        )
        return asked.failure(error)

    def _note_reached(self) -> None:
        if not self._reached:
            self._state.update(_REACHED, lambda _: {"reached": True})
            self._reached = True


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
