"""Connections to models: what each of them does, and the connection to an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable
from urllib.parse import urlsplit

from pytest_autoeval.errors import did_you_mean
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.call_limits import AttemptEnd, Failure
from pytest_autoeval.models.loop import MadeOnce
from pytest_autoeval.models.model_settings import ModelSettings, Price, ServerCall
from pytest_autoeval.models.prices import needed_price
from pytest_autoeval.models.protocols import CallError, ConfigurationError, Reply, canonical_json
from pytest_autoeval.models.redaction import Redactor, shown_url
from pytest_autoeval.models.responses import SENT_LIMIT, decode, has_reasoning

if TYPE_CHECKING:
    from pytest_autoeval.models.failures import FailedAttempt
    from pytest_autoeval.models.http_client import HttpClient, Response

OPENAI_HOST = "api.openai.com"
OPENAI_URL = f"https://{OPENAI_HOST}/v1"
#: The internal name of the server of ``--autoeval-base-url``, the default for all models.
USERS_SERVER = "remote"
#: Parameters that limit an answer or switch on hidden reasoning, for which the default limits are too low.
_LIMITING_PARAMETER = lazy_pattern(r"max_\w*tokens|n_predict|reason|think", re.IGNORECASE)
#: Words in a server's refusal of a limit, for example if prompt and answer together exceed the context.
_LIMIT_REFUSED = lazy_pattern(rb"max_\w*tokens|max_model_len|context", re.IGNORECASE)


class Connection(Protocol):
    """A connection to a server for some models. It opens at the first call.

    Attributes:
        server: connections of one name share a window of the limiter.
        address: identifies the server to a run that continues this one.
        settings: the settings that requests are built from.
        default_limits: whether requests carry the default limit of their prompt.
    """

    server: str
    address: str
    settings: ModelSettings
    default_limits: bool = False

    async def price(self, model: str) -> Price | None:
        """The price of a model or None; raises :class:`ConfigurationError` if it is needed but unknown."""

    async def attempt(
        self,
        call: ServerCall,
        read: Callable[[Any], Reply],
        number: int,
        leaves: Callable[[], None],
    ) -> tuple[Any, Reply] | Failure:
        """Makes one attempt; returns the decoded response with the reply read from it, or the failure.

        ``number`` is that of the attempt, from 1; ``leaves`` is called when the request is sent.
        """

    def highest_cost(self, call: ServerCall) -> float | None:
        """What the next attempt of a call can cost at most, in USD; None if unknown."""
        return call.most(None)

    async def close(self) -> None:
        """Closes the connection."""


@runtime_checkable
class BatchingConnection(Connection, Protocol):
    """A connection that collects requests and sends them together."""

    #: What is waited for, as a line; empty if nothing is.
    progress: str

    def stir(self) -> None:
        """Notes that the run goes on without an answer: more requests may come."""


class HttpConnection(Connection):
    """The client of one OpenAI-compatible server.

    ``find`` returns the base URL and the key; the key is None if the user set none. It is called at the first request,
    and again at the next one if it failed. It may start a server.

    Default limits are sent to servers that the user names, until a reply shows hidden reasoning: limits count that too.
    """

    def __init__(
        self,
        server: str,
        address: str,
        settings: ModelSettings,
        redactor: Redactor,
        find: Callable[[], tuple[str, str | None]],
    ) -> None:
        self.server = server
        self.address = address
        self.settings = settings
        self.default_limits = (
            _host(address) not in {"", OPENAI_HOST}
            and settings.max_tokens is None
            and not _LIMITING_PARAMETER.search(canonical_json(settings.parameters))
        )
        #: The models of which a reply showed hidden reasoning. They get no default limit any more.
        self._models_without_default_limit: set[str] = set()
        self._find = find
        self._redactor = redactor
        # As `find` returns them at the first call.
        self._url = ""
        self._has_key = False
        # In a thread: it imports libraries, and may start a server.
        self._client = MadeOnce(lambda model: asyncio.to_thread(self._make_client, model))
        # In a thread too: the module is imported at the first call.
        self._failures: MadeOnce[Any] = MadeOnce(
            partial(asyncio.to_thread, import_module, "pytest_autoeval.models.failures")
        )
        #: The models for which the server refused `max_tokens`.
        self._models_with_max_completion_tokens: set[str] = set()

    async def price(self, model: str) -> Price | None:
        return needed_price(model, self.settings)

    async def attempt(
        self,
        call: ServerCall,
        read: Callable[[Any], Reply],
        number: int,
        leaves: Callable[[], None],
    ) -> tuple[Any, Reply] | Failure:
        failures = await self._failures.get()
        body = {**call.body, **self.settings.parameters}  # these may hold secrets
        tokens = self._default_limit(call)
        limit = {} if tokens is None else {"max_tokens": tokens}
        # At most one of the last two is set: the response that refused the request, or the error of the client.
        response = refused = problem = None
        try:
            client = await self._client.get(call.model)
            response = await self._post(client, call, body | limit, leaves)
            # A default limit is no wish of the user's: a server that refuses it is asked without it.
            if limit and response.status in {400, 422} and _LIMIT_REFUSED.search(response.content):
                response = await self._post(client, call, body, leaves)
            if 200 <= response.status < 300:
                return self._answer(call, response, read, is_limited=bool(limit))
            refused = response
        except failures.EXPECTED as error:
            problem = error
        failed = self._failed(failures, call, number)
        # Outside the handler, so that the client's error, which may contain a secret, is not the context of the new
        # error.
        if refused is not None:
            return failed.refusal(refused)
        # A response may have an error in its body; its headers may then say when to try again.
        headers = response.headers if response is not None else {}
        return failed.broken(problem, headers)

    def _answer(
        self,
        call: ServerCall,
        response: Response,
        read: Callable[[Any], Reply],
        *,
        is_limited: bool,
    ) -> tuple[Any, Reply] | Failure:
        """What a response without an error says; a failure if a default limit cut off hidden reasoning."""
        payload = decode(response.content, self._redactor)
        reply = read(payload)
        if not is_limited:
            return payload, reply
        # Some servers report `stop` for an answer that has as many tokens as the limit allows.
        if reply.completion_tokens == call.limit:
            payload = {**payload, SENT_LIMIT: call.limit}
            reply = read(payload)
        if has_reasoning(payload, reply):
            self._models_without_default_limit.add(call.model)
            if reply.truncated:
                return _reasoning_cut_off(call, reply)
        return payload, reply

    def _default_limit(self, call: ServerCall) -> int | None:
        """The default limit in tokens that the next attempt of a call sends, or None."""
        return None if call.model in self._models_without_default_limit else call.limit

    def highest_cost(self, call: ServerCall) -> float | None:
        return call.most(self._default_limit(call))

    async def close(self) -> None:
        for client in self._client.made:
            await client.close()

    def _failed(self, failures: Any, call: ServerCall, number: int) -> FailedAttempt:
        """A failed attempt, which words its failure. ``failures`` is the module of that name, imported at a call."""
        failed: FailedAttempt = failures.FailedAttempt(
            call=call,
            server=f"the server at {shown_url(self._url)}",
            has_key=self._has_key,
            number=number,
            redactor=self._redactor,
        )
        return failed

    async def _send(
        self, client: HttpClient, call: ServerCall, body: dict[str, Any], leaves: Callable[[], None]
    ) -> Response:
        """Sends a request once. A connection that collects requests overrides this."""
        return await client.post(call.route, body, leaves)

    async def _post(
        self, client: HttpClient, call: ServerCall, body: dict[str, Any], leaves: Callable[[], None]
    ) -> Response:
        """Sends a request with the name of the limit that the server knows, and again if it asks for the other name.

        The name changes in ``body`` itself.
        """
        # OpenAI's newer models refuse `max_tokens`; most other servers do not know the new name.
        knows_new_name = "max_tokens" in body and (
            _host(self._url) == OPENAI_HOST or call.model in self._models_with_max_completion_tokens
        )
        if knows_new_name:
            body["max_completion_tokens"] = body.pop("max_tokens")
        response = await self._send(client, call, body, leaves)
        asks_for_new_name = response.status == 400 and b"max_completion_tokens" in response.content
        if asks_for_new_name and "max_tokens" in body:
            self._models_with_max_completion_tokens.add(call.model)
            return await self._post(client, call, body, leaves)
        return response

    def _make_client(self, model: str) -> HttpClient:
        """The client for all models of the server. ``model`` is the first one asked, for the message about a key."""
        from pytest_autoeval.models.http_client import HttpClient

        self._url, key = self._find()
        self._has_key = key is not None
        host = _host(self._url)
        is_loopback = host in {"localhost", "::1"} or host.startswith("127.")
        if key is None and host == OPENAI_HOST:
            raise ConfigurationError(
                "OPENAI_API_KEY is not set: set it, name another server with --autoeval-base-url, "
                "or use an offline model such as --autoeval-model=offline/faithful."
                + did_you_mean(model, [*self.settings.own, *_recorded_models(self.settings)])
            )
        return HttpClient(
            self._url,
            key or "no-key",  # local servers often need none, but the client does
            self.settings.timeout,
            proxies=not is_loopback,
            learn_cookies=self._redactor.learn_cookies,
        )


def _recorded_models(settings: ModelSettings) -> Iterator[str]:
    """The names of the models that have recordings, as their folders show them."""
    for folder in filter(None, (settings.cassettes, *settings.more_cassettes)):
        # A folder has the name of its model, with `--` for each `/`.
        for folder_of_model in folder.glob("*/"):
            yield folder_of_model.name.replace("--", "/")


def _reasoning_cut_off(call: ServerCall, reply: Reply) -> Failure:
    """A reasoning model was cut off by a default limit: the next attempt sends none."""
    cost = None
    if call.price is not None:
        # Zero tokens stand for an unknown number.
        cost = call.price.of(reply.prompt_tokens or None, reply.completion_tokens or None)
    error = CallError(
        f"{call.model}: the answer was cut off while the model was thinking; set --autoeval-max-tokens"
    )
    return Failure(
        end=AttemptEnd(ended="other", cost=cost, paid=True), error=error, retry_changed=True
    )


def users_url(base_url: str | None) -> str:
    """The base URL that the user names; empty for OpenAI's."""
    return base_url or os.environ.get("OPENAI_BASE_URL", "")


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # the client reports it
        return ""
