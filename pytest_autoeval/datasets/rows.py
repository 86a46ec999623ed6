"""Rows about temporal logic, checked. Rows that fail a check are left out and reported."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.columns import (
    NEEDED,
    NEEDED_BY_REQUIREMENTS,
    Cells,
    Columns,
    DistinctRows,
    RawRow,
    RowError,
    RowKind,
    check_meaning,
    comparable_sentence,
    makes_a_row,
)
from pytest_autoeval.datasets.table_files import (
    FileRows,
    cached_while_unchanged,
    check_file,
    decoded,
    first_repeated,
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
class DataRow:
    """One row; empty columns are None. ``origin`` has id, pattern, group, cluster and source: file name
    and line.
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
def read_rows(files: Sequence[Path], columns: Columns = ()) -> FileRows[DataRow]:
    """The rows of files, without those that repeat or contradict an earlier row. Raises :class:`DataSetError`."""
    distinct: DistinctRows[DataRow] = DistinctRows()
    translated: dict[object, DataRow] = {}
    respelled: dict[Path, list[str]] = {}

    def take(file: Path, raw: RawRow) -> None:
        if not raw.is_of("ltl", ("temporal", "sentence", "formula")):
            return
        row, case = _row(raw, f"{file.name}:{raw.place}")
        if case:
            respelled.setdefault(file, []).append(f"{file}:{raw.place}: {case}")
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


def _row(raw: RawRow, source: str) -> tuple[DataRow, str]:
    cells = Cells(raw)
    for column in _NEEDED_BY_KIND.get(raw.kind, ()):
        cells.needed(column)
    text = cells.text("formula")
    try:
        formula = raw.temporal.formula(text, _names_given(cells)) if text is not None else None
    except FormulaSyntaxError as problem:
        cells.fail("formula", problem)
    letters = letters_in(cells.text("sentence") or "", formula) if formula is not None else ()
    for present, needed in (*(() if letters else NEEDED_BY_REQUIREMENTS), *NEEDED):
        if present in cells.values and cells.values.keys().isdisjoint(needed):
            if cells.names.keys().isdisjoint(needed):
                name = cells.names[present]
                raise RowError(f"a row with {name!r} also needs the column {needed[0]!r}")
            cells.fail(needed[0], f"the cell is empty, but the row has a {cells.names[present]!r}")
    if not makes_a_row(cells.values):
        raise RowError("all known columns are empty")
    # Letters stand in the sentence by their names, so each is its own phrase.
    propositions: Pairs = tuple((letter, letter) for letter in letters)
    case = ""
    if "propositions" in cells.values:
        propositions, case = _propositions(cells, formula)
    row = DataRow(
        source,
        cells.name("id"),
        cells.text("sentence"),
        propositions,
        formula,
        _trace(cells, formula) if formula is not None and "trace" in cells.values else None,
        cells.label("satisfies"),
        _checked_text(cells),
        cells.label("well_formed"),
        {"source": source, **cells.origin("id", "pattern", "group", "cluster")},
    )
    return row, case


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


def _trace(cells: Cells, formula: Temporal) -> Lasso:
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


Pairs = tuple[tuple[str, str], ...]

#: A name of a proposition, whose parts may be joined by dots.
_NAME = lazy_pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
#: Names such as ``x1``: a phrase is seldom one.
_NUMBERED = lazy_pattern(r"[A-Za-z]+_?\d+")
#: The parts of a list of propositions whose quotes are straight.
_PART = lazy_pattern(
    r"""(?P<quoted>"[^"]*"|(?<!\w)'[^'",;:=\n]*+'(?!\w))|(?P<means>(?:->|→|[:=])\n?)|(?P<end>[,;\n])"""
    r"""|(?P<word>[^\s"'`:=→,;-]++)|\S"""
)
#: Quotes of all kinds, each with the straight one that stands for it.
_STRAIGHT = str.maketrans(dict.fromkeys("“”„‟«»＂″", '"') | dict.fromkeys("‘’‚‛′", "'"))
#: Quotes of two single signs, and single quotes that are not apostrophes.
_DOUBLED = lazy_pattern(r"``|''")
_OUTSIDE_WORDS = lazy_pattern(r"(?<!\w)'|'(?!\w)")


def read_propositions(value: Any, used: Collection[str] = ()) -> Pairs:
    """The pairs of phrase and atom, in their order.

    Accepts ``"phrase" : x1 , "phrase" : x2`` with any quotes or none, with quotes also without colons, ``x1: phrase``,
    a JSON object, or a list of pairs. ``used`` are the atoms of the formula; they decide if both sides of a colon could
    be atoms. Raises :class:`ValueError` for other texts, and for a phrase or an atom that occurs twice (in any case).
    """
    pairs = _likeliest(_readings(value), used)
    if not pairs:
        raise ValueError('write the propositions as `"phrase" : x1 , "phrase" : x2`')
    for side in ([phrase.casefold() for phrase, _ in pairs], [atom for _, atom in pairs]):
        twice = first_repeated(side)
        if twice:
            raise ValueError(f"{twice!r} occurs twice")
    return pairs


