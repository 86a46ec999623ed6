"""The one model class: a conversation becomes a request, a recording or a server answers it, a reply comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from pytest_autoeval.models.base import CallError, ConfigurationError, Message, Reply
from pytest_autoeval.models.completion import Completion, decode, read_completion
from pytest_autoeval.models.connection import Connection
from pytest_autoeval.models.digest import prompt_digest, wire_messages
from pytest_autoeval.models.folders import folder_of
from pytest_autoeval.models.limits import Budget
from pytest_autoeval.models.prices import Price
from pytest_autoeval.models.recording import Recordings
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.settings import ModelSettings
from pytest_autoeval.models.state import RunState
from pytest_autoeval.models.throttle import Slots


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What all models and workers of a run share: calls in flight, the budget, and what no call can escape."""

    slots: Slots
    budget: Budget
    state: RunState


class ChatModel:
    """A model behind an OpenAI-compatible chat completions endpoint; thread-safe.

    Args:
        name: as in ``--autoeval-model``, and as sent to the server.
        settings: what to send beside the messages.
        connection: the way to the server.
        recordings: what was recorded of this model.
        limits: those of the run.
        redactor: hides secrets in what is asked.
        price: what the model charges; None: unknown.
        default_seed: sent where the settings have no seed; None: none is sent.
        on_close: called when the model is closed.
    """

    def __init__(  # noqa: PLR0913 - its collaborators, put together in one place (pool.py)
        self,
        name: str,
        settings: ModelSettings,
        *,
        connection: Connection,
        recordings: Recordings,
        limits: RunLimits,
        redactor: Redactor,
        price: Price | None = None,
        default_seed: int | None = None,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self._name = name
        self._settings = settings
        self._connection = connection
        self._recordings = recordings
        self._limits = limits
        self._redactor = redactor
        self._price = price
        self._seed = default_seed if settings.seed is None else settings.seed
        self._on_close = on_close
        self._failure_record = f"failed-{folder_of(name)}"

    @property
    def name(self) -> str:
        """The name it was asked for by."""
        return self._name

    def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> Reply:
        """The answer of a recording where there is one, else of the server; raises :class:`ModelError`."""
        body = self._body(messages, repeat)
        digest = prompt_digest(messages)
        recorded = self._recordings.find(body, repeat)
        if recorded is not None:
            return _reply(read_completion(recorded), digest, cost=0.0, replayed=True)
        try:
            with self._limits.slots.slot():
                return self._ask(body, repeat, digest)
        except ConfigurationError as error:
            message = str(error)
            self._limits.state.update(self._failure_record, lambda _: {"message": message})
            raise

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0) -> bool:
        """Whether a recording would answer this, without asking."""
        return self._recordings.has(self._body(messages, repeat), repeat)

    def close(self) -> None:
        """Releases what was opened for this model alone."""
        self._on_close()

    def _body(self, messages: Sequence[Message], repeat: int) -> dict[str, Any]:
        """What identifies a request, and what is sent but for the name of one parameter; see ``Connection``."""
        settings = self._settings
        body: dict[str, Any] = {"model": self._name, "messages": wire_messages(messages)}
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if self._seed is not None:
            body["seed"] = self._seed + repeat
        if settings.max_tokens is not None and "max_completion_tokens" not in settings.parameters:
            body["max_tokens"] = settings.max_tokens
        redacted: dict[str, Any] = self._redactor.json(body | dict(settings.parameters))
        return redacted

    def _ask(self, body: Mapping[str, Any], repeat: int, digest: str) -> Reply:
        self._check_hope()
        self._limits.budget.reserve()
        cost: float | None = None
        started = perf_counter()
        try:
            content = self._connection.complete(body)
            seconds = perf_counter() - started
            payload, completion = self._read(content)
            if self._price is not None:
                cost = self._price.of(completion.prompt_tokens, completion.completion_tokens)
        finally:
            self._limits.budget.settle(cost or 0.0)
        if cost is None and self._limits.budget.limits_cost:
            raise ConfigurationError(
                f"{self._name}: the server tells no token counts, so --autoeval-max-cost cannot be kept; "
                "limit the run with --autoeval-max-calls"
            )
        kept = self._recordings.keep(body, repeat, payload)
        return _reply(read_completion(kept), digest, cost=cost, seconds=seconds)

    def _check_hope(self) -> None:
        """Fails at once where no call can succeed: one clear line for a run, not one wait for each sample."""
        known = self._limits.state.read(self._failure_record)
        if known:
            raise ConfigurationError(known["message"])
        if self._limits.budget.limits_cost and self._price is None:
            raise ConfigurationError(
                f"--autoeval-max-cost needs the price of {self._name}: add --autoeval-price={self._name}=INPUT/OUTPUT, "
                "in USD for a million tokens"
            )

    def _read(self, content: bytes) -> tuple[Any, Completion]:
        try:
            payload = decode(content, self._redactor)
            return payload, read_completion(payload)
        except CallError as error:
            raise CallError(f"{self._name}: {error}") from None


def _reply(
    completion: Completion, digest: str, *, cost: float | None, seconds: float = 0.0, replayed: bool = False
) -> Reply:
    return Reply(
        text=completion.text,
        finish_reason=completion.finish_reason,
        refusal=completion.refusal,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        cost=cost,
        seconds=seconds,
        prompt_digest=digest,
        replayed=replayed,
    )
