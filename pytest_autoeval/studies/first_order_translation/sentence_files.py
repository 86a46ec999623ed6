"""Sentences with formulas of first-order logic, read from files: rows of sentences, and rows of stories.

A story has the form of FOLIO: Han et al., "FOLIO: Natural Language Reasoning with First-Order Logic" (EMNLP 2024). Each
premise, and the conclusion, is a sentence with a formula.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from pytest_autoeval.datasets.cells import Cells
from pytest_autoeval.datasets.columns import Columns, RawRow, RowError, RowKind
from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.distinct_rows import DistinctRows, check_meaning, comparable_sentence
from pytest_autoeval.datasets.formula_repair import Repaired, repaired
from pytest_autoeval.datasets.ontologies import Glossary, Used, glossary_of_row, used_symbols
from pytest_autoeval.datasets.table_files import cached_while_unchanged, read_table
from pytest_autoeval.languages import FormulaSyntaxError, language
from pytest_autoeval.languages.logic.glosses import derived_ontology
from pytest_autoeval.languages.logic.quantifiers import VARIABLE
from pytest_autoeval.languages.logic.signature import arguments_phrase, symbols, uses
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology
from pytest_autoeval.lazy_pattern import lazy_pattern

#: FOLIO's mark of a premise that is common knowledge; it is no part of the sentence.
_BACKGROUND = lazy_pattern(r"^\[BG\]\s*")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, its formula, and the ontology of its symbols.

    ``where`` is the column of the formula. A sentence has one meaning within its ``scope``: the ontology, or the
    premises of its story.
    """

    sentence: str
    formula: Sentence
    ontology: Ontology
    data_set: str
    source: str
    where: str
    scope: Hashable
    of_a_story: bool
    id: str | None
    group: str | None
    cluster: str | None
    repair: str
    story_id: str | None = None
    #: Another sentence of the story, as the facts of an item have it.
    same_story: Mapping[str, str] | None = field(default=None, hash=False)

    @property
    def is_conclusion(self) -> bool:
        return self.of_a_story and not self.where.endswith("]")


@dataclass(slots=True)
class _Part:
    """A formula of a row: its column (with its number in a list), its text, its sentence if known, and its reading."""

    where: str
    text: str
    sentence: str | None
    read: Repaired | None = None


