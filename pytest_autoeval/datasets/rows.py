"""Rows about temporal logic, read and checked: untrusted ones are left out and reported; and the items made of them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.base import Entry, measures
from pytest_autoeval.datasets.columns import (
    Cells,
    Distinct,
    RawRow,
    RowError,
    check_meaning,
    kind_of,
    makes_a_row,
    subject_of,
)
from pytest_autoeval.datasets.tables import FileRows, check_file, once_a_version, take_rows
from pytest_autoeval.languages import FormulaSyntaxError, LimitError, Vocabulary, language
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.measures import symbols
from pytest_autoeval.languages.ltl.nusmv import parse_nusmv
from pytest_autoeval.languages.ltl.oracle.normal import by_number
from pytest_autoeval.languages.ltl.parser import is_name, parse
from pytest_autoeval.languages.ltl.syntax import And, Atom, Temporal
from pytest_autoeval.languages.ltl.traces.lasso import Lasso
from pytest_autoeval.languages.ltl.traces.notation import read_trace

#: The propositions of a listing, ``x1 = TRUE``, which may be more than the formula has.
_ASSIGNED = re.compile(r"([A-Za-z_][\w.]*)\s*=")
#: Which columns a row needs beside others.
_NEEDED = (
    ("sentence", "propositions"),
    ("propositions", "sentence"),
    ("trace", "formula"),
    ("trace", "satisfies"),
    ("satisfies", "trace"),
    ("text", "well_formed"),
    ("well_formed", "text"),
)


def formula_of(text: str) -> Temporal:
    """The formula that a text is as NuSMV reads it, or else as we do; raises :class:`FormulaSyntaxError`."""
    try:
        return parse_nusmv(text)
    except FormulaSyntaxError:
        return parse(text)


def is_well_formed(text: str) -> bool | None:
    """Whether a text is a formula of temporal logic; None where only one of the two notations has it.

    Raises :class:`LimitError` for a text that is too large to tell.
    """
    both = {_takes(parser, text) for parser in (parse_nusmv, parse)}
    return both.pop() if len(both) == 1 else None


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
    """What one row says; None where it says nothing. ``source`` is the name of its file, and its line.

    ``origin`` are its id, pattern, group and source, as facts.
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
    def subject(self) -> object:
        """The sentence and what its phrases stand for; None where there is no formula to be its translation."""
        if self.sentence is None or self.formula is None:
            return None
        pairs = frozenset((phrase.casefold(), atom) for phrase, atom in self.propositions)
        return subject_of(self.sentence), pairs


@once_a_version
def read_rows(files: Sequence[Path]) -> FileRows[DataRow]:
    """The rows of files; one that was there before, or contradicts an earlier one, is left out.

    Raises :class:`DataSetError`.
    """
    distinct: Distinct[DataRow] = Distinct()
    translated: dict[object, DataRow] = {}

    def take(file: Path, raw: RawRow) -> None:
        if kind_of(raw.values) != "temporal":
            return
        row = _row(raw, f"{file.name}:{raw.place}")
        question = row.sentence, row.propositions, row.formula, row.trace, row.text
        same, earlier = distinct.kept.get(question), translated.get(row.subject)
        if same is not None and (same.satisfies, same.well_formed) != (row.satisfies, row.well_formed):
            raise RowError(f"says the opposite of {same.source}")
        if row.formula and earlier and earlier.formula:
            check_meaning("ltl", row.formula, earlier.formula, earlier.source)
        distinct.add(row, question)
        if row.subject is not None:
            translated.setdefault(row.subject, row)

    for file in files:
        check_file(file)
    problems = take_rows(files, take)
    return FileRows(tuple(distinct.kept.values()), problems)


def _row(raw: RawRow, source: str) -> DataRow:
    cells = Cells(raw)
    for present, needed in _NEEDED:
        if present in cells.values and needed not in cells.values:
            cells.fail(needed, f"nothing is said, but the row has a {cells.names[present]!r}")
    if not makes_a_row(cells.values):
        raise RowError("nothing is said in any column that a row is made of")
    text = cells.text("formula")
    try:
        formula = formula_of(text) if text is not None else None
    except FormulaSyntaxError as problem:
        cells.fail("formula", problem)
    return DataRow(
        source,
        cells.name("id"),
        cells.text("sentence"),
        _propositions(cells, formula),
        formula,
        _trace(cells, formula) if formula is not None and "trace" in cells.values else None,
        cells.label("satisfies"),
        _judged_text(cells),
        cells.label("well_formed"),
        {"source": source, **cells.origin("id", "pattern", "group")},
    )


