"""The call phase of a suite's item: draw, run, judge, shrink, then pass, fail or end as inconclusive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import chain
from typing import Any, NoReturn, TypeAlias

import pytest
from _pytest.outcomes import Skipped

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.drawing import trivial_kind
from pytest_autoeval.generation.meanings import Meanings
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.languages import language
from pytest_autoeval.models.base import LimitReachedError, ModelError
from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.judging.gates import Extent, StoppedEarly
from pytest_autoeval.reporting.judging.suites import judge_suite
from pytest_autoeval.reporting.junit import properties
from pytest_autoeval.reporting.results import ResultsError, wrong_keys
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.spending import spending
from pytest_autoeval.running.adaptive import AdaptiveBatches, adaptive_batches
from pytest_autoeval.running.asserting import FEW, NOTHING_VERIFIED, Asserting, is_doubtful, none_verified
from pytest_autoeval.running.bodies import (
    ENDING,
    FATAL,
    TrialResult,
    first_of,
    parts,
    plain_text,
    raise_errors,
    run_body,
    stopped_early,
)
from pytest_autoeval.running.crew import Job
from pytest_autoeval.running.early_start import next_suite
from pytest_autoeval.running.held_output import HeldOutput
from pytest_autoeval.running.kept import KeptFolder, kept_samples
from pytest_autoeval.running.marker import LeftOutError, NothingDrawnError, Suite
from pytest_autoeval.running.reproducing import command_of_run
from pytest_autoeval.running.run import run_of
from pytest_autoeval.running.shared import NEXT, REPORT
from pytest_autoeval.running.shrinking import Shrinker
from pytest_autoeval.running.sources import Source, draw, interface_notes
from pytest_autoeval.running.suite_report import SuiteReport
from pytest_autoeval.running.suites import SUITE, function_of
from pytest_autoeval.tasks.round_trip import blaming
from pytest_autoeval.tasks.trial import Trial

Work: TypeAlias = "Job[Trial, TrialResult]"
#: The keys of a row that the run alone may write.
_OF_THE_RUN = (
    *("kept", "planned", "unfinished", "stopped_early", "adaptive", "same_as"),
    *("shard", "shard_settings", "reader", "hops", "horizon_gate", "sizes_without_samples"),
)
#: The suite of an item of which samples ran before the item, and their output.
_STARTED: pytest.StashKey[tuple[SuiteRun, HeldOutput] | None] = pytest.StashKey()


class Unjudged(Skipped):
    """Ends an item whose samples decide neither way, or are a part of them: neither passed nor failed."""


def leave_out(item: pytest.Item, why: LeftOutError, source: Source | None = None) -> NoReturn:
    """Skips an item that cannot be run, and reports why; ``source`` shows which rows of data it left out."""
    left_out: dict[str, Any] = {} if source is None else {"notes": source.shortfalls, "problems": source.problems}
    item.stash[REPORT] = SuiteReport(function=function_of(item), obstacle=why.obstacle, reason=str(why), **left_out)
    raise Skipped(str(why), _use_item_location=True)


def run_suite(item: pytest.Function, suite: Suite) -> None:
    """The call phase of a suite's item; raises what ends it."""
    started, item.stash[_STARTED] = item.stash.get(_STARTED, None), None  # an item may be run twice
    arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}  # noqa: SLF001
    try:
        if started is None:
            SuiteRun(item, suite, arguments).carry_out()
        else:
            begun, output = started
            output.release()
            begun.carry_out()
    finally:
        run_of(item.config).running.pop(item.nodeid, None)