@dataclass(slots=True)
class ReadRow:
    """A row with a sentence, or with all sentences of a story: its statements and remarks, one line each.

    ``problems`` are parts left out, with the reason; ``repairs`` are changes; ``notes`` are oddities.
    """

    path: Path
    raw: RawRow
    cells: Cells | None = None
    glossary: Glossary | None = None
    statements: tuple[Statement, ...] = ()
    problems: list[str] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    parts: list[_Part] = field(default_factory=list)

    def __post_init__(self) -> None:
        try:
            self.cells = Cells(self.raw)
            self._open(self.cells)
        except RowError as problem:
            self.problems.append(str(problem))

    @property
    def place(self) -> str:
        return f"{self.path}:{self.raw.place}"

    @property
    def trees(self) -> list[Sentence]:
        return [
            formula_part.read.formula
            for formula_part in self.parts
            if formula_part.read is not None
        ]

    @property
    def _is_story(self) -> bool:
        return self.raw.kind == "story"

    def _open(self, cells: Cells) -> None:
        """Reads the formulas and the glossary; `finish` makes the ontology when all rows of the file are known."""
        if self._is_story:
            formula_parts = list(self._of_a_story(cells))
        else:
            text = cells.needed("formula")
            sentence = cells.needed("sentence")
            formula_parts = [_Part(cells.names["formula"], text, _plain_sentence(sentence))]
        if "ontology" in cells.values:
            try:
                self.glossary = glossary_of_row(cells.values["ontology"], self.path)
            except DataSetError as problem:
                cells.fail("ontology", problem)
        self.parts = formula_parts
        constants = self.glossary.constants if self.glossary is not None else frozenset()
        variables: set[str] = set()
        # A letter that one premise binds is no constant in another one.
        if self._is_story:
            variables.update(*(_bound_in(formula_part.text) for formula_part in formula_parts))
        for formula_part in formula_parts:
            try:
                formula_part.read = repaired(
                    formula_part.text, constants=constants, variables=variables
                )
            except FormulaSyntaxError as problem:
                self.problems.append(f"column {formula_part.where!r}: {problem}")
            else:
                column = f"column {formula_part.where!r}"
                self.repairs += [f"{column}: {repair}" for repair in formula_part.read.repairs]
                self.notes += [f"{column}: {note}" for note in formula_part.read.notes]

    def report_letters(self, bound_in_file: Collection[str]) -> None:
        """Reports single letters that no quantifier binds, in formulas with quantifiers.

        A letter that another formula of the file binds was meant as a variable, or as a constant: its formula is left
        out. Any other one is noted. An ontology that lists the letter says that it is a constant.
        """
        constants = self.glossary.constants if self.glossary is not None else frozenset()
        for formula_part in self.parts:
            if formula_part.read is None:
                continue
            used = symbols(formula_part.read.formula)
            unlisted = [name for name in used.constants if name not in constants]
            letters = [name for name in unlisted if VARIABLE.fullmatch(name)]
            # Without a quantifier, no letter can be a variable that was left unbound.
            if not letters or not used.variables:
                continue
            column = f"column {formula_part.where!r}"
            unbound = [name for name in letters if name in bound_in_file]
            if unbound:
                self.problems.append(
                    f"{column}: no quantifier binds {', '.join(map(repr, unbound))}, which is a variable "
                    "elsewhere in the file; bind it, or list it as a constant in an ontology"
                )
                formula_part.read = None
            else:
                self.notes.append(
                    f"{column}: no quantifier binds {', '.join(map(repr, letters))}: read as a constant"
                )

    def _of_a_story(self, cells: Cells) -> Iterator[_Part]:
        sentences = cells.texts("premises")
        formulas = cells.texts("premises-FOL")
        column = cells.names["premises-FOL"]
        paired: Sequence[str | None] = tuple(map(_plain_sentence, sentences))
        if len(sentences) != len(formulas):
            count = (
                f"{len(formulas)} formulas for {len(sentences)} premises: the numbers must be equal"
            )
            self.problems.append(f"column {column!r}: {count}")
            # It is unknown which formula belongs to which premise.
            paired = [None] * len(formulas)
        for number, (text, sentence) in enumerate(zip(formulas, paired, strict=True), start=1):
            yield _Part(f"{column}[{number}]", text, sentence)
        # The published training data has none.
        if "conclusion-FOL" in cells.values:
            conclusion = _plain_sentence(cells.needed("conclusion"))
            text = cells.needed("conclusion-FOL")
            yield _Part(cells.names["conclusion-FOL"], text, conclusion)

    def finish(self, used: Mapping[Glossary, set[Used]]) -> None:
        """Makes the statements; ``used`` says how all rows of the file use the symbols of each glossary."""
        if self.cells is not None and self.trees:
            if self.glossary is not None:
                ontology = self.glossary.ontology(used[self.glossary])
            else:
                ontology = derived_ontology(self.trees)
            self.statements = tuple(self._statements(self.cells, ontology))
            self.notes += _ambiguous_names(self.trees)

    def _statements(self, cells: Cells, ontology: Ontology) -> Iterator[Statement]:
        row = f"{self.path.name}:{self.raw.place}"
        of_a_story = self._is_story
        for formula_part in self.parts:
            if formula_part.read is None or formula_part.sentence is None:
                continue
            formula = formula_part.read.formula
            missing = language("first_order").foreign(formula, ontology.vocabulary)
            # The prompt would not show a name that the ontology lacks, so no answer could be right.
            if missing:
                self.problems.append(
                    f"column {formula_part.where!r}: not in the ontology: {', '.join(missing)}"
                )
                continue
            yield Statement(
                sentence=formula_part.sentence,
                formula=formula,
                ontology=ontology,
                data_set=self.path.stem,
                source=f"{row} {formula_part.where}" if of_a_story else row,
                where=formula_part.where,
                scope=tuple(map(_plain_sentence, cells.texts("premises")))
                if of_a_story
                else ontology,
                of_a_story=of_a_story,
                id=None if of_a_story else cells.name("id"),
                group=cells.name("group"),
                cluster=cells.name("cluster"),
                repair="; ".join(formula_part.read.repairs),
                story_id=cells.name("story_id"),
            )


