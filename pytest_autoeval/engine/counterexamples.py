"""The counterexamples of a suite: its smallest failures, shrunk within a budget of round trips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from msgspec import Struct, structs

from pytest_autoeval.datasets.data_set import Item
from pytest_autoeval.engine.bodies import ENDING, Body, TrialResult, first_of, run_body
from pytest_autoeval.engine.crew import Job
from pytest_autoeval.engine.engine import Engine
from pytest_autoeval.engine.sample_lines import SampleMaker
from pytest_autoeval.engine.suite import Suite
from pytest_autoeval.generation.samples import Sample as Drawn
from pytest_autoeval.languages import Formula, language
from pytest_autoeval.models.protocols import RecordingMissError
from pytest_autoeval.models.purposes import calls_for
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.calls import Call
from pytest_autoeval.record.lines import Sample, SampleKey, SuiteRecord
from pytest_autoeval.report.counterexample import Counterexample, smallest_failures
from pytest_autoeval.report.spending import calls_of
from pytest_autoeval.tasks.shrinking import shrink
from pytest_autoeval.tasks.trial import Trial


class Shrinker(Struct, frozen=True):
    """Makes the counterexamples of one suite. Its calls leave no samples in the suite."""

    suite: Suite
    engine: Engine
    body: Body
    maker: SampleMaker

    def counterexamples(
        self, suite: SuiteRecord, drawn_for: Mapping[SampleKey, Drawn], budget: int
    ) -> tuple[list[Counterexample], list[str]]:
        """The smallest failure of each kind, shrunk in at most ``budget`` round trips; and why shrinking ended early.

        ``drawn_for`` has what was drawn for each sample, by its key.
        """
        failures = smallest_failures(suite.counted)
        budget_left = budget if self.suite.source.can_shrink else 0
        examples, problems = [], []
        for number, sample in enumerate(failures.values()):
            example = Counterexample(sample=sample, command=self.body.command(sample))
            calls: list[Call] = []
            try:
                if budget_left > 0:
                    example = self._shrunk(
                        sample,
                        drawn_for[sample.key],
                        # What an earlier failure left over is shared by those that follow.
                        budget_left // (len(failures) - number),
                        calls,
                    )
            except ENDING as problem:
                # The suite has its verdict, which stands: the error ends only the shrinking.
                problems.append(f"shrinking ended: {problem}")
                budget_left = 0
            budget_left -= example.round_trips_spent
            examples.append(structs.replace(example, calls=calls_of(calls)) if calls else example)
        return examples, problems

    def _run_one(self, trial: Trial) -> TrialResult:
        # Not every run shrinks: a recording of these calls must not count as unused.
        with calls_for("shrinking"):
            return run_body(self.body, trial)

    def _shrunk(
        self, sample: Sample, origin: Drawn, budget: int, calls: list[Call]
    ) -> Counterexample:
        """The smallest counterexample found from a failing sample in ``budget`` round trips; raises fatal errors.

        ``origin`` is what was drawn for it; ``calls`` receives the calls that were made.
        """
        lang = language(origin.language)
        errors = 0
        unrecorded = 0

        def asked(formulas: Sequence[Formula], repeat: int) -> list[TrialResult]:
            nonlocal errors, unrecorded
            variants = [_with_formula(origin, formula) for formula in formulas]
            suite = self.suite
            trials = [
                self.engine.trial(suite.target, drawn, suite.task, repeat, suite.copies)
                for drawn in variants
            ]
            work = Job(self._run_one, trials)
            self.engine.crew.start(work)
            results = {id(result.trial): result for result in work}
            calls.extend(call for trial in trials for call in trial.calls)
            if (ending := first_of(ENDING, results.values())) is not None:
                raise ending
            errors += sum(result.outcome == Outcome.ERROR for result in results.values())
            unrecorded += sum(
                isinstance(result.raised, RecordingMissError) for result in results.values()
            )
            # In the order of the formulas: the crew returns results as they come.
            return [results[id(trial)] for trial in trials]

        def fails(formulas: Sequence[Formula], repeat: int) -> list[bool]:
            return [result.outcome == sample.outcome for result in asked(formulas, repeat)]

        def simpler(formula: Formula) -> Iterator[Formula]:
            for candidate in lang.simpler(formula, origin.vocabulary):
                if self.suite.source.is_variant(candidate, origin):
                    yield candidate

        # Without an answer to each simpler formula, nobody knows that the smallest one is minimal.
        best = shrink(origin.formula, simpler, fails, budget)
        shrunk = None
        if best.formula != origin.formula:
            _, shrunk = self.maker.sample(*asked([best.formula], 0), counts="shrunk")
        return Counterexample(
            sample=sample,
            shrunk=shrunk,
            minimal=best.minimal and not errors,
            confirmed=f"{best.repeats[0] + 1} of {best.repeats[1] + 1}" if shrunk else "",
            round_trips_spent=best.spent,
            ended_in_errors=errors,
            unrecorded=unrecorded,
            command=self.body.command(shrunk or sample),
        )


def _with_formula(sample: Drawn, formula: Formula) -> Drawn:
    """A sample as it would have been drawn with another formula."""
    lang = language(sample.language)
    # The id and the line are those of another formula.
    if isinstance(sample, Item):
        facts = {key: value for key, value in sample.facts.items() if key not in ("item", "source")}
        sample = replace(sample, facts=facts)
    size = int(lang.measure(formula)[lang.size_measure])
    return replace(sample, formula=formula, operators=size)
