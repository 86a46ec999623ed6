"""What a plan counts in place of asking: the calls of a suite, and models that replay or make up their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from math import ceil, isnan, nan

from msgspec import Struct

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


class PlannedCalls(Struct):
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
        answer_tokens = 0
        # An embedding has no payload, and no answer in tokens.
        if payload:
            payload_tokens = len(payload) // _CHARACTERS_PER_TOKEN + 1
            answer_tokens = _ANSWER_TOKENS_PER_PAYLOAD_TOKEN * payload_tokens
        self.asked += 1
        self.waiting += waits
        self.prompt_tokens += prompt_tokens
        self.answer_tokens += answer_tokens
        cost = None if price is None else price.of(prompt_tokens, answer_tokens)
        self.cost += nan if cost is None else cost

    def add_shrinking(self, round_trips: int) -> None:
        """Counts the calls of round trips without recordings, each at the mean cost of the samples' calls."""
        self.shrinking_calls += ceil(round_trips * self.calls / self.samples)
        # Without a call that was counted, the cost of one is unknown.
        self.shrinking_cost += self.shrinking_calls * self.cost / self.asked if self.asked else nan

    def line(self, name: str, shown_limit: str = "", *, repeats: bool) -> str:
        """The figures as columns of the table, with that of repeated calls if some suite ``repeats``."""
        repeated = f"{self.repeated:>10,}" if repeats else ""
        # The widths are those of the heading in `plan.py`.
        calls = f"{self.samples:>8,}{self.calls:>8,}{self.replayed:>10,}{repeated}"
        tokens = f"{self.prompt_tokens:>11,}{self.answer_tokens:>12,}"
        cost = "—" if isnan(self.cost) else f"{self.cost:.2f}"
        return f"{calls}{tokens}{cost:>9}{shown_limit:>7}  {name}"


class PlannedModel(Struct):
    """Replaces a trial's model: replays recordings, counts other calls, and asks nothing."""

    name: str
    model: Chat
    #: The calls of the suite, to which those of the model are added.
    counts: PlannedCalls
    #: The text to describe or to translate, from which the length of an answer is estimated.
    payload: str
    price: Price | None
    #: Digests of the run's requests so far: a run makes each request once.
    earlier_requests: set[str]
    #: The limit in tokens that is sent, for a model's name and a prompt's default limit.
    longest_answer: Callable[[str, int | None], int | None]
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
        sent_limit = self.longest_answer(self.name, limit) or 0
        self.counts.limit = max(self.counts.limit, sent_limit)
        reply = None
        if self.follows_the_run and self.recorded(messages, repeat=repeat, schema=schema):
            # What no recording answers counts as a call.
            with suppress(ModelError):
                reply = self.model.complete(messages, repeat=repeat, schema=schema)
        request = digest_of([self.name, wire_messages(messages), repeat, schema and repr(schema)])
        if reply is not None:
            self.counts.replayed += 1
        elif request in self.earlier_requests:
            self.counts.repeated += 1
        else:
            sent = (message.content for message in messages)
            self.counts.add(sent, self.payload, self.price, waits=not is_offline(self.name))
        self.earlier_requests.add(request)
        # A made-up answer leads to other requests than a real one would.
        self.follows_the_run = reply is not None
        return reply or self._made_up_reply(request)

    def _made_up_reply(self, digest: str) -> MadeUpReply:
        """A text of the estimated length: different for each request, and not a copy of the question."""
        length = len(self.payload) * _ANSWER_TOKENS_PER_PAYLOAD_TOKEN
        repetitions = length // len(digest) + 1
        return MadeUpReply((digest * repetitions)[:length])

    def recorded(
        self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerForm | None = None
    ) -> bool:
        return self.has_recordings and self.model.recorded(messages, repeat=repeat, schema=schema)

    def close(self) -> None:
        """Does nothing: others use the model."""


class PlannedEmbedder(Struct):
    """Replaces a trial's embedding model, and counts the texts."""

    name: str
    model: Embedder
    #: The calls of the suite, to which those of the model are added.
    counts: PlannedCalls
    price: Price | None

    def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:
        """Arbitrary vectors: later requests do not depend on them."""
        if self.recorded_texts(texts, form, repeat=repeat):
            self.counts.replayed += 1
        else:
            has_server = not is_offline(self.name) and not is_local(self.name)
            self.counts.add(texts, "", self.price, waits=has_server)
        return Embedded(tuple((1.0,) for _ in texts), Reply(""))

    def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:
        return self.model.recorded_texts(texts, form, repeat=repeat)