def _propositions(cells: Cells, formula: Temporal | None) -> Pairs:
    if "propositions" not in cells.values:
        return ()
    used = symbols(formula).propositions if formula is not None else ()
    try:
        pairs = read_propositions(cells.values["propositions"], used)
    except ValueError as problem:
        cells.fail("propositions", problem)
    if lacking := sorted(set(used) - {atom for _, atom in pairs}):
        cells.fail("propositions", f"no phrase for {', '.join(lacking)}, which the formula uses")
    return pairs


def _trace(cells: Cells, formula: Temporal) -> Lasso:
    text, satisfies = cells.needed("trace").strip(), cells.label("satisfies")
    atoms = {*symbols(formula).propositions, *_ASSIGNED.findall(text)}
    reading = read_trace(text, sorted(sorted(atoms), key=by_number))
    if reading.lasso is None:
        cells.fail("trace", reading.problem)
    if _unspaced(reading.text) != _unspaced(text):
        cells.fail("trace", f"only {reading.text!r} is a trace; leave out the rest")
    if holds(formula, reading.lasso) is not satisfies:
        loop = " (its loop closed by its last state)" if reading.broke_off else ""
        truth = f"the trace {reading.lasso}{loop} {'violates' if satisfies else 'satisfies'} {formula}"
        cells.fail("satisfies", f"says {cells.values['satisfies']!r}, but {truth}")
    return reading.lasso


