"""Runs one suite, from samples to a judgement: draw, run, judge, shrink."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, zip_longest
from threading import Event
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from msgspec import Struct, structs

from pytest_autoeval.built_in import shipped
from pytest_autoeval.engine.asserting import NUMBER_OF_FIRST_SAMPLES
from pytest_autoeval.engine.bodies import (
    ENDING,
    FATAL,
    Body,
    TrialResult,
    first_of,
    none_verified,
    run_body,
)
from pytest_autoeval.engine.crew import Job
from pytest_autoeval.engine.drawn_samples import draw, first_samples
from pytest_autoeval.engine.effects import needs_met, own_prompts
from pytest_autoeval.engine.engine import Engine
from pytest_autoeval.engine.events import SampleEnded, SuiteJudged, SuiteLeftOut, SuiteStarted
from pytest_autoeval.engine.look_plan import PlannedLooks, TrialGroup
from pytest_autoeval.engine.sample_lines import Meanings, SampleMaker
from pytest_autoeval.engine.suite import LeftOutError, NothingDrawnError, Suite
from pytest_autoeval.engine.suite_lines import suite_line
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.samples import Sample as Drawn
from pytest_autoeval.models.protocols import CallError, LimitReachedError, ModelError
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.prompts.template import PromptError
from pytest_autoeval.record.lines import Ending, Run, SampleKey, SuiteEnd, SuiteRecord
from pytest_autoeval.statistics.look_levels import LOOKS
from pytest_autoeval.tasks.trial import Trial
from pytest_autoeval.text import count

if TYPE_CHECKING:
    from pytest_autoeval.judging.gates import Extent
    from pytest_autoeval.judging.suite_judgement import SuiteJudgement

T = TypeVar("T")
TrialJob: TypeAlias = "Job[Trial, TrialResult]"
#: Seconds for which drawing, and the import of what judges, wait, so that the first calls can import their client.
_HEAD_START = 0.3


class RunStoppedError(AutoevalError):
    """The run was stopped while a suite was under way."""


class SuiteResult(Struct, frozen=True, kw_only=True):
    """What a suite ended with. ``fatal`` is an error after which no sample of the run can succeed."""

    judged: SuiteJudged
    results: Sequence[TrialResult]
    fatal: BaseException | None


class SuiteRun:
    """Runs one suite and emits its events.

    ``begin_next`` is called near the end, when threads become free, so that another suite can start.
    """

    def __init__(
        self,
        suite: Suite,
        engine: Engine,
        body: Body,
        begin_next: Callable[[], None] = lambda: None,
    ) -> None:
        self.suite, self.engine, self.settings = suite, engine, engine.settings
        #: Whether the suite may turn out to verify nothing. Until that is known, only its first samples run.
        verifies = suite.verified and suite.task is None
        self._may_verify_nothing = verifies and not body.scan.has_own_assertions
        needs_answer = verifies and body.scan.asks_model
        self._body = structs.replace(
            body, needs_verdict=self._may_verify_nothing, needs_answer=needs_answer
        )
        self._begin_next = begin_next
        self._run: Run
        #: The suite in the results, and the maker of its samples; both are set when the samples are drawn.
        self._record: SuiteRecord
        self._maker: SampleMaker
        #: What was drawn for each sample.
        self._drawn_for: dict[SampleKey, Drawn] = {}
        self._meanings = Meanings()
        self._is_round_trip = suite.task is None and suite.source.can_shrink
        self._notes: list[str] = []
        self._unasked: tuple[str, ...] = ()
        self._looks = PlannedLooks(suite, engine)
        #: The trials of this shard.
        self._trials: list[Trial] = []
        #: The parts in which the trials run, and the job of the first.
        self._batches: list[TrialGroup] = []
        self._first_job: TrialJob | None = None
        #: Cleared only while the first trials run and the other samples are still being drawn.
        self._drawn = Event()
        self._drawn.set()
        #: Set when a body has ended.
        self._ended = Event()

    def begin(self, *, later: bool = False) -> None:
        """Draws the samples and starts the first part.

        Raises :class:`LeftOutError` or :class:`NothingDrawnError`.
        """
        self._run = self._start_run()
        if self.suite.source.preparation:
            prepare = shipped("preparation", self.suite.source.preparation)
            prepare(self.suite.source, self.engine, self.suite.target)
        early_samples = []
        # Which samples run before a look depends on all of them. A suite that may verify nothing begins with few.
        if not (self._may_verify_nothing or self._looks.are_planned):
            early_samples = first_samples(self.suite, self.settings, self.engine.crew.size)
        if not early_samples:
            self._draw()
            self._first_job = self._start(self._batches[0].trials, later=later)
            return
        trials = self.engine.trials(early_samples, self.suite)
        self._drawn.clear()
        self._first_job = self._start(trials, later=later, more_to_come=True)
        try:
            # Drawing keeps the interpreter busy, and the first calls would wait for it.
            if not later:
                self._ended.wait(_HEAD_START)
            self._draw(early_samples, trials)
            self.engine.crew.complete(self._first_job, self._in_turn(self._trials[len(trials) :]))
        except BaseException:
            # Its samples could not be recorded: the suite has no line in the results.
            self._first_job.abandon()
            raise
        finally:
            self._drawn.set()

    def _start_run(self) -> Run:
        try:
            return self.engine.services.start()
        except CallError as problem:
            raise RunStoppedError(str(problem)) from None

    def _draw(self, early_samples: Sequence[Drawn] = (), begun: Sequence[Trial] = ()) -> None:
        """Draws the samples and announces the suite. ``begun``: the started trials of ``early_samples``."""
        samples, self._notes = draw(self.suite, self.settings)
        # Rules that nobody asked about may collide with the others. Who names sentences wants no verdict on the set.
        if self.suite.collisions is not None and not self.settings.formula:
            self._unasked = tuple(self.suite.source.unasked(samples))
        self._trials = [*begun, *self._trials_of(samples, without=early_samples)]
        self._announce(samples)
        self._batches = self._looks.batches(self._trials, samples)
        # If the first few samples verify nothing, the others are not paid for.
        if self._may_verify_nothing and not self._body.scan.names_assert_equivalent:
            trials, look = self._batches[0]
            first_trials = trials[:NUMBER_OF_FIRST_SAMPLES]
            later_trials = trials[NUMBER_OF_FIRST_SAMPLES:]
            if later_trials:
                self._batches[:1] = [TrialGroup(first_trials), TrialGroup(later_trials, look)]

    def _announce(self, samples: Sequence[Drawn]) -> None:
        """Begins the suite's part of the results."""
        suite, settings = self.suite, self.settings
        line = suite_line(
            suite,
            settings,
            test=self._body.test,
            samples=samples,
            prompts=self.engine.prompt_folders(suite.target),
            empty_sizes=self._empty_sizes(samples),
            planned=len(samples) * settings.times_asked * (1 + settings.paraphrases_of(suite.task)),
            looks=LOOKS if self._looks.are_planned else 0,
        )
        self._record = SuiteRecord(line, self._run)
        self._maker = SampleMaker(self._record)
        self.engine.emit(SuiteStarted(suite=self._record, planned=len(self._trials)))

    def carry_out(self, meanwhile: Callable[[], None] = lambda: None) -> SuiteResult:
        """Runs the suite to its end. ``meanwhile`` is called when the first samples have started.

        If there is nothing to run, emits an event and raises :class:`LeftOutError` or :class:`NothingDrawnError`.
        Raises :class:`RunStoppedError` if the run is stopped.
        """
        suite, engine, settings = self.suite, self.engine, self.settings
        try:
            if self._first_job is None:
                self.begin()
        except LeftOutError as reason:
            self._leave_out(reason)
            raise
        except NothingDrawnError as reason:
            self._announce([])
            from pytest_autoeval.engine.suite_end import SuiteJudge
            from pytest_autoeval.judging.gates import Extent

            judge = SuiteJudge(suite, engine, self._record)
            judge.tell(judge.judgement(Extent(nothing=str(reason))), "nothing drawn", str(reason))
            raise
        if self._first_job is not None and not self._first_job.is_done:
            self._ended.wait(_HEAD_START)
        # Imported only now, while the first answers are on their way.
        from pytest_autoeval.engine.counterexamples import Shrinker
        from pytest_autoeval.engine.suite_end import SuiteJudge
        from pytest_autoeval.judging.gates import Extent

        meanwhile()
        ended = self._run_samples()
        fatal, limit_reached = first_of(FATAL, ended), first_of((LimitReachedError,), ended)
        # A prompt may be missing because the file is of another language than its author thinks.
        if isinstance(fatal, PromptError) and suite.source.why_language:
            fatal = PromptError(f"{fatal}. {suite.source.why_language}")
        # A trial at the limit was not asked: it is no result of the suite, and has no sample.
        results = [result for result in ended if not isinstance(result.raised, LimitReachedError)]
        shard = settings.part
        spent, stopped = str(limit_reached or ""), self._looks.stopped
        extent = Extent(planned=len(self._trials), spent=spent, part=shard, stopped_early=stopped)
        judge = SuiteJudge(suite, engine, self._record, self._unasked)
        judgement = judge.judgement(extent)
        passing = judgement.verdict == "passed" and settings.shrink != "always"
        # A shard has no verdict to explain. After a fatal error, or at a limit, no call can succeed.
        is_not_shrunk = passing or shard or fatal or limit_reached or not settings.shrinks
        budget = 0 if is_not_shrunk else settings.shrink_budget
        shrinker = Shrinker(suite, engine, self._body, self._maker)
        examples, problem = shrinker.counterexamples(self._record, self._drawn_for, budget)
        notes = [*self._notes, *self._looks.notes, *problem, *suite.source.shortfalls]
        asked_a_model = any(
            result.trial.calls or isinstance(result.raised, ModelError) for result in results
        )
        if results and not asked_a_model and fatal is None and limit_reached is None:
            notes.append(f"{suite.name}: {self._body.hidden or self._body.unasked}")
        notes += self._not_compared(results)
        is_at_limit = limit_reached is not None and fatal is None
        judged = judge.tell(
            judgement,
            self._ending(judgement, extent, is_at_limit=is_at_limit),
            str(fatal or limit_reached or ""),
            stopped=stopped,
            counterexamples=tuple(examples),
            cut_off=[
                result.trial for result in ended if isinstance(result.raised, LimitReachedError)
            ],
            # Samples whose every call an interrupted run has paid for.
            taken_over=sum(
                0 < len(result.trial.calls) == result.trial.taken_over for result in results
            ),
            notes=tuple(notes),
            own_data=suite.source.is_users_data,
            broken=sum(map(_is_broken, ended)),
            needs_met=needs_met(suite, ended, settings),
            own_prompts=own_prompts(ended),
        )
        if fatal is not None:
            # The next suite may have begun, and would meet the same error.
            engine.crew.abandon()
        return SuiteResult(judged=judged, results=results, fatal=fatal)

    def _ending(self, judgement: SuiteJudgement, extent: Extent, *, is_at_limit: bool) -> Ending:
        # A limit is the user's, and says more than that not all samples ran.
        if is_at_limit:
            return "limit reached"
        if judgement.gate.interrupted:
            return "interrupted"
        if extent.incomplete(len(self._record.regular)):
            return "nothing verified"
        return "whole" if extent.stopped_early is None else "stopped early"

    def _not_compared(self, results: Sequence[TrialResult]) -> list[str]:
        """A note on samples that passed by assertions of the test alone, although it compares others."""
        suite, scan = self.suite, self._body.scan
        if not (suite.verified and suite.task is None and scan.names_assert_equivalent):
            return []
        number = sum(result.raised is None and not result.trial.verified for result in results)
        if not number:
            return []
        passed = f"{number} of {count(len(results), 'sample')} passed"
        how = "without a comparison by assert_equivalent, by other assertions of the test alone"
        return [f"{suite.name}: {passed} {how}"]

    def _leave_out(self, why: LeftOutError) -> None:
        from pytest_autoeval.engine.suite_end import rows_left_out

        source = self.suite.source
        self.engine.emit(
            SuiteLeftOut(
                test=self._body.test,
                function=self.suite.function,
                obstacle=why.obstacle,
                reason=str(why),
                end=SuiteEnd(
                    suite=self.suite.number,
                    verdict="reported",
                    ended="left out",
                    why=str(why),
                    rows_left_out=rows_left_out(source.problems, self.settings.folder),
                ),
                notes=source.shortfalls,
            )
        )

    def _empty_sizes(self, samples: Sequence[Drawn]) -> list[int]:
        drawn_sizes = {sample.operators for sample in samples}
        # Typed formulas have the sizes that the user chose: no other size is missing.
        if self.settings.formula:
            return []
        missing_sizes = [size for size in self.suite.sizes if size not in drawn_sizes]
        # A size without a sample may have some that this run leaves out, such as sentences without a story.
        return [
            size
            for size in missing_sizes
            if not self.suite.source.asked(size, 1, self.settings.seed)
        ]

    def _trials_of(self, samples: Sequence[Drawn], without: Sequence[Drawn] = ()) -> list[Trial]:
        """The trials of the samples, ``without`` those that have run. The meanings of all samples are noted."""
        self.engine.add_meanings(self.suite.target.model, samples)
        if self._is_round_trip:
            # In the order of the samples. In the order in which they end, two runs would name other formulas as first.
            for sample in samples:
                self._meanings.earlier(sample)
        left_out = {(sample.operators, sample.index) for sample in without}
        samples_to_run = [
            sample
            for sample in samples
            if not left_out or (sample.operators, sample.index) not in left_out
        ]
        return self.engine.trials(samples_to_run, self.suite)

    def _run_samples(self) -> list[TrialResult]:
        results: list[TrialResult] = []
        for number, group in enumerate(self._batches):
            job = self._first_job if number == 0 else None
            if job is None:
                job = self._start(group.trials)
            # The batch before a look may be the last one. The next suite uses the time until all of it has ended.
            ended = self._finish(
                job, may_be_last=group.look > 0 or number == len(self._batches) - 1
            )
            self._may_verify_nothing = self._may_verify_nothing and none_verified(ended)
            results += ended
            if self._may_verify_nothing or first_of(ENDING, ended) is not None:
                break
            if group.look and self._looks.is_decided(group.look, self._record, len(self._trials)):
                break
        return results

    def _start(
        self, trials: Sequence[Trial], *, later: bool = False, more_to_come: bool = False
    ) -> TrialJob:
        """Starts trials. The sample of each is recorded as soon as it has ended."""
        wrappers = self.engine.wrappers

        def run_one(trial: Trial) -> TrialResult:
            try:
                with self.engine.under_way.of(trial, self.suite.number, lambda: job.stopped):
                    result = run_body(self._body, trial, wrappers)
            except LimitReachedError as reached:
                result = TrialResult(trial, Outcome.ERROR, reached)
            self._ended.set()
            # Before all samples are drawn the suite has no line, and a sample must not stand before it.
            self._drawn.wait()
            if job.abandoned or isinstance(result.raised, LimitReachedError):
                job.stop()
                return result
            result = self._record_safely(result)
            if isinstance(result.raised, FATAL):
                job.stop()
            return result

        job = Job(run_one, self._in_turn(trials), more_to_come=more_to_come)
        self.engine.crew.start(job, later=later)
        return job

    def _in_turn(self, trials: Sequence[Trial]) -> Sequence[Trial]:
        """The trials in the order in which they start.

        An interrupted run has answers to the first trials and none to the last. The run that continues it takes turns:
        one trial from the end, which a server answers, and one from the beginning, which needs the processor alone.
        """
        return from_both_ends(trials) if self.settings.resume else trials

    def _finish(self, job: TrialJob, *, may_be_last: bool = False) -> list[TrialResult]:
        """The results, once all trials have ended. ``may_be_last``: near their end, the next suite may start."""
        results = []
        try:
            for result in chain([None], job):  # also before the first result
                if result is not None:
                    results.append(result)
                # From here on threads have nothing to do. The next suite starts, so that the server has no pause.
                if may_be_last and not job.stopped and job.waiting <= self.engine.crew.size:
                    self._begin_next()
        except BaseException:
            job.abandon()
            raise
        if job.abandoned and self.engine.stopped:
            raise RunStoppedError("the run was stopped")
        return results

    def _record_safely(self, result: TrialResult) -> TrialResult:
        """The result after its sample is recorded; an error if that fails."""
        try:
            return self._record_sample(result)
        # As the error of this sample: an exception in the crew would end the whole job.
        except Exception as problem:  # noqa: BLE001  (the caller raises it)
            return TrialResult(result.trial, Outcome.ERROR, problem)

    def _record_sample(self, result: TrialResult) -> TrialResult:
        """Records the sample of a trial. A part that cannot be written makes the result an error."""
        same_as = self._meanings.earlier(result.sample) if self._is_round_trip else None
        result, sample = self._maker.sample(result, same_as=same_as)
        self._drawn_for[sample.key] = result.sample
        self.engine.emit(SampleEnded(sample=sample))
        return result


def from_both_ends(trials: Sequence[T]) -> list[T]:
    """The last, the first, the last but one, the second, …."""
    half = len(trials) // 2
    pairs = zip_longest(reversed(trials[half:]), trials[:half])
    return [trial for pair in pairs for trial in pair if trial is not None]


def _is_broken(result: TrialResult) -> bool:
    """Whether the test's own code is to blame: with the same answers, it ends in the same error again.

    It raised an exception, gave a wrong argument, returned a value, or verified nothing.
    """
    if result.outcome == Outcome.NOT_VERIFIED:
        return True
    return result.outcome == Outcome.ERROR and not isinstance(result.raised, (ModelError, *FATAL))
