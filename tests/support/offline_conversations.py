"""Asking an offline model as the prompts do."""

from __future__ import annotations

from pytest_autoeval.models.base import Message
from pytest_autoeval.models.names import PREFIX
from pytest_autoeval.models.offline.behaviour import Answer
from pytest_autoeval.models.offline.catalogue import BEHAVIOURS
from pytest_autoeval.models.offline.conversation import answer

#: The offline models that hold a conversation, which is all but the one that embeds.
SPEAKING = tuple(PREFIX + name for name in BEHAVIOURS)


def asking(kind: str, payload: str) -> list[Message]:
    """A conversation that ends with the payload under its marker."""
    examples = [Message("user", "Formula:\np9"), Message("assistant", "p9 holds.")]
    return [
        Message("system", "Answer alone."),
        *examples,
        Message("user", f"Vocabulary:\np1, p2\n\n{kind}:\n{payload}\n"),
    ]


def describe(model: str, formula: str, seed: int | None = None) -> Answer:
    """What the model says of a formula."""
    return answer(model, asking("Formula", formula), seed)


def read(model: str, description: str, seed: int | None = None) -> Answer:
    """What the model reads in a description."""
    return answer(model, asking("Description", description), seed)


def round_trip(model: str, formula: str, seed: int | None = None) -> Answer:
    """What comes back of a formula, each half asked in a conversation of its own."""
    return read(model, describe(model, formula, seed).text, seed)
