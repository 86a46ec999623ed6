"""The process that leads a run: only this process asks models and writes results."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_autoeval.by_name import shipped_folder
from pytest_autoeval.datasets.base import Item
from pytest_autoeval.engine.engine import RunServices
from pytest_autoeval.engine.events import Event, SampleEnded, SuiteJudged
from pytest_autoeval.engine.record import Record
from pytest_autoeval.engine.reproducing import options_of
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.judging.baseline import Baseline
from pytest_autoeval.models import ModelPool, ModelSettings
from pytest_autoeval.models.base import Chat, Embedder
from pytest_autoeval.models.journal import Journal
from pytest_autoeval.registry import Registry
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.results import ResultsFile, read
from pytest_autoeval.reporting.row import Row

if TYPE_CHECKING:
    from pytest_autoeval.models.offline.answer_key import AnswerKey


class Leader(RunServices):
    """Asks models within the limits of the run, and handles the events of all suites.

    ``journal`` stores answers and ``results`` rows; both are optional. ``rows`` are the rows of the baseline, if they
    were read before.
    """

    def __init__(
        self,
        settings: Settings,
        registry: Registry,
        *,
        journal: Journal | None = None,
        results: ResultsFile | None = None,
        rows: Sequence[Row] = (),
    ) -> None:
        self.settings = settings
        self.registry = registry
        self.record = Record()
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._journal = journal or Journal(None)
        self.results = results
        self._baseline_rows = rows
        #: Whether the results file has a row.
        self._begun = False
        #: Called with each event after the leader has handled it.
        self.on_event: Callable[[Event], None] = lambda _event: None

    @cached_property
    def pool(self) -> ModelPool:
        """The models. They share connections, recordings and limits."""
        return ModelPool(model_settings(self.settings, self.registry), self._answer_key, journal=self._journal)

    @cached_property
    def _answer_key(self) -> AnswerKey | None:
        if not self.settings.dataset:
            return None
        from pytest_autoeval.models.offline.answer_key import AnswerKey

        return AnswerKey()

    def open(self, name: str) -> Chat | Embedder:
        return self.pool.open(name)

    def emit(self, event: Event) -> None:
        if self.settings.batch is not None:
            self.pool.stir()
        match event:
            case SampleEnded():
                event = replace(event, row=self._final(event.row))
                if self.results is not None:
                    self.results.append(event.row if self._begun else self.record.with_plan(event.row))
                    self._begun = True
            case SuiteJudged():
                event = replace(event, counterexamples=tuple(map(self._final_example, event.counterexamples)))
        self.record.take(event)
        self.on_event(event)

    def add_meanings(self, items: Sequence[Item]) -> None:
        if self._answer_key is not None:
            self._answer_key.add_meanings(items)

    @cached_property
    def _baseline(self) -> Baseline | None:
        if self.settings.baseline is None:
            return None
        return Baseline(self._baseline_rows or read(self.settings.baseline).rows)

    def baseline(self) -> Baseline | None:
        return self._baseline

    def _final(self, row: Row) -> Row:
        """The row with the start of the run, and without secrets in an error. Answers arrive without secrets."""
        error = row.error if row.error is None else self.pool.redactor.text(row.error)
        return replace(row, error=error, started=self._started, options=self._options)

    def _final_example(self, example: Counterexample) -> Counterexample:
        shrunk = example.shrunk_row
        command = self.pool.redactor.text(example.command)
        return replace(
            example, row=self._final(example.row), shrunk_row=shrunk and self._final(shrunk), command=command
        )

    @cached_property
    def _options(self) -> tuple[str, ...]:
        return tuple(map(self.pool.redactor.text, options_of(self.settings)))


def model_settings(settings: Settings, registry: Registry) -> ModelSettings:
    """The settings of models, from the settings and the registry of a run."""
    alike = (
        *("base_url", "temperature", "max_tokens", "timeout", "record_mode", "cassettes"),
        *("rpm", "patience", "max_calls", "max_cost"),
    )
    same = {name: getattr(settings, name) for name in alike}
    return ModelSettings(
        **same,
        concurrency=(settings.concurrency[0], settings.in_flight),
        constrained=None if settings.constrained is False or settings.constrained == "both" else settings.constrained,
        parameters=settings.parameters or {},
        more_cassettes=(shipped_folder("cassettes"),) if settings.record_mode in (None, "none") else (),
        prices=settings.prices,
        own=registry.models,
        batch=math.inf if settings.batch is False else settings.batch,
    )
