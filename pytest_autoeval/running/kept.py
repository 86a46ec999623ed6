"""`--autoeval-keep-counterexamples`: every later run asks again about what some model failed on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from pytest_autoeval.datasets import is_data_set
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.languages import language
from pytest_autoeval.reporting.counterexample import Counterexample, KeptResult, Status
from pytest_autoeval.reporting.items import Comparable, function_and_parameters
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.running.kept_files import Identity, KeptFolder, KeptFormula, read_folder
from pytest_autoeval.running.marker import Suite
from pytest_autoeval.running.sources import Source
from pytest_autoeval.running.suite_report import SuiteReport
from pytest_autoeval.running.suites import is_shipped

Scope = Literal["whole", "chosen", "interrupted"]


def today() -> date:
    """The day that is written into the files, by universal time; tests replace it."""
    return datetime.now(UTC).date()


class KeptSamples(NamedTuple):
    """The samples about what was kept of a suite, and for each file that no sample could be made of, the reason."""

    samples: list[Sample]
    problems: dict[str, str]


def kept_samples(folder: KeptFolder, suite: Suite) -> KeptSamples:
    """The samples about what a folder keeps of a suite, whatever its variant."""
    samples: dict[Identity, Sample] = {}
    problems: dict[str, str] = {}
    for kept in folder.counterexamples:
        if kept.suite != suite.plain_name:
            continue
        try:
            sample = _sample(kept, suite.source)
        except AutoevalError as problem:
            problems[kept.file] = str(problem)
            continue
        samples.setdefault((kept.suite, sample.grammar, sample.vocabulary_name, kept.item or sample.text), sample)
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


@dataclass(slots=True)
class _Asked:
    """How the models of a run did on one formula."""

    failing: dict[str, None] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)
    passes: bool = True


class Keeping:
    """Compares a folder of kept counterexamples with a run, and brings it up to date.

    ``root`` is the root folder of the run, ``rows`` are all of its rows. ``scope`` is ``whole`` where all tests ran,
    ``chosen`` where some were selected, ``interrupted`` where the run was cut off.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - a folder and all that is known of a run
        self,
        folder: Path,
        root: Path,
        rows: Sequence[Row],
        reports: Sequence[SuiteReport],
        counterexamples: Iterable[Counterexample],
        scope: Scope,
    ) -> None:
        self._folder, self._root, self._rows, self._reports, self._scope = folder, root, rows, reports, scope
        self._there = read_folder(folder)
        self._today = today()
        self._found = [example.shown if _failed(example.shown) else example.row for example in counterexamples]
        self._asked = self._answers()
        self._problems = {file: text for report in reports for file, text in report.kept_problems.items()}

    def _answers(self) -> dict[Identity, _Asked]:
        asked: dict[Identity, _Asked] = defaultdict(_Asked)
        for row in (*(row for row in self._rows if row.kept), *self._found):
            answers = asked[_identity(row)]
            answers.models.add(row.model)
            answers.passes &= row.passed
            if _failed(row):
                answers.failing[f"{row.model} ({row.outcome})"] = None
        return asked

    def results(self) -> list[KeptResult]:
        """The result for each file, then for each counterexample of the run that has no file yet.

        A file that cannot be written is named in its result: nothing is raised.
        """
        known: dict[Identity, str] = {}
        results: list[KeptResult] = []
        for kept in self._there.counterexamples:
            identity = _canonical(kept)
            if identity in known:
                results.append(self._result("not asked", kept, problem=f"is the same as {known[identity]}"))
                continue
            known[identity] = kept.file
            results += self._again(kept, self._asked.get(identity))
        new = {_identity(row): row for row in self._found if _identity(row) not in known}
        results += [self._new(new[identity]) for identity in sorted(new)]
        results += [
            KeptResult(status="not asked", file=file, problem=text) for file, text in self._there.problems.items()
        ]
        return results

    def _again(self, kept: KeptFormula, asked: _Asked | None) -> list[KeptResult]:
        """What became of a counterexample that was there before; nothing where the run was about other tests."""
        if asked is None:
            problem = self._problems.get(kept.file) or self._gone(kept)
            return [self._result("not asked", kept, problem=problem)] if problem else []
        if asked.failing:
            return [self._written("still failing", kept.seen(self._today), asked)]
        if self._scope == "interrupted":
            return [self._result("undecided", kept, problem="the run was interrupted before all models were asked")]
        function, _ = function_and_parameters(kept.suite)
        models = {report.model for report in self._reports if report.function == function}
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
        ran = {report.function.partition("::")[0] for report in self._reports}
        return f"its suite {kept.suite} did not run: it was renamed, skipped or removed" if file in ran else ""

    def _new(self, row: Row) -> KeptResult:
        suite, grammar, vocabulary, _ = _identity(row)
        fresh = KeptFormula(
            suite=suite,
            grammar=grammar,
            language=row.language,
            vocabulary=vocabulary,
            operators=row.operators,
            formula=row.formula,
            item=row.item,
            first_seen=self._today,
            last_seen=self._today,
        )
        asked = self._asked[_identity(row)]
        if is_data_set(row.grammar) and not row.item:
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
    return Comparable.of(row).suite, row.grammar, row.vocabulary, row.item or row.formula


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
    return row.kind == "model failure"
