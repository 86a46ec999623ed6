"""A model that answers from a list, for tests of what is made of its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_autoeval.languages import Formula, Vocabulary, language
from pytest_autoeval.models.base import Message, Reply


class Scripted:
    """Gives the replies in order, and keeps what it was asked."""

    name = "scripted"

    def __init__(self, *replies: Reply | str) -> None:
        self.replies = [Reply(reply) if isinstance(reply, str) else reply for reply in replies]
        self.asked: list[Sequence[Message]] = []

    def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> Reply:
        """The next reply, whatever is asked."""
        _ = repeat
        self.asked.append(messages)
        return self.replies[len(self.asked) - 1]

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0) -> bool:
        """Nothing is."""
        return bool(messages) and repeat < 0

    def close(self) -> None:
        """Holds nothing."""


@dataclass(frozen=True)
class Sample:
    """What a drawn sample tells a task."""

    formula: Formula
    language: str
    vocabulary: Vocabulary


def sample(text: str, name: str = "propositional") -> Sample:
    """A sample whose vocabulary is p1 to p4, the predicate P, the constant a, or the alphabet 0 and 1."""
    vocabulary = Vocabulary(
        propositions=("p1", "p2", "p3", "p4") if name == "propositional" else (),
        predicates=(("P", 1),) if name == "first_order" else (),
        constants=("a",) if name == "first_order" else (),
        alphabet=("0", "1") if name == "regex" else (),
    )
    return Sample(language(name).parse(text), name, vocabulary)
