"""A report on data files: the readable rows, and the data sets that can use them. No model is asked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from pytest_autoeval.datasets.catalogue import (
    data_set,
    data_set_names,
    doubts_in,
    file_problems,
    has_text_alone,
    takes_files,
)
from pytest_autoeval.datasets.columns import Cells, Columns, RawRow, RowError
from pytest_autoeval.datasets.first_order.candidates import MostSimilarSet, RankingSet, Refusal
from pytest_autoeval.datasets.first_order.entailment import Stories, checked_labels
from pytest_autoeval.datasets.first_order.sentences import Sentences, Statement, read_sentences
from pytest_autoeval.datasets.formulas import FormulaSet, files_of_formulas, read_formulas
from pytest_autoeval.datasets.pairs import read_pairs
from pytest_autoeval.datasets.plain_sentences import PlainSentenceSet
from pytest_autoeval.datasets.rows import read_rows
from pytest_autoeval.datasets.tables import read_table
from pytest_autoeval.languages import language_names

#: The status of a row. ``unused``: a correct row that no test needs, such as a repeated round trip or a round trip
#: without a translation.
RowStatus = Literal["read", "repaired", "reported", "unused"]
#: Called repeatedly with a line about the current step.
Progress = Callable[[str], None]

#: The default number of sentences to make candidates for; each takes 10 ms or more.
DEFAULT_SENTENCE_COUNT = 200
_CANDIDATES: Mapping[str, type[MostSimilarSet | RankingSet]] = {
    "fol_most_similar": MostSimilarSet,
    "fol_ranking": RankingSet,
}


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark about a row: its file, its place (the line), and a line of text."""

    file: Path
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.place}: {self.text}"


@dataclass(frozen=True, slots=True)
class FileCheck:
    """The numbers of rows by status, and remarks about them; ``odd`` rows were read but may contain mistakes.

    ``clusters`` has the number of rows of each value of the column ``cluster``; empty without one.
    """

    path: Path
    rows: Mapping[RowStatus, int]
    reported: tuple[Remark, ...]
    repaired: tuple[Remark, ...]
    odd: tuple[Remark, ...]
    clusters: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CandidatesCheck:
    """The number of sentences by their number of perturbations, and the sources without candidates by reason."""

    perturbations: Mapping[int, int]
    refused: Mapping[Refusal, tuple[str, ...]]

    @property
    def number_with_candidates(self) -> int:
        return sum(self.perturbations.values())


