"""`--autoeval-keep-counterexamples`: what some model failed on is asked of every later run again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, Literal, NamedTuple

import pytest

from pytest_autoeval.datasets import is_data_set
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation import Sample
from pytest_autoeval.languages import language
from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.items import Comparable
from pytest_autoeval.reporting.kept import KeptResult, Status
from pytest_autoeval.running.kept_files import Identity, KeptFolder, KeptFormula, read_folder
from pytest_autoeval.running.options import paths
from pytest_autoeval.running.sources import Source
from pytest_autoeval.running.suite_names import is_shipped

Row = dict[str, Any]
Scope = Literal["whole", "chosen", "interrupted"]

_OPTION = "keep-counterexamples"
_READ: pytest.StashKey[KeptFolder] = pytest.StashKey()


def today() -> date:
    """The day that stands in the files, by universal time; tests replace it."""
    return datetime.now(UTC).date()


def kept_by(config: pytest.Config) -> KeptFolder:
    """What the run's folder holds, read once in each process: while tests are collected."""
    if _READ not in config.stash:
        folders = paths(config, _OPTION)
        config.stash[_READ] = read_folder(folders[0]) if folders else KeptFolder()
    return config.stash[_READ]


class KeptSamples(NamedTuple):
    """The samples about what was kept of a suite, and of each file that none could be made of, why."""

    samples: list[Sample]
    problems: dict[str, str]


def kept_samples(config: pytest.Config, suite: str, source: Source) -> KeptSamples:
    """What was kept of a suite: a test function with its parameters, without model and variant."""
    samples: dict[Identity, Sample] = {}
    problems: dict[str, str] = {}
    for kept in kept_by(config).counterexamples:
        if kept.suite != suite:
            continue
        try:
            sample = _sample(kept, source)
        except AutoevalError as problem:
            problems[kept.file] = str(problem)
            continue
        samples.setdefault((suite, sample.grammar, sample.vocabulary_name, kept.item or sample.text), sample)
    return KeptSamples(list(samples.values()), problems)


def _sample(kept: KeptFormula, source: Source) -> Sample:
    """The sample about a kept counterexample; raises :class:`AutoevalError` where the suite has none any more."""
    if kept.item is None:
        found = source.typed(kept.formula, 0)
    else:
        found = [one for one in source.typed(kept.item, 0) if getattr(one, "facts", {}).get("item") == kept.item]
    if not found:
        raise AutoevalError(f"{source.name} has no item {kept.item or kept.formula} any more")
    sample = found[0]
    if (sample.grammar, sample.vocabulary_name) != (kept.grammar, kept.vocabulary):
        raise AutoevalError(
            f"it was kept of {kept.grammar} with the vocabulary {kept.vocabulary}, and the suite is now about "
            f"{sample.grammar} with the vocabulary {sample.vocabulary_name}"
        )
    return sample


def keep(
    config: pytest.Config,
    counterexamples: Iterable[Counterexample],
    rows: Sequence[Row],
    infos: Sequence[Mapping[str, Any]],
    scope: Scope,
) -> list[KeptResult]:
    """Writes what is new and what failed again to the run's folder, and tells what became of all that was kept.

    ``rows`` are all of the run, ``infos`` what its items told; ``scope`` tells whether all was run that is there, or
    what was chosen, or not even that. What cannot be written is told in the results: nothing is raised. Without the
    option nothing is done.
    """
    return _Keeping(config, counterexamples, rows, infos, scope).results() if paths(config, _OPTION) else []


@dataclass(slots=True)
class _Asked:
    """What the models of a run made of one formula."""

    failing: dict[str, None] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)
    passes: bool = True


