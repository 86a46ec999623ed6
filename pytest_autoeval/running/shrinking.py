"""Shrinks the failures of a pass-rate suite: the controller sets one of its items up again and lends out its body."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from pytest_autoeval.datasets import takes_files
from pytest_autoeval.languages import Formula, language
from pytest_autoeval.models import ModelError
from pytest_autoeval.models.servers import shown_url
from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.terminal.summary import Counterexample
from pytest_autoeval.running.bodies import Ending, first_fatal, run_bodies
from pytest_autoeval.running.items import JOB, Bench
from pytest_autoeval.running.options import OPTIONS, typed
from pytest_autoeval.running.reproducing import command_line
from pytest_autoeval.running.sources import with_formula
from pytest_autoeval.running.suite_names import formula_id
from pytest_autoeval.tasks.shrinking import shrink

Row = dict[str, Any]
#: Options that change what a model answers, and so belong into a command that reproduces.
_MATTER = (
    *("base-url", "prompts", "temperature", "max-tokens", "parameters", "verify-timeout"),
    *("dataset", "seed", "cassettes", "record-mode"),
)


def smallest_failures(rows: Sequence[Row]) -> dict[str, Row]:
    """For each way in which the model failed, the smallest row that did, in order of the outcomes' codes."""
    failures = [row for row in rows if outcome_named(row["outcome"]).kind == "model failure"]
    failures.sort(key=lambda row: (row["code"], row["operators"], len(row["formula"]), row["formula"], row["repeat"]))
    smallest: dict[str, Row] = {}
    for row in failures:
        smallest.setdefault(row["outcome"], row)
    return smallest


def shrink_suite(
    item: pytest.Function,
    rows: Sequence[Row],
    budget: int,
    found: list[Counterexample],
    tell: Callable[[str], None],
) -> None:
    """Adds the smallest counterexample of each kind to ``found``, within ``budget`` round trips in all.

    ``tell`` takes a line of progress. Where the item cannot be set up again, nothing is added. Raises
    :class:`ModelError` where the model can be asked no more; what was found before stays.
    """
    ended: list[ModelError] = []

    def job(bench: Bench) -> None:
        left = budget
        failures = smallest_failures(rows) if bench.run.source(bench.spec).shrinks else {}
        try:
            for number, (outcome, row) in enumerate(failures.items()):
                tell(f"shrinking {row['suite']}[{row['model']}]: {outcome}, from {row['operators']} operators")
                example = _shrunk(bench, row, left // (len(failures) - number))
                left -= example.round_trips_spent
                found.append(example)
        except ModelError as problem:
            ended.append(problem)

    item.stash[JOB] = job
    try:
        runtestprotocol(item, log=False)
    finally:
        del item.stash[JOB]
    if ended:
        raise ended[0]


def unshrunk(config: pytest.Config, row: Row, path: Path) -> Counterexample:
    """A failing row as it is; ``path`` is the file of its test."""
    return Counterexample(row=row, command=command(config, row, path))


def _shrunk(bench: Bench, row: Row, budget: int) -> Counterexample:
    (origin,) = bench.run.source(bench.spec).typed(row["formula"], bench.run.option("seed"))
    tongue = language(origin.language)

    def smaller(formula: Formula) -> Iterator[Formula]:
        return tongue.simpler(formula, origin.vocabulary)

    unanswered = False

    def endings(formulas: Sequence[Formula], repeat: int) -> list[Ending | None]:
        nonlocal unanswered
        samples = [with_formula(origin, formula) for formula in formulas]
        trials = [bench.run.trial(bench.cell, sample, bench.spec.task, repeat) for sample in samples]
        by_trial = {id(e.trial): e for e in run_bodies(bench.body, trials, bench.run.option("concurrency"))}
        if (fatal := first_fatal(by_trial.values())) is not None:
            raise fatal
        unanswered = unanswered or any(ending.outcome == "error" for ending in by_trial.values())
        return [by_trial.get(id(trial)) for trial in trials]

    def fails(formulas: Sequence[Formula], repeat: int) -> list[bool]:
        return [ending is not None and ending.outcome == row["outcome"] for ending in endings(formulas, repeat)]

    result = shrink(origin.formula, smaller, fails, budget)
    shrunk_row: Row | None = None
    if result.formula != origin.formula:
        (ending,) = endings([result.formula], 0)
        shrunk_row = bench.row(ending) if ending is not None else None
    return Counterexample(
        row=row,
        shrunk_row=shrunk_row,
        minimal=result.minimal and not unanswered,
        confirmed=f"{result.repeats[0] + 1} of {result.repeats[1] + 1}" if shrunk_row else "",
        round_trips_spent=result.spent,
        command=command(bench.item.config, shrunk_row or row, bench.item.path),
    )


def command(config: pytest.Config, row: Row, path: Path) -> str:
    """One command that asks the same model the same again, from the folder that pytest was called in."""
    chosen = [
        f"--autoeval-{option.name}={_as_typed(option.name, entry)}"
        for option in OPTIONS
        if option.name in _MATTER and (option.name != "dataset" or takes_files(row["grammar"]))
        for entry in _entries(typed(config, option.key))
    ]
    here = config.invocation_params.dir
    file = os.path.relpath(path, here) if path.is_relative_to(config.rootpath) else str(path)
    return command_line(row, f"{file}::{formula_id(row).partition('::')[2]}", chosen)


def _entries(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [] if given is None else [given]


def _as_typed(name: str, entry: Any) -> str:
    """An entry as the user would type it, without a password."""
    if name == "base-url":
        return shown_url(str(entry))
    return json.dumps(entry) if isinstance(entry, dict) else str(entry)
