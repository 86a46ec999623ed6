"""One pytest process's part in a run: its models, and the rows that it writes."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.generation.trivial import trivial_kind
from pytest_autoeval.languages import language
from pytest_autoeval.models import Model, ModelPool, ModelSettings, Price
from pytest_autoeval.models.base import Embedder
from pytest_autoeval.models.memory import RememberingModel
from pytest_autoeval.models.offline.names import is_offline
from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.registry import Registry
from pytest_autoeval.reporting.judging.extent import Rules
from pytest_autoeval.reporting.results import ResultsFile, read
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.running.bodies import TrialResult, plain_text
from pytest_autoeval.running.marker import Suite, Target
from pytest_autoeval.running.settings import Settings, settings_of
from pytest_autoeval.running.shared import BASELINE, RUN, collected, has_workers, registry_of, state_dir
from pytest_autoeval.running.suites import shipped
from pytest_autoeval.tasks.trial import PromptChoice, Trial

if TYPE_CHECKING:
    from pytest_autoeval.models.offline.answer_key import AnswerKey
    from pytest_autoeval.reporting.judging.baseline import Baseline
    from pytest_autoeval.running.kept import KeptFolder
    from pytest_autoeval.tasks import Task

#: The recordings of the shipped suites.
SHIPPED_CASSETTES = shipped("cassettes")


def run_of(config: pytest.Config) -> Run:
    """The run of this process; made on first use."""
    if RUN not in config.stash:
        config.stash[RUN] = Run(config)
    return config.stash[RUN]


class Run:
    """What the suites of one process share: models, results file, baseline, kept counterexamples."""

    def __init__(self, config: pytest.Config) -> None:
        self.settings: Settings = settings_of(config)
        self.registry: Registry = registry_of(config)
        self._config = config
        self._models: dict[str, Model] = {}
        self._lock = threading.Lock()

    @property
    def rules(self) -> Rules:
        """What the suites are judged by. Formulas that were typed are too few for an interval."""
        settings = self.settings
        gate = "point" if settings.formula else settings.gate
        return Rules(threshold=settings.threshold, gate=gate, alpha=settings.alpha, drop=settings.fail_on)

    @cached_property
    def results(self) -> ResultsFile:
        """The file that rows are written to as they come: the one asked for, or one in the shared folder."""
        return ResultsFile(self.settings.results or state_dir(self._config) / "rows.jsonl")

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
    def number_of_suites(self) -> int:
        """How many suites and models were collected: the same in every process."""
        return len(collected(self._config))

    @cached_property
    def pool(self) -> ModelPool:
        """The models behind a server; they share clients, recordings and limits."""
        settings = self.settings
        alike = (
            *("base_url", "temperature", "max_tokens", "timeout", "max_retries"),
            *("record_mode", "cassettes", "concurrency", "rpm", "max_calls", "max_cost"),
        )
        return ModelPool(
            ModelSettings(
                **{name: getattr(settings, name) for name in alike},
                parameters=settings.parameters or {},
                more_cassettes=(SHIPPED_CASSETTES,) if settings.record_mode in (None, "none") else (),
                prices={name: Price(spent, made) for name, spent, made in settings.price},
                state_dir=state_dir(self._config) if has_workers(self._config) else None,
            ),
            self._answer_key,
        )

    def model(self, name: str) -> Model | Embedder:
        """The model of that name: one that a `conftest.py` added, or one behind a server."""
        with self._lock:
            factory = self.registry.models.get(name)
            if factory is not None and name not in self._models:
                from pytest_autoeval.running.registered import RegisteredModel

                self._models[name] = RememberingModel(RegisteredModel(name, factory))
            return self._models.get(name) or self.pool.open(name)

    @cached_property
    def _answer_key(self) -> AnswerKey | None:
        """What the offline models know of the user's own data; None where there are none."""
        if not self.settings.dataset:
            return None
        from pytest_autoeval.models.offline.answer_key import AnswerKey

        return AnswerKey()

    def teach(self, model: str, samples: Iterable[Sample]) -> None:
        """Gives an offline model, which reads no free English, the meaning of the sentences in the user's own data."""
        if is_offline(model) and self._answer_key is not None:
            from pytest_autoeval.datasets.base import Item

            self._answer_key.teach(sample for sample in samples if isinstance(sample, Item))

    def trials(self, samples: Iterable[Sample], suite: Suite) -> list[Trial]:
        """A trial for each sample and repeat, in an order that depends on the seed: small sizes do not come first."""
        repeats = range(self.settings.repeats)
        trials = [self.trial(suite.target, sample, suite.task, repeat) for sample in samples for repeat in repeats]

        def place(numbered: tuple[int, Trial]) -> bytes:
            number, trial = numbered
            return sha256(f"{self.settings.seed} {number} {trial.about.formula} {trial.repeat}".encode()).digest()

        return [trial for _, trial in sorted(enumerate(trials), key=place)]

    def trial(self, target: Target, sample: Sample | None = None, task: Task | None = None, repeat: int = 0) -> Trial:
        """A fresh trial, to be filled."""
        folders = (*self.settings.prompts, *self.registry.prompt_folders)
        return Trial(
            model=self.model(target.model),
            prompts=PromptChoice(prompting=target.prompting, interface=target.interface, folders=folders),
            subject=sample,
            task=task,
            repeat=repeat,
            verify_timeout=self.settings.verify_timeout,
        )

    def in_full(self, text: str) -> bool:
        """Whether to show a message whole: one of several lines is shown so by one item of the run."""
        shown = state_dir(self._config) / f"shown-{sha256(text.encode()).hexdigest()}"
        with suppress(FileExistsError):
            shown.touch(exist_ok="\n" not in text)
            return True
        return False

    def used_recordings(self) -> list[str]:
        """The recordings that this process and its workers replayed or wrote."""
        files = sorted(state_dir(self._config).glob("used-*.json"))
        of_workers = [name for file in files for name in json.loads(file.read_text("utf-8"))]
        return sorted({*self.pool.used_recordings(), *of_workers})

    def report_used_recordings(self, worker: str) -> None:
        """Writes down for the controller which recordings a worker used."""
        file = state_dir(self._config) / f"used-{worker}.json"
        file.write_text(json.dumps(self.pool.used_recordings()), "utf-8")

    def close(self) -> None:
        """Closes the models."""
        for model in self._models.values():
            model.close()
        self.pool.close()


