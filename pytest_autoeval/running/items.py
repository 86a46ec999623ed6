"""The call phase of a suite's item: draw, run, judge, shrink, then pass, fail or end as inconclusive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import pytest
from _pytest.outcomes import Skipped

from pytest_autoeval.generation.drawing import trivial_kind
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.languages import Formula, language
from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.analysis import judge_suite
from pytest_autoeval.reporting.counterexample import Counterexample, smallest_failures
from pytest_autoeval.reporting.judging.gates import Extent, StoppedEarly
from pytest_autoeval.reporting.junit import properties
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.running.bodies import (
    FATAL,
    TrialResult,
    first_fatal,
    parts,
    plain_text,
    raise_errors,
    run_bodies,
    stopped_early,
)
from pytest_autoeval.running.kept import KeptFolder, kept_samples
from pytest_autoeval.running.marker import LeftOutError, Suite
from pytest_autoeval.running.reproducing import command_of_run
from pytest_autoeval.running.run import run_of
from pytest_autoeval.running.shared import REPORT
from pytest_autoeval.running.sources import Source, draw, with_formula
from pytest_autoeval.running.suite_report import SuiteReport
from pytest_autoeval.running.suites import function_of
from pytest_autoeval.tasks.round_trip import blaming
from pytest_autoeval.tasks.shrinking import shrink
from pytest_autoeval.tasks.trial import Trial


class Inconclusive(Skipped):
    """Ends an item whose samples decide neither way: neither passed nor failed, and shown as itself."""


def leave_out(item: pytest.Item, why: LeftOutError, source: Source | None = None) -> NoReturn:
    """Skips an item that cannot be run, and reports why; ``source`` shows which rows of data it left out."""
    left_out: dict[str, Any] = {} if source is None else {"notes": source.shortfalls, "problems": source.problems}
    item.stash[REPORT] = SuiteReport(function=function_of(item), obstacle=why.obstacle, reason=str(why), **left_out)
    raise Skipped(str(why), _use_item_location=True)


class SuiteRun:
    """One suite on its way from samples to a verdict."""

    def __init__(self, item: pytest.Function, suite: Suite) -> None:
        self.item, self.suite, self.run = item, suite, run_of(item.config)
        self.settings = self.run.settings
        #: The fixtures' values that the body takes, as pytest's own call gives them.
        self._arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}  # noqa: SLF001
        #: The rows that count, and the sample of each.
        self._rows: list[Row] = []
        self._samples: dict[int, Sample] = {}
        self._facts: dict[str, dict[str, Any]] = {}

    def carry_out(self) -> None:
        """Runs the suite; raises what ends its item."""
        suite, run = self.suite, self.run
        try:
            samples, notes = draw(suite, self.settings)
        except LeftOutError as reason:
            leave_out(self.item, reason, suite.source)
        run.teach(suite.target.model, samples)
        trials = run.trials(samples, suite)
        results, stopped = self._run_samples(trials)
        fatal = first_fatal(results)
        kept_problems: dict[str, str] = {}
        if run.kept is not None and fatal is None and not self.settings.formula:
            kept_problems, fatal = self._run_kept(run.kept)
        judgement = judge_suite(
            self._rows,
            run.rules,
            extent=Extent(planned=len(trials), stopped_early=stopped),
            baseline=run.baseline,
            suites=run.number_of_suites,
            suite=suite.name,
            model=suite.target.model,
        )
        examples, problem = self._counterexamples(shrink=fatal is None)
        self.item.user_properties += properties(judgement, examples)
        self.item.stash[REPORT] = SuiteReport(
            suite=suite.name,
            function=suite.function,
            model=suite.target.model,
            path=str(self.item.path),
            inconclusive=judgement.verdict == "inconclusive",
            errors=judgement.gate.errors > 0,
            planned=len(trials),
            taken_over=sum(0 < len(one.trial.calls) == one.trial.taken_over for one in results),
            stopped_early=stopped,
            counterexamples=tuple(examples),
            notes=(*notes, *problem, *suite.source.shortfalls),
            own_data=suite.source.own,
            problems=suite.source.problems,
            kept_problems=kept_problems,
        )
        if fatal is not None:
            self.item.session.shouldstop = f"autoeval: {fatal}"
            pytest.fail(str(fatal), pytrace=False)
        raise_errors(results)
        if judgement.verdict == "inconclusive":
            raise Inconclusive(f"inconclusive: {judgement.reason}", _use_item_location=True)
        if not judgement.passes:
            lines = [judgement.reason, *(f"  {example.one_line}" for example in examples)]
            pytest.fail("\n".join(lines), pytrace=False)

    def _run_samples(self, trials: Sequence[Trial]) -> tuple[list[TrialResult], StoppedEarly | None]:
        """Runs the trials, to the end or until the gate is decided."""
        threshold, settings = self.suite.threshold, self.settings
        # What a sequential test looks for.
        sought = threshold if settings.stop_early and not settings.formula else None
        results: list[TrialResult] = []
        batches = [trials] if sought is None else parts(trials)
        for part in batches:
            for result in self._run(part):
                results.append(result)
                row = self._row(result, threshold=threshold, unfinished=True)
                self._rows.append(row)
                self._samples[id(row)] = result.sample
                self.run.results.append(row)
            if first_fatal(results) is not None:
                break
            if sought is not None and (stopped := stopped_early(results, trials, sought, settings)) is not None:
                return results, stopped
        return results, None

    def _run_kept(self, folder: KeptFolder) -> tuple[dict[str, str], BaseException | None]:
        """Asks again what was kept of the suite, outside of its gate.

        Returns the files that could not be asked with the reasons, and the error that stops the run.
        """
        samples, problems = kept_samples(folder, self.suite)
        self.run.teach(self.suite.target.model, samples)
        results = []
        for result in self._run(self.run.trials(samples, self.suite)):
            results.append(result)
            self.run.results.append(self._row(result, threshold=self.suite.threshold, kept=True))
        return problems, first_fatal(results)

    def _run(self, trials: Sequence[Trial]) -> Iterator[TrialResult]:
        body = blaming(self._body) if self.settings.blame else self._body
        return run_bodies(body, trials, self.settings.concurrency[1])

    def _body(self, trial: Trial) -> object:
        """The test function with the trial's sample in its place."""
        return self.item.obj(**{**self._arguments, "sample": trial.subject})

    def _row(self, result: TrialResult, **more: Any) -> Row:
        """The row of one trial; docs/results.md describes every key."""
        trial, sample = result.trial, result.sample
        found = {**getattr(sample, "facts", {}), **trial.findings()}
        for key in ("kept", "unfinished", "stopped_early"):  # what the run alone may write
            found.pop(key, None)
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
                **more,
                "error": plain_text(result.raised),
            }
        )

    def _of_formula(self, sample: Sample) -> dict[str, Any]:
        """The part of a row that depends on the formula alone: its measures, and whether it is trivial."""
        if sample.text not in self._facts:
            lang = language(sample.language)
            trivial = trivial_kind(sample.formula, lang, lang.trivial(sample.vocabulary.alphabet))
            self._facts[sample.text] = {"measures": dict(lang.measure(sample.formula)), "trivial": trivial}
        return self._facts[sample.text]

    def _counterexamples(self, *, shrink: bool) -> tuple[list[Counterexample], list[str]]:
        """The smallest counterexample of each kind of failure, shrunk within the budget; and why that ended early."""
        failures = smallest_failures(self._rows)
        left = self.settings.shrink_budget if shrink and self.suite.source.shrinks else 0
        found, problems = [], []
        for number, row in enumerate(failures.values()):
            example = Counterexample(row=row, command=self._command(row))
            try:
                if left > 0:
                    example = self._shrunk(row, self._samples[id(row)], left // (len(failures) - number))
            except FATAL as problem:
                problems.append(f"shrinking ended: {problem}")
                left = 0
            left -= example.round_trips_spent
            found.append(example)
        return found, problems

    def _shrunk(self, row: Row, origin: Sample, budget: int) -> Counterexample:
        """The smallest counterexample found from a failing row in ``budget`` round trips; raises a fatal error."""
        lang = language(origin.language)
        unanswered = False

        def asked(formulas: Sequence[Formula], repeat: int) -> list[TrialResult]:
            nonlocal unanswered
            samples = [with_formula(origin, formula) for formula in formulas]
            trials = [self.run.trial(self.suite.target, sample, self.suite.task, repeat) for sample in samples]
            results = {id(one.trial): one for one in run_bodies(self._body, trials, self.settings.concurrency[1])}
            if (fatal := first_fatal(results.values())) is not None:
                raise fatal
            unanswered = unanswered or any(result.outcome == "error" for result in results.values())
            return [results[id(trial)] for trial in trials]

        def fails(formulas: Sequence[Formula], repeat: int) -> list[bool]:
            return [result.outcome == row.outcome for result in asked(formulas, repeat)]

        best = shrink(origin.formula, lambda formula: lang.simpler(formula, origin.vocabulary), fails, budget)
        shrunk_row = None if best.formula == origin.formula else self._row(*asked([best.formula], 0))
        return Counterexample(
            row=row,
            shrunk_row=shrunk_row,
            minimal=best.minimal and not unanswered,
            confirmed=f"{best.repeats[0] + 1} of {best.repeats[1] + 1}" if shrunk_row else "",
            round_trips_spent=best.spent,
            command=self._command(shrunk_row or row),
        )

    def _command(self, row: Row) -> str:
        return command_of_run(row, self.item.path, self.item.config.rootpath, self.settings)
