"""Values that many samples of a results file have in common: each is in memory once.

Thousands of samples have the same system prompts, outcomes and names of stages; read from lines, each has its own copy.
"""

from __future__ import annotations

from sys import intern

from msgspec.structs import replace

from pytest_autoeval.record.calls import Call, SentMessage
from pytest_autoeval.record.lines import Sample


class SharedValues:
    """Makes samples that were read share their values.

    Without ``keep_messages``, calls lack the messages that were sent, most of what a file holds. Those of a call
    without a digest of its messages stay: nothing else distinguishes its prompt from others.

    Attributes:
        texts: the texts of messages that stand elsewhere in the file, by digest.
    """

    def __init__(self, *, keep_messages: bool = True) -> None:
        self.texts: dict[str, str] = {}
        self._keep_messages = keep_messages

    def sample(self, sample: Sample) -> Sample:
        """The sample, whose messages have their texts. A text that is missing is empty."""
        formula = sample.formula
        return replace(
            sample,
            outcome=intern(sample.outcome),
            code=intern(sample.code),
            verdict_method=_interned(sample.verdict_method),
            # A model that is right writes the formula again.
            description=_same_text(sample.description, formula),
            answer=_same_text(sample.answer, formula),
            translation=_same_text(sample.translation, formula),
            calls=tuple(map(self._call, sample.calls)),
        )

    def _call(self, call: Call) -> Call:
        messages = call.messages
        if messages and call.prompt_digest is not None and not self._keep_messages:
            messages = None
        elif messages:
            messages = tuple(map(self._message, messages))
        return replace(
            call,
            stage=intern(call.stage),
            finish_reason=_interned(call.finish_reason),
            model=_interned(call.model),
            system_fingerprint=_interned(call.system_fingerprint),
            messages=messages,
        )

    def _message(self, message: SentMessage) -> SentMessage:
        content = message.content
        if content is None and message.digest is not None:
            content = self.texts.get(message.digest, "")
        return SentMessage(role=intern(message.role), content=content)


def _interned(text: str | None) -> str | None:
    return None if text is None else intern(text)


def _same_text(text: str | None, formula: str) -> str | None:
    """The text; as the same object as the formula if it is equal to it."""
    return formula if text == formula else text
