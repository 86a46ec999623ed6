"""The record of one trial: one sample, one model, and all questions, answers and decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern
from typing import Any, Literal, Protocol, TypeVar

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import Formula, Language, Reading, Verdict, Vocabulary
from pytest_autoeval.models.base import Chat, Embedder, Reply
from pytest_autoeval.outcomes import Prompting

T = TypeVar("T")


class MeaningLostError(AutoevalError, AssertionError):
    """The model lost the meaning.

    ``outcome`` is the name of a failing outcome. For a round trip it is ``different``, ``unparseable``,
    ``foreign symbol``, ``copied``, ``refused or empty`` or ``truncated``.
    """

    def __init__(self, outcome: str, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


class UnsuitableSampleError(AutoevalError):
    """The sample lacks something that the task needs: the data set of the marker is not made for the task."""


class UndecidedError(AutoevalError):
    """The verifier gave up: neither a pass nor the model's failure."""


#: What a row says of each call, besides its stage and messages.
_OF_CALL = (
    *("prompt_tokens", "completion_tokens", "reasoning_tokens", "cost", "seconds"),
    *("finish_reason", "prompt_digest", "replayed", "repeated"),
)

Copies = Literal["fail", "count"]


class Subject(Protocol):
    """The subject of a trial: a formula with its language and vocabulary, such as a drawn sample."""

    @property
    def formula(self) -> Formula:
        """The formula that goes round."""

    @property
    def language(self) -> str:
        """The name of its language."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The names that an answer may use."""


