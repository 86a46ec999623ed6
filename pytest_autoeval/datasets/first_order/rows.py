"""Rows about sentences and their formulas, taken apart and read: one sentence a row, or all those of a story."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn

from pytest_autoeval.datasets.columns import Column, columns_of, is_story
from pytest_autoeval.datasets.first_order.formula_repair import Repaired, repaired
from pytest_autoeval.datasets.first_order.ontologies import (
    Glossary,
    OntologyError,
    Used,
    glossary_of_row,
    lacking,
    used_symbols,
)
from pytest_autoeval.datasets.tables import RawRow
from pytest_autoeval.languages import FormulaSyntaxError
from pytest_autoeval.languages.logic.signature import uses
from pytest_autoeval.languages.logic.syntax import Quantified, Sentence
from pytest_autoeval.languages.ontology import Ontology

#: What FOLIO puts before a premise that is common knowledge, and no part of the sentence.
_BACKGROUND = re.compile(r"^\[BG\]\s*")
_HINT = "; a formula of temporal logic needs a column 'propositions', too"
_PREMISES: Column = "premises_formulas"
_CONCLUSION: Column = "conclusion_formula"


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence and its formula, with the ontology that its symbols are of.

    ``data_set`` is the name of its file without the ending, ``source`` that of the file and its line, ``where`` the
    column of its formula; ``repair`` says what had to be mended to read the formula. ``scope`` is what gives a
    sentence its one meaning: the ontology, or the premises of the story that it is part of.
    """

    sentence: str
    formula: Sentence
    ontology: Ontology
    data_set: str
    source: str
    where: str
    scope: Hashable
    of_a_story: bool = False
    id: str | None = None
    group: str | None = None
    repair: str = ""

    @property
    def subject(self) -> tuple[str, Hashable]:
        """The sentence, as sentences are compared, and what gives it its meaning."""
        return " ".join(self.sentence.casefold().split()).rstrip("."), self.scope

    @property
    def question(self) -> Hashable:
        """What makes two statements the same."""
        return self.subject[0], self.formula, None if self.of_a_story else self.ontology


@dataclass(frozen=True, slots=True)
class ReadRow:
    """What was read of a row, and what could not be."""

    place: str
    statements: tuple[Statement, ...] = ()
    problems: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    formulas: tuple[tuple[str, Literal["read", "repaired", "reported"]], ...] = ()


def read_rows_of(path: Path, rows: Iterable[RawRow]) -> tuple[ReadRow, ...]:
    """The rows of a file, read. Those with the same ontology show together how its symbols are used."""
    opened = [_Reader(raw, path) for raw in rows]
    used: dict[Glossary, set[Used]] = defaultdict(set)
    for reader in opened:
        if reader.glossary is not None:
            used[reader.glossary] |= used_symbols(reader.formulas)
    return tuple(reader.row(used) for reader in opened)


class _RowError(Exception):
    """A row cannot be used."""


@dataclass(slots=True)
class _Part:
    """A formula of a row: its column, with its number in a list; its sentence, where it is known; what it reads as."""

    where: str
    text: str
    sentence: str | None
    read: Repaired | None = None


