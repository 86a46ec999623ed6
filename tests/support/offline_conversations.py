"""Asks an offline model in the form of the prompts."""

from __future__ import annotations

from pytest_autoeval.models.model_names import PREFIX
from pytest_autoeval.models.offline.answering import answer
from pytest_autoeval.models.offline.behaviour import Answer
from pytest_autoeval.models.offline.offline_models import BEHAVIOURS
from pytest_autoeval.models.protocols import Message

#: The offline models that answer in conversations: all except the embedding model.
SPEAKING = tuple(PREFIX + name for name in BEHAVIOURS)


def asking(kind: str, payload: str) -> list[Message]:
    """A conversation that ends with the payload after its label."""
    examples = [Message("user", "Formula:\np9"), Message("assistant", "p9 holds.")]
    return [
        Message("system", "Answer alone."),
        *examples,
        Message("user", f"Vocabulary:\np1, p2\n\n{kind}:\n{payload}\n"),
    ]


def describe(model: str, formula: str, seed: int | None = None) -> Answer:
    """The model's description of a formula."""
    return answer(model, asking("Formula", formula), seed)


def read(model: str, description: str, seed: int | None = None) -> Answer:
    """The formula that the model reads in a description."""
    return answer(model, asking("Description", description), seed)


def round_trip(model: str, formula: str, seed: int | None = None) -> Answer:
    """The formula after a round trip, with a new conversation for each half."""
    return read(model, describe(model, formula, seed).text, seed)