@dataclass(frozen=True, slots=True)
class DataCheck:
    """The report on files, read together as a run reads them.

    ``sentences`` and ``labels`` are None if no row has any. ``candidates`` (by data set) is empty if not requested.
    ``data_sets`` has the number of items by data set, None if not every sentence was tried. ``formulas`` has the
    number of formulas for round trips by language. ``doubts`` are files that suites may read in several languages.
    ``left_out`` lists items that could not be made from valid rows.
    """

    files: tuple[FileCheck, ...]
    sentences: Sentences | None
    labels: Stories | None
    candidates: Mapping[str, CandidatesCheck]
    data_sets: Mapping[str, int | None]
    formulas: Mapping[str, int]
    doubts: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing was reported or is in doubt, no label is contradicted, and no premises contradict."""
        wrong = self.labels is not None and (self.labels.of("contradicted") or self.labels.of("inconsistent"))
        return not wrong and not self.doubts and not any(file.reported for file in self.files)


def check(
    files: Sequence[Path],
    *,
    candidates: int = DEFAULT_SENTENCE_COUNT,
    seed: int = 0,
    columns: Columns = (),
    progress: Progress = lambda _: None,
) -> DataCheck:
    """The report on files.

    ``candidates`` is the number of sentences that candidates are made for; this takes most of the time.
    """
    files = tuple(dict.fromkeys(files))
    progress(f"reading {', '.join(file.name for file in files)}")
    tables = tuple(file for file in files if not has_text_alone(file))
    sentences, unreadable = read_sentences(tables, columns), file_problems(files, columns)
    labels = checked_labels(tables, lambda number, total: progress(f"labels: {number} of {total}"), columns)
    statements = sentences.entries[:candidates]
    has_all = len(statements) == len(sentences.entries)
    candidate_sets = [kind(name, sentences) for name, kind in _CANDIDATES.items()] if statements else []
    made = {each.name: _candidates(each, statements, seed, progress) for each in candidate_sets}
    counts: dict[str, int | None] = {
        "fol_translation": len(sentences.entries),
        **{name: made[name].number_with_candidates if has_all else None for name in _CANDIDATES if sentences.entries},
        "fol_entailment": len(labels.of("confirmed")),
    }
    left_out: list[str] = []
    for name in data_set_names():
        if name not in counts and takes_files(name):
            progress(name)
            dataset = data_set(name, files, columns)
            if isinstance(dataset, PlainSentenceSet):
                counts[name] = dataset.number_of_sentences  # some may wait for their names
            elif dataset is not None:
                counts[name] = sum(len(dataset.items(size, seed=seed)) for size in dataset.sizes or ())
                left_out += [line for line in (*dataset.problems, *dataset.shortfalls) if line not in unreadable]
    return DataCheck(
        tuple(_file_checks(tables, sentences, unreadable, columns)),
        sentences if any(row.parts for row in sentences.rows) else None,
        labels if labels.stories else None,
        made,
        {name: counts[name] for name in data_set_names() if counts.get(name, 0) != 0},
        _formulas(files_of_formulas(tables, columns), columns),
        tuple(map(str, doubts_in(tables, columns))),
        tuple(dict.fromkeys(left_out)),
    )


def _formulas(files: Sequence[Path], columns: Columns) -> dict[str, int]:
    """The number of formulas for round trips, by language."""
    read = read_formulas(files, columns)
    possible = {row.language for row in read.rows}
    for doubt in doubts_in(files, columns):
        possible.update(doubt.languages)
    sets = [FormulaSet(name, read) for name in language_names() if name in possible]
    return {each.language: sum(len(each.items(size)) for size in each.sizes) for each in sets if each.sizes}


def _candidates(
    candidate_set: MostSimilarSet | RankingSet, statements: Sequence[Statement], seed: int, progress: Progress
) -> CandidatesCheck:
    perturbations: Counter[int] = Counter()
    refused: dict[Refusal, list[str]] = defaultdict(list)
    for number, statement in enumerate(statements, start=1):
        progress(f"{candidate_set.name}: {number} of {len(statements)} sentences")
        candidates = candidate_set.candidates(statement.formula, statement.ontology, seed)
        if isinstance(candidates, str):
            refused[candidates].append(statement.source)
        else:
            perturbations[candidates["perturbations"]] += 1
    by_frequency = sorted(refused.items(), key=lambda reason: (-len(reason[1]), reason[0]))
    return CandidatesCheck(dict(sorted(perturbations.items())), {why: tuple(sources) for why, sources in by_frequency})


def _file_checks(
    files: Sequence[Path], sentences: Sentences, unreadable: Sequence[str], columns: Columns
) -> Iterator[FileCheck]:
    pairs = {pair.source for pair in read_pairs(files, columns).rows}
    notes = (*sentences.notes, *read_rows(files, columns).notes, *read_formulas(files, columns).notes)
    for file in files:
        statuses: dict[str, RowStatus] = {}
        clusters: Counter[str] = Counter()
        for row in read_table(file, columns):
            clusters.update(_cluster_of(row))
            is_pair = row.kind in ("pair", "round trip")
            statuses[row.place] = "unused" if is_pair and f"{file.name}:{row.place}" not in pairs else "read"
        reported, repaired, odd = (
            tuple(_remarks(file, statuses, lines)) for lines in (unreadable, sentences.repairs, notes)
        )
        statuses |= {remark.place: "repaired" for remark in repaired}
        statuses |= {remark.place: "reported" for remark in reported}
        counted = Counter(statuses.values())
        by_status = {status: counted[status] for status in get_args(RowStatus)}
        yield FileCheck(file, by_status, reported, repaired, odd, clusters)


def _cluster_of(row: RawRow) -> list[str]:
    """The cluster of a row; empty if it has none, or cannot be read."""
    with suppress(RowError):
        cluster = Cells(row).name("cluster")
        return [] if cluster is None else [cluster]
    return []


def _remarks(file: Path, places: Collection[str], lines: Iterable[str]) -> list[Remark]:
    remarks: list[Remark] = []
    for line in lines:
        place, _, text = line.removeprefix(f"{file}:").partition(": ")
        if line.startswith(f"{file}:") and place in places:
            remarks.append(Remark(file, place, text))
    return sorted(remarks, key=lambda remark: tuple(map(int, remark.place.split(":"))))
