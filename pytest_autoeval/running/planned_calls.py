"""What a plan counts in place of asking: the calls of a suite, and models that replay or make up their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import ceil, isnan, nan

from pytest_autoeval.models.model_names import is_local, is_offline
from pytest_autoeval.models.model_settings import Price
from pytest_autoeval.models.protocols import (
    AnswerForm,
    Chat,
    Embedded,
    Embedder,
    Form,
    MadeUpReply,
    Message,
    ModelError,
    Reply,
    digest_of,
    wire_messages,
)

#: Characters in a token, roughly, in English and in formulas.
_CHARACTERS_PER_TOKEN = 4
#: Assumed tokens of an unknown answer, per token of the text to describe or to translate.
_ANSWER_TOKENS_PER_PAYLOAD_TOKEN = 3


@dataclass(slots=True)
class PlannedCalls:
    """The calls of one suite with one model and its reader.

    Of all calls, ``replayed`` ones are answered by a recording, ``repeated`` ones by an equal earlier call of the run,
    and ``asked`` ones by the model; ``waiting`` are those that a server must answer. ``cost`` is in USD, NaN if a price
    is unknown. ``shrinking_calls`` and ``shrinking_cost`` are upper limits of what shrinking adds. ``limit`` is the
    longest requested answer in tokens, 0 without a limit.
    """

    samples: int = 0
    asked: int = 0
    replayed: int = 0
    repeated: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    waiting: int = 0
    cost: float = 0.0
    shrinking_calls: int = 0
    shrinking_cost: float = 0.0
    limit: int = 0

    @property
    def calls(self) -> int:
        return self.asked + self.replayed + self.repeated

    def add(self, sent: Iterable[str], payload: str, price: Price | None, *, waits: bool) -> None:
        """Counts a call to the model with these texts; the length of the answer is estimated from the payload.

        ``waits``: a server must answer.
        """
        prompt_tokens = sum(map(len, sent)) // _CHARACTERS_PER_TOKEN
        answer_tokens = (
            _ANSWER_TOKENS_PER_PAYLOAD_TOKEN * (len(payload) // _CHARACTERS_PER_TOKEN + 1)
            if payload
            else 0
        )
        self.asked += 1
        self.waiting += waits
        self.prompt_tokens += prompt_tokens
        self.answer_tokens += answer_tokens
        cost = None if price is None else price.of(prompt_tokens, answer_tokens)
        self.cost += nan if cost is None else cost

    def add_shrinking(self, round_trips: int) -> None:
        """Counts the calls of round trips without recordings, each at the mean cost of the samples' calls."""
        self.shrinking_calls += ceil(round_trips * self.calls / self.samples)
        self.shrinking_cost += self.shrinking_calls * self.cost / self.asked if self.asked else nan

    def line(self, name: str, limit: str = "", *, repeats: bool) -> str:
        """The figures as columns of the table, with that of repeated calls if some suite ``repeats``."""
        repeated = f"{self.repeated:>10,}" if repeats else ""
        # The widths are those of the heading in `plan.py`.
        calls = f"{self.samples:>8,}{self.calls:>8,}{self.replayed:>10,}{repeated}"
        tokens = f"{self.prompt_tokens:>11,}{self.answer_tokens:>12,}"
        cost = "—" if isnan(self.cost) else f"{self.cost:.2f}"
        return f"{calls}{tokens}{cost:>9}{limit:>7}  {name}"


@dataclass
class PlannedModel:
    """Replaces a trial's model: replays recordings, counts other calls, and asks nothing."""

    name: str
    model: Chat
    share: PlannedCalls
    payload: str
    price: Price | None
    #: Digests of the run's requests so far: a run makes each request once.
    earlier_requests: set[str]
    #: The limit in tokens that is sent, for a model's name and a prompt's default limit.
    longest: Callable[[str, int | None], int | None]
    #: Whether there is any recording of the model.
    has_recordings: bool
    #: False after an unknown answer: later requests then differ from those of a real run.
    follows_the_run: bool = True

    def complete(
        self,
        messages: Sequence[Message],
        *,
        repeat: int = 0,
        schema: AnswerForm | None = None,
        limit: int | None = None,
    ) -> Reply:
        """The recorded reply, or a text of the estimated length."""
        self.share.limit = max(self.share.limit, self.longest(self.name, limit) or 0)
        reply = None
        if self.follows_the_run and self.recorded(messages, repeat=repeat, schema=schema):
            with suppress(ModelError):
                reply = self.model.complete(messages, repeat=repeat, schema=schema)
        request = digest_of([self.name, wire_messages(messages), repeat, schema and repr(schema)])
        if reply is not None:
            self.share.replayed += 1
        elif request in self.earlier_requests:
            self.share.repeated += 1
        else:
            sent = (message.content for message in messages)
            self.share.add(sent, self.payload, self.price, waits=not is_offline(self.name))
        self.earlier_requests.add(request)
        # A made-up answer leads to other requests than a real one would.
        self.follows_the_run = reply is not None
        # A different text for each request, and not a copy of the question.
        length = len(self.payload) * _ANSWER_TOKENS_PER_PAYLOAD_TOKEN
        return reply or MadeUpReply((request * (length // len(request) + 1))[:length])

    def recorded(
        self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerForm | None = None
    ) -> bool:
        return self.has_recordings and self.model.recorded(messages, repeat=repeat, schema=schema)

    def close(self) -> None:
        """Does nothing: others use the model."""


@dataclass
class PlannedEmbedder:
    """Replaces a trial's embedding model, and counts the texts."""

    name: str
    model: Embedder
    share: PlannedCalls
    price: Price | None

    def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:
        """Arbitrary vectors: later requests do not depend on them."""
        if self.recorded_texts(texts, form, repeat=repeat):
            self.share.replayed += 1
        else:
            self.share.add(
                texts, "", self.price, waits=not is_offline(self.name) and not is_local(self.name)
            )
        return Embedded(tuple((1.0,) for _ in texts), Reply(""))

    def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:
        return self.model.recorded_texts(texts, form, repeat=repeat)