class SuiteRun:
    """One suite on its way from samples to a verdict.

    ``arguments`` are the fixtures' values that the body takes, as pytest's own call gives them.
    """

    def __init__(self, item: pytest.Function, suite: Suite, arguments: Mapping[str, Any]) -> None:
        self.item, self.suite, self.run = item, suite, run_of(item.config)
        self.settings = self.run.settings
        self._arguments = arguments
        #: The rows that count, and the sample of each.
        self._rows: list[Row] = []
        self._samples: dict[int, Sample] = {}
        self._kept_rows: list[Row] = []
        self._facts: dict[str, dict[str, Any]] = {}
        self._meanings = Meanings()
        self._is_round_trip = suite.task is None and suite.source.shrinks
        #: What a sequential test looks for.
        whole = self.settings.formula or suite.horizon
        self._sought = suite.threshold if self.settings.stop_early and not whole else None
        self._notes: list[str] = []
        #: The trials of this part of the suite, and how many there are in the whole.
        self._trials: list[Trial] = []
        self._planned = 0
        self._empty_sizes: list[int] = []
        #: The parts in which the trials are run, and the work on the first; an adaptive suite chooses the others later.
        self._parts: list[Sequence[Trial]] = []
        self._adaptive: AdaptiveBatches | None = None
        self._first: Work | None = None
        #: Whether the suite may verify nothing, and the results that are not recorded before that is known.
        self._doubtful = False
        self._held: list[TrialResult] = []

    def begin(self, *, later: bool = False) -> None:
        """Draws the samples, and begins with the first part of them; raises :class:`LeftOutError`."""
        self._adaptive = adaptive_batches(self.suite, self.settings)
        if self._adaptive is None:
            samples, self._notes = draw(self.suite, self.settings)
        else:
            samples, self._notes = self._adaptive.first(), interface_notes(self.suite, self.settings)
        self._trials = self._trials_of(samples)
        self._planned = len(samples) * self.settings.repeats
        self._empty_sizes = self._sizes_without(samples)
        expected = len(self._trials)
        if self._adaptive is not None:
            self._planned = expected = self._adaptive.design.most
        self.run.running[self.item.nodeid] = expected, self._rows
        self._parts = [self._trials] if self._sought is None else parts(self._trials)
        asserting = Asserting(self.item.obj)
        self._doubtful = is_doubtful(self.suite, asserting)
        if self._doubtful and not asserting.equivalence and self._adaptive is None:
            first = self._parts[0]
            self._parts[:1] = [part for part in (first[:FEW], first[FEW:]) if part] or [first]
        self._first = self._start(self._parts[0], later=later)

    def _sizes_without(self, samples: Sequence[Sample]) -> list[int]:
        there = {sample.operators for sample in samples}
        others = [] if self.settings.formula else [size for size in self.suite.sizes if size not in there]
        return [size for size in others if not self.suite.source.samples(size, 1, self.settings.seed)]

    def _trials_of(self, samples: Sequence[Sample]) -> list[Trial]:
        self.run.teach(self.suite.target.model, samples)
        if self._is_round_trip:
            for sample in samples:  # in this order, whichever ends first
                self._meanings.earlier(sample)
        return self.run.trials(samples, self.suite)

    def carry_out(self) -> None:
        """Runs the suite; raises what ends its item."""
        suite, run = self.suite, self.run
        try:
            if self._first is None:
                self.begin()
        except LeftOutError as reason:
            leave_out(self.item, reason, suite.source)
        except NothingDrawnError as reason:
            self.item.stash[REPORT] = SuiteReport(
                suite=suite.name,
                function=suite.function,
                model=suite.target.model,
                errors=True,
                nothing=str(reason),
                problems=suite.source.problems,
            )
            raise pytest.fail.Exception(str(reason), pytrace=False) from None
        ended, stopped = self._run_samples()
        fatal, spent = first_of(FATAL, ended), first_of((LimitReachedError,), ended)
        results = [result for result in ended if not isinstance(result.raised, LimitReachedError)]
        kept_problems: dict[str, str] = {}
        if run.kept is not None and fatal is None and spent is None and not self.settings.formula:
            kept_problems, asked_again = self._run_kept(run.kept)
            fatal = first_of(ENDING, asked_again)
        part = self.settings.part
        extent = Extent(planned=len(self._trials), stopped_early=stopped, spent=str(spent or ""), part=part)
        judgement = judge_suite(
            self._rows,
            run.rules,
            extent=extent,
            baseline=run.baseline,
            suites=run.number_of_suites,
            suite=suite.name,
            model=suite.target.model,
        )
        passing = judgement.verdict == "passed" and self.settings.shrink != "always"
        shrinker = Shrinker(suite, run, self._body, self._row, self._command)
        budget = 0 if passing or part or fatal or spent else self.settings.shrink_budget
        examples, problem = shrinker.counterexamples(self._rows, self._samples, budget)
        notes = [*self._notes, *problem, *suite.source.shortfalls]
        asked = any(result.trial.calls or isinstance(result.raised, ModelError) for result in results)
        if results and not asked and fatal is None and spent is None:
            notes.append(f"{suite.name}: the test did not ask the model through pytest-autoeval's fixtures")
        shrinking = {id(one.row): one.calls for one in examples}
        rows = [replace(row, shrinking=shrinking.get(id(row))) for row in self._rows]
        spent_for = spending([*rows, *self._kept_rows])
        junit = bool(self.item.config.getoption("xmlpath", None))
        self.item.user_properties += properties(judgement, examples, spent_for, horizon=junit)
        self.item.stash[REPORT] = SuiteReport(
            suite=suite.name,
            function=suite.function,
            model=suite.target.model,
            ended="inconclusive" if judgement.verdict == "inconclusive" else "unjudged" if part else "",
            errors=judgement.gate.errors > 0,
            planned=len(self._trials),
            taken_over=sum(0 < len(one.trial.calls) == one.trial.taken_over for one in results),
            stopped_early=stopped,
            spent=extent.spent,
            counterexamples=tuple(examples),
            notes=tuple(notes),
            own_data=suite.source.own,
            problems=suite.source.problems,
            kept_problems=kept_problems,
        )
        if fatal is not None:
            run.crew.abandon()
            self.item.session.shouldstop = "autoeval: no further sample can succeed; the failure says why"
            pytest.fail(f"{fatal}{run.where}", pytrace=False)
        raise_errors(results)
        if judgement.verdict == "inconclusive":
            raise Unjudged(f"inconclusive: {judgement.reason}", _use_item_location=True)
        if not judgement.passes:
            lines = [*judgement.reasons, *(f"  {example.one_line}" for example in examples)]
            pytest.fail("\n".join(lines), pytrace=False)
        if part:
            raise Unjudged(judgement.gate.reason, _use_item_location=True)

    def _run_samples(self) -> tuple[list[TrialResult], StoppedEarly | None]:
        """Runs the trials, to the end or until the gate is decided."""
        results: list[TrialResult] = []
        for number, part in enumerate(self._parts):  # an adaptive suite adds to them
            work = self._first if number == 0 and self._first is not None else self._start(part)
            ended = self._finish(work, last=number == len(self._parts) - 1)
            if self._doubtful:
                ended = self._settle(ended)
            results += ended
            if self._doubtful or first_of(ENDING, ended) is not None:
                break
            if self._adaptive is not None and (trials := self._trials_of(self._adaptive.next_after(ended))):
                self._trials += trials
                self._parts.append(trials)
            if self._sought is not None:
                stopped = stopped_early(results, self._trials, self._sought, self.settings)
                if stopped is not None:
                    return results, stopped
        return results, None

    def _run_kept(self, folder: KeptFolder) -> tuple[dict[str, str], list[TrialResult]]:
        """Asks again what was kept of the suite, outside of its gate.

        Returns the files that could not be asked with the reasons, and the results of the others.
        """
        samples, problems = kept_samples(folder, self.suite)
        self.run.teach(self.suite.target.model, samples)
        return problems, self._finish(self._start(self.run.trials(samples, self.suite), kept=True))

    def _start(self, trials: Sequence[Trial], *, kept: bool = False, later: bool = False) -> Work:
        """Begins to run trials; the row of each is written the moment it has ended."""
        body = blaming(self._body) if self.settings.blame else self._body

        def run_one(trial: Trial) -> TrialResult:
            result = run_body(body, trial)
            if work.abandoned or isinstance(result.raised, LimitReachedError):
                work.stop()
                return result
            if self._doubtful and not kept and none_verified([result]):
                self._held.append(result)
                return result
            result = self._recorded(result, kept=kept)
            if isinstance(result.raised, FATAL):
                work.stop()
            return result

        work = Job(run_one, trials)
        self.run.crew.start(work, later=later)
        return work

    def _settle(self, results: Sequence[TrialResult]) -> list[TrialResult]:
        """The results of the first part, those that were held back recorded: as errors where nothing was verified."""
        held, self._held = set(map(id, self._held)), []
        self._doubtful = bool(held) and none_verified(results)
        if self._doubtful:
            nothing = AutoevalError(NOTHING_VERIFIED)
            return [self._recorded(TrialResult(one.trial, "error", nothing)) for one in results]
        return [self._recorded(one) if id(one) in held else one for one in results]

    def _recorded(self, result: TrialResult, *, kept: bool = False) -> TrialResult:
        """The result, once its row is written; an error where that fails."""
        try:
            return self._record(result, kept=kept)
        except Exception as problem:  # noqa: BLE001  (the item raises it)
            return TrialResult(result.trial, "error", problem)

    def _finish(self, work: Work, *, last: bool = False) -> list[TrialResult]:
        """The results, once all trials have ended. Near the end of the ``last`` part the next suite is begun."""
        results = []
        try:
            for result in chain([None], work):  # also before the first result
                if result is not None:
                    results.append(result)
                if last and not work.stopped and work.waiting <= self.run.crew.size:
                    self._begin_next()
        except BaseException:
            work.abandon()
            raise
        return results

    def _begin_next(self) -> None:
        """Begins the suite of the next item, once, where nobody can see the difference."""
        found, self.item.stash[NEXT] = next_suite(self.item), None
        if found is None:
            return
        item, arguments = found
        following, output = SuiteRun(item, item.stash[SUITE], arguments), HeldOutput()
        with suppress(Exception), output.holding():  # whatever it is, it is raised again in its own item
            following.begin(later=True)
            item.stash[_STARTED] = following, output

    def _record(self, result: TrialResult, *, kept: bool) -> TrialResult:
        """Writes the row of a trial; where a fact is of another type than its key's, the result is that error."""
        more: dict[str, Any] = {"kept": True} if kept else {"planned": self._planned, "unfinished": True}
        more["threshold"] = self.suite.threshold
        if self._is_round_trip and not kept:
            more["same_as"] = self._meanings.earlier(result.sample)
        row = self._row(result, **more)
        try:
            self.run.results.append(row)
        except ResultsError:
            if not (wrong := wrong_keys(row)):
                raise
            problem = AutoevalError(f"a fact of the sample cannot be written: {'; '.join(wrong.values())}")
            result = TrialResult(result.trial, "error", problem)
            row = self._row(result, without=wrong, **more)
            self.run.results.append(row)
        if kept:
            self._kept_rows.append(row)
        else:
            self._rows.append(row)
            self._samples[id(row)] = result.sample
        return result

    def _body(self, trial: Trial) -> object:
        given = self._arguments.items()
        return self.item.obj(**{name: trial.subject if name == "sample" else value for name, value in given})

    def _row(self, result: TrialResult, *, without: Iterable[str] = (), **more: Any) -> Row:
        """The row of one trial, ``without`` some facts; docs/reference/results.md describes every key."""
        trial, sample, error = result.trial, result.sample, plain_text(result.raised)
        found = {**getattr(sample, "facts", {}), **trial.findings()}
        for key in (*_OF_THE_RUN, *without):
            found.pop(key, None)
        if asked := self.suite.horizon:
            found["horizon_gate"] = {f"{level:.10g}": size for level, size in asked.items()}
        if self._empty_sizes:
            more["sizes_without_samples"] = self._empty_sizes
        if trial.reader is not None:
            more["reader"] = trial.reader.name
        if trial.hops > 1 and trial.described is not None:
            kept = trial.verdict is not None and trial.verdict.outcome == "equivalent"
            more["hops"] = [*trial.survived, trial.hop("equivalent" if kept else result.outcome)]
        drawn = ("grammar", "language", "index", "seed", "operators")
        return Row.from_json(
            {
                **found,
                **{key: getattr(sample, key) for key in drawn},
                **self._of_formula(sample),
                "suite": self.suite.name,
                "test": self.item.nodeid,
                "model": trial.model.name,
                "vocabulary": sample.vocabulary_name,
                "repeat": trial.repeat,
                "formula": sample.text,
                "outcome": result.outcome,
                "code": outcome_named(result.outcome).code,
                "way": trial.prompts.prompting,
                "variant": self.suite.target.label,
                "default_model": not self.settings.model_named,
                **self.run.shard_keys,
                **({} if self._adaptive is None else {"adaptive": asdict(self._adaptive.design)}),
                **more,
                "error": None if error is None else self.run.pool.redactor.text(error),
            }
        )

    def _of_formula(self, sample: Sample) -> dict[str, Any]:
        """The part of a row that depends on the formula alone: its measures, and whether it is trivial."""
        if sample.text not in self._facts:
            lang = language(sample.language)
            trivial = trivial_kind(sample.formula, lang, sample.vocabulary.alphabet)
            self._facts[sample.text] = {"measures": dict(lang.measure(sample.formula)), "trivial": trivial}
        return self._facts[sample.text]

    def _command(self, row: Row) -> str:
        return command_of_run(row, self.item.path, self.item.config.rootpath, self.settings)
