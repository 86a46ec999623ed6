"""The engine: settings, models, threads and events that all suites of a process share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_autoeval.built_in import PLUGINS, shipped
from pytest_autoeval.datasets.data_set import Item
from pytest_autoeval.engine.crew import BodyLoop, Crew
from pytest_autoeval.engine.events import Event
from pytest_autoeval.engine.parts_of_run import part_of
from pytest_autoeval.engine.sample_budget import Admission, SamplesUnderWay
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.suite import Suite, Target
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.made_once import made_once
from pytest_autoeval.models.model_names import is_offline
from pytest_autoeval.models.protocols import Chat, Embedder
from pytest_autoeval.prompts.template import Templates
from pytest_autoeval.record.lines import Run as RunLine
from pytest_autoeval.tasks.task import Task
from pytest_autoeval.tasks.trial import Copies, PromptChoice, Trial
from pytest_autoeval.tasks.wrappers import Wrapper

if TYPE_CHECKING:
    from pytest_autoeval.judging.added_gates import GateFunction
    from pytest_autoeval.judging.baseline_runs import Baseline
    from pytest_autoeval.judging.rules import Rules
    from pytest_autoeval.report.added_figures import FiguresFunction


class RunServices(ABC):
    """What an engine needs from the process that leads the run. A worker asks for it over a channel.

    The methods are called from many threads at once.
    """

    @abstractmethod
    def start(self) -> RunLine:
        """The line of the run. It is in the results before the first call is made; raises :class:`ResultsError`."""

    @abstractmethod
    def open(self, name: str) -> Chat | Embedder:
        """The model of a name; raises :class:`ConfigurationError`."""

    @abstractmethod
    def emit(self, event: Event) -> None:
        """Handles an event, and adds an ended sample to its suite; raises :class:`ResultsError` if a line cannot be
        written.
        """

    @abstractmethod
    def add_meanings(self, items: Sequence[Item]) -> None:
        """Gives the offline models the meanings of the sentences in the user's data, since they do not read free
        English.
        """

    @abstractmethod
    def admits(self, needed: int, answered: int) -> Admission:
        """Whether one more sample may start under the limit of calls; see :class:`SampleBudget`."""

    @abstractmethod
    def keep(self, needed: int, answered: int) -> None:
        """Samples of this process have ended; see :class:`SampleBudget`."""

    @abstractmethod
    def baseline(self) -> Baseline | None:
        """The earlier results to compare with, or None."""


class Engine:
    """Runs suites.

    ``suites`` returns the number of all suites and models of the run, for the correction of p-values.
    ``added_prompts`` are folders that are searched before the shipped prompts. ``figures`` are the functions that
    compute figures of each suite, ``gates`` judge it, ``wrappers`` run around each sample; these lists may grow while
    tests are collected.
    """

    def __init__(  # noqa: PLR0913 - what the run adds
        self,
        settings: Settings,
        services: RunServices,
        *,
        suites: Callable[[], int],
        added_prompts: Iterable[Path] = (),
        figures: Sequence[FiguresFunction] = (),
        wrappers: Sequence[Wrapper] = (),
        gates: Sequence[GateFunction] = (),
    ) -> None:
        self.settings = settings
        self.services = services
        self.emit = services.emit
        self._suites = suites
        self._added_prompts = tuple(added_prompts)
        self._templates = Templates()
        self.figures = figures
        self._own_wrappers = wrappers
        self.gates = gates
        self.crew = Crew(settings.in_flight)
        self.under_way = SamplesUnderWay(services, settings.max_calls)
        self.body_loop = BodyLoop()
        self.stopped = False

    @property
    def number_of_suites(self) -> int:
        """The number of suites and models of the run; the same in every process."""
        return self._suites()

    def prompt_folders(self, target: Target) -> tuple[Path, ...]:
        """The folders of prompts that a suite with this target names."""
        own = () if target.prompts is None else (target.prompts,)
        return (*own, *self._added_prompts)

    def searched_folders(self, target: Target) -> tuple[Path, ...]:
        """The folders in which a target's prompts are searched for, before the shipped ones."""
        # A suite names no folder without a prompt in its language, but its body may ask in another one.
        if target.prompts is None and len(self.settings.prompts) == 1:
            return (*self.settings.prompts, *self._added_prompts)
        return self.prompt_folders(target)

    @property
    def shipped_wrappers(self) -> list[Wrapper]:
        """The wrappers of shipped plugins that the options of the run ask for."""
        requested = [
            wrapper.name
            for plugin in PLUGINS
            for wrapper in plugin.wrappers
            if wrapper.used(self.settings)
        ]
        return [shipped("wrapper", name) for name in requested]

    @property
    def wrappers(self) -> list[Wrapper]:
        """What runs around each sample. Wrappers of the user's own are outermost."""
        return [*self._own_wrappers, *self.shipped_wrappers]

    @made_once
    def baseline(self) -> Baseline | None:
        return self.services.baseline() if self.settings.baseline else None

    def add_meanings(self, model: str, samples: Iterable[Sample]) -> None:
        """Gives an offline model the meanings of those samples that come from the user's data."""
        of_files = self.settings.dataset and is_offline(model)
        if items := [sample for sample in samples if of_files and isinstance(sample, Item)]:
            self.services.add_meanings(items)

    def trials(self, samples: Iterable[Sample], suite: Suite) -> list[Trial]:
        """A trial for each sample and repeat of this run's part of the suite.

        The order is random and depends on the seed, so that small sizes do not come first.
        """
        shard = self.settings.shard
        paraphrases = self.settings.paraphrases_of(suite.task)
        numbered = enumerate(
            product(samples, range(self.settings.times_asked), range(paraphrases + 1))
        )
        trials_in_order = [
            trial
            for trial in numbered
            if shard is None or part_of(trial[1][0], shard[1]) == shard[0]
        ]

        # By a digest of the trial alone: a shard then has the order of the whole suite.
        def place(numbered: tuple[int, tuple[Sample, int, int]]) -> bytes:
            number, (sample, repeat, _) = numbered
            return sha256(
                f"{self.settings.seed} {number} {sample.formula} {repeat}".encode()
            ).digest()

        trials_in_order.sort(key=place)
        trials = []
        for _, (sample, repeat, paraphrase) in trials_in_order:
            trial = self.trial(suite.target, sample, suite.task, repeat, suite.copies)
            trial.paraphrase, trial.paraphrases = paraphrase, paraphrases
            trials.append(trial)
        return trials

    def trial(
        self,
        target: Target,
        sample: Sample | None = None,
        task: Task | None = None,
        repeat: int = 0,
        copies: Copies | None = None,
    ) -> Trial:
        return Trial(
            model=self.services.open(target.model),
            prompts=PromptChoice(
                target.prompting, target.interface, self.searched_folders(target), self._templates
            ),
            subject=sample,
            task=task,
            repeat=repeat,
            verify_timeout=self.settings.verify_timeout,
            reader=self.services.open(target.reader) if target.reader else None,
            copies=copies or self.settings.copies,
            constrained=target.constrained,
        )

    def stop(self) -> None:
        """Starts no further sample, and does not wait for those that run."""
        self.stopped = True
        self.crew.abandon()

    def close(self) -> None:
        """Abandons running samples and ends the threads."""
        self.stop()
        self.crew.close()
        self.body_loop.close()


def rules_of(settings: Settings) -> Rules:
    """The rules by which suites are judged. Formulas from the command line are too few for an interval."""
    # Here, since what judges a suite took a seventh of the time before the first call.
    from pytest_autoeval.judging.rules import Rules

    drops = settings.fail_on or {}
    return Rules(
        threshold=settings.threshold,
        gate="point" if settings.formula else settings.gate,
        alpha=settings.alpha,
        drop=drops.get("drop"),
        suite_drop=drops.get("suite-drop"),
        agreement=settings.agreement,
        agreement_drop=drops.get("agreement"),
    )
