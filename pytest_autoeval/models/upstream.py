"""The servers of a run, asked within its limits: the user's own, and the offline models' on this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from threading import Event, Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_autoeval.models.base import (
    CallError,
    ConfigurationError,
    Reply,
    StructuredOutputsUnsupportedError,
)
from pytest_autoeval.models.limits import Budget, Pace, RunState, Slots
from pytest_autoeval.models.names import is_offline
from pytest_autoeval.models.recording import folder_of
from pytest_autoeval.models.redaction import LogRedaction, Redactor
from pytest_autoeval.models.responses import decode
from pytest_autoeval.models.settings import EMBEDDINGS, ModelSettings, Route, ServerCall

if TYPE_CHECKING:
    import httpx2
    import openai

    from pytest_autoeval.models.offline.answer_key import AnswerKey

_OPENAI_HOST = "api.openai.com"
_REACHED = "reached"


class Upstream:
    """The servers, for all models and threads of a process; nothing is connected or started until a call needs it.

    Args:
        settings: those of the run.
        answer_key: what the offline models know of given sentences.
    """

    def __init__(self, settings: ModelSettings, answer_key: AnswerKey | None) -> None:
        self.settings = settings
        self.state = RunState(settings.state_dir)
        self.redactor = Redactor.of_environment(settings.base_url)
        self.stop = Event()
        self._answer_key = answer_key
        self._slots = Slots(settings.concurrency, settings.state_dir, self.stop)
        self._budget = Budget(settings.max_calls, settings.max_cost, self.state)
        # The user's server and key, as the client would read them.
        self._remote = Connection(
            lambda: settings.base_url or os.environ.get("OPENAI_BASE_URL") or f"https://{_OPENAI_HOST}/v1",
            lambda: os.environ.get("OPENAI_API_KEY", "").strip() or None,
            self,
        )
        # Some key: the user's own has no business there.
        self._offline = Connection(self._start_offline_server, lambda: "offline", self)
        self._at_end = ExitStack()
        self._at_end.callback(self._remote.close)
        self._at_end.callback(self._offline.close)

    def ask(self, call: ServerCall, read: Callable[[Any], Reply]) -> tuple[Any, Reply]:
        """The server's decoded response to a call, and what it says, with its cost (None if unknown) and seconds.

        ``read`` raises :class:`CallError` where a response says nothing. Raises :class:`ModelError`; after a
        :class:`ConfigurationError` no call of this model is made in this run. A schema that was refused is not sent
        again: schemas are remembered by name, for a server that does without one may take another.
        """
        failed, refused = f"failed-{folder_of(call.model)}", f"unstructured-{folder_of(call.model)}"
        if call.schema is not None and (refusal := self.state.read(refused).get(call.schema)) is not None:
            raise StructuredOutputsUnsupportedError(refusal)
        try:
            with self._slots.slot():
                return self._asked(call, read, self.state.read(failed).get("message"))
        except ConfigurationError as error:
            message = str(error)
            self.state.update(failed, lambda _: {"message": message})
            raise
        except StructuredOutputsUnsupportedError as error:
            message = str(error)
            self.state.update(refused, lambda earlier: {call.schema or "": message, **earlier})
            raise

    def close(self) -> None:
        """Wakes all who wait for their turn with a :class:`CallError`, closes the clients, stops the offline server."""
        self.stop.set()
        self._at_end.close()

    def _start_offline_server(self) -> str:
        from pytest_autoeval.models.offline.server import OfflineServer

        server = OfflineServer(answer_key=self._answer_key)
        self._at_end.callback(server.stop)
        return server.start()

    def _asked(self, call: ServerCall, read: Callable[[Any], Reply], known_problem: str | None) -> tuple[Any, Reply]:
        if known_problem is not None:  # one clear line for a run, not one wait for each sample
            raise ConfigurationError(known_problem)
        limits_cost = self.settings.max_cost is not None
        if limits_cost and call.price is None:
            raise ConfigurationError(
                f"--autoeval-max-cost needs the price of {call.model}: add --autoeval-price={call.model}=INPUT/OUTPUT, "
                "in USD for a million tokens"
            )
        self._budget.reserve()
        cost: float | None = None
        started = perf_counter()
        try:
            response = (self._offline if is_offline(call.model) else self._remote).ask(call)
            seconds = perf_counter() - started
            try:
                payload = decode(response, self.redactor)
                reply = read(payload)
            except CallError as error:
                raise CallError(f"{call.model}: {error}") from None
            if call.price is not None:
                cost = call.price.of(reply.prompt_tokens, reply.completion_tokens)
        finally:
            self._budget.settle(cost or 0.0)
        if limits_cost and cost is None:
            raise ConfigurationError(
                f"{call.model}: the server reports no token counts, so --autoeval-max-cost cannot be kept; "
                "limit the run with --autoeval-max-calls"
            )
        return payload, replace(reply, cost=cost, seconds=seconds)


class Connection:
    """The client of one OpenAI-compatible server, for all models and threads of a process.

    Args:
        url: its base URL, asked for at the first call: a server of ours is started then.
        key: the key to send, None where the user set none.
        upstream: the settings, the redactor and the state of the run.
    """

    def __init__(self, url: Callable[[], str], key: Callable[[], str | None], upstream: Upstream) -> None:
        self._find_url = url
        self._key = key
        self._settings = upstream.settings
        self._redactor = upstream.redactor
        self._state = upstream.state
        self._pace = Pace(self._settings.rpm, self._state, upstream.stop)
        self._lock = Lock()
        self._url = ""
        self._client: openai.OpenAI | None = None
        self._reached = False
        self._log_redaction = LogRedaction(self._redactor)

    def ask(self, call: ServerCall) -> bytes:
        """The body of the response to a request.

        Raises :class:`ConfigurationError` where no request can succeed, :class:`CallError` where this one did not,
        :class:`StructuredOutputsUnsupportedError` where the server does not take a schema that we can do without.
        """
        import httpx2
        import openai

        from pytest_autoeval.models.failures import Failed

        try:
            return self._post(call.route, dict(call.body)).content
        except (openai.OpenAIError, httpx2.InvalidURL, RuntimeError, ValueError) as error:
            failure = Failed(
                call=call,
                address=shown_url(self._url),
                has_key=self._key() is not None,
                was_reached=bool(self._state.read(_REACHED)),
                redactor=self._redactor,
            ).failure(error)
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
                self._url, key = self._find_url(), self._key()
                host = _host(self._url)
                is_loopback = host in {"localhost", "::1"} or host.startswith("127.")
                if key is None and host == _OPENAI_HOST:
                    raise ConfigurationError(
                        "OPENAI_API_KEY is not set: set it, name another server with --autoeval-base-url, "
                        "or use an offline model such as --autoeval-model=offline/faithful"
                    )
                transport = openai.DefaultHttpxClient(
                    timeout=self._settings.timeout,
                    trust_env=not is_loopback,  # there a proxy must not be asked
                    event_hooks={"request": [lambda _: self._pace.wait()], "response": [self._after_response]},
                )
                self._client = openai.OpenAI(
                    base_url=self._url,
                    api_key=key or "no-key",  # servers of one's own often want none, the client wants one
                    timeout=self._settings.timeout,
                    max_retries=self._settings.max_retries,
                    http_client=transport,
                )
                self._log_redaction.install()
            return self._client

    def _after_response(self, response: httpx2.Response) -> None:
        if not self._reached:
            self._state.update(_REACHED, lambda _: {"reached": True})
            self._reached = True
        self._redactor.learn_cookies(response.headers.get_list("set-cookie"))


def shown_url(url: str) -> str:
    """A base URL as messages show it: without a user name and password."""
    return re.sub("//[^/]*@", "//", url, count=1)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # the client will say what is wrong with it
        return ""
