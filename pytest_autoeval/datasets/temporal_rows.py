"""Rows about temporal logic, checked. Rows that fail a check are left out and reported."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pytest_autoeval.datasets.cells import Cells
from pytest_autoeval.datasets.columns import (
    NEEDED,
    NEEDED_BY_REQUIREMENTS,
    Columns,
    Needs,
    RawRow,
    RowError,
    RowKind,
    makes_a_row,
)
from pytest_autoeval.datasets.distinct_rows import DistinctRows, check_meaning, comparable_sentence
from pytest_autoeval.datasets.proposition_lists import Pairs, read_propositions
from pytest_autoeval.datasets.table_files import (
    FileRows,
    cached_while_unchanged,
    check_file,
    decoded,
    read_each_row,
)
from pytest_autoeval.datasets.temporal_formulas import letters_in, words_in
from pytest_autoeval.languages import FormulaSyntaxError, LimitError
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.measures import symbols
from pytest_autoeval.languages.ltl.nusmv import parse_nusmv
from pytest_autoeval.languages.ltl.oracle.normal import by_number
from pytest_autoeval.languages.ltl.parser import is_name, parse
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces.lasso import Lasso
from pytest_autoeval.languages.ltl.traces.notation import read_trace
from pytest_autoeval.languages.ltl.traces.spellings import UnreadableTraceError, outline
from pytest_autoeval.lazy_pattern import lazy_pattern

#: What to do with a trace that just ends.
_FINITE = (
    "if its last state repeats for ever, say so in the column last_state: "
    "repeats; else write the loop as cycle{…}"
)
#: The columns without which a row is none of its kind; rows of other kinds have several forms.
_NEEDED_BY_KIND: dict[RowKind, tuple[str, ...]] = {
    "formula": ("formula",),
    "sentence": ("sentence", "formula"),
}
#: The propositions of a trace listing, ``x1 = TRUE``; there may be more than in the formula.
_ASSIGNED = lazy_pattern(r"(?<![\w.])([A-Za-z_][\w.]*+)\s*+=")


def is_well_formed(text: str) -> bool | None:
    """Whether a text is a formula of temporal logic; None if only one of our two notations accepts it.

    Raises `LimitError`.
    """
    # A text that only one notation accepts would be a question about notations, and not about formulas.
    verdicts = {_takes(parser, text) for parser in (parse_nusmv, parse)}
    return verdicts.pop() if len(verdicts) == 1 else None


def _takes(parser: Callable[[str], object], text: str) -> bool:
    try:
        parser(text)
    except FormulaSyntaxError as problem:
        if isinstance(problem, LimitError):
            raise
        return False
    return True


@dataclass(frozen=True, slots=True)
class TemporalRow:
    """One row; empty columns are None.

    ``source`` is the file name and line. ``origin`` has it too, with id, pattern, group and cluster.
    """

    source: str
    id: str | None = None
    sentence: str | None = None
    propositions: Pairs = ()
    formula: Temporal | None = None
    trace: Lasso | None = None
    satisfies: bool | None = None
    text: str | None = None
    well_formed: bool | None = None
    origin: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def answers(self) -> tuple[bool | None, bool | None]:
        """What the row says is right. Two rows with one question must say the same."""
        return self.satisfies, self.well_formed

    @property
    def subject(self) -> object:
        """The sentence and its phrases; None without a formula."""
        if self.sentence is None or self.formula is None:
            return None
        pairs = frozenset((phrase.casefold(), atom) for phrase, atom in self.propositions)
        return comparable_sentence(self.sentence), pairs


@cached_while_unchanged
def read_rows(files: Sequence[Path], columns: Columns = ()) -> FileRows[TemporalRow]:
    """The rows of files, without those that repeat or contradict an earlier row. Raises :class:`DataSetError`."""
    distinct: DistinctRows[TemporalRow] = DistinctRows()
    # The first row with each sentence and its phrases.
    translated: dict[object, TemporalRow] = {}
    # For each file the notes about names that differ in case. Only the first is shown in full.
    respelled: dict[Path, list[str]] = {}

    def take(file: Path, raw: RawRow) -> None:
        if not raw.is_of("ltl", ("temporal", "sentence", "formula")):
            return
        row, respelling = _row(raw, f"{file.name}:{raw.place}")
        if respelling:
            respelled.setdefault(file, []).append(f"{file}:{raw.place}: {respelling}")
        question = row.sentence, row.propositions, row.formula, row.trace, row.text
        repeated = distinct.rows.get(question)
        earlier = translated.get(row.subject)
        # A contradiction leaves out the second row, as a repetition does, but the author should know of it.
        if repeated is not None and repeated.answers != row.answers:
            raise RowError(f"contradicts {repeated.source}")
        if row.formula and earlier and earlier.formula:
            check_meaning("ltl", row.formula, earlier.formula, earlier.source)
        distinct.add(row, question)
        if row.subject is not None:
            translated.setdefault(row.subject, row)

    for file in files:
        check_file(file, columns)
    problems = read_each_row(files, take, columns)
    notes = (
        f"{note}; {len(further)} more rows like it" if further else note
        for note, *further in respelled.values()
    )
    return FileRows(tuple(distinct.rows.values()), problems, tuple(notes))


def _names_given(cells: Cells) -> set[str]:
    """The names of a row's propositions, on either side; without any, those that stand in its sentence."""
    if "propositions" not in cells.values:
        return words_in(cells.text("sentence") or "")
    try:
        pairs = read_propositions(cells.values["propositions"])
    except ValueError:
        # It is reported when the propositions are read.
        return set()
    return {side for pair in pairs for side in pair if is_name(side)}


