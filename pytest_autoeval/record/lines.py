"""The lines of a results file as types. Reading a line is checking it: a wrong value is an error with its path.

Suites are joined by object, not by name: a sample has its :class:`SuiteRecord`, whose number stands in the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias, TypeVar, final

from msgspec import Struct, field

from pytest_autoeval.outcomes import OutcomeKind, shipped_kind
from pytest_autoeval.record.calls import Call, Calls
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.gate_results import GateResult
from pytest_autoeval.record.own_outcomes import OwnOutcome, outcome_among
from pytest_autoeval.record.sample_parts import Part, Parts, empty
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.record.suite_names import ROUND_TRIP_INTERFACES

P = TypeVar("P", bound=Part)

SCHEMA_VERSION = 2

#: The verdict on a suite or run. ``with the run``: the suite did not fall by itself, and the whole run is judged.
#: ``reported``: nothing judged it.
Verdict = Literal["passed", "failed", "inconclusive", "interrupted", "with the run", "reported"]
#: How a suite ended. ``left out``: it could not run with these options. ``nothing verified``: its first samples were
#: not verified, so the others were not asked.
Ending = Literal[
    "whole",
    "stopped early",
    "limit reached",
    "interrupted",
    "nothing verified",
    "nothing drawn",
    "left out",
]
#: Whether a sample counts in rates; else why not. A sample that shrinking made was chosen because it failed. An equal
#: paraphrase repeats a question that was already asked.
Counts = Literal["yes", "shrunk", "equal paraphrase"]
#: Where a sample stands in its suite: size, index, repeat and paraphrase.
Place: TypeAlias = tuple[int, int, int, int]
#: What distinguishes a sample: size, index, repeat, paraphrase, seed and formula.
SampleKey: TypeAlias = tuple[int, int, int, int, int, str]


# Defaults are not written: a file has one line for each sample, and most fields of most samples have none of their own.
# Frozen: a sample that was written cannot differ from its line.
class RecordLine(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind"):
    """A line of a results file."""


class Planned(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A suite that the run was to ask.

    Attributes:
        number: its number.
        name: its name, as :attr:`Suite.name`.
        model: the model that it asks.
    """

    number: int
    name: str
    model: str


class Run(RecordLine, frozen=True, kw_only=True, tag="run"):
    """The run, before its first call.

    Attributes:
        schema_version: 2.
        release: the release of pytest-autoeval that wrote the file.
        started: when the run started, in UTC, such as ``2026-11-24T05:45:12.034+00:00``.
        seed: the seed that formulas are drawn from.
        options: the options that a command needs to ask about a sample again, as typed, without secrets.
        shard: with `--autoeval-shard`, the part, such as ``2/5``; ``1/5, 3/5`` for some parts that were joined.
        settings: a digest of the settings that all parts of a run must share.
        suites: the suites that the run was to ask. `report` ends with 2 if one of them is missing.
        not_collected: files of tests that could not be collected, so that their suites are unknown.
    """

    schema_version: int
    release: str = ""
    started: str | None = None
    seed: int = 0
    options: tuple[str, ...] = ()
    shard: str | None = None
    settings: str | None = None
    suites: tuple[Planned, ...] = ()
    not_collected: tuple[str, ...] = ()


