"""Parts of blocks that several sections make."""

from __future__ import annotations

from msgspec.structs import replace

from pytest_autoeval.record.figures import Sentence, Value
from pytest_autoeval.report.blocks import Level, Note, Tone


def as_sentence(said: Sentence | str) -> Sentence:
    """A sentence; a text that is none yet is a value of one."""
    return said if isinstance(said, Sentence) else Sentence("{text}", {"text": said})


def note(said: Sentence | str, tone: Tone = "remark", level: Level = "default") -> Note:
    """A sentence as a block."""
    sentence = as_sentence(said)
    return Note(text=sentence.text, values=sentence.values, tone=tone, level=level)


def about(what: str, said: Sentence | str) -> Sentence:
    """A sentence about a suite, or about something else that has a name."""
    sentence = as_sentence(said)
    values: dict[str, Value] = {"about": what, **sentence.values}
    return replace(sentence, text=f"{{about}}: {sentence.text}", values=values)
