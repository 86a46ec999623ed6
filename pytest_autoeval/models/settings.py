"""What a run asks of its models: where they are, how they are asked, what is recorded, and how much may be spent.

Prices come from a table that the user gives: they change too often to ship any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

METHOD = "POST"
#: Relative to the base URL: neither host nor port is part of a recording's identity.
Route = Literal["/chat/completions", "/embeddings"]
CHAT: Route = "/chat/completions"
EMBEDDINGS: Route = "/embeddings"

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a model charges, in USD per million tokens."""

    input: float
    output: float

    def of(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """The cost in USD of one call, or None where the server reported no token counts."""
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.input + completion_tokens * self.output) / MILLION


FREE = Price(0.0, 0.0)
"""The price of what answers from this machine: the offline models."""


RecordMode = Literal["none", "once", "new_episodes", "all"]
"""``none`` replays only; ``once`` records where a model has no recording yet, else replays only; ``new_episodes``
records what is missing; ``all`` asks everything anew and overwrites."""

#: The parameter that asks a server to keep to a schema.
SCHEMA = "response_format"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """The settings of all models of one run, checked where options are read.

    The key and the organisation are never among them: the client reads them.

    Args:
        base_url: an OpenAI-compatible server, usually ending in ``/v1``; None: ``OPENAI_BASE_URL`` or OpenAI.
        temperature: sent only if set, 0 or more.
        seed: sent only if set, plus the number of the repeat; offline models always get one (0 if not set).
        max_tokens: the longest answer in tokens, 1 or more; sent only if set. ``none``: nor is a default limit.
        timeout: seconds that one attempt may take, to the last byte of the answer.
        patience: seconds without any answer of a server that limits the rate or fails, before the run stops.
        parameters: any other parameter of a request, merged into its body last.
        record_mode: None replays what is recorded, asks for the rest and writes nothing.
        cassettes: the directory of recordings to read and write; None: no recordings.
        more_cassettes: further directories of recordings, read only.
        concurrency: fewest and most attempts in flight at a server, over all workers, 1 or more.
        rpm: attempts per minute, over all workers; None: unlimited.
        max_calls: attempts that the whole run may make; replayed calls are free.
        max_cost: USD that the whole run may spend; needs a price for each model.
        prices: model name to price.
        own: what makes the user's own models, by their names, which win over all others.
    """

    base_url: str | None = field(default=None, repr=False)
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | Literal["none"] | None = None
    timeout: float = 120.0
    patience: float = 600.0
    parameters: Mapping[str, Any] = field(default_factory=dict, repr=False)
    record_mode: RecordMode | None = None
    cassettes: Path | None = None
    more_cassettes: tuple[Path, ...] = ()
    concurrency: tuple[int, int] = (4, 64)
    rpm: float | None = None
    max_calls: int | None = None
    max_cost: float | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    own: Mapping[str, Callable[[], Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCall:
    """One call to make: the model's name, the path, the redacted request, and the model's price, None if unknown.

    ``repeat`` is how often the same was asked before; ``schema`` the name of the schema in the request that we can do
    without, None where it has none. ``limit`` is the default limit of the answer's length, None where none is sent; it
    is no part of the request's identity.
    """

    model: str
    route: Route
    body: Mapping[str, Any]
    repeat: int
    price: Price | None = None
    schema: str | None = None
    limit: int | None = None