@dataclass(frozen=True, slots=True)
class PromptChoice:
    """The prompts of a trial: prompting, interface, and the folders that come before the shipped prompts."""

    prompting: Prompting = Prompting.ZERO_SHOT
    interface: str = ""
    folders: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The judgement of an answer.

    Attributes:
        outcome: the name of an outcome, such as ``correct``, ``wrong answer`` or ``unreadable answer``.
        message: for people: why the answer is wrong.
        notes: keys to add to the row of the results; the values are plain basic types.
        reading: the formula that was read in the answer, if it should have one.
        verdict: the verdict on that formula.
    """

    outcome: str
    message: str = ""
    notes: Mapping[str, Any] = field(default_factory=dict)
    reading: Reading | None = None
    verdict: Verdict | None = None


class Performed(Protocol):
    """The part of a task that a trial needs."""

    name: str

    def perform(self, trial: Trial, /) -> Judgement:
        """See `Task.perform`."""

    def blame(self, trial: Trial, /) -> dict[str, Any] | None:
        """See `Task.blame`."""

    def ask_the_rest(self, trial: Trial, /, *, blames: bool) -> None:
        """See `Task.ask_the_rest`."""


@dataclass(slots=True)
class Trial:
    """One run of a test's body: its sample, its model and its results.

    A task of your own reads ``about`` (the sample), ``fact`` and ``repeat``, and may add to ``notes``.
    """

    model: Chat | Embedder
    prompts: PromptChoice = field(default_factory=PromptChoice)
    subject: Subject | None = None
    task: Performed | None = None
    repeat: int = 0
    #: The number of the paraphrase of the sentence, 0 for the sentence itself; and how many paraphrases the run wants.
    paraphrase: int = 0
    paraphrases: int = 0
    #: Whether the paraphrase has the words of the sentence or of an earlier paraphrase.
    repeats_question: bool = False
    #: Whether the test's body performed the task.
    performed: bool = False
    #: Seconds that a verdict may take; None for the language's default.
    verify_timeout: float | None = None
    #: The model that reads descriptions, if it is not ``model``.
    reader: Chat | Embedder | None = None
    #: Whether a description that copies the formula fails the trial, or is only marked as ``leaked``.
    copies: Copies = "fail"
    #: Whether answers are constrained by the grammar or the schema of their form.
    constrained: bool = False
    #: The formula that was described.
    described: Formula | None = None
    description: str | None = None
    #: The text that was formalized.
    formalized_text: str | None = None
    reading: Reading | None = None
    answer: str | None = None
    leaked: bool | None = None
    verdict: Verdict | None = None
    #: Whether the text that was formalized is the formula itself.
    given_away: bool = False
    #: Whether some comparison involved more than the sample's own formula.
    verified: bool = False
    #: Why the last comparison proves nothing; empty if it proves something.
    proves_nothing: str = ""
    #: The last failed comparison. A body may catch the exception, but the failure stays.
    failed: MeaningLostError | UndecidedError | None = None
    #: Why the last call gave nothing. Only a later call that succeeds makes it good, and no comparison.
    unanswered: Exception | None = None
    #: Why the last comparison could not be made. A later one that can be made makes it good.
    unjudged: Exception | None = None
    #: The outcome, if the task decides it.
    outcome: str | None = None
    #: More keys for the row of the results; the values are plain basic types.
    notes: dict[str, Any] = field(default_factory=dict)
    calls: list[dict[str, Any]] = field(default_factory=list)
    #: The files of the prompts in use that are not shipped, and whether any prompt of a file is in use.
    own_prompts: set[Path] = field(default_factory=set)
    uses_prompts: bool = False
    #: How many of the calls were answered in the earlier run that this one continues.
    taken_over: int = 0

    def anew(self) -> Trial:
        """A trial with the same models and subject."""
        names = ("model", "reader", "prompts", "subject", "verify_timeout", "copies", "constrained")
        alike = {name: getattr(self, name) for name in names}
        return Trial(repeat=self.repeat, **alike)

    @property
    def failure(self) -> Exception | None:
        """What failed in this trial, also if the body caught the exception."""
        return self.failed or self.unanswered or self.unjudged

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Inside this ``with`` the model is asked. The trial notes if that fails."""
        try:
            yield
        except Exception as failure:
            self.unanswered = failure
            raise
        self.unanswered = None

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """Inside this ``with`` something is judged. The trial notes if that fails; no later success makes it good."""
        try:
            yield
        except (MeaningLostError, UndecidedError) as failure:
            # What is known to be wrong stays wrong, whatever cannot be decided after it.
            if isinstance(failure, MeaningLostError) or self.failed is None:
                self.failed = failure
            raise
        except Exception as failure:
            self.unjudged = failure
            raise
        self.unjudged = None

    def take_calls(self, other: Trial) -> None:
        """Adds the calls of a trial made by `anew`."""
        self.calls += other.calls
        self.own_prompts |= other.own_prompts
        self.taken_over += other.taken_over

    @property
    def read(self) -> Formula | None:
        """The formula that was read, if one was."""
        return self.reading.formula if self.reading is not None else None

    @property
    def _translation(self) -> str | None:
        return None if self.read is None else str(self.read)

    @property
    def about(self) -> Subject:
        """The sample: ``formula``, ``language`` (its name) and ``vocabulary``.

        Raises `AutoevalError` if there is none.
        """
        if self.subject is None:
            raise AutoevalError("this test has no sample: tasks run in pass-rate tests only")
        return self.subject

    def fact(self, key: str, kind: type[T]) -> T:
        """A fact of the sample, such as ``sentence``, of this type.

        Raises `UnsuitableSampleError` if the sample has none.
        """
        value = getattr(self.about, "facts", {}).get(key)
        if not isinstance(value, kind):
            raise UnsuitableSampleError(
                f"the sample has no {key!r} ({kind.__name__}), which this task needs: "
                "name a data set that is made for the task"
            )
        return value

    def seconds_for(self, language: Language) -> float:
        """The seconds that one verdict in a language may take."""
        return language.default_timeout if self.verify_timeout is None else self.verify_timeout

    def add_call(self, stage: str, reply: Reply) -> None:
        """Records one call to the model; ``stage`` is the name of the prompt."""
        self.taken_over += reply.taken_over
        # Interned: most texts are the same in every sample.
        messages = [{**message, "content": intern(message["content"])} for message in reply.messages]
        figures = {name: getattr(reply, name) for name in _OF_CALL}
        self.calls.append({"stage": stage, **figures, "messages": messages})

    def findings(self) -> dict[str, Any]:
        """The trial's part of a row of the results, as plain basic types."""
        reading, verdict = self.reading, self.verdict
        changed = self.formalized_text not in (None, self.description)
        return {
            "description": self.description,
            **({"description_read": self.formalized_text} if changed else {}),
            "translation": self._translation,
            "answer": self.answer,
            "compliant": reading.compliant if reading is not None else None,
            "recovered": reading.recovered if reading is not None else None,
            "leaked": self.leaked,
            **({} if self.leaked is None else {"copies": self.copies}),
            "witness": verdict.witness.to_json() if verdict is not None and verdict.witness is not None else None,
            "witness_text": str(verdict.witness) if verdict is not None and verdict.witness is not None else None,
            "verdict_method": verdict.method if verdict is not None else None,
            "verdict_seconds": verdict.seconds if verdict is not None else None,
            "calls": list(self.calls),
            **self.notes,
        }


_CURRENT: ContextVar[Trial] = ContextVar("autoeval_trial")


def current_trial() -> Trial:
    """The current trial of this thread."""
    try:
        return _CURRENT.get()
    except LookupError:
        raise AutoevalError(
            "no trial is under way here: use llm, round_trip and perform inside a test's body "
            "(in a thread of your own, in a copy of the context)"
        ) from None


def has_trial() -> bool:
    """Whether this thread has a current trial."""
    return _CURRENT.get(None) is not None


@contextmanager
def in_trial(trial: Trial) -> Iterator[Trial]:
    """Makes ``trial`` the current trial of this thread."""
    token = _CURRENT.set(trial)
    try:
        yield trial
    finally:
        _CURRENT.reset(token)


def perform(sample: Subject | None = None) -> Judgement:
    """Runs the marker's task on the test's sample; returns the judgement of a right answer."""
    trial = current_trial()
    if trial.task is None or sample not in (None, trial.subject):
        raise AutoevalError("perform() runs the marker's task on the test's own sample, and accepts no other")
    trial.performed = True
    with trial.deciding():
        return trial.task.perform(trial)
