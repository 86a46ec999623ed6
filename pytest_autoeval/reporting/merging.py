"""Merges several results files: each sample once, and which of their suites cannot be judged."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_autoeval.reporting.items import Comparable, SuiteKey, by_suite, identity_of
from pytest_autoeval.reporting.names import function_and_parameters, named, reader_label, suite_name
from pytest_autoeval.reporting.parts import Divisions, incomplete
from pytest_autoeval.reporting.results import Results, ResultsError, in_order, read
from pytest_autoeval.reporting.row import Row, counted, without_times
from pytest_autoeval.reporting.text import count, one_line

_SHOWN_KEYS = 4
#: Keys that may differ between copies of one sample: its place in a run, and how the run ended. The variant may be
#: missing.
_NOT_COMPARED = frozenset(
    {"suite", "test", "variant", "reader", "default_model", "planned", "unfinished", "stopped_early"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The rows of all files, each sample once; notes on what was left out; suites and models that cannot be judged,
    and what is missing of them, if that is known.
    """

    rows: list[Row]
    notes: list[str]
    unjudgeable: frozenset[SuiteKey] = frozenset()
    missing: Mapping[SuiteKey, str] = field(default_factory=dict)


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
    for number, file in enumerate(files, 1):
        progress(f"reading {file} ({number} of {len(files)})")
        results = read(file)
        doubts, broken = _why_unjudgeable(results, file)
        notes += doubts
        unjudgeable |= broken
        if not results.rows:
            empty.append(file)
        for row, line in zip(results.rows, results.lines, strict=True):
            place = f"{file}:{line}"
            divisions.add(row, place)
            first, where = merged_rows.setdefault(identity_of(row), (row, place))
            if first is row:
                continue
            differing = _differing(first, row)
            if differing and not row.kept:
                raise ResultsError(
                    f"{place}: this sample is also at {where}, and differs ({', '.join(differing[:_SHOWN_KEYS])}): "
                    f"{named(row.suite, row.model)}, size {row.operators}, index {row.index}, repeat {row.repeat}. "
                    "The files are of different runs; report on each separately, or leave one out"
                )
            if differing:  # several jobs asked a kept counterexample again; it does not count
                merged_rows[*identity_of(row), place] = row, place
            else:
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
    return Merged(rows=whole, notes=notes, unjudgeable=torn | lacking.keys(), missing=lacking)


def _with_endings(rows: Sequence[Row], torn: Container[SuiteKey], lacking: Container[SuiteKey]) -> Iterator[Row]:
    """The rows. Those of one suite now agree on its planned samples and on whether it was interrupted."""
    sizes = Counter((row.suite, row.model) for row in counted(rows))
    for row in rows:
        key = row.suite, row.model
        whole = row if key in torn or key in lacking else replace(row, shard=None, shard_settings=None)
        if not row.kept:
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
