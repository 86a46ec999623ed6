"""One pytest process's part in a run: its models, those that a `conftest.py` added among them, and its results."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterable
from functools import cached_property
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.models import ModelPool, ModelSettings
from pytest_autoeval.models.journal import Journal
from pytest_autoeval.models.names import is_offline
from pytest_autoeval.registry import Registry, shipped_folder
from pytest_autoeval.reporting.judging.gates import Rules
from pytest_autoeval.reporting.results import ResultsFile, read
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.running.crew import Crew
from pytest_autoeval.running.marker import Suite, Target
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.progress import SuiteProgress
from pytest_autoeval.running.settings import LIMITS, Settings
from pytest_autoeval.running.shared import (
    BASELINE,
    REGISTRY,
    RUN,
    TOLD,
    Told,
    collected,
    folders,
    host_of,
)
from pytest_autoeval.running.sources import part_of, settings_digest
from pytest_autoeval.tasks.trial import Copies, PromptChoice, Trial

if TYPE_CHECKING:
    from pytest_autoeval.models.offline.answer_key import AnswerKey
    from pytest_autoeval.reporting.judging.baseline import Baseline
    from pytest_autoeval.running.kept import KeptFolder
    from pytest_autoeval.tasks import Task


def run_of(config: pytest.Config) -> Run:
    """The run of this process; made on first use."""
    if RUN not in config.stash:
        config.stash[RUN] = Run(config)
        config.add_cleanup(config.stash[RUN].close)
        # The interpreter's last collections would go through all that was imported, for a quarter of a second.
        atexit.register(gc.freeze)
    return config.stash[RUN]


class Run:
    """What the suites of one process share: models, results file, baseline, kept counterexamples."""

    def __init__(self, config: pytest.Config) -> None:
        self.settings: Settings = settings_of(config)
        self.registry: Registry = config.stash[REGISTRY]
        self._config = config
        #: What ends a message about this process: the name of its host, where that is another one.
        self.where = f" (on {host})" if (host := host_of(config)) else ""
        #: The suites that run now: how many samples each is to have, and the rows so far, by the ids of their items.
        self.running: dict[str, tuple[int, list[Row]]] = {}

    @property
    def rules(self) -> Rules:
        """What the suites are judged by. Formulas that were typed are too few for an interval."""
        settings = self.settings
        gate = "point" if settings.formula else settings.gate
        falls = settings.fail_on or {}
        return Rules(threshold=settings.threshold, gate=gate, alpha=settings.alpha, **falls)

    @cached_property
    def shard_keys(self) -> dict[str, str]:
        """What a row says of the part that it is of; nothing where suites run whole."""
        settings = self.settings
        return {"shard": settings.part, "shard_settings": settings_digest(settings)} if settings.shard else {}

    @cached_property
    def results(self) -> ResultsFile:
        """The file that rows are written to as they come: the one asked for, or one in the folder of the run."""
        return ResultsFile(self.settings.results or Path(folders(self._config).run) / "rows.jsonl")

    @cached_property
    def baseline(self) -> Baseline | None:
        """The earlier results to compare with, None where there are none."""
        if self.settings.baseline is None:
            return None
        from pytest_autoeval.reporting.judging.baseline import Baseline

        known = self._config.stash.get(BASELINE, [])
        return Baseline(known or read(self.settings.baseline).rows)

    @cached_property
    def kept(self) -> KeptFolder | None:
        """The kept counterexamples as they were before the run, None where none are kept."""
        if self.settings.keep_counterexamples is None:
            return None
        from pytest_autoeval.running.kept import read_folder

        return read_folder(self.settings.keep_counterexamples)

    @cached_property
    def crew(self) -> Crew:
        """The threads in which bodies run."""
        return Crew(self.settings.concurrency[1])

    @cached_property
    def number_of_suites(self) -> int:
        """How many suites and models were collected: the same in every process."""
        return len(collected(self._config))

    @cached_property
    def _model_settings(self) -> ModelSettings:
        settings = self.settings
        alike = ("base_url", "temperature", "max_tokens", "timeout", "record_mode", "cassettes", *LIMITS)
        return ModelSettings(
            **{name: getattr(settings, name) for name in alike},
            parameters=settings.parameters or {},
            more_cassettes=(shipped_folder("cassettes"),) if settings.record_mode in (None, "none") else (),
            prices=settings.prices,
            own=self.registry.models,
        )

    @cached_property
    def pool(self) -> ModelPool:
        """The models; they share clients, recordings and limits."""
        return ModelPool(self._model_settings, self._answer_key, self.journal)

    @cached_property
    def journal(self) -> Journal:
        """The answers that this process was given, and those of the runs that this one continues."""
        kept = folders(self._config)
        return Journal(Path(kept.run) if kept.resumable else None, [Path(folder) for folder in kept.earlier])

    @cached_property
    def _answer_key(self) -> AnswerKey | None:
        if not self.settings.dataset:
            return None
        from pytest_autoeval.models.offline.answer_key import AnswerKey

        return AnswerKey()

    def progress(self) -> dict[str, SuiteProgress]:
        """How far the suites are that run now, by the ids of their items."""
        running = list(self.running.items())
        return {
            test: SuiteProgress(planned, len(rows), sum(row.passed for row in rows))
            for test, (planned, rows) in running
        }

    def teach(self, model: str, samples: Iterable[Sample]) -> None:
        """Gives an offline model, which reads no free English, the meaning of the sentences in the user's own data."""
        if is_offline(model) and self._answer_key is not None:
            from pytest_autoeval.datasets.base import Item

            self._answer_key.teach(sample for sample in samples if isinstance(sample, Item))

    def trials(self, samples: Iterable[Sample], suite: Suite) -> list[Trial]:
        """A trial for each sample and repeat of this run's part of the suite.

        The order depends on the seed: small sizes do not come first.
        """
        shard = self.settings.shard
        numbered = enumerate(product(samples, range(self.settings.repeats)))
        asked = [one for one in numbered if shard is None or part_of(one[1][0], shard[1]) == shard[0]]

        def place(numbered: tuple[int, tuple[Sample, int]]) -> bytes:
            number, (sample, repeat) = numbered
            return sha256(f"{self.settings.seed} {number} {sample.formula} {repeat}".encode()).digest()

        asked.sort(key=place)
        return [self.trial(suite.target, sample, suite.task, repeat, suite.copies) for _, (sample, repeat) in asked]

    def trial(
        self,
        target: Target,
        sample: Sample | None = None,
        task: Task | None = None,
        repeat: int = 0,
        copies: Copies | None = None,
    ) -> Trial:
        """A fresh trial, to be filled."""
        folders = (*self.settings.prompts, *self.registry.prompt_folders)
        return Trial(
            model=self.pool.open(target.model),
            prompts=PromptChoice(prompting=target.prompting, interface=target.interface, folders=folders),
            subject=sample,
            task=task,
            repeat=repeat,
            verify_timeout=self.settings.verify_timeout,
            reader=self.pool.open(target.reader) if target.reader else None,
            hops=self.settings.hops,
            copies=copies or self.settings.copies,
            reask=self.settings.reask,
        )

    def account(self) -> dict[str, Any]:
        """What this process used for its answers, by the topics of :class:`Told`."""
        used, unreadable = self.pool.used_recordings(), self.pool.unreadable_recordings()
        return {"used": used, "unreadable": unreadable, "taken_over": self.journal.taken_over}

    @cached_property
    def whole_account(self) -> Told:
        """What the workers told, and the account of this process; to be read at the end of the run."""
        told = self._config.stash.get(TOLD, Told())
        for topic, value in self.account().items():
            told.hear(topic, value)
        return told

    def stop(self) -> None:
        """No further sample and no further call is started."""
        self.crew.abandon()
        self.pool.stop()

    def close(self) -> None:
        """Abandons what still runs, and closes the models."""
        self.crew.abandon()
        self.pool.close()
