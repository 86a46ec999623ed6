"""What happens inside one item: its samples are drawn, its body runs with each, and each leaves a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from pytest_autoeval.generation import Sample
from pytest_autoeval.generation.trivial import trivial_kind
from pytest_autoeval.languages import language
from pytest_autoeval.running.bodies import Ending, arguments_of, first_fatal, raise_errors, run_bodies
from pytest_autoeval.running.cells import Cell, cell_of, threshold_of
from pytest_autoeval.running.kept import kept_samples
from pytest_autoeval.running.options import UNSUITED
from pytest_autoeval.running.run import Run, row_of, run_of
from pytest_autoeval.running.shared import INFO
from pytest_autoeval.running.spec import Spec, spec_of
from pytest_autoeval.running.stopping import WholeSuite, notes_on_stopping
from pytest_autoeval.running.suite_names import plain_suite_of, suite_of
from pytest_autoeval.running.variants import interfaces_of
from pytest_autoeval.tasks.blame import blaming
from pytest_autoeval.tasks.trial import Trial

#: What to do with the item's body instead of running the item's own samples (the controller shrinks so).
Job = Callable[["Bench"], None]
JOB: pytest.StashKey[Job] = pytest.StashKey()


class Bench:
    """An item that is set up: its body can be run on any sample."""

    def __init__(self, item: pytest.Function, spec: Spec, cell: Cell, run: Run) -> None:
        self.item, self.spec, self.cell, self.run = item, spec, cell, run
        self.arguments = arguments_of(item)
        self.suite = suite_of(item, cell)
        self._facts: dict[str, dict[str, Any]] = {}

    def body(self, trial: Trial) -> object:
        """The test function with the trial's sample in its place."""
        return self.item.obj(**{**self.arguments, "sample": trial.subject})

    def row(self, ending: Ending) -> dict[str, Any]:
        """The row of one ending."""
        sample = ending.trial.subject
        if not isinstance(sample, Sample):
            raise TypeError("a pass-rate trial is about a sample")
        if sample.text not in self._facts:
            self._facts[sample.text] = facts_of(sample)
        return row_of(ending, self.suite, self.item.nodeid) | self._facts[sample.text]

    def run_samples(self) -> None:
        """Runs the body with each of the item's samples, and writes each row the moment it is known.

        A whole suite is run part by part, and ends with the part after which its gate is decided.
        """
        parts = [replace(self.cell, sizes=(size,)) for size in self.cell.sizes] or [self.cell]
        drawn = [samples_of(self.item, self.spec, part, self.run) for part in parts]
        if not any(drawn) and not self.cell.kept:
            self.item.stash[INFO] = {**self.info(0, []), "own_data": False}
            pytest.skip(self._nothing())
        trials = self.run.trials([sample for samples in drawn for sample in samples], self.spec, self.cell)
        whole = WholeSuite(trials, self.spec, self.run) if self.cell.whole else None
        info = self.item.stash[INFO] = self.info(len(trials), self._notes(map(len, drawn)))
        endings: list[Ending] = []
        for part in whole.parts if whole is not None else [trials]:
            endings += self._run(part)
            if whole is not None and (stopped := whole.stopped(endings)) is not None:
                info["stopped_early"] = stopped
                break
        raise_errors(endings, self.run.in_full)

    def _nothing(self) -> str:
        """Why there is nothing to ask: of the user's own rows the summary then tells what became of each."""
        source, sizes = self.run.source(self.spec), ", ".join(map(str, self.cell.sizes))
        return (
            f"{UNSUITED} of size {sizes} is left for {source.name}"
            if source.own
            else f"{source.name} has nothing of size {sizes}"
        )

    def _run(self, trials: Iterable[Trial]) -> list[Ending]:
        """Runs the body with each trial, and stops the whole run where no further sample can succeed."""
        endings: list[Ending] = []
        more = {"threshold": threshold_of(self.spec, self.item.config), "unfinished": True}
        more |= {"kept": True} if self.cell.kept else {}
        body = blaming(self.body) if self.run.option("blame") else self.body
        for ending in run_bodies(body, trials, self.run.option("concurrency")):
            self.run.results.append(self.row(ending) | more)
            endings.append(ending)
        if (fatal := first_fatal(endings)) is not None:
            self.item.session.shouldstop = f"autoeval: {fatal}"
            pytest.fail(str(fatal), pytrace=False)
        return endings

    def _notes(self, counts: Iterable[int]) -> list[str]:
        """What of the order the item cannot carry out, a line each; ``counts`` are the samples of each of its sizes."""
        notes = []
        wanted = self.run.sample_count(self.spec)
        drawn = self.run.source(self.spec).usual_count is not None
        for size, found in zip(self.cell.sizes, counts, strict=False):
            if drawn and wanted is not None and found < wanted:
                notes.append(f"{self.spec.source} has only {found} formulas of size {size}, not {wanted}")
        known = interfaces_of(self.spec.task)
        if lacking := [name for name in self.run.option("interface") if known and name not in known]:
            notes.append(f"the task {self.spec.task} cannot be put through the interface {', '.join(lacking)}")
        return [*notes, *notes_on_stopping(self.spec, self.cell, self.run)]

    def info(self, planned: int, notes: list[str]) -> dict[str, Any]:
        """The item in plain basic types. What was kept counts in no gate, so that none of it is planned."""
        source = self.run.source(self.spec)
        kept = kept_samples(self.item.config, plain_suite_of(self.item, self.cell), source) if self.cell.kept else None
        return {
            "suite": self.suite,
            "model": self.cell.model,
            "test": self.item.nodeid,
            "path": str(self.item.path),
            "threshold": self.spec.threshold,
            "planned": planned if kept is None else 0,
            "stopped_early": None,
            "kept_problems": kept.problems if kept is not None else {},
            "notes": [*notes, *source.shortfalls],
            "own_data": source.own,
            "problems": list(source.problems),
        }


def samples_of(item: pytest.Item, spec: Spec, cell: Cell, run: Run) -> list[Sample]:
    """The samples that an item runs: drawn, typed, or kept."""
    if not cell.kept:
        return run.samples(spec, cell)
    found = kept_samples(item.config, plain_suite_of(item, cell), run.source(spec)).samples
    run.teach(cell.model, found)
    return found


def facts_of(sample: Sample) -> dict[str, Any]:
    """What a row says of the formula itself: its measures, and whether it means anything."""
    tongue = language(sample.language)
    trivial = tongue.trivial(sample.vocabulary.alphabet)
    return {
        "measures": dict(tongue.measure(sample.formula)),
        "trivial": trivial_kind(sample.formula, tongue, trivial),
    }


def run_item(item: pytest.Function) -> None:
    """The call phase of a pass-rate item."""
    spec, cell = spec_of(item), cell_of(item)
    if spec is None or cell is None:
        raise TypeError(f"{item.nodeid} is no pass-rate item")
    bench = Bench(item, spec, cell, run_of(item.config))
    job = item.stash.get(JOB, None)
    if job is not None:
        job(bench)
    else:
        bench.run_samples()
