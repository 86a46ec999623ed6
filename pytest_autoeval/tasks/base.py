"""What every task is: something asked of a model about one sample, whose answer is judged without another model.

A task asks once, or with self-refinement twice in one conversation, and judges each answer by itself. The last answer
is the trial's; what came of the first one is kept beside it. A task that takes structured outputs asks in words where
they are not to be had.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pytest_autoeval import prompts
from pytest_autoeval.languages import Reading, Verdict
from pytest_autoeval.languages.wrappings import without_thoughts
from pytest_autoeval.models.base import (
    AnswerSchema,
    Embedder,
    Form,
    Message,
    ModelError,
    RecordingMissError,
    Reply,
    StructuredOutputsUnsupportedError,
)
from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.tasks.answers.refusal import is_withheld
from pytest_autoeval.tasks.failures import MeaningLostError, UndecidedError
from pytest_autoeval.tasks.replies import Exchange, converse, is_truncated, said, speaking
from pytest_autoeval.tasks.structured import keeps_to
from pytest_autoeval.tasks.trial import Interface, Subject, Trial

#: Outcomes by which a task says that it found no answer at all.
_NOTHING_READ = frozenset({"unparseable", "unreadable answer", "invalid answer", "malformed trace"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What an answer is worth.

    ``outcome`` is a name of :mod:`pytest_autoeval.outcomes`; ``message`` says why it is no pass, for a person;
    ``notes`` are plain basic types for the row of the results. ``reading`` and ``verdict`` where a formula was read.
    """

    outcome: str
    message: str = ""
    notes: Mapping[str, Any] = field(default_factory=dict)
    reading: Reading | None = None
    verdict: Verdict | None = None


class Task(ABC):
    """One task. An instance holds nothing of a run, and is safe in threads."""

    name: ClassVar[str]
    #: Ways to put the question, the default first: each has a prompt ``NAME/LANGUAGE.INTERFACE.toml``. Empty: one way,
    #: with the prompt ``NAME/LANGUAGE.toml``.
    interfaces: ClassVar[tuple[Interface, ...]] = ()
    #: The language that the prompts are for, where the subject is not a formula of it but something about it.
    prompt_language: ClassVar[str] = ""
    #: What that is in which the task is put: the options, the premises. None where the question does not arise.
    form: ClassVar[Form | None] = None
    #: Whether it can be put to a model that only embeds texts: :meth:`embed` is then its answer.
    embeds: ClassVar[bool] = False

    @abstractmethod
    def slots(self, subject: Subject, interface: Interface) -> Mapping[str, str]:
        """What fills the prompt's slots."""

    @abstractmethod
    def judge(self, answer: str, trial: Trial) -> Judgement:
        """What a whole answer (thoughts left out, not empty) is worth; asks no model."""

    def schema(self, subject: Subject) -> AnswerSchema | None:  # noqa: ARG002
        """What the answer must look like where it is asked for through the interface ``structured``."""
        return None

    def embed(self, embedder: Embedder, trial: Trial) -> Judgement:  # noqa: ARG002
        """What the places are worth that a model gives to the texts in question, which it is asked for here."""
        raise ModelError(f"the task {self.name} cannot be put to {trial.model.name}, which only embeds texts")

    def notes_without_answer(self, subject: Subject) -> Mapping[str, Any]:  # noqa: ARG002
        """The notes on an answer that was cut off, refused or empty, and is not judged."""
        return {}

    def messages(self, trial: Trial, interface: Interface | None = None) -> list[Message]:
        """What is sent first; the interface is by default the trial's."""
        interface = self.interface(trial) if interface is None else interface
        template = self._template(trial, interface)
        turns = template.render(self.slots(trial.about, interface), few_shot=trial.prompting.way == "few-shot")
        return [Message(role, content) for role, content in turns]

    def interface(self, trial: Trial) -> Interface:
        """The way in which a trial puts the question: the task's default where the trial does not say."""
        return trial.prompting.interface or next(iter(self.interfaces), "")

    def perform(self, trial: Trial) -> Judgement:
        """Asks, judges, and leaves the findings in the trial.

        Raises :class:`MeaningLostError` with the outcome where the answer is no pass, :class:`UndecidedError` where the
        verifier gave up.
        """
        asked = "" if isinstance(trial.model, Embedder) else self.interface(trial)
        trial.notes |= {"task": self.name, "interface": asked or None}
        if self.form is not None:
            trial.notes["form"] = self.form
        judgement = self.embed(trial.model, trial) if isinstance(trial.model, Embedder) else self._answered(trial)
        trial.notes |= judgement.notes
        trial.reading, trial.verdict, trial.outcome = judgement.reading, judgement.verdict, judgement.outcome
        if judgement.outcome == "undecided":
            raise UndecidedError(judgement.message)
        if outcome_named(judgement.outcome).kind != "pass":
            raise MeaningLostError(judgement.outcome, judgement.message)
        return judgement

    def _answered(self, trial: Trial) -> Judgement:
        """What the model's answer is worth."""
        return self._judged_exchange(self._asked(trial), trial)

    def _judged_exchange(self, exchange: Exchange, trial: Trial) -> Judgement:
        """What the last answer is worth; leaves both in the trial."""
        if exchange.first is not None:
            first = self._judged(exchange.first, trial)
            trial.notes |= {"first_answer": exchange.first.text, "first_outcome": first.outcome}
        trial.answer = exchange.final.text
        return self._judged(exchange.final, trial)

    def _asked(self, trial: Trial) -> Exchange:
        """The answers; where structured ones are wanted and not to be had, those to the same question in words.

        A recording of a server that takes no schema holds only what was said in words: such a server's refusals are
        never recorded.
        """
        interface = self.interface(trial)
        schema = self.schema(trial.about) if interface == "structured" else None
        if schema is None:
            return self._conversed(trial, interface)
        try:
            return self._conversed(trial, interface, schema)
        except StructuredOutputsUnsupportedError:
            return self._conversed(trial, "text")
        except RecordingMissError:
            if not speaking(trial).recorded(self.messages(trial, "text"), repeat=trial.repeat):
                raise
            return self._conversed(trial, "text")

    def _conversed(self, trial: Trial, interface: Interface, schema: AnswerSchema | None = None) -> Exchange:
        template = self._template(trial, interface)
        exchange = converse(trial, self.name, self.messages(trial, interface), template, schema)
        if "structured" in self.interfaces:
            trial.notes["structured"] = schema is not None and keeps_to(exchange.final.text, schema)
        return exchange

    def _judged(self, reply: Reply, trial: Trial) -> Judgement:
        """What a reply is worth; one that opens as refusals do is a refusal only if nothing else can be read in it."""
        refusal: Judgement | None = None
        text = without_thoughts(reply.text)
        try:
            text = said(reply, self.name)
        except MeaningLostError as lost:
            notes = self.notes_without_answer(trial.about)
            refusal = Judgement(outcome=lost.outcome, message=str(lost), notes=notes)
            if is_truncated(reply) or is_withheld(reply) or not text.strip():
                return refusal
        judgement = self.judge(text, trial)
        return refusal if refusal is not None and judgement.outcome in _NOTHING_READ else judgement

    def _template(self, trial: Trial, interface: Interface) -> prompts.PromptTemplate:
        tongue = self.prompt_language or trial.about.language
        return prompts.load(self.name, tongue, trial.prompting.folders, interface=interface)