@dataclass(slots=True)
class _Report:
    """What is reported of a row."""

    problems: list[str] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Reader:
    """Reads one row: its formulas at once, its ontology when it is known how others use it."""

    def __init__(self, raw: RawRow, path: Path) -> None:
        self._raw = raw
        self._path = path
        self._report = _Report()
        self._names: Mapping[Column, str] = {}
        self._parts: list[_Part] = []
        self._story = not raw.problem and is_story(raw.values)
        self._premises: tuple[str, ...] = ()
        self.glossary: Glossary | None = None
        try:
            self._open()
        except _RowError as problem:
            self._report.problems.append(str(problem))

    @property
    def formulas(self) -> list[Sentence]:
        """The formulas that could be read."""
        return [part.read.formula for part in self._parts if part.read is not None]

    def row(self, used: Mapping[Glossary, Iterable[Used]]) -> ReadRow:
        """The row; ``used`` shows how the rows of the file use the symbols of each ontology."""
        report = self._report
        statements: list[Statement] = []
        if self.formulas:
            ontology = self._ontology(used)
            statements = list(self._statements(ontology))
            report.notes += _clashes(self.formulas)
        return ReadRow(
            self._raw.place,
            tuple(statements),
            tuple(report.problems),
            tuple(report.repairs),
            tuple(report.notes),
            tuple((part.text, _status(part.read)) for part in self._parts),
        )

    def _open(self) -> None:
        if self._raw.problem:
            raise _RowError(self._raw.problem)
        try:
            self._names = columns_of(self._raw.values)
        except ValueError as problem:
            raise _RowError(str(problem)) from None
        self._parts = list(self._parts_of_a_story() if self._story else self._parts_of_a_sentence())
        if (value := self._value("ontology")) is not None:
            try:
                self.glossary = glossary_of_row(value, self._path)
            except OntologyError as problem:
                self._parts = []
                self._fail("ontology", str(problem))
        constants = self.glossary.constants if self.glossary is not None else ()
        variables = {name for part in self._parts for name in _bound(part.text)}
        for part in self._parts:
            self._read(part, constants, variables if self._story else ())

    def _read(self, part: _Part, constants: Iterable[str], variables: Iterable[str]) -> None:
        where = f"column {part.where!r}"
        try:
            part.read = repaired(part.text, constants=tuple(constants), variables=tuple(variables))
        except FormulaSyntaxError as problem:
            hint = _HINT if self._may_be_temporal(part.text) else ""
            self._report.problems.append(f"{where}: {problem}{hint}")
        else:
            self._report.repairs += [f"{where}: {repair}" for repair in part.read.repairs]
            self._report.notes += [f"{where}: {note}" for note in part.read.notes]

    def _may_be_temporal(self, text: str) -> bool:
        """Whether nothing but the lack of propositions makes the row one about first-order logic."""
        if self._story or self._value("ontology") is not None or self._value("language") is not None:
            return False
        from pytest_autoeval.datasets.notations import formula_of

        try:
            formula_of(text)
        except FormulaSyntaxError:
            return False
        return True

    def _parts_of_a_sentence(self) -> Iterator[_Part]:
        sentence, formula = _spaced(self._text("sentence")), self._text("formula")
        yield _Part(self._names["formula"], formula, sentence)

    def _parts_of_a_story(self) -> Iterator[_Part]:
        sentences, formulas = tuple(map(_spaced, self._texts("premises"))), self._texts(_PREMISES)
        self._premises = sentences
        paired: Sequence[str | None] = sentences
        if len(sentences) != len(formulas):
            count = f"the number of formulas ({len(formulas)}) is not that of premises ({len(sentences)})"
            self._report.problems.append(f"column {self._names[_PREMISES]!r}: {count}")
            paired = [None] * len(formulas)  # which of them is whose cannot be told
        for number, (text, sentence) in enumerate(zip(formulas, paired, strict=True), start=1):
            yield _Part(f"{self._names[_PREMISES]}[{number}]", text, sentence)
        if self._value("conclusion") is not None or self._value(_CONCLUSION) is not None:
            sentence, formula = _spaced(self._text("conclusion")), self._text(_CONCLUSION)
            yield _Part(self._names[_CONCLUSION], formula, sentence)

    def _ontology(self, used: Mapping[Glossary, Iterable[Used]]) -> Ontology:
        if self.glossary is not None:
            return self.glossary.ontology(frozenset(used[self.glossary]))
        from pytest_autoeval.languages.logic.glosses import derived_ontology

        return derived_ontology(self.formulas)

    def _statements(self, ontology: Ontology) -> Iterator[Statement]:
        row = f"{self._path.name}:{self._raw.place}"
        for part in self._parts:
            if part.read is None or part.sentence is None:
                continue
            if missing := lacking(part.read.formula, ontology):
                self._report.problems.append(f"column {part.where!r}: the ontology does not have it: {missing}")
                continue
            yield Statement(
                sentence=part.sentence,
                formula=part.read.formula,
                ontology=ontology,
                data_set=self._path.stem,
                source=f"{row} {part.where}" if self._story else row,
                where=part.where,
                scope=self._premises if self._story else ontology,
                of_a_story=self._story,
                id=None if self._story else self._name_of_row("id"),
                group=self._name_of_row("group"),
                repair="; ".join(part.read.repairs),
            )

    def _value(self, column: Column) -> Any:
        value = self._raw.values.get(self._names.get(column, ""))
        return value if value is not None and str(value).strip() else None

    def _name_of_row(self, column: Column) -> str | None:
        value = self._value(column)
        return str(value).strip() if value is not None else None

    def _text(self, column: Column) -> str:
        value = self._value(column)
        if value is None:
            self._fail(column, "nothing is said")
        if not isinstance(value, str):
            self._fail(column, f"a text is wanted, not {value!r}")
        return value

    def _texts(self, column: Column) -> tuple[str, ...]:
        """A list of texts, or a text with one on each line."""
        value = self._value(column)
        if value is None:
            self._fail(column, "nothing is said")
        listed = [line for line in value.splitlines() if line.strip()] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
            self._fail(column, f"a list of texts is wanted, not {value!r}")
        if not listed:
            self._fail(column, "nothing is said")
        if blank := [number for number, text in enumerate(listed, start=1) if not text.strip()]:
            self._fail(column, f"text {blank[0]} is empty")
        return tuple(listed)

    def _fail(self, column: Column, problem: str) -> NoReturn:
        raise _RowError(f"column {self._names.get(column, _USUAL.get(column, column))!r}: {problem}")


_USUAL: dict[Column, str] = {_PREMISES: "premises-FOL", _CONCLUSION: "conclusion-FOL"}


def _spaced(text: str) -> str:
    """A sentence without what FOLIO puts before it, white space as wide as one space."""
    return _BACKGROUND.sub("", " ".join(text.split()))


def _status(read: Repaired | None) -> Literal["read", "repaired", "reported"]:
    if read is None:
        return "reported"
    return "repaired" if read.repairs else "read"


def _bound(text: str) -> set[str]:
    """The variables that a formula binds, as far as it can be read by itself."""
    try:
        formula = repaired(text).formula
    except FormulaSyntaxError:
        return set()
    return {node.variable for node in formula.subformulas() if isinstance(node, Quantified)}


def _clashes(formulas: Iterable[Sentence]) -> Iterator[str]:
    """Names that stand for several symbols over the formulas of a row, and symbols whose names are nearly the same."""
    found: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for use in (use for formula in formulas for use in uses(formula) if use.kind != "variable"):
        found[use.name].add((use.kind, use.arity))
    for name, kinds in sorted(found.items()):
        if len(kinds) > 1:
            yield f"{name} is {' and '.join(sorted(_described(*kind) for kind in kinds))}: symbols of their own"
    alike: dict[tuple[str, bool], set[str]] = defaultdict(set)
    for name, kinds in found.items():
        for kind, _ in kinds:
            alike[name.casefold(), kind in ("constant", "function")].add(name)
    for _, names in sorted(alike.items()):
        if len(names) > 1:
            yield f"{' and '.join(sorted(names))} differ in case alone: symbols of their own"


def _described(kind: str, arity: int) -> str:
    return f"a {kind}" if not arity else f"a {kind} with {arity} place{'s' if arity > 1 else ''}"
