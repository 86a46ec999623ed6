"""`--autoeval-keep-counterexamples`: a folder of small JSON files, each about a formula that a model failed on.

Every later run asks about them again. A file does not name a model. Files that cannot be read are reported and never
deleted or overwritten.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pytest_autoeval.datasets.catalogue import data_set_names
from pytest_autoeval.engine.events import SuiteJudged
from pytest_autoeval.engine.suite import Source, Suite
from pytest_autoeval.engine.suite_files import is_shipped
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.reporting.counterexample import Counterexample, KeptResult, Status
from pytest_autoeval.reporting.items import Comparable
from pytest_autoeval.reporting.names import function_and_parameters, reader_label
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.written_file import write_file

SCHEMA_VERSION = 1
#: Suite, grammar, vocabulary, and item or formula. Two files that agree in these describe one counterexample.
Identity = tuple[str, str, str, str]
#: Whether all tests ran, some were selected, or the run was interrupted.
Scope = Literal["whole", "chosen", "interrupted"]

_TEXTS = ("suite", "grammar", "language", "vocabulary", "formula", "first_seen", "last_seen")
_LONGEST_SLUG = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCounterexample:
    """A formula on which a model once failed.

    ``suite`` is the test function without model and variant. ``item`` is the name of the data set's item, if there is
    one. ``first_seen`` and ``last_seen`` are ISO dates of failures. ``more`` are the other keys of the file, which are
    kept. ``file`` is the file's name, empty if there is none yet.
    """

    suite: str
    grammar: str
    language: str
    vocabulary: str
    operators: int
    formula: str
    item: str | None = None
    first_seen: str
    last_seen: str
    more: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""

    @property
    def identity(self) -> Identity:
        return self.suite, self.grammar, self.vocabulary, self.item or self.formula

    @property
    def name(self) -> str:
        """The name of its file: the same on every machine and date."""
        path, _, test = self.suite.partition("::")
        slug = re.sub(r"[^A-Za-z0-9_]+", "-", f"{Path(path).stem} {test}").strip("-")[:_LONGEST_SLUG]
        return f"{slug}-{sha256(json.dumps(self.identity).encode()).hexdigest()[:12]}.json"

    def seen(self, day: str) -> KeptCounterexample:
        """The counterexample with one more date of failure."""
        return replace(self, first_seen=min(self.first_seen, day), last_seen=max(self.last_seen, day))

    def write(self, folder: Path) -> KeptCounterexample:
        """Writes the whole file, one line for each key, and returns what it now says; raises :class:`OSError`."""
        data = {"schema_version": SCHEMA_VERSION, **{key: getattr(self, key) for key in _KEYS}, **self.more}
        if self.item is None:
            del data["item"]
        folder.mkdir(parents=True, exist_ok=True)
        name = self.file or self.name
        write_file(folder / name, [json.dumps(data, ensure_ascii=False, indent=2), "\n"])
        return replace(self, file=name)


_KEYS = [attribute.name for attribute in fields(KeptCounterexample) if attribute.name not in {"more", "file"}]


class KeptCounterexamples(NamedTuple):
    """The counterexamples of a folder, ordered by file name, and the problems of its other files."""

    counterexamples: list[KeptCounterexample]
    problems: dict[str, str]


def read_folder(folder: Path) -> KeptCounterexamples:
    """The counterexamples of a folder; empty if it does not exist. Hidden files and other types are ignored."""
    kept = KeptCounterexamples([], {})
    try:
        files = sorted(folder.iterdir()) if folder.exists() else []
    except OSError as problem:
        return KeptCounterexamples([], {str(folder): f"the folder cannot be read: {problem.strerror}"})
    for file in files:
        if file.name.startswith(".") or file.suffix != ".json":
            continue
        try:
            kept.counterexamples.append(_read(file))
        except OSError as problem:
            kept.problems[file.name] = f"cannot be read: {problem.strerror}"
        except (ValueError, RecursionError) as problem:
            kept.problems[file.name] = f"is not a kept counterexample: {problem}"
    return kept


def _read(file: Path) -> KeptCounterexample:
    """The counterexample in a file; raises :class:`OSError`, and :class:`ValueError` that says what is wrong."""
    if not file.is_file():
        raise ValueError("it is not an ordinary file")
    try:
        data = json.loads(file.read_text("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except json.JSONDecodeError as problem:
        raise ValueError(f"line {problem.lineno}, column {problem.colno}: {problem.msg}") from None
    if not isinstance(data, dict) or "formula" not in data:
        raise ValueError("it has no key 'formula'")
    if (version := data.pop("schema_version", None)) != SCHEMA_VERSION:
        raise ValueError(f"it has schema_version {version!r}; this release of pytest-autoeval reads {SCHEMA_VERSION}")
    # A sentence without a formula has an item.
    may_be_empty = {"formula"} if data.get("item") else set()
    if wrong := [key for key in _TEXTS if not isinstance(data.get(key), str) or not (data[key] or key in may_be_empty)]:
        raise ValueError(f"it has no text under {', '.join(wrong)}")
    if type(data.get("operators")) is not int or not isinstance(data.get("item"), str | None):
        raise ValueError("'operators' must be an integer, and 'item', if there is one, a text")
    for key in ("first_seen", "last_seen"):
        data[key] = date.fromisoformat(data[key]).isoformat()
    return KeptCounterexample(**{key: data.pop(key) for key in _KEYS if key in data}, more=data, file=file.name)


def kept_samples(folder: KeptCounterexamples, suite: Suite) -> tuple[list[Sample], dict[str, str]]:
    """The samples for the kept counterexamples of a suite, and for each other file of the suite the reason."""
    samples: dict[Identity, Sample] = {}
    problems: dict[str, str] = {}
    for kept in folder.counterexamples:
        if kept.suite == suite.plain_name:
            try:
                sample = _sample(kept, suite.source)
            except AutoevalError as problem:
                problems[kept.file] = str(problem)
            else:
                samples.setdefault(kept.identity, sample)
    return list(samples.values()), problems


def _sample(kept: KeptCounterexample, source: Source) -> Sample:
    """The sample for a kept counterexample; raises :class:`AutoevalError` if the suite no longer has it."""
    samples = source.typed(kept.item or kept.formula, 0)
    if kept.item is not None:
        samples = [formula for formula in samples if getattr(formula, "facts", {}).get("item") == kept.item]
    if not samples:
        raise AutoevalError(f"{source.name} has no item {kept.item or kept.formula} any more")
    sample = samples[0]
    if kept.item is None and sample.text != kept.formula:
        raise AutoevalError(f"its formula is now written {sample.text}")
    if (sample.grammar, sample.vocabulary_name) != (kept.grammar, kept.vocabulary):
        raise AutoevalError(
            f"it was kept from {kept.grammar} with the vocabulary {kept.vocabulary}, but the suite now draws from "
            f"{sample.grammar} with the vocabulary {sample.vocabulary_name}"
        )
    return sample


def today() -> str:
    """Today's date in UTC, as written into the files. Tests replace this function."""
    return datetime.now(UTC).date().isoformat()


