"""Merges several results files: each sample once, and which of their suites cannot be judged.

The files may be of the parts of one run (`--autoeval-shard`), which belong together.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.items import Comparable, SuiteKey, by_suite, grouped, identity_of
from pytest_autoeval.record.names import function_and_parameters, named, reader_label, suite_name
from pytest_autoeval.reporting.results import Results, ResultsError, in_order, read
from pytest_autoeval.reporting.row import Row, counted, without_times
from pytest_autoeval.text import count, one_line

_SHARD = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")
#: How many missing parts a message names.
_MOST_SHOWN = 10
_SHOWN_KEYS = 4
#: The keys of the first row of a file, which are about the whole run.
_PLAN = frozenset({"run_suites", "run_not_collected"})
#: Keys that may differ between copies of one sample: its place in a run, and how the run ended. The variant may be
#: missing.
_NOT_COMPARED = frozenset(
    {"suite", "test", "variant", "reader", "default_model", "planned", "unfinished", "stopped_early"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The rows of all files, each sample once; notes on what was left out; suites and models that cannot be judged,
    and what is missing of them, if that is known.

    ``absent`` are suites and models that the runs planned and none of the files has; ``not_collected`` are files of
    tests whose suites are unknown, since they could not be collected.
    """

    rows: list[Row]
    notes: list[str]
    unjudgeable: frozenset[SuiteKey] = frozenset()
    missing: Mapping[SuiteKey, str] = field(default_factory=dict)
    absent: Sequence[SuiteKey] = ()
    not_collected: Sequence[str] = ()


def merge(files: Sequence[Path], progress: Callable[[str], None] = lambda _: None) -> Merged:
    """Merges the rows of the files, in order. ``progress`` receives a line before each file. Raises
    :class:`AutoevalError`.

    A sample in several files with the same content (apart from times and costs) counts once. A sample that occurs twice
    in one file shows that two runs wrote to the file, so its suite cannot be judged. If the files of a suite have
    different promptings or interfaces, these are added to its name. A suite with all its parts (`--autoeval-shard`) is
    complete.
    """
    merged_rows: dict[tuple[Any, ...], tuple[Row, str]] = {}
    divisions = Divisions()
    notes, duplicates, unjudgeable, empty = [], 0, set(), []
    plan = _Plan()
    for number, file in enumerate(files, 1):
        progress(f"reading {file} ({number} of {len(files)})")
        results = read(file)
        doubts, broken = _why_unjudgeable(results, file)
        notes += doubts
        unjudgeable |= broken
        if not results.rows:
            empty.append(file)
        for row, line in zip(map(plan.taken_from, results.rows), results.lines, strict=True):
            place = f"{file}:{line}"
            divisions.add(row, place)
            first, where = merged_rows.setdefault(identity_of(row), (row, place))
            if first is row:
                continue
            differing = _differing(first, row)
            if differing:
                raise ResultsError(
                    f"{place}: this sample is also at {where}, and differs ({', '.join(differing[:_SHOWN_KEYS])}): "
                    f"{named(row.suite, row.model)}, size {row.operators}, index {row.index}, repeat {row.repeat}. "
                    "The files are of different runs; report on each separately, or leave one out"
                )
            duplicates += 1
    if duplicates:
        notes.append(f"{count(duplicates, 'sample')} occurred twice with the same content and counted once")
    rows = _with_variant_names([row for row, _ in merged_rows.values()])
    if empty and all(row.shard is None for row in rows):  # small suites may leave a shard empty
        raise ResultsError(f"{empty[0]}: there are no results in this file; did its run end before its first sample?")
    torn = frozenset(
        (row.suite, row.model) for identity, row in zip(merged_rows, rows, strict=True) if identity in unjudgeable
    )
    lacking = incomplete(rows, torn, len(empty))
    whole = in_order(_with_endings(rows, torn, lacking))
    return Merged(
        rows=plan.given_to(whole),
        notes=notes,
        unjudgeable=torn | lacking.keys(),
        missing=lacking,
        absent=plan.absent,
        not_collected=sorted(plan.not_collected),
    )


