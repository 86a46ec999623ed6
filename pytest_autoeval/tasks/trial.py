"""The record of one trial: one sample, one model, and all questions, answers and decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import msgspec
from msgspec import Struct, structs

from pytest_autoeval.errors import AutoevalError, raises_here
from pytest_autoeval.languages import Formula, Language, Reading, Verdict, Vocabulary, Witness
from pytest_autoeval.models.protocols import Chat, Embedder, Reply
from pytest_autoeval.outcomes import Outcome, Prompting
from pytest_autoeval.prompts.template import Templates
from pytest_autoeval.record.calls import Call, SentMessage
from pytest_autoeval.record.sample_parts import Part, PartError, Parts, check_part
from pytest_autoeval.removed import removed_in_api, without_keyword
from pytest_autoeval.tasks.halves import Halves

T = TypeVar("T")
P = TypeVar("P", bound=Part)


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
    """The verifier gave up: neither a pass nor the model's failure. ``outcome`` is the name of an undecided outcome."""

    def __init__(self, message: str, outcome: str = Outcome.UNDECIDED) -> None:
        super().__init__(message)
        self.outcome = outcome


#: What becomes of a description that copies the formula: the trial fails, or it is only marked as ``leaked``.
Copies = Literal["fail", "count"]
#: Equal questions differ by one number, which counts repeats and, in steps of this size, attempts. A step is more than
#: a run has repeats. Recordings are found by this number, so with another step recorded attempts would be lost.
_ATTEMPT_STEP = 10_000


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


class PromptChoice(Struct, frozen=True):
    """The prompts of a trial: prompting, interface, and the folders that come before the shipped prompts.

    The trials of a run share their ``templates``, so that a run reads each file once.
    """

    prompting: Prompting = Prompting.ZERO_SHOT
    interface: str = ""
    folders: tuple[Path, ...] = ()
    templates: Templates = msgspec.field(default_factory=Templates)