class _Keeping:
    """Compares a folder with a run, and brings it up to date."""

    def __init__(
        self,
        config: pytest.Config,
        counterexamples: Iterable[Counterexample],
        rows: Sequence[Row],
        infos: Sequence[Mapping[str, Any]],
        scope: Scope,
    ) -> None:
        self._root, self._rows, self._infos, self._scope = config.rootpath, rows, infos, scope
        (self._folder,) = paths(config, _OPTION)
        self._there = read_folder(self._folder)
        self._today = today()
        self._found = [example.shown if _failed(example.shown) else example.row for example in counterexamples]
        self._asked = self._what_came()
        self._problems = {file: text for info in infos for file, text in info.get("kept_problems", {}).items()}

    def _what_came(self) -> dict[Identity, _Asked]:
        asked: dict[Identity, _Asked] = defaultdict(_Asked)
        for row in (*(row for row in self._rows if row.get("kept")), *self._found):
            told = asked[_identity(row)]
            told.models.add(row["model"])
            told.passes &= outcome_named(row["outcome"]).kind == "pass"
            if _failed(row):
                told.failing[f"{row['model']} ({row['outcome']})"] = None
        return asked

    def results(self) -> list[KeptResult]:
        """What became of each file, then of each counterexample of the run that has none yet."""
        known: dict[Identity, str] = {}
        told: list[KeptResult] = []
        for kept in self._there.counterexamples:
            identity = _canonical(kept)
            if identity in known:
                told.append(self._result("not asked", kept, problem=f"says the same as {known[identity]}"))
                continue
            known[identity] = kept.file
            told += self._again(kept, self._asked.get(identity))
        new = {_identity(row): row for row in self._found if _identity(row) not in known}
        told += [self._new(new[identity]) for identity in sorted(new)]
        told += [KeptResult(status="not asked", file=file, problem=text) for file, text in self._there.problems.items()]
        return told

    def _again(self, kept: KeptFormula, asked: _Asked | None) -> list[KeptResult]:
        """What became of a counterexample that was there before; nothing where the run was about other tests."""
        if asked is None:
            problem = self._problems.get(kept.file) or self._gone(kept)
            return [self._result("not asked", kept, problem=problem)] if problem else []
        if asked.failing:
            return [self._written("still failing", kept.seen(self._today), asked)]
        if self._scope == "interrupted":
            return [self._result("undecided", kept, problem="the run was interrupted before all models were asked")]
        function = kept.suite.partition("[")[0]
        models = {info["model"] for info in self._infos if info["suite"].partition("[")[0] == function}
        if asked.passes and models <= asked.models:
            return [self._result("fixed", kept)]
        return [
            self._result("undecided", kept, problem="no model failed, but not every model gave an answer that counts")
        ]

    def _gone(self, kept: KeptFormula) -> str:
        """Why a counterexample was not asked, where that is not because other tests were chosen."""
        file = kept.suite.partition("::")[0]
        if self._scope != "whole":
            return ""
        if not (self._root / file).exists() and not is_shipped(file):
            return f"its suite {kept.suite} did not run: there is no file {file}"
        ran = {info["suite"].partition("::")[0] for info in self._infos}
        return f"its suite {kept.suite} did not run: it was renamed, skipped or removed" if file in ran else ""

    def _new(self, row: Row) -> KeptResult:
        suite, grammar, vocabulary, _ = _identity(row)
        fresh = KeptFormula(
            suite=suite,
            grammar=grammar,
            language=row["language"],
            vocabulary=vocabulary,
            operators=row["operators"],
            formula=row["formula"],
            item=row.get("item"),
            first_seen=self._today,
            last_seen=self._today,
        )
        asked = self._asked[_identity(row)]
        if _is_item(row) and not row.get("item"):
            return self._result(
                "not asked", fresh, problem=f"is not kept: the items of {grammar} have no ids to find them again by"
            )
        if fresh.name in self._there.problems:
            return self._result("not asked", fresh, problem=f"is not kept: {fresh.name} is in its place")
        return self._written("new", fresh, asked)

    def _written(self, status: Status, kept: KeptFormula, asked: _Asked) -> KeptResult:
        try:
            kept = kept.write(self._folder)
            problem = ""
        except (OSError, ValueError) as error:
            problem = f"{self._folder} cannot be written to: {getattr(error, 'strerror', error)}"
        return self._result(status, kept, asked.failing, problem)

    def _result(self, status: Status, kept: KeptFormula, failing: Iterable[str] = (), problem: str = "") -> KeptResult:
        return KeptResult(
            status=status,
            file=kept.file,
            suite=kept.suite,
            formula=kept.formula,
            first_seen=kept.first_seen.isoformat(),
            last_seen=kept.last_seen.isoformat(),
            failing=tuple(sorted(failing)),
            problem=problem,
        )


def _identity(row: Row) -> Identity:
    """What a row is about, as a kept counterexample is identified: without model and variant."""
    return Comparable.of(row).suite, row["grammar"], row["vocabulary"], row.get("item") or row["formula"]


def _canonical(kept: KeptFormula) -> Identity:
    """The identity of a file whose formula a person may have written in another notation."""
    if kept.item is not None:
        return kept.identity
    try:
        formula = str(language(kept.language).tree(kept.formula))
    except AutoevalError:
        formula = kept.formula
    return kept.suite, kept.grammar, kept.vocabulary, formula


def _failed(row: Row) -> bool:
    return outcome_named(row["outcome"]).kind == "model failure"


def _is_item(row: Row) -> bool:
    """Whether a row is about an item of a data set, which says more than its formula."""
    return is_data_set(row["grammar"])