def row_of(result: TrialResult, suite: Suite, test: str, more: dict[str, Any]) -> Row:
    """The row of one trial; ``test`` is the id of its item. docs/results.md describes every key."""
    trial, sample = result.trial, result.sample
    found = {**getattr(sample, "facts", {}), **trial.findings()}
    for key in ("kept", "unfinished", "stopped_early"):  # what the run alone may write
        found.pop(key, None)
    return Row.from_json(
        {
            **found,
            "suite": suite.name,
            "test": test,
            "model": trial.model.name,
            "grammar": sample.grammar,
            "language": sample.language,
            "vocabulary": sample.vocabulary_name,
            "index": sample.index,
            "repeat": trial.repeat,
            "seed": sample.seed,
            "operators": sample.operators,
            "formula": sample.text,
            "outcome": result.outcome,
            "code": outcome_named(result.outcome).code,
            "way": trial.prompts.prompting,
            "variant": suite.target.label,
            **more,
            "error": plain_text(result.raised),
        }
    )


def facts_of(sample: Sample) -> dict[str, Any]:
    """The part of a row that depends on the formula alone: its measures, and whether it is trivial."""
    lang = language(sample.language)
    trivial = trivial_kind(sample.formula, lang, lang.trivial(sample.vocabulary.alphabet))
    return {"measures": dict(lang.measure(sample.formula)), "trivial": trivial}
