"""Data sets of written rows, ours or the user's: finitely many items, in the order of their file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_autoeval.datasets.base import DataSet, Item
from pytest_autoeval.datasets.rows import DataRow
from pytest_autoeval.languages import Formula, Vocabulary, language
from pytest_autoeval.languages.ltl.syntax import And, Atom, Temporal


@dataclass(frozen=True, slots=True)
class Entry:
    """A formula, what there is to say of it, and the propositions, or names of any kind, that an answer may use."""

    formula: Formula
    facts: Mapping[str, Any]
    names: tuple[str, ...] | Vocabulary


class WrittenDataSet(DataSet):
    """The items of entries, by size; a text among the entries is one more problem."""

    def __init__(self, name: str, lang: str, entries: Iterable[Entry | str], problems: tuple[str, ...] = ()) -> None:
        self.name = name
        self.language = lang
        listed = list(entries)
        self._problems = (*problems, *(entry for entry in listed if isinstance(entry, str)))
        self._by_size: dict[int, list[Item]] = {}
        known = language(lang)
        for entry in listed:
            if isinstance(entry, str):
                continue
            size = int(known.measure(entry.formula)[known.size_measure])
            alike = self._by_size.setdefault(size, [])
            names = entry.names if isinstance(entry.names, Vocabulary) else Vocabulary(propositions=entry.names)
            alike.append(Item(name, lang, names, "custom", size, 0, len(alike), entry.formula, entry.facts))

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted(self._by_size))

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:
        _ = seed
        return self._by_size.get(size, [])[:count]

    def typed(self, text: str, seed: int = 0) -> list[Item]:
        _ = seed
        formula = language(self.language).tree(text)
        return [item for size in self.sizes for item in self._by_size[size] if item.formula == formula]

    @property
    def problems(self) -> tuple[str, ...]:
        return self._problems


def future_sentences(rows: Iterable[DataRow]) -> Iterator[Entry]:
    """Sentences with propositions and a formula that does not speak of the past."""
    return (entry for entry in _sentences(rows) if _measured(entry)["future"])


def past_sentences(rows: Iterable[DataRow]) -> Iterator[Entry]:
    """Sentences with propositions and a formula that speaks of the past."""
    return (entry for entry in _sentences(rows) if not _measured(entry)["future"])


def proposition_sentences(rows: Iterable[DataRow]) -> Iterator[Entry]:
    """Sentences with propositions; where no formula is given, all of them together stand for one."""
    for row in rows:
        if row.sentence is not None:
            yield _sentence(row, row.formula or _all_of([atom for _, atom in row.propositions]))


def judged_strings(rows: Iterable[DataRow]) -> Iterator[Entry]:
    """Strings that are formulas or not."""
    lang = language("ltl_strings")
    for row in rows:
        if row.text is not None:
            string = lang.parse(row.text)
            facts = {"text": row.text, "expected": row.well_formed, **_origin(row)}
            yield Entry(string, facts, lang.symbols(string).propositions)


def judged_traces(rows: Iterable[DataRow]) -> Iterator[Entry]:
    """Formulas with a trace that satisfies or violates them."""
    for row in rows:
        if row.formula is not None and row.trace is not None:
            facts = {"trace": str(row.trace), "expected": row.satisfies, **_origin(row)}
            yield Entry(row.formula, facts, row.trace.atoms)


def _sentences(rows: Iterable[DataRow]) -> Iterator[Entry]:
    return (_sentence(row, row.formula) for row in rows if row.sentence is not None and row.formula is not None)


def _sentence(row: DataRow, formula: Temporal) -> Entry:
    facts = {"sentence": row.sentence, "propositions": [list(pair) for pair in row.propositions], **_origin(row)}
    return Entry(formula, facts, tuple(dict.fromkeys(atom for _, atom in row.propositions)))


def _origin(row: DataRow) -> dict[str, str]:
    origin = {"source": row.source, "item": row.id, "pattern": row.pattern, "group": row.group}
    return {key: value for key, value in origin.items() if value is not None}


def _all_of(atoms: list[str]) -> Temporal:
    formula: Temporal = Atom(atoms[0])
    for atom in atoms[1:]:
        formula = And(formula, Atom(atom))
    return formula


def _measured(entry: Entry) -> dict[str, int | float]:
    return language("ltl").measure(entry.formula)
