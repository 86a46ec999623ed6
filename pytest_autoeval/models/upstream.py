"""The servers of a run, asked within its limits: the user's own, and the offline models' on this machine."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import uuid4

from pytest_autoeval.models.base import ConfigurationError, Reply, StructuredOutputsUnsupportedError
from pytest_autoeval.models.limits import AttemptEnd, RunLimits
from pytest_autoeval.models.names import is_offline
from pytest_autoeval.models.redaction import LogRedaction, Redactor, shown_url
from pytest_autoeval.models.responses import decode
from pytest_autoeval.models.settings import ModelSettings, ServerCall
from pytest_autoeval.models.window import LONGEST_PAUSE

if TYPE_CHECKING:
    from pytest_autoeval.models.failures import Failure
    from pytest_autoeval.models.offline.answer_key import AnswerKey
    from pytest_autoeval.models.transport import Transport

_OPENAI_HOST = "api.openai.com"
#: So many errors fail a call for good, if the server answered other calls between each two of them, or failed no more
#: than a few calls since its last answer: in an outage it fails many. So many timeouts do, if the server ever answered:
#: each may have been paid for.
_MOST_ERRORS, _MOST_TIMEOUTS, _FEW_CALLS = 20, 3, 3
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 4.0  # seconds between two attempts of a call that the server failed


class Upstream:
    """The servers, for all models and threads of a process; nothing is connected or started until a call needs it.

    Args:
        settings: those of the run.
        answer_key: what the offline models know of given sentences.
        limits: those of the run; closed with this.
    """

    def __init__(self, settings: ModelSettings, answer_key: AnswerKey | None, limits: RunLimits) -> None:
        self.settings = settings
        self.limits = limits
        self.redactor = Redactor.of_run(settings.base_url, settings.parameters)
        self._answer_key = answer_key
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

    def ask(self, call: ServerCall, read: Callable[[Any], Reply], keep: Callable[[Any, Reply], None]) -> None:
        """Gives ``keep`` the decoded response to a call, and what it says, with its cost (None if unknown) and seconds.

        ``read`` raises :class:`CallError` where a response says nothing. ``keep`` is called before another attempt may
        take this one's place: a kill then loses no more than what is in flight. Raises :class:`ModelError`; after a
        :class:`ConfigurationError` no call of this model is made in this run. A schema that was refused is not sent
        again: schemas are remembered by name, for a server that does without one may take another.
        """
        if self.settings.max_cost is not None and call.price is None:
            raise ConfigurationError(
                f"--autoeval-max-cost needs the price of {call.model}: add --autoeval-price={call.model}=INPUT/OUTPUT, "
                "in USD for a million tokens"
            )
        refused = f"{call.model} refuses the schema {call.schema}"
        if call.schema is not None and (refusal := self.limits.agree(refused, None)) is not None:
            raise StructuredOutputsUnsupportedError(refusal)
        try:
            self._make_attempts(call, read, keep)
        except StructuredOutputsUnsupportedError as error:
            self.limits.agree(refused, str(error))
            raise

    def close(self) -> None:
        """Wakes all who wait for their turn with a :class:`CallError`, closes the clients, stops the offline server."""
        self.limits.close()
        self._at_end.close()

    def _start_offline_server(self) -> str:
        from pytest_autoeval.models.offline.server import OfflineServer

        server = OfflineServer(answer_key=self._answer_key)
        self._at_end.callback(server.stop)
        return server.start()

    def _make_attempts(
        self, call: ServerCall, read: Callable[[Any], Reply], keep: Callable[[Any, Reply], None]
    ) -> None:
        """Makes attempts until one is answered or the call fails; while it waits it holds no place in the window."""
        # For the limits the offline servers of all workers are one.
        offline = is_offline(call.model)
        server, connection = ("offline", self._offline) if offline else ("remote", self._remote)
        started, answers, errors, timeouts = 0.0, 0, 0, 0
        name = uuid4().hex
        for number in count(1):
            grant = self.limits.acquire(server, call.model)
            if number == 1:
                started, answers = perf_counter(), grant.answers
            end = AttemptEnd(ended="lost")
            try:
                answer = connection.attempt(call, read, number)
                took = perf_counter() - started
                if isinstance(answer, tuple):
                    keep(answer[0], replace(answer[1], seconds=took))
                    end = AttemptEnd(ended="answered", cost=answer[1].cost, call=name)
                else:
                    end = replace(answer.end, call=name)
            finally:
                seen = self.limits.release(server, call.model, grant, end)
            if isinstance(answer, tuple):
                return
            failure = answer
            timeouts += failure.timed_out and seen.answers > 0
            if seen.answers > answers or seen.failing <= _FEW_CALLS:
                answers = seen.answers
                errors += 1
            # A limited rate is nobody's fault for as long as the patience lasts.
            hopeless = errors >= _MOST_ERRORS and (end.ended != "limited" or took >= self.settings.patience)
            if hopeless or timeouts >= _MOST_TIMEOUTS or not failure.passes:
                raise failure.error
            if end.ended != "limited":  # there the limiter makes everyone wait
                self.limits.pause(_wait(number, end.retry_after))


class Connection:
    """The client of one OpenAI-compatible server, for all models and threads of a process.

    Args:
        url: its base URL, asked for at the first call: a server of ours is started then.
        key: the key to send, None where the user set none.
        upstream: the settings and the redactor of the run.
    """

    def __init__(self, url: Callable[[], str], key: Callable[[], str | None], upstream: Upstream) -> None:
        self._find_url = url
        self._key = key
        self._settings = upstream.settings
        self._redactor = upstream.redactor
        self._lock = Lock()
        self._url = ""
        self._transport: Transport | None = None
        self._log_redaction = LogRedaction(self._redactor)

    def attempt(self, call: ServerCall, read: Callable[[Any], Reply], number: int) -> tuple[Any, Reply] | Failure:
        """Asks once: the decoded response and what it says, with its cost; or what went wrong.

        ``number`` is that of the attempt, from 1.
        """
        from pytest_autoeval.models.failures import EXPECTED, FailedAttempt

        body = {**call.body, **self._settings.parameters}  # among these may be secrets
        refused = broken = None
        try:
            transport = self._open()
            if _host(self._url) == _OPENAI_HOST and "max_tokens" in body:
                # OpenAI's newer models refuse the old name; most other servers do not know the new one.
                body["max_completion_tokens"] = body.pop("max_tokens")
            response = transport.post(call.route, body)
            if response.is_success:
                payload = decode(response.content, self._redactor)
                return payload, self._priced(call, read(payload))
            refused = response
        except EXPECTED as error:
            broken = error
        failed = FailedAttempt(
            call=call,
            address=shown_url(self._url),
            has_key=self._key() is not None,
            number=number,
            redactor=self._redactor,
        )
        # Outside of the handler: the client's own error may carry what the server repeated of a secret.
        return failed.broken(broken) if refused is None else failed.refusal(refused)

    def close(self) -> None:
        """Closes the client."""
        with self._lock:
            if self._transport is not None:
                self._transport.close()
                self._transport = None
                self._log_redaction.remove()

    def _priced(self, call: ServerCall, reply: Reply) -> Reply:
        cost = None if call.price is None else call.price.of(reply.prompt_tokens, reply.completion_tokens)
        if cost is None and self._settings.max_cost is not None:
            raise ConfigurationError(
                f"{call.model}: the server reports no token counts, so --autoeval-max-cost cannot be kept; "
                "limit the run with --autoeval-max-calls"
            )
        return replace(reply, cost=cost)

    def _open(self) -> Transport:
        from pytest_autoeval.models.transport import Transport

        with self._lock:
            if self._transport is None:
                self._url, key = self._find_url(), self._key()
                host = _host(self._url)
                is_loopback = host in {"localhost", "::1"} or host.startswith("127.")
                if key is None and host == _OPENAI_HOST:
                    raise ConfigurationError(
                        "OPENAI_API_KEY is not set: set it, name another server with --autoeval-base-url, "
                        "or use an offline model such as --autoeval-model=offline/faithful"
                    )
                self._transport = Transport(
                    self._url,
                    key or "no-key",  # servers of one's own often want none, the client wants one
                    self._settings.timeout,
                    trust_env=not is_loopback,  # there a proxy must not be asked
                    learn_cookies=self._redactor.learn_cookies,
                )
                self._log_redaction.install()
            return self._transport


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # the client will say what is wrong with it
        return ""


def _wait(number: int, asked: float | None) -> float:
    """The seconds between an attempt that failed and the next, the ``number + 1``-th."""
    if asked is not None and number == 1:
        return min(asked, LONGEST_PAUSE)
    # A server that fails again after the time that it asked for is believed less.
    spread = 1 - random.random() / 4  # noqa: S311  (many calls may have failed at once)
    own = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** min(number - 1, 10)) * spread
    return min(max(own, asked or 0.0), LONGEST_PAUSE)