class _Plan:
    """The suites that the runs of some files planned, and those that the files have.

    The first row of each file says what its run planned.
    """

    def __init__(self) -> None:
        self._planned: dict[str, set[str]] = defaultdict(set)
        self._present: set[SuiteKey] = set()
        self.not_collected: set[str] = set()

    def taken_from(self, row: Row) -> Row:
        """The row without what it says of the whole run."""
        self._present.add((row.suite, row.model))
        if _PLAN.isdisjoint(row.facts):
            return row
        for suite, models in (row.facts.get("run_suites") or {}).items():
            self._planned[suite].update(models)
        self.not_collected.update(row.facts.get("run_not_collected") or ())
        return replace(row, facts={key: value for key, value in row.facts.items() if key not in _PLAN})

    def given_to(self, rows: Sequence[Row]) -> list[Row]:
        """The rows, whose suites may have got other names. The first one says again what the runs planned."""
        plan: dict[str, Any] = {}
        if self._planned:
            suites = sorted({*self.absent, *((row.suite, row.model) for row in rows)})
            plan["run_suites"] = {
                suite: [model for _, model in some] for suite, some in grouped(suites, lambda key: key[0]).items()
            }
        if self.not_collected:
            plan["run_not_collected"] = sorted(self.not_collected)
        return [*(replace(row, facts={**row.facts, **plan}) for row in rows[:1]), *rows[1:]]

    @property
    def absent(self) -> list[SuiteKey]:
        planned = {(suite, model) for suite, models in self._planned.items() for model in models}
        return sorted(planned - self._present)


def _with_endings(rows: Sequence[Row], torn: Container[SuiteKey], lacking: Container[SuiteKey]) -> Iterator[Row]:
    """The rows. Those of one suite now agree on its planned samples and on whether it was interrupted."""
    sizes = Counter((row.suite, row.model) for row in counted(rows))
    for row in rows:
        key = row.suite, row.model
        whole = row if key in torn or key in lacking else replace(row, shard=None, shard_settings=None)
        if not row.shrunk:
            planned = sizes[key] if whole.shard is None else row.planned
            whole = replace(whole, planned=planned, unfinished=key in torn)
        yield whole


def _why_unjudgeable(results: Results, file: Path) -> tuple[list[str], set[tuple[object, ...]]]:
    """Why suites of a file cannot be judged, one sentence each, and the identities of their rows."""
    if results.torn is not None:
        note = f"{file}: line {results.torn} is incomplete (the run was killed) and was left out"
        return [note], {identity_of(row) for row in results.rows}
    notes = []
    if broken := {identity_of(row) for row in results.rows if row.unfinished}:
        notes.append(f"{file}: its run was interrupted, so its interrupted suites are not judged")
    for (suite, model), rows in by_suite(counted(results.rows)).items():
        identities = {identity_of(row) for row in rows}
        complete = [row for row in rows if row.stopped_early is None and row.shard is None]
        planned = {row.planned or len(identities) for row in complete} - {len(identities)}
        if planned or len(identities) < len(rows):
            found = f"{len(identities)} of {max(planned)} samples" if planned else "duplicate samples"
            notes.append(f"{file}: it has {found} of {named(suite, model)}, so this suite is not judged")
            broken |= identities
    return notes, broken


def read_counted(files: Sequence[Path]) -> list[Row]:
    """The rows of the files that count in rates. What is left out is reported on standard error."""
    merged = merge(files)
    notes = (*merged.notes, *dict.fromkeys(merged.missing.values()))
    sys.stderr.writelines(f"note: {one_line(note)}\n" for note in notes)
    return counted(merged.rows)


def _with_variant_names(rows: Sequence[Row]) -> list[Row]:
    """The rows. The variant is added to the name of a suite with several variants: each rate is of one variant."""
    variants: dict[str, set[tuple[str, str, str]]] = defaultdict(set)
    compared = [Comparable.of(row) for row in rows]
    for sample in compared:
        variants[sample.suite].add(_variant(sample))
    named = list(rows)
    for at, (row, sample) in enumerate(zip(rows, compared, strict=True)):
        if len(variants[sample.suite]) > 1:
            sides = zip(_variant(sample), *variants[sample.suite], strict=True)
            several = (name for name, *values in sides if name and len(set(values)) > 1)
            variant = "-".join(filter(None, (*several, reader_label(row.reader or ""))))
            base, others = function_and_parameters(sample.suite)
            named[at] = replace(row, suite=suite_name(base, variant, others), variant=variant)
    return named