def read_rows_of(path: Path, kinds: tuple[RowKind, ...], columns: Columns) -> list[ReadRow]:
    """The rows of a file that are of these kinds, or cannot be read; rows of one ontology show the use of its symbols.

    Raises :class:`DataSetError` if the file cannot be read.
    """
    table = read_table(path, columns)
    rows = [ReadRow(path, raw) for raw in table if raw.problem or raw.is_of("first_order", kinds)]
    trees = (tree for row in rows for tree in row.trees)
    variables = (name for tree in trees for name in symbols(tree).variables)
    bound = {name for name in variables if VARIABLE.fullmatch(name)}
    # Letters first: a formula that they make unusable must not count as a use of its symbols.
    for row in rows:
        row.report_letters(bound)
    used: dict[Glossary, set[Used]] = defaultdict(set)
    for row in rows:
        if row.glossary is not None:
            used[row.glossary] |= used_symbols(row.trees)
    for row in rows:
        row.finish(used)
    return rows


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """The usable sentences, each once, in the order of the files; and all rows."""

    entries: tuple[Statement, ...]
    rows: tuple[ReadRow, ...]

    @property
    def problems(self) -> tuple[str, ...]:
        """The parts left out: one line each with file, line, column and reason."""
        return tuple(f"{row.place}: {problem}" for row in self.rows for problem in row.problems)

    @property
    def repairs(self) -> tuple[str, ...]:
        """The repairs, one line each."""
        return tuple(f"{row.place}: {repair}" for row in self.rows for repair in row.repairs)

    @property
    def notes(self) -> tuple[str, ...]:
        """Oddities of formulas that could be read, one line each."""
        return tuple(f"{row.place}: {note}" for row in self.rows for note in row.notes)

    def formula_counts(self) -> dict[str, int]:
        """The numbers of different formulas that were read, repaired and reported."""
        by_text: dict[str, _Part] = {}
        for row in self.rows:
            for formula_part in row.parts:
                by_text.setdefault(formula_part.text, formula_part)
        readings = (formula_part.read for formula_part in by_text.values())
        read = [reading for reading in readings if reading is not None]
        repaired_ones = sum(bool(formula.repairs) for formula in read)
        return {
            "read": len(read) - repaired_ones,
            "repaired": repaired_ones,
            "reported": len(by_text) - len(read),
        }


@cached_while_unchanged
def read_sentences(files: Sequence[Path], columns: Columns = ()) -> Sentences:
    """The sentences of files. Rows about something else belong to other data sets, and are no problem.

    Left out are sentences that repeat an earlier one, or contradict it in the same story or ontology. Raises
    :class:`DataSetError`.
    """
    distinct: DistinctRows[Statement] = DistinctRows()
    meanings: dict[Hashable, Statement] = {}
    rows = [row for file in files for row in read_rows_of(file, ("sentence", "story"), columns)]
    for row in rows:
        for statement in row.statements:
            try:
                _add(statement, distinct, meanings)
            except RowError as problem:
                # A row with one sentence has one formula: its column says nothing.
                where = f"column {statement.where!r}: " if statement.of_a_story else ""
                row.problems.append(f"{where}{problem}")
    statements = tuple(_with_same_story(distinct.rows.values(), rows))
    return Sentences(statements, tuple(rows))


