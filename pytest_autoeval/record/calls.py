"""The calls to a model, as the results have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct


# gc=False: messages and calls are most of what a run has in memory, and never in a circle. The garbage collector
# need not visit them.
class SentMessage(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A message that was sent.

    Attributes:
        role: ``system``, ``user`` or ``assistant``; ``input`` for a text to embed.
        content: the text, without secrets; absent if the message has a digest.
        digest: the digest of a text that stands in a line of its own.
    """

    role: str
    content: str | None = None
    digest: str | None = None


class Call(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A call to a model. Values that the server did not report are absent.

    Attributes:
        stage: the name of the prompt, such as ``informalize``; ``ask``, ``blame``, or a name of your own.
        prompt_tokens: tokens of the prompt.
        completion_tokens: tokens of the answer.
        reasoning_tokens: tokens of hidden thoughts, a part of ``completion_tokens``.
        cost: US dollars, if a price is known.
        seconds: wall-clock time.
        finish_reason: why the answer ended, as the server sent it.
        model: the version of the model that answered, as the server names it.
        system_fingerprint: the server's name of its configuration.
        prompt_digest: a digest of the messages alone; it does not depend on model, server or parameters.
        replayed: a recording answered, and no server was asked.
        repeated: an equal earlier call of the run answered, and no server was asked.
        messages: the messages that were sent.
    """

    stage: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    finish_reason: str | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    prompt_digest: str | None = None
    replayed: bool = False
    repeated: bool = False
    messages: tuple[SentMessage, ...] | None = None

    @property
    def asked(self) -> bool:
        """Whether the model was asked."""
        return not (self.replayed or self.repeated)


class Calls(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Calls to a model, counted.

    Attributes:
        number: how many calls.
        replayed: how many of them a recording answered.
        repeated: how many of them an equal earlier call answered.
        prompt_tokens: the sum; absent if no call reported any.
        completion_tokens: as above.
        reasoning_tokens: as above.
        cost: as above, in US dollars.
    """

    number: int
    replayed: int = 0
    repeated: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None


def total(counts: Iterable[Calls]) -> Calls:
    """The sum of some counts."""
    counts = list(counts)
    return Calls(number=sum(count.number for count in counts), **sums_of(counts))


def sums_of(counted: Sequence[Call] | Sequence[Calls]) -> dict[str, Any]:
    """The sums of everything but the number of the calls, by name."""
    sums: dict[str, Any] = {}
    for name in ("replayed", "repeated"):
        sums[name] = sum(getattr(entry, name) for entry in counted)
    for name in ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cost"):
        values = [getattr(entry, name) for entry in counted]
        numbers = [number for number in values if number is not None]
        # None is not 0: a server may not say how many tokens it counted, and a call may have no known price.
        sums[name] = sum(numbers[1:], numbers[0]) if numbers else None
    return sums
