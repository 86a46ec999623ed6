"""The process that leads a run: only this process asks models and writes results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace as with_other
from datetime import UTC, datetime
from threading import RLock
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pytest_autoeval import __version__
from pytest_autoeval.by_name import shipped_folder
from pytest_autoeval.datasets.data_set import Item
from pytest_autoeval.engine.engine import RunServices
from pytest_autoeval.engine.events import (
    Event,
    SampleEnded,
    SuiteJudged,
    SuiteLeftOut,
    SuiteStarted,
)
from pytest_autoeval.engine.parts_of_run import settings_digest
from pytest_autoeval.engine.record import Record
from pytest_autoeval.engine.reproducing import options_of
from pytest_autoeval.engine.sample_budget import Admission, SampleBudget
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.made_once import made_once
from pytest_autoeval.models.journal import Journal
from pytest_autoeval.models.model_settings import ModelSettings
from pytest_autoeval.models.pool import ModelPool
from pytest_autoeval.models.protocols import Chat, Embedder
from pytest_autoeval.record.lines import (
    SCHEMA_VERSION,
    AnyLine,
    Planned,
    Run,
    RunEnd,
    Sample,
    Suite,
    SuiteEnd,
)
from pytest_autoeval.record.results_log import ResultsFile
from pytest_autoeval.registry import Registry

if TYPE_CHECKING:
    from pytest_autoeval.judging.baseline_runs import Baseline
    from pytest_autoeval.models.offline.answer_key import AnswerKey
    from pytest_autoeval.record.earlier_runs import EarlierRuns


class Leader(RunServices):
    """Asks models within the limits of the run, and handles the events of all suites.

    ``journal`` stores answers and ``results`` lines; both are optional. ``earlier`` are the runs of the baseline, if
    they were read before.
    """

    def __init__(
        self,
        settings: Settings,
        registry: Registry,
        *,
        journal: Journal | None = None,
        results: ResultsFile | None = None,
        earlier: EarlierRuns | None = None,
    ) -> None:
        self.settings = settings
        self.registry = registry
        self.record = Record()
        self._journal = journal or Journal(None)
        self.results = results
        self._earlier = earlier
        #: Held while an event is taken, so that the results have the lines in the order of the record.
        self._lock = RLock()
        self._is_started = False
        self._is_closed = False
        #: Returns the suites that the run is to ask, and what could not be collected; asked when the run starts.
        self.planned: Callable[[], Iterable[Planned]] = lambda: ()
        self.not_collected: Callable[[], Iterable[str]] = lambda: ()
        #: Called with each event after the leader has handled it.
        self.on_event: Callable[[Event], None] = lambda _event: None

    @made_once
    def pool(self) -> ModelPool:
        """The models. They share connections, recordings and limits."""
        return ModelPool(
            model_settings(self.settings, self.registry), self._answer_key, journal=self._journal
        )

    @made_once
    def _answer_key(self) -> AnswerKey | None:
        if not self.settings.dataset:
            return None
        from pytest_autoeval.models.offline.answer_key import AnswerKey

        return AnswerKey()

    def open(self, name: str) -> Chat | Embedder:
        return self.pool.open(name)

    @made_once
    def run(self) -> Run:
        """The line of the run."""
        shard, settings = self.settings.part or None, self.settings
        return Run(
            schema_version=SCHEMA_VERSION,
            release=__version__,
            # With milliseconds: a history of runs that were replayed in one second keeps their order.
            started=datetime.now(UTC).isoformat(timespec="milliseconds"),
            seed=settings.seed,
            # What was typed may have a key in it.
            options=tuple(map(self.pool.redactor.text, options_of(settings))),
            shard=shard,
            settings=None if shard is None else settings_digest(settings),
            suites=tuple(self.planned()),
            not_collected=tuple(sorted(self.not_collected())),
        )

    def start(self) -> Run:
        with self._lock:
            if not self._is_started:
                self.append(self.run)
                self._is_started = True
            return self.run

    def append(self, line: AnyLine) -> None:
        """Writes a line to the results, if there is a file. Raises :class:`ResultsError`."""
        if self.results is not None:
            self.results.append(line)

    def emit(self, event: Event) -> None:
        if self.settings.batch is not None:
            self.pool.stir()
        # The line of the run comes before any other.
        self.start()
        # Here, because every event of every worker comes by, and nothing is shown or written before.
        event = self._without_secrets(event)
        with self._lock:
            # A sample that was under way at Ctrl-C is in no count of the run.
            if self._is_closed:
                return
            match event:
                case SuiteStarted(suite=suite):
                    # A line is written before anything else happens to it: a kill loses nothing that was shown.
                    self.append(suite.asked)
                case SampleEnded(sample=sample):
                    # A suite whose worker died has started again, and its former samples are no results.
                    if self.record.suites.get(sample.suite.number) is sample.suite:
                        self.append(sample)
                    sample.suite.samples.append(sample)
                case SuiteJudged(suite=suite, end=end):
                    self.append(end)
                    suite.end = end
                case SuiteLeftOut(end=end) if end is not None:
                    self.append(end)
            self.record.take(event)
        # Outside the lock: to show an event takes time, and other threads go on to write meanwhile.
        self.on_event(event)

    def close(self) -> None:
        """Takes no further event, and puts the record in order."""
        with self._lock:
            self._is_closed = True
            self.record.put_in_order()

    def end(self, end: RunEnd) -> None:
        """Writes how the run ended, and sorts the results. Raises :class:`ResultsError`."""
        with self._lock:
            if self.results is not None and self._is_started:
                self.results.append(end)
                self.results.finish()

    def add_meanings(self, items: Sequence[Item]) -> None:
        if self._answer_key is not None:
            self._answer_key.add_meanings(items)

    @made_once
    def sample_budget(self) -> SampleBudget:
        """Decides which samples start under a limit of calls."""
        most = self.settings.max_calls
        assert most is not None
        return SampleBudget(most, lambda: self.pool.traffic().attempts)

    def admits(self, needed: int, answered: int) -> Admission:
        return self.sample_budget.admits(self, needed, answered)

    def keep(self, needed: int, answered: int) -> None:
        self.sample_budget.keep(self, needed, answered)

    @made_once
    def earlier_runs(self) -> EarlierRuns | None:
        """The runs of the baseline, or None. Raises :class:`AutoevalError` if they cannot be used."""
        if not self.settings.baseline:
            return None
        from pytest_autoeval.record.earlier_runs import read_earlier_runs

        earlier = self._earlier or read_earlier_runs(self.settings.baseline)
        earlier.check_model(self.settings.baseline_model)
        if self.settings.baseline_variant is not None:
            earlier.check_variant(self.settings.baseline_variant._asdict())
        earlier.check_outcomes(self.registry.entries("outcome"))
        return earlier

    @made_once
    def _baseline(self) -> Baseline | None:
        earlier = self.earlier_runs
        if earlier is None:
            return None
        from pytest_autoeval.judging.baseline_runs import Baseline

        settings = self.settings
        return Baseline(earlier.suites, settings.baseline_model, settings.baseline_variant)

    def baseline(self) -> Baseline | None:
        return self._baseline

    def _without_secrets(self, event: Event) -> Event:
        """The event without secrets in errors, ends, commands and parameters. Answers arrive without secrets."""
        match event:
            case SuiteStarted(suite=suite):
                suite.asked = self._redacted(suite.asked)
            case SampleEnded(sample=sample):
                return with_other(event, sample=self._redacted_sample(sample))
            case SuiteJudged(counterexamples=examples, end=end):
                hidden = [
                    replace(
                        example,
                        shrunk=example.shrunk and self._redacted_sample(example.shrunk),
                        command=self.pool.redactor.text(example.command),
                    )
                    for example in examples
                ]
                return with_other(event, counterexamples=tuple(hidden), end=self._redacted_end(end))
            case SuiteLeftOut(end=end) if end is not None:
                return with_other(event, end=self._redacted_end(end))
        return event

    def _redacted_end(self, end: SuiteEnd) -> SuiteEnd:
        """The end without secrets: it may quote an error of the server, and figures and tables what a model wrote."""
        hidden = self.pool.redactor.text
        return replace(
            end,
            why=hidden(end.why),
            reasons=tuple(map(hidden, end.reasons)),
            figures=tuple(replace(figure, name=hidden(figure.name)) for figure in end.figures),
            tables=tuple(map(self.pool.redactor.json, end.tables)),
            without_figures=tuple(map(hidden, end.without_figures)),
            rows_left_out=tuple(map(hidden, end.rows_left_out)),
            gates=tuple(
                replace(gate, reason=hidden(gate.reason), gate=hidden(gate.gate))
                for gate in end.gates
            ),
        )

    def _redacted(self, line: Suite) -> Suite:
        parameters = self.pool.redactor.json(line.parameters_sent)
        if parameters == line.parameters_sent:
            return line
        return replace(line, parameters_sent=parameters)

    def _redacted_sample(self, sample: Sample) -> Sample:
        # A server may repeat the request in its error.
        error = sample.error and self.pool.redactor.text(sample.error)
        return sample if error == sample.error else replace(sample, error=error)


def model_settings(settings: Settings, registry: Registry) -> ModelSettings:
    """The settings of models, from the settings and the registry of a run."""
    names = (
        *("base_url", "temperature", "max_tokens", "timeout", "record_mode", "cassettes"),
        *("rpm", "patience", "max_calls", "max_cost"),
    )
    values = {name: getattr(settings, name) for name in names}
    constrained = settings.constrained
    replays_only = settings.record_mode in (None, "none")
    return ModelSettings(
        **values,
        seeds=settings.api_seeds or (),
        concurrency=(settings.concurrency[0], settings.in_flight),
        # False and "both" name no dialect: a variant says whether it constrains.
        constrained=None if constrained is False or constrained == "both" else constrained,
        parameters=settings.parameters or {},
        # Shipped recordings only replay: a run that records must ask.
        more_cassettes=(shipped_folder("cassettes"),) if replays_only else (),
        prices=settings.prices,
        own=registry.models,
        batch=math.inf if settings.batch is False else settings.batch,
    )