class Suite(RecordLine, frozen=True, kw_only=True, tag="suite"):
    """A suite, when it starts: what is asked, of whom, and what it must reach.

    Attributes:
        number: its number in the run, from 1, in the order of collection.
        name: its test function with the variant and the test's own parameters. It is shown, and compared with nothing.
        function: the test function: its file, relative to the root folder, and its name.
        parameters: the test's own parameters, as pytest shows them.
        variant: what distinguishes the variants of the run, as the name shows it.
        test: the id of the pytest item.
        model: the name given to `--autoeval-model`.
        default_model: the run named no model, so that the offline model answers.
        reader: with `--autoeval-reader`, the model that reads the descriptions.
        interface: the form of the prompt; absent if there is one form only, or if a round trip asks in the usual form.
        prompting: ``zero-shot``, ``few-shot``, ``self-refine`` or ``same-story``.
        constrained: the answers are constrained by a grammar.
        prompts: the folders of the user's own prompts.
        temperature: the sampling temperature that is sent; absent for the server's own.
        max_tokens: the limit of an answer in tokens that the run was given; absent for the limit of each task.
        parameters_sent: more parameters of each call (`--autoeval-parameters`), without secrets.
        api_seeds: the seed that was sent with each repeat, in order.
        language: the language of the formulas.
        source: the grammar that formulas are drawn from, or the data set.
        vocabulary: the name of the vocabulary.
        task: the task, if the suite is no round trip.
        form: whether candidates, premises or description are ``english`` or ``formulas``.
        figures: the kind of figures that are computed from the samples.
        benchmark: the name of the score in the table of scores by form.
        copies: what a description that copies the formula is: ``fail`` or ``count``.
        sizes: the sizes that were asked for.
        empty_sizes: those of them of which there is no formula.
        planned: the number of samples. With `--autoeval-shard`, that of all parts.
        given_formulas: the run asked about formulas of the command line (`--autoeval-formula`), not about drawn ones.
        looks: how many planned looks share the error of its gates (`--autoeval-stop-early`); absent without looks.
        threshold: the pass rate that it must reach, 0 to 1.
        threshold_by: what gave the threshold: the ``marker`` of the test or an ``option``.
        agreement: the agreement that it must reach, 0 to 1.
        collisions: how many pairs of its rules may collide; a rule that can never apply counts as one.
        incomparable: why its samples are compared with no other run: an older release asked in a way that is gone.
        ungated: why it is shown without a gate: an older release judged in a way that is gone.
        outcomes: the outcomes that the user added.
    """

    number: int
    name: str
    function: str = ""
    parameters: str = ""
    variant: str = ""
    test: str = ""
    model: str
    default_model: bool = False
    reader: str | None = None
    interface: str | None = None
    prompting: str = "zero-shot"
    constrained: bool = False
    prompts: tuple[str, ...] = ()
    temperature: float | None = None
    max_tokens: int | Literal["none"] | None = None
    parameters_sent: dict[str, Any] = {}
    api_seeds: tuple[int, ...] = ()
    language: str
    source: str
    vocabulary: str = ""
    task: str | None = None
    form: str | None = None
    figures: str | None = None
    benchmark: str | None = None
    copies: str | None = None
    sizes: tuple[int, ...] = ()
    empty_sizes: tuple[int, ...] = ()
    planned: int | None = None
    given_formulas: bool = False
    looks: int = 0
    threshold: float | None = None
    threshold_by: Literal["", "marker", "option"] = ""
    agreement: float | None = None
    collisions: int | None = None
    incomparable: str | None = None
    ungated: str | None = None
    outcomes: tuple[OwnOutcome, ...] = ()

    @property
    def form_of_prompt(self) -> str:
        """The interface, also that of a round trip that asks in the usual form; empty for a task with one form."""
        usual = ROUND_TRIP_INTERFACES[0] if self.task is None else ""
        return self.interface or usual


class Text(RecordLine, frozen=True, kw_only=True, tag="text"):
    """A text that many prompts share, such as a system prompt; before the first sample that needs it.

    Attributes:
        digest: its digest, by which messages name it.
        content: the text.
    """

    digest: str
    content: str


