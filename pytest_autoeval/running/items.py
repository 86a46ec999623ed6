"""What happens inside one item: its samples are drawn, its body runs with each, and each leaves a row."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from pytest_autoeval.generation import Sample
from pytest_autoeval.generation.trivial import trivial_kind
from pytest_autoeval.languages import language
from pytest_autoeval.running.bodies import Ending, arguments_of, first_fatal, raise_errors, run_bodies
from pytest_autoeval.running.cells import Cell, cell_of
from pytest_autoeval.running.run import Run, row_of, run_of
from pytest_autoeval.running.shared import INFO
from pytest_autoeval.running.spec import Spec, spec_of
from pytest_autoeval.running.variants import interfaces_of
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
        """Draws the item's samples, runs the body with each, and writes each row the moment it is known."""
        samples = self.run.samples(self.spec, self.cell)
        if not samples:
            pytest.skip(f"{self.run.source(self.spec).name} has nothing of size {self.cell.size}")
        trials = self.run.trials(samples, self.spec, self.cell)
        endings: list[Ending] = []
        self.item.stash[INFO] = self.info(len(trials), self._notes(len(samples)))
        for ending in run_bodies(self.body, trials, self.run.option("concurrency")):
            self.run.results.append(self.row(ending))
            endings.append(ending)
        if (fatal := first_fatal(endings)) is not None:
            self.item.session.shouldstop = f"autoeval: {fatal}"
            pytest.fail(str(fatal), pytrace=False)
        raise_errors(endings, self.run.in_full)

    def _notes(self, samples: int) -> list[str]:
        """What of the order the item cannot carry out, a line each."""
        notes = []
        wanted = self.run.sample_count(self.spec)
        drawn = self.cell.formula is None and self.run.source(self.spec).usual_count is not None
        if drawn and wanted is not None and samples < wanted:
            notes.append(f"{self.spec.source} has only {samples} formulas of size {self.cell.size}, not {wanted}")
        known = interfaces_of(self.spec.task)
        if lacking := [name for name in self.run.option("interface") if known and name not in known]:
            notes.append(f"the task {self.spec.task} cannot be put through the interface {', '.join(lacking)}")
        return notes

    def info(self, planned: int, notes: list[str]) -> dict[str, Any]:
        """The item in plain basic types."""
        return {
            "suite": self.suite,
            "model": self.cell.model,
            "test": self.item.nodeid,
            "path": str(self.item.path),
            "threshold": self.spec.threshold,
            "planned": planned,
            "notes": notes,
            "own_data": self.run.source(self.spec).own,
            "problems": list(self.run.source(self.spec).problems),
        }


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


#: A cell's label in an item's id.
_LABEL = r"{model}(?:-(?P<variant>[a-z]+(?:-[a-z]+)*))?-(?:ops|formula)=\d+"


def suite_of(item: pytest.Item, cell: Cell) -> str:
    """The test's id without model and size: what a gate is over. The variant and other parameters stay in it."""
    return _without(cell.label, item.nodeid, cell.variant.label)


def in_suite(nodeid: str, suite: str, model: str) -> bool:
    """Whether an item is of a suite and model, told from its id alone: the item may have died with its process."""
    label = re.search(_LABEL.format(model=re.escape(model)), nodeid)
    return label is not None and _without(label[0], nodeid, label["variant"] or "") == suite


def formula_id(row: dict[str, Any]) -> str:
    """What to name to pytest to have a row's test run on one typed formula: the suite, or its one item of that."""
    if "[" not in row["suite"]:
        return str(row["suite"])
    label = re.search(_LABEL.format(model=re.escape(row["model"])), row["test"])
    if label is None:
        return str(row["test"])
    # The command names one variant, so that it stands in no id.
    other = _without(label[0], row["test"])
    base, _, rest = other.partition("[")
    return f"{base}[{row['model']}-formula=0{'-' + rest if rest else ']'}"


def _without(label: str, nodeid: str, variant: str = "") -> str:
    """The id with the cell's label taken out of its bracket, the variant left in."""
    base, bracket, inside = nodeid.partition("[")
    if not bracket:
        return base
    others = inside.removesuffix("]").replace(label, variant, 1).strip("-")
    return f"{base}[{others}]" if others else base


def gate_id(suite: str, model: str) -> str:
    """The id of the gate over a suite and a model."""
    base, bracket, others = suite.partition("[")
    return f"{base}[{model}-{others}::gate" if bracket else f"{base}[{model}]::gate"
