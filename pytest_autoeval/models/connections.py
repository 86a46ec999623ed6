"""Where models are asked: a server that speaks OpenAI's protocol, or whatever else can be asked as one."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from pytest_autoeval.errors import did_you_mean
from pytest_autoeval.models.base import CallError, ConfigurationError, Reply, canonical_json
from pytest_autoeval.models.limits import AttemptEnd, Failure
from pytest_autoeval.models.loop import MadeOnce
from pytest_autoeval.models.prices import needed_price
from pytest_autoeval.models.redaction import Redactor, shown_url
from pytest_autoeval.models.responses import decode, has_thoughts
from pytest_autoeval.models.settings import ModelSettings, Price, ServerCall

if TYPE_CHECKING:
    from pytest_autoeval.models.failures import FailedAttempt
    from pytest_autoeval.models.http_client import HttpClient, Response

OPENAI_HOST = "api.openai.com"
#: The name of the server that the user may name; it answers all models that nothing else answers.
USERS_SERVER = "remote"
OPENAI_URL = f"https://{OPENAI_HOST}/v1"
#: Parameters that limit an answer, or make a model think before it; of hidden thoughts no default limit knows.
_OWN_LIMIT = re.compile(r"max_\w*tokens|n_predict|reason|think", re.IGNORECASE)
#: What a server says that refuses a limit, as where prompt and answer together have no room in the context.
_LIMIT_REFUSED = re.compile(rb"max_\w*tokens|max_model_len|context", re.IGNORECASE)


class Connection(Protocol):
    """Where some models are asked. Nothing is opened before a call needs it.

    ``server`` names what shares a window of the limits; ``address`` identifies, beside a model's name, who answered in
    a run that is continued; ``settings`` are those that requests are made of; ``default_limits`` says whether requests
    carry the default limit of their prompt.
    """

    server: str
    address: str
    settings: ModelSettings
    default_limits: bool = False

    async def price(self, model: str) -> Price | None:
        """The price of a model, None where it is not known; raises :class:`ConfigurationError` where it must be."""

    async def attempt(
        self, call: ServerCall, read: Callable[[Any], Reply], number: int, leaves: Callable[[], None]
    ) -> tuple[Any, Reply] | Failure:
        """Asks once: the decoded response and what it says, with its cost where that was said; or what went wrong.

        ``number`` is that of the attempt, from 1; ``leaves`` is called when the request leaves.
        """

    async def close(self) -> None:
        """Closes what was opened."""


class HttpConnection(Connection):
    """The client of one OpenAI-compatible server.

    ``find`` gives the base URL at the first call (a server of ours is started then), and the key to send, None where
    the user set none.

    Default limits are sent to servers that the user names, as long as nothing shows that the model thinks before it
    answers: limits count hidden thoughts too.
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
            and not _OWN_LIMIT.search(canonical_json(settings.parameters))
        )
        #: The models to which none is sent any more.
        self._unlimited: set[str] = set()
        self._find = find
        self._redactor = redactor
        self._url, self._has_key = "", False
        self._client = MadeOnce(self._open)
        self._failures: MadeOnce[Any] = MadeOnce(
            partial(asyncio.to_thread, import_module, "pytest_autoeval.models.failures")
        )
        #: The models of which the server refused `max_tokens`.
        self._takes_new_name: set[str] = set()

    async def price(self, model: str) -> Price | None:
        return needed_price(model, self.settings)

    async def attempt(
        self, call: ServerCall, read: Callable[[Any], Reply], number: int, leaves: Callable[[], None]
    ) -> tuple[Any, Reply] | Failure:
        failures = await self._failures.get()
        body = {**call.body, **self.settings.parameters}  # among these may be secrets
        is_limited = call.limit is not None and call.model not in self._unlimited
        limit = {"max_tokens": call.limit} if is_limited else {}
        refused = broken = None
        try:
            client = await self._client.get(call.model)
            response = await self._post(client, call, body | limit, leaves)
            if limit and response.status in {400, 422} and _LIMIT_REFUSED.search(response.content):
                response = await self._post(client, call, body, leaves)
            if 200 <= response.status < 300:
                payload = decode(response.content, self._redactor)
                reply = read(payload)
                if limit and has_thoughts(payload, reply):
                    self._unlimited.add(call.model)
                    if reply.truncated:
                        return _cut_thoughts(call, reply)
                return payload, reply
            refused = response
        except failures.EXPECTED as error:
            broken = error
        failed: FailedAttempt = failures.FailedAttempt(
            call=call,
            server=f"the server at {shown_url(self._url)}",
            has_key=self._has_key,
            number=number,
            redactor=self._redactor,
        )
        # Outside of the handler: the client's own error may carry what the server repeated of a secret.
        return failed.broken(broken) if refused is None else failed.refusal(refused)

    async def close(self) -> None:
        for client in self._client.made:
            await client.close()

    async def _post(
        self, client: HttpClient, call: ServerCall, body: dict[str, Any], leaves: Callable[[], None]
    ) -> Response:
        """The response. OpenAI's newer models refuse `max_tokens`; most other servers do not know the new name."""
        if "max_tokens" in body and (_host(self._url) == OPENAI_HOST or call.model in self._takes_new_name):
            body["max_completion_tokens"] = body.pop("max_tokens")
        response = await client.post(call.route, body, leaves)
        if "max_tokens" in body and response.status == 400 and b"max_completion_tokens" in response.content:
            self._takes_new_name.add(call.model)
            return await self._post(client, call, body, leaves)
        return response

    async def _open(self, model: str) -> HttpClient:
        return await asyncio.to_thread(self._made, model)  # libraries are imported, and perhaps a server is started

    def _made(self, model: str) -> HttpClient:
        from pytest_autoeval.models.http_client import HttpClient

        self._url, key = self._find()
        self._has_key = key is not None
        host = _host(self._url)
        is_loopback = host in {"localhost", "::1"} or host.startswith("127.")
        if key is None and host == OPENAI_HOST:
            raise ConfigurationError(
                "OPENAI_API_KEY is not set: set it, name another server with --autoeval-base-url, "
                "or use an offline model such as --autoeval-model=offline/faithful."
                + did_you_mean(model, self.settings.own)
            )
        return HttpClient(
            self._url,
            key or "no-key",  # servers of one's own often want none, the client wants one
            self.settings.timeout,
            proxies=not is_loopback,
            learn_cookies=self._redactor.learn_cookies,
        )


def _cut_thoughts(call: ServerCall, reply: Reply) -> Failure:
    """A model that thinks was cut off by a limit that the user did not set: it is asked again without one."""
    cost = None if call.price is None else call.price.of(reply.prompt_tokens, reply.completion_tokens)
    error = CallError(f"{call.model}: the answer was cut off while the model was thinking; set --autoeval-max-tokens")
    return Failure(end=AttemptEnd(ended="other", cost=cost, paid=True), error=error, otherwise=True)


def users_url(base_url: str | None) -> str:
    """The base URL that the user names; empty where that is OpenAI's."""
    return base_url or os.environ.get("OPENAI_BASE_URL", "")


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # the client will say what is wrong with it
        return ""