def _unspaced(text: str) -> str:
    """A text without white space, its ellipses and other signs in their plain forms."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def _judged_text(cells: Cells) -> str | None:
    if (text := cells.text("text")) is None:
        return None
    try:
        truth = is_well_formed(text)
    except LimitError as problem:
        cells.fail("text", problem)
    if truth not in {None, cells.label("well_formed")}:
        what = "it is a formula" if truth else "it is no formula"
        cells.fail("well_formed", f"says {cells.values['well_formed']!r} of {text!r}, but {what}")
    return text


def sentences_of(rows: Iterable[DataRow], grammar: str) -> Iterator[Entry]:
    """Sentences with propositions and a formula, which speaks of the past if the grammar does."""
    for row in rows:
        if row.sentence is not None and row.formula is not None:
            speaks_of_past = not measures(language("ltl"), row.formula)["future"]
            if speaks_of_past is (grammar == "past_ltl"):
                yield _sentence(row, row.formula)


def proposition_sentences(rows: Iterable[DataRow]) -> Iterator[Entry]:
    """Sentences with propositions; where no formula is given, all of them together stand for one."""
    for row in rows:
        if row.sentence is not None:
            atoms: list[Temporal] = [Atom(atom) for _, atom in row.propositions]
            yield _sentence(row, row.formula or reduce(And, atoms))


def judged_strings(rows: Iterable[DataRow]) -> Iterator[Entry]:
    """Strings that are formulas or not."""
    lang = language("ltl_strings")
    for row in rows:
        if row.text is not None:
            string = lang.parse(row.text)
            facts = {"text": row.text, "expected": row.well_formed, **row.origin}
            yield Entry(string, facts, lang.symbols(string))


def judged_traces(rows: Iterable[DataRow]) -> Iterator[Entry]:
    """Formulas with a trace that satisfies or violates them."""
    for row in rows:
        if row.formula is not None and row.trace is not None:
            facts = {"trace": str(row.trace), "expected": row.satisfies, **row.origin}
            yield Entry(row.formula, facts, Vocabulary(propositions=row.trace.atoms))


def _sentence(row: DataRow, formula: Temporal) -> Entry:
    facts: dict[str, Any] = {"sentence": row.sentence, "propositions": list(map(list, row.propositions)), **row.origin}
    return Entry(formula, facts, Vocabulary(propositions=tuple(atom for _, atom in row.propositions)))


Pairs = tuple[tuple[str, str], ...]

_QUOTED = r"""["“”„][^"“”„]*["“”„]|['‘](?:[^'’]|['’](?=\w))*['’]"""
_NAME = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
#: A quoted side is the phrase, unless both are quoted.
_QUOTED_ATOM = rf"""["“”„'‘]{_NAME}["“”'’]"""
_MEANS, _END = r"\s*(?::|=|->|→)\s*", r"\s*(?:[,;\n]\s*|\Z)"
#: ``"the door is open" : x1``, with or without quotes.
_PHRASE_FIRST = re.compile(
    rf"""\s*(?:(?P<quoted>{_QUOTED}){_MEANS}(?P<sign>{_NAME}|{_QUOTED_ATOM})"""
    rf"""|(?P<bare>[^\s"“”„:=][^"“”„]*?){_MEANS}(?P<name>{_NAME})){_END}"""
)
#: ``x1: the door is open``; without quotes a phrase goes on until the next atom.
_NEXT = rf"(?:\s*\Z|\s*[,;\n]\s*(?=(?:{_NAME}|{_QUOTED_ATOM}){_MEANS}))"
_ATOM_FIRST = re.compile(
    rf"""\s*(?:(?P<sign>{_NAME}|{_QUOTED_ATOM}){_MEANS}(?P<quoted>{_QUOTED})"""
    rf"""|(?P<name>{_NAME}){_MEANS}(?P<bare>[^\s"“”„][^"“”„]*?)){_NEXT}"""
)
_NUMBERED = re.compile(r"[A-Za-z]+_?\d+")
_QUOTES = "\"“”„'‘’"


def read_propositions(value: Any, used: Collection[str] = ()) -> Pairs:
    """The pairs of phrase and atom, in their order.

    Takes ``"phrase" : x1 , "phrase" : x2`` with any quotes or none, ``x1: phrase`` alike, a JSON object, a list of
    pairs. ``used`` are the atoms of the sentence's formula: where both sides of the colons could be atoms, they tell.
    Raises :class:`ValueError` for what cannot be read, and where a phrase or an atom stands twice, whatever its case.
    """
    pairs = _oriented(_candidates(value), used)
    if not pairs:
        raise ValueError('write the propositions as `"phrase" : x1 , "phrase" : x2`')
    for side in ([phrase.casefold() for phrase, _ in pairs], [atom for _, atom in pairs]):
        if twice := [name for name in side if side.count(name) > 1]:
            raise ValueError(f"{twice[0]!r} stands twice")
    return pairs


def _candidates(value: Any) -> list[Pairs]:
    """The readings as pairs of two sides, the one that is meant by default first."""
    if isinstance(value, str):
        value = _decoded(value)
    if isinstance(value, Mapping):
        value = list(value.items())
    if isinstance(value, str):
        return [_scanned(value, _PHRASE_FIRST), _scanned(value, _ATOM_FIRST)]
    if not isinstance(value, list) or not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in value):
        return []
    if not all(isinstance(side, str) for pair in value for side in pair):
        return []
    sides = tuple((_clean(left), _clean(right)) for left, right in value)
    return [sides, tuple((right, left) for left, right in sides)]


def _decoded(text: str) -> Any:
    try:
        found = json.loads(text)
    except ValueError:
        bare = text.strip()
        return bare[1:-1] if bare[:1] + bare[-1:] in {"{}", "[]"} else bare
    return found if isinstance(found, (dict, list)) else text


def _scanned(text: str, pattern: re.Pattern[str]) -> Pairs:
    pairs: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = pattern.match(text, at)
        if match is None or match.end() == at:
            return ()
        pairs.append((_clean(match["quoted"] or match["bare"]), _clean(match["sign"] or match["name"])))
        at = match.end()
    return tuple(pairs)


def _clean(side: str) -> str:
    side = side.strip()
    if len(side) > 1 and side[0] in _QUOTES and side[-1] in _QUOTES:
        side = side[1:-1]
    return " ".join(side.split())


def _oriented(candidates: list[Pairs], used: Collection[str]) -> Pairs:
    """The reading whose second sides are atoms; of two such, the one that has the formula's, or numbered ones."""
    possible = [pairs for pairs in candidates if pairs and all(phrase and is_name(atom) for phrase, atom in pairs)]
    with_used = [pairs for pairs in possible if used and {atom for _, atom in pairs}.issuperset(used)]
    numbered = [pairs for pairs in possible if all(_NUMBERED.fullmatch(atom) for _, atom in pairs)]
    return next(iter((*with_used, *numbered, *possible)), ())