class Sample(RecordLine, frozen=True, kw_only=True, tag="sample"):
    """A sample, the moment it ends: what was asked, what came back, and how it ended.

    Attributes:
        suite: the suite; in the file, its number.
        size: the size that was asked for: operators; of regular expressions the depth, of sentences the words.
        index: the number of the formula among those of its size, from 0.
        repeat: the number of the repeat, from 0.
        paraphrase: the number of the paraphrase that was read; 0 for the sentence itself.
        seed: the seed that the formula was drawn from; 0 for written items.
        formula: the formula in canonical notation; empty for a sentence without one.
        measures: measures of complexity by name, among them ``operators`` and ``depth``; of a sentence, ``words``.
        trivial: ``tautology``, ``contradiction``, ``empty`` or ``universal``; ``undecided`` if the verifier gave up.
        same_as: in a round trip, an earlier formula of the suite that means the same.
        description: the English that the model wrote for the formula.
        description_read: the text that was read, if the body of the test changed the description.
        answer: the model's whole answer to the question for a formula.
        translation: the formula that was found in the answer, in canonical notation.
        compared: the formula that the body of the test compared, if it is not the translation; its text if it is none.
        compared_with: the formula that it was compared with, if it is not the formula of the sample.
        outcome: how the sample ended.
        code: the code of the outcome, such as ``AE101``.
        chance: the chance to pass by guessing, 0 to 1, 1 excluded.
        compliant: the whole answer is a formula in the strict syntax.
        recovered: a formula was found only inside fences, prose or another notation.
        leaked: the description copies the formula.
        witness: a case on which the two formulas differ.
        witness_text: the witness for people; left is the given formula, right the model's.
        verdict_method: the decision procedure.
        verdict_seconds: wall-clock time of the decision.
        differences: where formula and translation differ, as ``[start, end]`` in characters.
        calls: the calls to the model, in order.
        error: why the sample could not be run, or the message of the failed assertion.
        counts: whether the sample counts in rates, or why not.
        parts: what a task or feature adds, by the name of the part.
    """

    suite: SuiteRecord
    size: int
    index: int
    repeat: int = 0
    paraphrase: int = 0
    seed: int = 0
    formula: str = ""
    measures: dict[str, int | float] = {}
    trivial: str | None = None
    same_as: str | None = None
    description: str | None = None
    description_read: str | None = None
    answer: str | None = None
    translation: str | None = None
    compared: str | None = None
    compared_with: str | None = None
    outcome: str
    code: str
    chance: float = 0.0
    compliant: bool | None = None
    recovered: bool | None = None
    leaked: bool | None = None
    witness: dict[str, Any] | None = None
    witness_text: str | None = None
    verdict_method: str | None = None
    verdict_seconds: float | None = None
    differences: dict[str, tuple[tuple[int, int], ...]] | None = None
    calls: tuple[Call, ...] = ()
    error: str | None = None
    counts: Counts = "yes"
    parts: Parts = field(default_factory=Parts)

    @property
    def model(self) -> str:
        """The model that was asked."""
        return self.suite.asked.model

    @property
    def kind(self) -> OutcomeKind:
        """How the outcome counts, as its suite declares it."""
        return (
            shipped_kind(self.outcome)
            or outcome_among(self.outcome, self.suite.asked.outcomes).kind
        )

    @property
    def passed(self) -> bool:
        """Whether the sample passed; False for an undecided one."""
        return self.kind is OutcomeKind.PASS

    @property
    def place(self) -> Place:
        """Where the sample stands among those of its suite."""
        return self.size, self.index, self.repeat, self.paraphrase

    @property
    def key(self) -> SampleKey:
        """What distinguishes the sample from the others of its suite."""
        return self.size, self.index, self.repeat, self.paraphrase, self.seed, self.formula

    def part(self, kind: type[P]) -> P | None:
        """The part of this type; None if the sample has none."""
        return self.parts.of(kind)

    def part_or_empty(self, kind: type[P]) -> P:
        """The part of this type, whose fields all have defaults; one without values if the sample has none."""
        return self.parts.of(kind) or empty(kind)


