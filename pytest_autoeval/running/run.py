"""One pytest process's part in a run: its options, its models, its samples, and the rows that it writes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import pytest_autoeval
from pytest_autoeval.datasets.base import Item
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation import Sample
from pytest_autoeval.languages import FormulaSyntaxError
from pytest_autoeval.models import Model, ModelPool, ModelSettings, Price
from pytest_autoeval.models.base import Embedder
from pytest_autoeval.models.memory import RememberingModel
from pytest_autoeval.models.offline import is_offline
from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.results import SCHEMA_VERSION, ResultsFile
from pytest_autoeval.running.bodies import Ending, plain_text
from pytest_autoeval.running.cells import Cell
from pytest_autoeval.running.options import MISFIT, OPTIONS, Option, paths, typed, value
from pytest_autoeval.running.registered import RegisteredModel
from pytest_autoeval.running.shared import RUN, has_workers, state_dir
from pytest_autoeval.running.sources import Source, source_of
from pytest_autoeval.running.spec import Spec
from pytest_autoeval.running.variants import Variant
from pytest_autoeval.tasks import task as task_named
from pytest_autoeval.tasks.trial import Prompting, Trial

_PACKAGE = Path(pytest_autoeval.__file__).parent
_BY_NAME: dict[str, Option] = {option.name: option for option in OPTIONS}


def run_of(config: pytest.Config) -> Run:
    """The run of this process; made on first use."""
    if RUN not in config.stash:
        config.stash[RUN] = Run(config)
    return config.stash[RUN]


#: The recordings of the shipped suites: at the root of a checkout, inside the package of an installed wheel.
SHIPPED_CASSETTES = next(filter(Path.is_dir, (_PACKAGE / "cassettes", _PACKAGE.parent / "cassettes")), _PACKAGE)


class Run:
    """Options read once, models opened once, rows written as they happen."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        #: Folders of templates that a `conftest.py` added.
        self.prompt_folders: list[Path] = []
        #: What makes the models that a `conftest.py` added.
        self.factories: dict[str, Callable[[], Any]] = {}
        self._models: dict[str, Model] = {}
        self._lock = threading.Lock()

    def option(self, name: str) -> Any:
        """An option's value by its name without ``--autoeval-``."""
        return value(self.config, _BY_NAME[name])

    @cached_property
    def results(self) -> ResultsFile:
        """Where rows go as they happen: the file asked for, or one in the shared folder."""
        asked = paths(self.config, "results")
        return ResultsFile(asked[0] if asked else state_dir(self.config) / "rows.jsonl")

    def prompting(self, variant: Variant) -> Prompting:
        """How a variant asks."""
        folders = (*paths(self.config, "prompts"), *self.prompt_folders)
        return Prompting(way=variant.way, interface=variant.interface, folders=folders)

    @cached_property
    def settings(self) -> ModelSettings:
        """How models are asked, recorded and limited."""
        return ModelSettings(
            base_url=self.option("base-url"),
            temperature=self.option("temperature"),
            max_tokens=self.option("max-tokens"),
            timeout=self.option("timeout"),
            parameters=self.option("parameters") or {},
            max_retries=self.option("max-retries"),
            record_mode=self.option("record-mode"),
            cassettes=paths(self.config, "cassettes")[0],
            more_cassettes=(SHIPPED_CASSETTES,) if self.option("record-mode") in (None, "none") else (),
            concurrency=self.option("concurrency"),
            rpm=self.option("rpm"),
            max_calls=self.option("max-calls"),
            max_cost=self.option("max-cost"),
            prices={name: Price(spent, made) for name, spent, made in self.option("price")},
            state_dir=state_dir(self.config) if has_workers(self.config) else None,
        )

    @cached_property
    def pool(self) -> ModelPool:
        """The models behind a server; they share clients, recordings and limits."""
        return ModelPool(self.settings)

    def model(self, name: str) -> Model | Embedder:
        """The model of that name: one that a `conftest.py` added, or one behind a server."""
        with self._lock:
            if name in self.factories and name not in self._models:
                self._models[name] = RememberingModel(RegisteredModel(name, self.factories[name]))
            return self._models.get(name) or self.pool.open(name)

    def source(self, spec: Spec) -> Source:
        """Where a suite's samples come from."""
        return source_of(spec, tuple(paths(self.config, "dataset")))

    def samples(self, spec: Spec, cell: Cell) -> list[Sample]:
        """The samples of one item: those of its sizes, or those about the formula that was typed."""
        source = self.source(spec)
        if cell.formula is None:
            count, seed = self.sample_count(spec), self.option("seed")
            found = [sample for size in cell.sizes for sample in source.samples(size, count, seed)]
            self.teach(cell.model, found)
            return found
        try:
            found = source.typed(cell.formula, self.option("seed"))
        except FormulaSyntaxError as problem:
            pytest.skip(f"{MISFIT} of the language of {spec.source}: {problem}")
        if not found:
            pytest.skip(f"{MISFIT} of the data set {spec.source}: {cell.formula}")
        self.teach(cell.model, found)
        return found

    def teach(self, model: str, samples: list[Sample]) -> None:
        """Tells the offline models, who are no linguists, what the sentences of the user's own data mean."""
        if is_offline(model) and paths(self.config, "dataset"):
            from pytest_autoeval.models.offline.answer_key import learn

            learn(sample for sample in samples if isinstance(sample, Item))

    def sample_count(self, spec: Spec) -> int | None:
        """How many samples of each size are wanted: as typed, else as marked, else as the ini file says, else usual.

        The marker speaks of the items that it names, not of the user's own data.
        """
        typed_count: int | None = typed(self.config, _BY_NAME["samples"].key)
        source = self.source(spec)
        marked = None if source.own else spec.samples
        return typed_count or marked or self.option("samples") or source.usual_count

    def trials(self, samples: list[Sample], spec: Spec, cell: Cell) -> list[Trial]:
        """A trial for each sample and repeat."""
        return [
            self.trial(cell, sample, spec.task, repeat)
            for sample in samples
            for repeat in range(self.option("repeats"))
        ]

    def trial(self, cell: Cell, sample: Sample | None = None, task: str | None = None, repeat: int = 0) -> Trial:
        """A fresh trial, to be filled."""
        return Trial(
            model=self.model(cell.model),
            prompting=self.prompting(cell.variant),
            subject=sample,
            task=None if task is None else task_named(task),
            repeat=repeat,
            verify_timeout=self.option("verify-timeout"),
        )

    def in_full(self, text: str) -> bool:
        """Whether to show a message whole: one of several lines is shown so by one item of the run."""
        if "\n" not in text:
            return True
        try:
            (state_dir(self.config) / f"told-{sha256(text.encode()).hexdigest()}").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def used_recordings(self) -> list[str]:
        """The recordings that this process replayed or wrote, and those that its workers say they did."""
        told = [json.loads(file.read_text("utf-8")) for file in sorted(state_dir(self.config).glob("used-*.json"))]
        return sorted({*self.pool.used_recordings(), *(name for names in told for name in names)})

    def tell_used_recordings(self, worker: str) -> None:
        """Leaves the controller a worker's part of :meth:`used_recordings`."""
        text = json.dumps(self.pool.used_recordings())
        (state_dir(self.config) / f"used-{worker}.json").write_text(text, "utf-8")

    def close(self) -> None:
        """Closes the models."""
        for model in self._models.values():
            model.close()
        self.pool.close()


def row_of(ending: Ending, suite: str, test: str) -> dict[str, Any]:
    """One object of the results file; the schema is described in docs/results.md."""
    trial = ending.trial
    sample = trial.subject
    if not isinstance(sample, Sample):
        raise AutoevalError("only samples have rows")
    return {
        "schema_version": SCHEMA_VERSION,
        "suite": suite,
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
        "outcome": ending.outcome,
        "code": outcome_named(ending.outcome).code,
        "way": trial.prompting.way,
        **getattr(sample, "facts", {}),
        **trial.findings(),
        "error": plain_text(ending.raised),
    }