def _readings(value: Any) -> list[Pairs]:
    """The possible readings as pairs; the default reading is first."""
    if isinstance(value, str):
        value = _decoded(value)
    if isinstance(value, Mapping):
        value = list(value.items())
    if isinstance(value, str):
        text = _DOUBLED.sub('"', value.translate(_STRAIGHT))
        text = "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()
        # Opened by one kind of quotes, closed by the other.
        mixed = _OUTSIDE_WORDS.sub('"', text)
        for form in (text, mixed):
            readings = [_pairs(form, atoms_first=False), _pairs(form, atoms_first=True)]
            if any(readings):
                return readings
        return []
    if not isinstance(value, list) or not all(map(_is_pair, value)):
        return []
    if not all(isinstance(side, str) for pair in value for side in pair):
        return []
    sides = tuple((_clean(former), _clean(latter)) for former, latter in value)
    return [sides, tuple((latter, former) for former, latter in sides)]


def _is_pair(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2


def _decoded(text: str) -> Any:
    try:
        value = decoded(text)
    except ValueError:
        bare = text.strip()
        has_brackets = bare[:1] + bare[-1:] in {"{}", "[]"}
        return bare[1:-1] if has_brackets else bare
    return value if isinstance(value, (dict, list)) else text


def _pairs(text: str, *, atoms_first: bool) -> Pairs:
    """The pairs of ``"phrase" : x1`` or, read from the end, of ``x1: phrase``; empty if a part is left over."""
    # Read from the end, an atom before a phrase is an atom after it: so one loop reads both orders.
    order = -1 if atoms_first else 1
    tokens = [*_PART.finditer(text)][::order]
    pairs: list[tuple[str, str]] = []
    phrase: list[re.Match[str]] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        has_colon = token.lastgroup == "means"
        atom_index = index + 1 if has_colon else index
        # The colon is optional after a quoted phrase; after an atom, an apostrophe is not a quote.
        needs_no_colon = _is_quoted(phrase) and not (atoms_first and len(phrase) > 1)
        if phrase and (has_colon or needs_no_colon) and _ends_with_atom(tokens, atom_index):
            atom = tokens[atom_index]
            # The quoted side is the phrase, unless both are quoted.
            are_both_quoted = has_colon and _is_quoted(phrase)
            if atoms_first and atom.lastgroup == "quoted" and not are_both_quoted:
                return ()
            pairs.append((_phrase(text, phrase[::order]), _clean(atom[0])))
            phrase = []
            index = atom_index + 2
        else:
            is_space = token[0] == "\n" or (token.lastgroup == "end" and not phrase)
            if not is_space:
                phrase.append(token)
            index += 1
    if phrase or not all(text for text, _ in pairs):
        return ()
    return tuple(pairs[::order])


def _ends_with_atom(tokens: Sequence[re.Match[str]], index: int) -> bool:
    """Whether a pair ends with the token at this index, which is an atom."""
    if index >= len(tokens) or not _is_atom(tokens[index]):
        return False
    return index + 1 == len(tokens) or tokens[index + 1].lastgroup == "end"


def _is_atom(token: re.Match[str]) -> bool:
    return token.lastgroup in ("word", "quoted") and _NAME.fullmatch(_clean(token[0])) is not None


def _is_quoted(tokens: Sequence[re.Match[str]]) -> bool:
    if not tokens:
        return False
    if len(tokens) == 1:
        return tokens[0].lastgroup == "quoted"
    # A quoted phrase with an apostrophe in it comes in several tokens.
    return tokens[0][0] == tokens[-1][0] == "'"


def _phrase(text: str, tokens: Sequence[re.Match[str]]) -> str:
    """The phrase in some parts of a text; empty if there is none, or its quotes do not match."""
    if not tokens or "means" in (tokens[0].lastgroup, tokens[-1].lastgroup):
        return ""
    written = text[tokens[0].start() : tokens[-1].end()]
    phrase = _clean(written)
    is_odd = '"' in phrase or (written[0] == "'" and _OUTSIDE_WORDS.search(phrase))
    return "" if is_odd else phrase


def _clean(side: str) -> str:
    side = side.strip()
    is_quoted = len(side) > 1 and side[0] == side[-1] and side[0] in "\"'"
    if is_quoted:
        side = side[1:-1]
    return " ".join(side.split())


def _likeliest(candidates: list[Pairs], used: Collection[str]) -> Pairs:
    """The reading whose second sides are atoms; if several are, prefer the formula's atoms, then numbered ones."""
    possible = [pairs for pairs in candidates if pairs and _are_named(pairs)]
    with_used, numbered = [], []
    for pairs in possible:
        atoms = {atom for _, atom in pairs}
        if used and atoms.issuperset(used):
            with_used.append(pairs)
        if all(map(_NUMBERED.fullmatch, atoms)):
            numbered.append(pairs)
    return next(iter((*with_used, *numbered, *possible)), ())


def _are_named(pairs: Pairs) -> bool:
    """Whether each second side can be an atom, and no phrase is empty."""
    return all(phrase and is_name(atom) for phrase, atom in pairs)
