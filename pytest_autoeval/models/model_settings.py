"""Settings of a run's models: server, request parameters, recordings, limits and prices.

Prices come from the user, since they change too often to be shipped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field

from pytest_autoeval.models.purposes import Purpose

METHOD = "POST"
#: Tokens that a server may add to a prompt.
_ADDED = 100
#: Relative to the base URL: neither host nor port is part of a recording's identity.
Route = Literal["/chat/completions", "/embeddings"]
CHAT: Route = "/chat/completions"
EMBEDDINGS: Route = "/embeddings"

MILLION = 1_000_000


class Price(Struct, frozen=True):
    """What a model charges, in USD per million tokens."""

    input: float
    output: float

    def of(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """The cost in USD of one call, or None without token counts."""
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.input + completion_tokens * self.output) / MILLION


FREE = Price(0.0, 0.0)
"""The price of models on this machine: offline and local ones."""


RecordMode = Literal["none", "once", "new_episodes", "all"]
"""``none`` replays only; ``once`` records a model that has no recording yet, and otherwise only replays;
``new_episodes`` records what is missing; ``all`` calls the model for every request and overwrites."""

#: The request parameter with the schema of the answer.
SCHEMA = "response_format"


class ModelSettings(Struct, frozen=True, kw_only=True):
    """The settings that all models of a run share, already validated with the options.

    They contain neither the API key nor the organisation. The client reads both from the environment.

    Args:
        base_url: an OpenAI-compatible server, usually ending in ``/v1``; None: ``OPENAI_BASE_URL`` or OpenAI.
        temperature: ≥ 0, sent only if set.
        seed: seed of repeat 0, to which the number of the repeat is added. Sent only if set; offline models default to
            0.
        seeds: the seed of each repeat, sent with it; further repeats have the numbers after the last one.
        max_tokens: limit of an answer in tokens, ≥ 1, sent only if set. ``none``: no limit, not even a default one.
        timeout: seconds that one attempt may take, to the last byte of the answer.
        patience: seconds to wait for a server that limits the rate or fails, before the run stops.
        constrained: form in which the grammar of an answer is sent; ``auto``: a form that the server obeys; None: no
            grammar.
        parameters: further parameters of requests, merged into the body last.
        record_mode: None replays recordings, calls the model for the rest and records nothing.
        cassettes: the directory of recordings to read and write; None: no recordings.
        more_cassettes: further directories of recordings, read only.
        concurrency: minimum and maximum of attempts in flight at a server, over all workers, ≥ 1.
        rpm: attempts per minute, over all workers; None: unlimited.
        max_calls: attempts that the whole run may make; replayed calls are free.
        max_cost: USD that the whole run may spend; needs a price for each model.
        prices: model name to price.
        own: factories of the user's own models, by name. They take precedence over all other models of the same name.
    """

    base_url: str | None = None
    temperature: float | None = None
    seed: int | None = None
    seeds: tuple[int, ...] = ()
    max_tokens: int | Literal["none"] | None = None
    timeout: float = 120.0
    patience: float = 600.0
    constrained: Literal["auto", "llama.cpp", "vllm", "openai"] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    record_mode: RecordMode | None = None
    cassettes: Path | None = None
    more_cassettes: tuple[Path, ...] = ()
    concurrency: tuple[int, int] = (4, 64)
    rpm: float | None = None
    max_calls: int | None = None
    max_cost: float | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    own: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    batch: float | None = None

    def __repr__(self) -> str:
        # Addresses and parameters may contain secrets, and pytest prints values beside a failure.
        return "ModelSettings(…)"


class ServerCall(Struct, frozen=True, kw_only=True):
    """One call to make.

    Attributes:
        model: the name.
        route: the path.
        body: the request without secrets.
        repeat: number of the repeat, from 0.
        price: of the model, None if unknown.
        schema: name of the schema in the request that may be left out, or None.
        limit: default limit in tokens to send, or None; not part of the request's identity.
        purpose: what the call is made for, for its recording; not part of the request's identity.
    """

    model: str
    route: Route
    body: Mapping[str, Any]
    repeat: int
    price: Price | None = None
    schema: str | None = None
    limit: int | None = None
    purpose: Purpose = ""

    def most(self, limit: int | None) -> float | None:
        """What the call can cost at most, in USD; None if the price or the longest answer is unknown.

        ``limit``: the default limit in tokens that is sent, or None.
        """
        if self.price is None:
            return None
        # A token has at least one byte; a server adds a few for each message.
        content = json.dumps(self.body, ensure_ascii=False).encode("utf-8", "replace")
        prompt_tokens = len(content) + _ADDED
        if self.route == EMBEDDINGS:
            return self.price.of(prompt_tokens, 0)
        # Of several limits the highest, since servers differ in which of them they obey.
        limits = [self.body.get("max_completion_tokens"), self.body.get("max_tokens"), limit]
        valid_limits = [tokens for tokens in limits if isinstance(tokens, int) and tokens > 0]
        return self.price.of(prompt_tokens, max(valid_limits)) if valid_limits else None