class Found(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A counterexample of a suite: the sample that failed, and what shrinking made of it.

    Attributes:
        size: the size of the sample.
        index: its index.
        repeat: its repeat.
        paraphrase: its paraphrase.
        shrunk_to: the simplest formula on which the model failed in the same way; absent without a simpler one.
        minimal: no simpler variant of it fails.
        confirmed: how often it failed when it was asked again, such as ``2 of 2``.
        round_trips: the round trips that shrinking spent, or the attempts of another task.
        ended_in_errors: how many of these had no answer.
        calls: the calls that shrinking made.
    """

    size: int
    index: int
    repeat: int = 0
    paraphrase: int = 0
    shrunk_to: str | None = None
    minimal: bool = False
    confirmed: str = ""
    round_trips: int = 0
    ended_in_errors: int = 0
    calls: Calls | None = None

    @property
    def place(self) -> Place:
        """Where the sample that failed stands among those of its suite."""
        return self.size, self.index, self.repeat, self.paraphrase


class SuiteEnd(RecordLine, frozen=True, kw_only=True, tag="suite_end"):
    """The end of a suite. A suite without one was interrupted.

    Attributes:
        suite: the number of the suite.
        verdict: the verdict of the run on it; absent in files of older releases.
        reasons: why, one sentence from each gate.
        ended: how it ended.
        why: more on how it ended, such as the limit that was reached.
        stopped: why the suite was stopped early.
        counterexamples: the samples that it shows, with what shrinking cost.
        figures: the figures that functions of `registry.add_figures` gave. `report` shows them without the functions.
        tables: the tables that they gave, each as a block of the summary's document.
        without_figures: why figures of these functions are missing, a sentence each.
        gates: what the gates of `registry.add_gate` said.
        unfinished: the calls for samples that a limit cut off, which have no line.
        rows_left_out: the rows of its data that no sample was made of, each with its line and why.
    """

    suite: int
    verdict: Verdict | None = None
    reasons: tuple[str, ...] = ()
    ended: Ending = "whole"
    why: str = ""
    stopped: Stopped | None = None
    counterexamples: tuple[Found, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[dict[str, Any], ...] = ()
    without_figures: tuple[str, ...] = ()
    gates: tuple[GateResult, ...] = ()
    unfinished: Calls | None = None
    rows_left_out: tuple[str, ...] = ()


class RunEnd(RecordLine, frozen=True, kw_only=True, tag="run_end"):
    """The end of a run. A file without it is of a run that was killed.

    Attributes:
        verdict: the verdict on the run.
        reasons: why, the worst first: a sentence for each model if a drop over all suites is judged, and one each for
            what did not run, errors, and the suites that were judged.
        exit_code: the exit code of pytest.
        interrupted: the run ended before all suites were judged.
    """

    verdict: Verdict
    exit_code: int
    reasons: tuple[str, ...] = ()
    interrupted: bool = False


AnyLine = Run | Suite | Text | Sample | SuiteEnd | RunEnd


# No struct: suites of two files may have equal values, and are two keys of a dict. So they are equal by identity.
@final
class SuiteRecord:
    """A suite of a results file: its run, what was asked, its samples, and its end, None if it was interrupted."""

    __slots__ = ("asked", "end", "run", "samples")

    def __init__(
        self, asked: Suite, run: Run, samples: Iterable[Sample] = (), end: SuiteEnd | None = None
    ) -> None:
        self.asked = asked
        self.run = run
        self.samples: list[Sample] = list(samples)
        self.end = end

    @property
    def number(self) -> int:
        return self.asked.number

    @property
    def name(self) -> str:
        return self.asked.name

    @property
    def model(self) -> str:
        return self.asked.model

    @property
    def counted(self) -> list[Sample]:
        """The samples that count in rates."""
        return [sample for sample in self.samples if sample.counts == "yes"]

    def found(self, sample: Sample) -> Found | None:
        """The counterexample that shrinking made of a sample; None if it made none."""
        examples = () if self.end is None else self.end.counterexamples
        return next((example for example in examples if example.place == sample.place), None)

    @property
    def regular(self) -> list[Sample]:
        """The samples that were planned, also those that do not count. Samples that shrinking made are left out."""
        return [sample for sample in self.samples if sample.counts != "shrunk"]

    def __repr__(self) -> str:
        return f"<suite {self.number}: {self.name} of {self.model}, {len(self.samples)} samples>"
