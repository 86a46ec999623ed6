"""Results files of one run, or of the jobs that it was divided among, as one list of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_autoeval.reporting.items import Comparable, function_and_parameters
from pytest_autoeval.reporting.results import ResultsError, read
from pytest_autoeval.reporting.row import Row, without_times
from pytest_autoeval.reporting.text import count

#: What distinguishes the samples of a suite. Nothing that a model wrote is among it, nor anything that was measured.
_IDENTITY = (
    *("task", "grammar", "language", "vocabulary", "seed", "operators", "index", "repeat"),
    *("formula", "other", "item", "source", "sentence", "text"),
)
#: What names a sample's place in a run; the variant may or may not stand in it.
_NAMES = frozenset({"suite", "test", "variant"})
#: How the run of a sample ended: these keys say nothing of the sample.
_ENDS = frozenset({"unfinished", "stopped_early"})
_SHOWN_KEYS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The rows of all files, each sample once.

    ``notes`` say what was left out and why, a sentence each. ``killed`` are the suites and models of a file whose
    run was killed or interrupted: what else it would have written, nobody knows, so that they cannot be judged.
    """

    rows: list[Row]
    notes: list[str]
    killed: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class _Place:
    file: Path
    row: int

    def __str__(self) -> str:
        """The file and line; a row is a line that is not blank, and only a mistake is worth looking for it."""
        lines = self.file.read_bytes().split(b"\n")
        numbers = [number for number, line in enumerate(lines, 1) if line.strip()]
        return f"{self.file}:{numbers[self.row]}"


def merge(files: Sequence[Path], progress: Callable[[str], None] = lambda _: None) -> Merged:
    """The rows of the files, in their order. ``progress`` is given a line of progress before each file.

    A sample that stands in several places with the same content (times and costs apart) counts once, and is noted.
    A last line that a kill left incomplete is left out, and noted. A suite of which files have different promptings or
    interfaces gets them into its name, as in a run that has several. Raises :class:`ResultsError` for a file that
    cannot be read, for one without rows, for another schema version, and where two rows say different things of one
    sample.
    """
    found: dict[str, tuple[Row, _Place]] = {}
    notes, twice, killed = [], 0, set()
    for number, file in enumerate(files, 1):
        progress(f"reading {file} ({number} of {len(files)})")
        results = read(file)
        if results.torn is not None:
            notes.append(f"{file}: line {results.torn} is incomplete, as a killed run leaves it, and was left out")
            killed |= {_identity(row) for row in results.rows}
        elif any(row.unfinished for row in results.rows):
            notes.append(f"{file}: its run did not come to its end, so that what was interrupted is not judged")
            killed |= {_identity(row) for row in results.rows if row.unfinished}
        if not results.rows:
            raise ResultsError(f"{file}: there are no results in this file; did its run end before its first sample?")
        for row, place in ((row, _Place(file, position)) for position, row in enumerate(results.rows)):
            first, where = found.setdefault(_identity(row), (row, place))
            if first is row:
                continue
            differing = _differing(first, row)
            if differing and row.kept:  # several jobs asked it again; it counts in no rate
                found[f"{_identity(row)} {place}"] = row, place
                continue
            if differing:
                raise ResultsError(_conflict(row, where, place, differing))
            twice += 1
    if twice:
        notes.append(f"{count(twice, 'sample')} stood there twice, with the same content, and counted once")
    rows = {identity: row for identity, (row, _) in found.items()}
    named = dict(zip(rows, _named_apart(rows.values()), strict=True))
    torn = frozenset((named[identity].suite, named[identity].model) for identity in killed)
    return Merged(rows=list(named.values()), notes=notes, killed=torn)


def _named_apart(rows: Iterable[Row]) -> list[Row]:
    """The rows, each suite that has several variants with the variant in its name: a rate is over one of them."""
    rows = list(rows)
    variants: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for one in map(Comparable.of, rows):
        variants[one.suite].add((one.interface, one.prompting))
    return [_named(row, variants[Comparable.of(row).suite]) for row in rows]


def _named(row: Row, variants: set[tuple[str, str]]) -> Row:
    if len(variants) == 1:
        return row
    one = Comparable.of(row)
    varying = (len({variant[part] for variant in variants}) > 1 for part in range(2))
    label = [name for name, varies in zip((one.interface, one.prompting), varying, strict=True) if name and varies]
    base, others = function_and_parameters(one.suite)
    inside = "-".join([*label, *filter(None, [others])])
    return replace(row, suite=f"{base}[{inside}]" if inside else base, variant="-".join(label))


def _identity(row: Row) -> str:
    return repr([Comparable.of(row), row.kept, *map(row.value, _IDENTITY)])


def _differing(one: Row, other: Row) -> list[str]:
    """The keys in which two rows of one sample differ, times and costs apart."""
    left, right = without_times(one).to_json(), without_times(other).to_json()
    return [key for key in sorted((left.keys() | right.keys()) - _NAMES - _ENDS) if left.get(key) != right.get(key)]


def _conflict(row: Row, first: _Place, second: _Place, differing: Sequence[str]) -> str:
    more = f" and {count(len(differing) - _SHOWN_KEYS, 'other key')}" if len(differing) > _SHOWN_KEYS else ""
    return (
        f"{second}: this sample stands at {first} too, and differs ({', '.join(differing[:_SHOWN_KEYS])}{more}): "
        f"{row.suite}[{row.model}], size {row.operators}, index {row.index}, repeat {row.repeat}. "
        "The files are of different runs; report on them apart, or leave one out"
    )
