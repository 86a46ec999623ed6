"""The end of a suite: its judgement, and the event that tells it.

Nothing of this is needed before the first answers, so it is imported while they are on their way.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from pytest_autoeval.engine.engine import Engine, rules_of
from pytest_autoeval.engine.events import SuiteJudged
from pytest_autoeval.engine.suite import Suite
from pytest_autoeval.judging.added_gates import own_results
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.suite_judgement import SuiteJudgement, judge_suite
from pytest_autoeval.record.lines import Ending, Found, SuiteEnd, SuiteRecord
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.report.added_figures import added_figures
from pytest_autoeval.report.counterexample import Counterexample
from pytest_autoeval.report.spending import calls_of
from pytest_autoeval.tasks.trial import Trial
from pytest_autoeval.text import one_line


class SuiteJudge(Struct, frozen=True):
    """Judges one suite, whose samples are in ``record``. ``unasked`` are lines about items that the run leaves out."""

    suite: Suite
    engine: Engine
    record: SuiteRecord
    unasked: tuple[str, ...] = ()

    def judgement(self, extent: Extent) -> SuiteJudgement:
        return judge_suite(
            self.record,
            rules_of(self.engine.settings),
            extent=extent,
            baseline=self.engine.baseline,
            suites=self.engine.number_of_suites,
            own=own_results(
                self.engine.gates, self.record, is_part=bool(self.engine.settings.part)
            ),
            rows_left_out=self._rows_left_out,
        )

    @property
    def _rows_left_out(self) -> tuple[str, ...]:
        problems = (*self.suite.source.problems, *self.unasked)
        return rows_left_out(problems, self.engine.settings.folder)

    def tell(  # noqa: PLR0913 - how the suite ended, and what it leaves
        self,
        judgement: SuiteJudgement,
        ended: Ending,
        why: str,
        *,
        stopped: Stopped | None = None,
        counterexamples: tuple[Counterexample, ...] = (),
        cut_off: Iterable[Trial] = (),
        **details: Any,
    ) -> SuiteJudged:
        """Emits the event of the end, with the figures of the user's own.

        ``cut_off`` are the trials that a limit ended: they have no sample, but their calls were made.
        """
        unfinished = calls_of(call for trial in cut_off for call in trial.calls)
        added = added_figures(self.engine.figures, self.record)
        end = SuiteEnd(
            suite=self.suite.number,
            verdict=judgement.verdict,
            reasons=tuple(judgement.reasons),
            ended=ended,
            why=why,
            stopped=stopped,
            counterexamples=tuple(map(_found, counterexamples)),
            figures=tuple(added.figures),
            tables=tuple(map(to_builtins, added.tables)),
            without_figures=tuple(added.problems),
            gates=judgement.own,
            unfinished=unfinished if unfinished.number else None,
            rows_left_out=self._rows_left_out,
        )
        judged = SuiteJudged(
            suite=self.record,
            end=end,
            judgement=judgement,
            counterexamples=counterexamples,
            **details,
        )
        self.engine.emit(judged)
        return judged


def rows_left_out(problems: Iterable[str], folder: Path) -> tuple[str, ...]:
    """What was wrong with rows of data, as the record has it: a file in the run's folder has its name alone."""
    prefix = f"{folder}{os.sep}"
    return tuple(one_line(problem.removeprefix(prefix)) for problem in problems)


def _found(example: Counterexample) -> Found:
    """A counterexample as the end of its suite names it."""
    sample = example.sample
    return Found(
        size=sample.size,
        index=sample.index,
        repeat=sample.repeat,
        paraphrase=sample.paraphrase,
        shrunk_to=None if example.shrunk is None else example.shrunk.formula,
        minimal=example.minimal,
        confirmed=example.confirmed,
        round_trips=example.round_trips_spent,
        ended_in_errors=example.ended_in_errors,
        calls=example.calls,
    )