def _row(raw: RawRow, source: str) -> tuple[TemporalRow, str]:
    """The row of some cells, and a note about names of propositions that differ in case; empty without any."""
    cells = Cells(raw)
    for column in _NEEDED_BY_KIND.get(raw.kind, ()):
        cells.needed(column)
    text = cells.text("formula")
    try:
        formula = raw.temporal.formula(text, _names_given(cells)) if text is not None else None
    except FormulaSyntaxError as problem:
        cells.fail("formula", problem)
    letters = letters_in(cells.text("sentence") or "", formula) if formula is not None else ()
    # A sentence with letters needs no propositions: each letter is its own phrase.
    _check_needs(cells, NEEDED if letters else (*NEEDED_BY_REQUIREMENTS, *NEEDED))
    if not makes_a_row(cells.values):
        raise RowError("all known columns are empty")
    propositions: Pairs = tuple((letter, letter) for letter in letters)
    respelling = ""
    if "propositions" in cells.values:
        propositions, respelling = _propositions(cells, formula)
    # In this order: the first cell with a problem is the one that is reported.
    row = TemporalRow(
        source=source,
        id=cells.name("id"),
        sentence=cells.text("sentence"),
        propositions=propositions,
        formula=formula,
        trace=_trace(cells, formula),
        satisfies=cells.label("satisfies"),
        text=_checked_text(cells),
        well_formed=cells.label("well_formed"),
        origin={"source": source, **cells.origin("id", "pattern", "group", "cluster")},
    )
    return row, respelling


def _check_needs(cells: Cells, needs: Needs) -> None:
    """Raises :class:`RowError` if a column is filled, and none of those that it needs."""
    for column, partners in needs:
        if column not in cells.values or not cells.values.keys().isdisjoint(partners):
            continue
        name = cells.names[column]
        if cells.names.keys().isdisjoint(partners):
            raise RowError(f"a row with {name!r} also needs the column {partners[0]!r}")
        cells.fail(partners[0], f"the cell is empty, but the row has a {name!r}")


def _propositions(cells: Cells, formula: Temporal | None) -> tuple[Pairs, str]:
    """The propositions, named as in the formula, and a note about names that differ in case."""
    used = symbols(formula).propositions if formula is not None else ()
    try:
        pairs = read_propositions(cells.values["propositions"], used)
    except ValueError as problem:
        cells.fail("propositions", problem)
    listed = {atom: atom for _, atom in pairs}
    lacking = sorted(set(used) - listed.keys())
    for name in tuple(lacking):
        # A name that differs only in case is taken for the formula's, if no other name can be meant.
        spellings = [atom for atom in listed if atom.casefold() == name.casefold()]
        if len(spellings) != 1 or spellings[0] in used:
            continue
        spelling = spellings[0]
        # It may already stand for another name of the formula.
        if listed[spelling] == spelling:
            listed[spelling] = name
            lacking.remove(name)
    if lacking:
        cells.fail("propositions", f"no phrase for {', '.join(lacking)} of the formula")
    case = ", ".join(f"{atom} is read as {name}" for atom, name in listed.items() if atom != name)
    note = f"column {cells.names['propositions']!r}: {case}, as the formula has it" if case else ""
    return tuple((phrase, listed[atom]) for phrase, atom in pairs), note