def _with_same_story(entries: Iterable[Statement], rows: Iterable[ReadRow]) -> Iterator[Statement]:
    """The statements, each with the next premise of its story, or of the rows with its ``story_id``, if there is one.

    After the last premise comes the first one. A conclusion is nobody's example: only one row of its story has it.
    """
    stories: dict[Hashable, dict[tuple[str, Sentence], Statement]] = defaultdict(dict)
    for row in rows:
        for statement in row.statements:
            if not statement.is_conclusion:
                stories[_story_of(statement)].setdefault(_said(statement), statement)
    order: dict[Hashable, dict[tuple[str, Sentence], int]] = {}
    for story, premises_by_text in stories.items():
        order[story] = {key: index for index, key in enumerate(premises_by_text)}
    for entry in entries:
        story = _story_of(entry)
        premises = list(stories[story].values()) if story is not None else []
        index = order[story].get(_said(entry), -1) if premises else 0
        # First the premises after this one, then those before it: each is an example for another one.
        following = (*premises[index + 1 :], *premises[: max(index, 0)])
        example = next((premise for premise in following if _is_another(premise, entry)), None)
        if example is None:
            yield entry
        else:
            # The example may be of a row with another ontology, so it comes with its own symbols.
            facts = {
                "sentence": example.sentence,
                "formula": str(example.formula),
                "symbols": example.ontology.listed(),
            }
            yield replace(entry, same_story=facts)


def _story_of(statement: Statement) -> Hashable:
    """What identifies the story of a statement; None for a sentence alone."""
    if statement.story_id is not None:
        return statement.data_set, statement.story_id
    return (statement.data_set, statement.scope) if statement.of_a_story else None


def _said(statement: Statement) -> tuple[str, Sentence]:
    return comparable_sentence(statement.sentence), statement.formula


def _is_another(example: Statement, statement: Statement) -> bool:
    """Whether a statement says something else, so that its formula is not the answer to the other one."""
    (words, formula), (other_words, other_formula) = _said(example), _said(statement)
    return words != other_words and formula != other_formula


def _add(
    statement: Statement, distinct: DistinctRows[Statement], meanings: dict[Hashable, Statement]
) -> None:
    """Adds a statement; raises :class:`RowError` if it contradicts an earlier one, or repeats one outside a story."""
    sentence = comparable_sentence(statement.sentence)
    # The ontology of a story is derived from all formulas of a row, so that it may differ by the conclusion.
    ontology = None if statement.of_a_story else statement.ontology
    question = sentence, statement.formula, ontology
    # Many rows of a file tell one story again, each with another conclusion: that is no repetition to report.
    if statement.of_a_story and question in distinct.rows:
        return
    earlier = meanings.get((sentence, statement.scope), statement)
    check_meaning("first_order", statement.formula, earlier.formula, earlier.source)
    distinct.add(statement, question)
    meanings.setdefault((sentence, statement.scope), statement)


def _plain_sentence(text: str) -> str:
    return _BACKGROUND.sub("", " ".join(text.split()))


@lru_cache(maxsize=4096)
def _bound_in(text: str) -> frozenset[str]:
    """The variables of a formula that is read by itself; empty if it cannot be read."""
    try:
        return frozenset(symbols(repaired(text).formula).variables)
    except FormulaSyntaxError:
        return frozenset()


def _ambiguous_names(formulas: Iterable[Sentence]) -> Iterator[str]:
    """Notes on names of several symbols in the formulas of a row, and on names that differ only in case."""
    kinds_by_name: dict[str, set[tuple[str, int]]] = defaultdict(set)
    spellings: dict[tuple[str, bool], set[str]] = defaultdict(set)
    all_uses = (use for formula in formulas for use in uses(formula))
    for use in all_uses:
        # Variables are no symbols: each quantifier has its own.
        if use.kind == "variable":
            continue
        kinds_by_name[use.name].add((use.kind, use.arity))
        # A predicate and a term are told apart by where they stand, so their spelling does not matter.
        is_term = use.kind in ("constant", "function")
        spellings[use.name.casefold(), is_term].add(use.name)
    for name, kinds in sorted(kinds_by_name.items()):
        if len(kinds) > 1:
            meanings = sorted(_kind_phrase(kind, arity) for kind, arity in kinds)
            yield f"{name} is {' and '.join(meanings)}: read as different symbols"
    for _, names in sorted(spellings.items()):
        if len(names) > 1:
            variants = " and ".join(sorted(names))
            yield f"{variants} differ only in upper and lower case: read as different symbols"


def _kind_phrase(kind: str, arity: int) -> str:
    arguments = f" with {arguments_phrase(arity)}" if arity else ""
    return f"a {kind}{arguments}"