@dataclass(frozen=True, slots=True)
class KeptUpdate:
    """Compares the kept counterexamples with a run and updates their folder.

    ``root`` is the root folder of the run; ``rows`` are all its rows.
    """

    folder: Path
    root: Path
    rows: Sequence[Row]
    reports: Sequence[SuiteJudged]
    examples: Iterable[Counterexample]
    scope: Scope

    def results(self) -> list[KeptResult]:
        """The result for each file, then for each new counterexample of the run.

        If a file cannot be written, its result says so; nothing is raised.
        """
        there = read_folder(self.folder)
        failed = [example.shown if _failed(example.shown) else example.row for example in self.examples]
        asked: dict[Identity, list[Row]] = defaultdict(list)
        for row in (*(row for row in self.rows if row.kept), *failed):
            asked[_identity(row)].append(row)
        problems = {file: text for report in self.reports for file, text in report.kept_problems.items()}
        known = {kept.identity for kept in there.counterexamples}
        results: list[KeptResult] = []
        for kept in there.counterexamples:
            if kept.identity in asked:
                results.append(self._again(kept, asked[kept.identity]))
            elif problem := problems.get(kept.file) or self._gone(kept):
                results.append(_result("not asked", kept, problem))
        new = {_identity(row): row for row in failed if _identity(row) not in known}
        results += [self._new(new[key], asked[key], there.problems) for key in sorted(new)]
        return results + [
            KeptResult(status="not asked", file=file, problem=why) for file, why in there.problems.items()
        ]

    def _again(self, kept: KeptCounterexample, rows: Sequence[Row]) -> KeptResult:
        if any(map(_failed, rows)):
            return self._written("still failing", kept.seen(today()), rows)
        if self.scope == "interrupted":
            return _result("undecided", kept, "the run was interrupted before all models were asked")
        function, _ = function_and_parameters(kept.suite)
        models = {report.judgement.gate.model for report in self.reports if report.function == function}
        if all(row.passed for row in rows) and models <= {row.model for row in rows}:
            return _result("fixed", kept)
        return _result("undecided", kept, "no model failed, but not every model gave an answer that counts")

    def _gone(self, kept: KeptCounterexample) -> str:
        """Why a counterexample was not asked, if not because other tests were selected."""
        file = kept.suite.partition("::")[0]
        there = (self.root / file).exists() or is_shipped(file)
        if self.scope != "whole" or (
            there and file not in {report.function.partition("::")[0] for report in self.reports}
        ):
            return ""
        return f"its suite {kept.suite} did not run: it was renamed, skipped or removed"

    def _new(self, row: Row, rows: Sequence[Row], odd_files: Mapping[str, str]) -> KeptResult:
        alike = ("grammar", "language", "vocabulary", "operators", "formula", "item")
        known = {key: getattr(row, key) for key in alike}
        fresh = KeptCounterexample(suite=Comparable.of(row).suite, first_seen=today(), last_seen=today(), **known)
        if row.grammar in data_set_names() and not row.item:
            why = "its item has no id by which a later run finds it"
            own = row.value("source") is not None
            return _result("not kept", fresh, f"{why}; give each row of the file an id" if own else why)
        if fresh.name in odd_files:
            return _result("not kept", fresh, f"{fresh.name} is in its place")
        return self._written("new", fresh, rows)

    def _written(self, status: Status, kept: KeptCounterexample, rows: Sequence[Row]) -> KeptResult:
        problem = ""
        try:
            kept = kept.write(self.folder)
        except (OSError, ValueError) as error:
            problem = f"{self.folder} cannot be written to: {error}"
        failing = {
            " ".join(filter(None, (row.model, reader_label(row.reader or ""), f"({row.outcome})")))
            for row in rows
            if _failed(row)
        }
        return _result(status, kept, problem, failing)


def _result(status: Status, kept: KeptCounterexample, problem: str = "", failing: Iterable[str] = ()) -> KeptResult:
    shown = {key: getattr(kept, key) for key in ("file", "suite", "formula", "first_seen", "last_seen")}
    return KeptResult(status=status, failing=tuple(sorted(failing)), problem=problem, **shown)


def _identity(row: Row) -> Identity:
    return Comparable.of(row).suite, row.grammar, row.vocabulary, row.item or row.formula


def _failed(row: Row) -> bool:
    return row.kind == OutcomeKind.MODEL_FAILURE