def _variant(sample: Comparable) -> tuple[str, str, str]:
    return sample.interface, sample.prompting, "constrained" if sample.constrained else "free"


def _differing(one: Row, other: Row) -> list[str]:
    left, right = without_times(one).to_json(), without_times(other).to_json()
    return [key for key in sorted((left.keys() | right.keys()) - _NOT_COMPARED) if left.get(key) != right.get(key)]


class _Division(NamedTuple):
    """What the parts of one run of a suite have in common: their number, the settings, the samples of the whole."""

    parts: int
    settings: str | None
    planned: int | None


class Divisions:
    """How suites were divided into parts. All rows of a suite must come from the same division."""

    def __init__(self) -> None:
        self._known: dict[Comparable, tuple[_Division | None, str]] = {}

    def add(self, row: Row, place: str) -> None:
        """Adds a row. Raises :class:`AutoevalError` if it and an earlier row of its suite are not parts of one run."""
        if row.shrunk:
            return
        try:
            division = None if row.shard is None else _Division(shard_of(row)[1], row.shard_settings, row.planned)
        except AutoevalError as problem:
            raise AutoevalError(f"{place}: {problem}") from None
        first, where = self._known.setdefault(Comparable.of(row), (division, place))
        if division != first:
            raise AutoevalError(
                f"{place}: this row of {named(row.suite, row.model)} and that at {where} are not from parts "
                f"of one run: {_difference(division, first)}"
            )


def _difference(division: _Division | None, other: _Division | None) -> str:
    if division is None or other is None:
        return "one of them ran whole"
    if division.parts != other.parts:
        return f"one of {division.parts} parts, the other of {other.parts}"
    if division.planned != other.planned:
        return f"the whole has {division.planned} samples for one, {other.planned} for the other"
    return "their runs had different settings, such as seed, sizes, prompts or threshold"


def shard_of(row: Row) -> tuple[int, int]:
    """The number of a row's part, and the number of parts. Raises :class:`AutoevalError` if it is not K/N."""
    match = _SHARD.fullmatch(str(row.shard))
    if match is None or int(match[1]) > int(match[2]):
        raise AutoevalError(f"the shard {row.shard!r} is not K/N, as 2/5")
    return int(match[1]), int(match[2])


def refuse_parts(rows: Iterable[Row]) -> None:
    """Raises :class:`AutoevalError` if the baseline has only parts of some suites."""
    if (part := next((row.shard for row in rows if row.shard is not None), None)) is not None:
        raise AutoevalError(
            f"the baseline is part {part} of a run; put all parts together first: "
            "python -m pytest_autoeval report PARTS… --results whole.jsonl"
        )


def incomplete(rows: Iterable[Row], known: Container[SuiteKey], empty: int) -> dict[SuiteKey, str]:
    """The suites and models that are not complete, with what is missing: ``part 2/5 is missing``.

    Suites in ``known`` are left out. ``empty`` is the number of empty files; each may be a missing part.
    """
    divided = {key: some for key, some in by_suite(counted(rows)).items() if some[0].shard is not None}
    given: dict[tuple[str, int], set[int]] = defaultdict(set)
    for (_, model), some in divided.items():
        for row in {row.shard: row for row in some if row.shard is not None}.values():
            number, parts = shard_of(row)
            given[model, parts].add(number)
    problems = {}
    for (suite, model), some in divided.items():
        parts = shard_of(some[0])[1]
        missing = [number for number in range(1, parts + 1) if number not in given[model, parts]]
        if (suite, model) in known:
            continue
        if len(missing) > empty:
            problems[suite, model] = f"{_parts_text(missing, parts)} missing"
        elif len(some) != some[0].planned:
            problems[suite, model] = f"samples of {named(suite, model)} are missing"
    return problems


def _parts_text(numbers: Sequence[int], parts: int) -> str:
    shown = ", ".join(f"{number}/{parts}" for number in numbers[:_MOST_SHOWN])
    if len(numbers) == 1:
        return f"part {shown} is"
    hidden = len(numbers) - _MOST_SHOWN
    more = f" and {hidden} more" if hidden > 0 else ""
    return f"parts {shown}{more} are"
