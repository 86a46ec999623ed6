"""What a run asks of its models: where they are, how they are asked, what is recorded, and how much may be spent.

Prices come from a table that the user gives: they change too often to ship any.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from pytest_autoeval.models.base import ConfigurationError

METHOD = "POST"
#: Relative to the base URL: neither host nor port is part of a recording's identity.
Route = Literal["/chat/completions", "/embeddings"]
CHAT: Route = "/chat/completions"
EMBEDDINGS: Route = "/embeddings"

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a model charges, in USD per million tokens."""

    input: float
    output: float

    def __post_init__(self) -> None:
        for amount in (self.input, self.output):
            if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < float("inf"):
                raise ConfigurationError(f"--autoeval-price: {amount!r} is not a price in USD for a million tokens")

    def of(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """The cost in USD of one call, or None where the server reported no token counts."""
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.input + completion_tokens * self.output) / _MILLION


FREE = Price(0.0, 0.0)
"""The price of what answers from this machine: the offline models."""


RecordMode = Literal["none", "once", "new_episodes", "all"]
"""``none`` replays only; ``once`` records where a model has no recording yet, else replays only; ``new_episodes``
records what is missing; ``all`` asks everything anew and overwrites."""

#: The parameter that asks a server to keep to a schema.
SCHEMA = "response_format"
_OURS = frozenset({"model", "messages", "input", "stream", "n"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """The settings of all models of one run. The key and the organisation are never among them: the client reads them.

    Args:
        base_url: an OpenAI-compatible server, usually ending in ``/v1``; None: ``OPENAI_BASE_URL`` or OpenAI.
        temperature: sent only if set, 0 or more.
        seed: sent only if set, plus the number of the repeat; offline models always get one (0 if not set).
        max_tokens: the longest answer in tokens, 1 or more; sent only if set.
        timeout: seconds that one attempt may wait for the server.
        max_retries: further attempts after a rate limit, a server error or a lost connection.
        max_retry_wait: seconds; a server that asks to wait longer fails the call instead of hanging the run.
        parameters: any other parameter of a request, merged into its body last.
        record_mode: None replays what is recorded, asks for the rest and writes nothing.
        cassettes: the directory of recordings to read and write; None: no recordings.
        more_cassettes: further directories of recordings, read only.
        concurrency: calls in flight at once, over all workers, 1 or more.
        rpm: requests per minute, over all workers; None: unlimited.
        max_calls: calls that the whole run may make; replayed ones are free.
        max_cost: USD that the whole run may spend; needs a price for each model.
        prices: model name to price.
        state_dir: a directory that all workers of a run share; None: this process is the only one.

    Raises:
        ConfigurationError: a value out of its range, with the option that sets it.
    """

    base_url: str | None = field(default=None, repr=False)
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    timeout: float = 120.0
    max_retries: int = 2
    max_retry_wait: float = 60.0
    parameters: Mapping[str, Any] = field(default_factory=dict, repr=False)
    record_mode: RecordMode | None = None
    cassettes: Path | None = None
    more_cassettes: tuple[Path, ...] = ()
    concurrency: int = 8
    rpm: float | None = None
    max_calls: int | None = None
    max_cost: float | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    state_dir: Path | None = None

    def __post_init__(self) -> None:
        for option, value, least in (
            ("temperature", self.temperature, 0),
            ("max-tokens", self.max_tokens, 1),
            ("max-retries", self.max_retries, 0),
            ("concurrency", self.concurrency, 1),
            ("max-calls", self.max_calls, 0),
            ("max-cost", self.max_cost, 0),
        ):
            if value is not None and not value >= least:
                raise ConfigurationError(f"--autoeval-{option} is {value}: it must be {least} or more")
        for option, value in (("timeout", self.timeout), ("rpm", self.rpm)):
            if value is not None and not value > 0:
                raise ConfigurationError(f"--autoeval-{option} is {value}: it must be more than 0")
        if self.record_mode is not None and self.record_mode not in get_args(RecordMode):
            modes = ", ".join(get_args(RecordMode))
            raise ConfigurationError(f"--autoeval-record-mode is {self.record_mode!r}: choose one of {modes}")
        if self.record_mode is not None and self.cassettes is None:
            raise ConfigurationError(
                f"--autoeval-record-mode={self.record_mode} needs a directory: set --autoeval-cassettes"
            )
        if ours := _OURS.intersection(self.parameters):
            raise ConfigurationError(f"--autoeval-parameters cannot set {', '.join(sorted(ours))}: the plugin does")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCall:
    """One call to make: the model's name, the path, the redacted request, and the model's price, None if unknown.

    ``schema`` is the name of the schema in the request that we can do without; None: it has none.
    """

    model: str
    route: Route
    body: Mapping[str, Any]
    price: Price | None
    schema: str | None