@without_keyword("notes")
@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The judgement of an answer.

    Attributes:
        outcome: the name of an outcome, such as ``correct``, ``wrong answer`` or ``unreadable answer``.
        message: for people: why the answer is wrong.
        parts: what the sample has in the results besides. Each is an object of a class that derives from `Part`.
        reading: the formula that was read in the answer, if it should have one.
        chosen: the formula that the answer names without writing it, as by a number.
        compliant: of an answer that is no formula, whether it has the strict syntax.
        recovered: of such an answer, whether it was found only inside other text.
        verdict: the verdict on the formula.
    """

    outcome: str
    message: str = ""
    parts: tuple[Part, ...] = ()
    reading: Reading | None = None
    chosen: Formula | None = None
    compliant: bool | None = None
    recovered: bool | None = None
    verdict: Verdict | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.parts, tuple):
            raise PartError(
                f"the parts of a Judgement are a {type(self.parts).__name__}; write a tuple: parts=(…,)"
            )

    def part(self, kind: type[P]) -> P | None:
        """The part of this type; None if it has none."""
        return next((part for part in self.parts if isinstance(part, kind)), None)

    def with_part(self, part: Part) -> Judgement:
        """This judgement and another part, which replaces one of its type."""
        parts_of_other_types = (
            present for present in self.parts if type(present) is not type(part)
        )
        return replace(self, parts=(*parts_of_other_types, part))


class Performed(Protocol):
    """The part of a task that a trial needs."""

    name: str

    def perform(self, trial: Trial, /) -> Judgement:
        """See `Task.perform`."""

    def halves(self, trial: Trial, /) -> Halves | None:
        """See `Task.halves`."""

    def ask_the_rest(self, trial: Trial, /) -> None:
        """See `Task.ask_the_rest`."""


@dataclass(slots=True)
class Trial:
    """One run of a test's body: its sample, its model and its results.

    A task of your own reads ``about`` (the sample), ``fact`` and ``repeat``. The results show
    the parts of its judgement, and those that it gives to `add`.
    """

    model: Chat | Embedder
    prompts: PromptChoice = field(default_factory=PromptChoice)
    subject: Subject | None = None
    task: Performed | None = None
    repeat: int = 0
    #: The attempt of the calls that are being made: equal questions of another attempt are asked anew.
    attempt: int = 0
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
    #: The formulas of the last comparison of the body, or texts that are no formulas; the first is the pipeline's.
    compared_formulas: tuple[str, str] | None = None
    verdict: Verdict | None = None
    #: The judgement of the task.
    judgement: Judgement | None = None
    #: The chance to pass by guessing, 0 to 1, 1 excluded.
    chance: float = 0.0
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
    #: What the sample has in the results besides, by the names of the parts; see `add`.
    parts: Parts = field(default_factory=Parts)
    #: The calls to the model, in order.
    calls: list[Call] = field(default_factory=list)
    #: The files of the prompts in use that are not shipped, and whether any prompt of a file is in use.
    own_prompts: set[Path] = field(default_factory=set)
    uses_prompts: bool = False
    #: How many of the calls were answered in the earlier run that this one continues.
    taken_over: int = 0

    def anew(self) -> Trial:
        """A trial with the same models and subject."""
        # What the run gives to a trial. What the first trial has asked and found is not copied.
        names = (
            "model",
            "reader",
            "prompts",
            "subject",
            "repeat",
            "verify_timeout",
            "copies",
            "constrained",
        )
        return Trial(**{name: getattr(self, name) for name in names})

    @property
    def failure(self) -> Exception | None:
        """What failed in this trial, also if the body caught the exception."""
        return self.failed or self.unanswered or self.unjudged

    @contextmanager
    def calling(self, attempt: int = 0) -> Iterator[None]:
        """Inside this ``with`` the model is asked, equal questions of one ``attempt`` once. It notes if that fails."""
        if not isinstance(attempt, int) or attempt < 0:
            raise AutoevalError(f"attempt={attempt!r} is not an integer ≥ 0")
        self.attempt = attempt
        try:
            yield
        except Exception as failure:
            self.unanswered = failure
            raise
        finally:
            self.attempt = 0
        self.unanswered = None

    @property
    def asked_repeat(self) -> int:
        """The number by which a model tells equal questions apart: the repeat, and the attempt within it."""
        return self.repeat + _ATTEMPT_STEP * self.attempt

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """Inside this ``with`` something is judged, and the trial notes if that fails.

        A failed comparison stays, whatever succeeds later. One that could not be made is forgotten once a later one is.
        """
        try:
            yield
        except (MeaningLostError, UndecidedError) as failure:
            # What is known to be wrong stays wrong: a comparison that is undecided after it does not replace it.
            if isinstance(failure, MeaningLostError) or self.failed is None:
                self.failed = failure
            raise
        except Exception as failure:
            self.unjudged = failure
            raise
        self.unjudged = None

    def take_calls(self, other: Trial) -> None:
        """Adds the calls of another trial, such as one made by `anew`."""
        self.calls += other.calls
        self.own_prompts |= other.own_prompts
        self.uses_prompts |= other.uses_prompts
        self.taken_over += other.taken_over

    def add(self, part: Part) -> None:
        """Adds a part to the sample. It replaces one of its type.

        Raises `PartError` if the part cannot be written to a results file.
        """
        written = check_part(part)
        earlier = self.parts.get(written.part_name)
        if earlier is not None and type(earlier) is not type(written):
            names = f"{_full_name(type(earlier))} and {_full_name(type(written))}"
            raise PartError(f"the sample has two parts of the name {written.part_name!r}: {names}")
        self.parts = self.parts.with_part(written)

    def part(self, kind: type[P]) -> P | None:
        """The part of this type; None if the sample has none."""
        return self.parts.of(kind)

    def note(self, kind: type[Part], **fields: Any) -> None:
        """Sets fields of the part of this type, which is added if the sample has none. Raises as `add`."""
        earlier = self.part(kind)
        self.add(kind(**fields) if earlier is None else structs.replace(earlier, **fields))

    @property
    def read(self) -> Formula | None:
        """The formula that was read, if one was."""
        return self.reading.formula if self.reading is not None else None

    @property
    def translation(self) -> str | None:
        """The canonical text of the formula that was read, or that the answer chose."""
        chosen = None if self.judgement is None else self.judgement.chosen
        formula = self.read if chosen is None else chosen
        return None if formula is None else str(formula)

    @property
    def compliant(self) -> bool | None:
        """Whether the whole answer has the strict syntax; None if it has none."""
        if self.judgement is not None and self.judgement.compliant is not None:
            return self.judgement.compliant
        return None if self.reading is None else self.reading.compliant

    @property
    def recovered(self) -> bool | None:
        """Whether the answer was found only inside other text, or in another notation; None if it has no syntax."""
        if self.judgement is not None and self.judgement.recovered is not None:
            return self.judgement.recovered
        return None if self.reading is None else self.reading.recovered

    @property
    def description_read(self) -> str | None:
        """The text that was formalized, if it is not the description that the model wrote."""
        text = self.formalized_text
        # A body may give anything to be read, also what is no text. That is its own error, and not shown as a text.
        is_other_text = isinstance(text, str) and text != self.description
        return text if is_other_text else None

    @property
    def compared(self) -> str | None:
        """The formula that the body compared, if it is not the translation; a text if it is no formula."""
        if self.compared_formulas is None:
            return None
        formula = self.compared_formulas[0]
        return None if formula == self.translation else formula

    @property
    def compared_with(self) -> str | None:
        """What it was compared with, if it is not the formula of the sample."""
        if self.compared_formulas is None or self.subject is None:
            return None
        formula = self.compared_formulas[1]
        return None if formula == str(self.subject.formula) else formula

    @property
    def witness(self) -> Witness | None:
        """A case on which the two formulas differ."""
        return None if self.verdict is None else self.verdict.witness

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
        # A drawn sample has no facts, only one of a data set has.
        facts = getattr(self.about, "facts", {})
        value = facts.get(key)
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
        call = Call(
            stage=stage,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            reasoning_tokens=reply.reasoning_tokens,
            cost=reply.cost,
            seconds=reply.seconds,
            finish_reason=reply.finish_reason,
            model=reply.model or None,
            system_fingerprint=reply.system_fingerprint or None,
            prompt_digest=reply.prompt_digest or None,
            replayed=reply.replayed,
            repeated=reply.repeated,
            messages=tuple(map(_sent, reply.messages)),
        )
        self.calls.append(call)

    if not TYPE_CHECKING:  # a type checker would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Raises `AttributeError`: it is called for a name that a trial does not have."""
            raise AttributeError(
                removed_in_api(f"Trial.{name}") or f"a Trial has no attribute {name!r}"
            )


def _sent(message: Mapping[str, str]) -> SentMessage:
    # Interned, to save memory: the role, and most texts, are the same in every sample.
    return SentMessage(role=intern(message["role"]), content=intern(message["content"]))


def _full_name(kind: type) -> str:
    """The name of a class with its module, by which two classes of one name can be told apart."""
    return f"{kind.__module__}.{kind.__qualname__}"


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


@raises_here
def perform(sample: Subject | None = None) -> Judgement:
    """Runs the marker's task on the test's sample; returns the judgement of a right answer."""
    trial = current_trial()
    is_other_sample = sample is not None and sample != trial.subject
    if trial.task is None or is_other_sample:
        raise AutoevalError(
            "perform() runs the marker's task on the test's own sample, and accepts no other"
        )
    trial.performed = True
    with trial.deciding():
        return trial.task.perform(trial)