def _trace(cells: Cells, formula: Temporal | None) -> Lasso | None:
    """The trace of a row, whose label is checked by its formula; None without a trace or a formula."""
    if formula is None or "trace" not in cells.values:
        return None
    text = _trace_text(cells)
    satisfies = cells.label("satisfies")
    atoms = {*symbols(formula).propositions, *_ASSIGNED.findall(text)}
    # First by the alphabet, since a set has no order and names without a number are equal otherwise.
    ordered = sorted(sorted(atoms), key=by_number)
    read_lasso = _repeated if "last_state" in cells.values else _looped
    lasso, loop = read_lasso(cells, text, ordered)
    if holds(formula, lasso) is not satisfies:
        verb = "violates" if satisfies else "satisfies"
        truth = f"the trace {lasso}{loop} {verb} {formula}"
        cells.fail("satisfies", f"says {cells.values['satisfies']!r}, but {truth}")
    return lasso


def _trace_text(cells: Cells) -> str:
    """The trace of a row as text. A JSON list of states becomes assignments, which show all its propositions."""
    value = cells.values["trace"]
    if isinstance(value, str) and value.lstrip().startswith(("[[", "[{", "[ [", "[ {")):
        with suppress(ValueError):
            value = decoded(value)
    if not isinstance(value, list):
        return cells.needed("trace").strip()
    if not value or not all(isinstance(state, list | dict) for state in value):
        cells.fail(
            "trace", 'a list of states is written [["x1"], []] or [{"x1": true}, {"x1": false}]'
        )
    # A list has the propositions that hold.
    states = [state if isinstance(state, dict) else dict.fromkeys(state, True) for state in value]
    names = sorted({str(name) for state in states for name in state}, key=by_number)
    odd = [name for name in names if not is_name(name)]
    if odd:
        cells.fail("trace", f"{odd[0]!r} is not the name of a proposition")
    if any(not isinstance(truth, bool) for state in states for truth in state.values()):
        cells.fail("trace", "the values in a state must be true or false")
    if "last_state" not in cells.values:
        cells.fail("trace", f"a list of states is finite: {_FINITE}")
    if not names:
        return "; ".join("true" for _ in states)
    return "; ".join(_assignments(state, names) for state in states)


def _assignments(state: Mapping[str, bool], names: Sequence[str]) -> str:
    """A state that shows all propositions: those that it lacks are false."""
    assignments = ", ".join(f"{name} = {state.get(name, False)}" for name in names)
    return f"[{assignments}]"


def _looped(cells: Cells, text: str, atoms: Sequence[str]) -> tuple[Lasso, str]:
    """The trace of a text with a loop, and a remark on the loop for a message."""
    reading = read_trace(text, atoms)
    if reading.lasso is None:
        hint = f"; {_FINITE}" if "has no loop" in reading.problem else ""
        cells.fail("trace", f"{reading.problem}{hint}")
    if _unspaced(reading.text) != _unspaced(text):
        cells.fail("trace", f"only {reading.text!r} is a trace; remove the rest")
    return reading.lasso, " (its loop closed by its last state)" if reading.broke_off else ""


def _repeated(cells: Cells, text: str, atoms: Sequence[str]) -> tuple[Lasso, str]:
    """The trace of a finite list of states whose author says that the last one repeats for ever."""
    named = cells.name("last_state")
    if named is None or named.casefold() != "repeats":
        cells.fail(
            "last_state",
            f"{named!r} is not 'repeats', the only value; without it, write the loop as cycle{{…}}",
        )
    try:
        written = outline(text, atoms)
    except UnreadableTraceError as problem:
        cells.fail("trace", problem)
    if written.loop_at is not None:
        cells.fail(
            "last_state", "the trace has a loop, so no state is its last; leave this cell empty"
        )
    if not written.states:
        cells.fail("trace", "the trace has no states")
    return Lasso(
        tuple(atoms), written.states[:-1], written.states[-1:]
    ), " (its last state repeated)"


def _unspaced(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def _checked_text(cells: Cells) -> str | None:
    text = cells.text("text")
    if text is None:
        return None
    try:
        truth = is_well_formed(text)
    except LimitError as problem:
        cells.fail("text", problem)
    if truth not in {None, cells.label("well_formed")}:
        fact = "it is a formula" if truth else "it is not a formula"
        cells.fail("well_formed", f"says {cells.values['well_formed']!r} of {text!r}, but {fact}")
    return text
