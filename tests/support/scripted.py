"""A model that answers from a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pytest_autoeval.languages import Formula, Vocabulary, language
from pytest_autoeval.models.protocols import AnswerForm, Embedded, Form, Message, ModelError, Reply
from pytest_autoeval.outcomes import Prompting
from pytest_autoeval.record.sample_parts import Part
from pytest_autoeval.tasks import task
from pytest_autoeval.tasks.trial import (
    MeaningLostError,
    PromptChoice,
    Subject,
    Trial,
    UndecidedError,
)

P = TypeVar("P", bound=Part)
Answer = Reply | str | ModelError


class Scripted:
    """Gives the replies in order, and stores the requests and schemas. An error is raised."""

    name = "scripted"

    def __init__(self, *replies: Answer, in_words: bool = False) -> None:
        self.replies = [Reply(reply) if isinstance(reply, str) else reply for reply in replies]
        self.in_words = in_words
        self.asked: list[Sequence[Message]] = []
        self.schemas: list[AnswerForm | None] = []
        self.limits: list[int | None] = []

    def complete(
        self,
        messages: Sequence[Message],
        *,
        repeat: int = 0,
        schema: AnswerForm | None = None,
        limit: int | None = None,
    ) -> Reply:
        """The next reply, for any request."""
        _ = repeat
        self.limits.append(limit)
        self.asked.append(messages)
        self.schemas.append(schema)
        reply = self.replies[len(self.asked) - 1]
        if isinstance(reply, ModelError):
            raise reply
        return reply

    def recorded(
        self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerForm | None = None
    ) -> bool:
        """Whether there is an answer in words."""
        return bool(messages) and repeat >= 0 and schema is None and self.in_words

    def close(self) -> None:
        """Does nothing."""


class Placing:
    """An embedder with a vector for each known text. It stores the texts and their forms."""

    name = "placing"

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self.vectors = vectors
        self.given: list[tuple[tuple[str, ...], Form]] = []

    def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:
        """The vectors of the texts."""
        _ = repeat
        self.given.append((tuple(texts), form))
        return Embedded(
            tuple(tuple(self.vectors[text]) for text in texts), Reply("", prompt_tokens=len(texts))
        )

    def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:
        """Nothing is recorded."""
        _ = texts, form, repeat
        return False


@dataclass(frozen=True)
class Sample:
    """The properties of a drawn sample that a task uses."""

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


def performed(name: str, subject: Subject, *answers: Answer, **options: Any) -> Trial:
    """The trial after a model with these answers performed a task on an item; options of :func:`performed_by`."""
    return performed_by(Scripted(*answers), name, subject, **options)


def performed_by(
    model: Scripted | Placing,
    name: str,
    subject: Subject,
    *,
    interface: str = "",
    prompting: Prompting = Prompting.ZERO_SHOT,
    verify_timeout: float = 5.0,
) -> Trial:
    """The trial after a model performed a task on an item, however it ended."""
    trial = Trial(model, PromptChoice(prompting, interface), subject, verify_timeout=verify_timeout)
    try:
        task(name).perform(trial)
    except (MeaningLostError, UndecidedError) as lost:
        trial.failed = lost
    return trial


def part_of(trial: Trial, kind: type[P]) -> P:
    """The part of the trial of this type, or an empty one."""
    return trial.part(kind) or kind()


def message_of(trial: Trial) -> str:
    """Why the answer is wrong; empty if it is right."""
    return "" if trial.failed is None else str(trial.failed)


def slots_of(name: str, subject: Subject, interface: str = "") -> dict[str, str]:
    """The values of the slots of a task's prompt."""
    return {**task(name).slots(Trial(Scripted(), PromptChoice(interface=interface), subject))}
