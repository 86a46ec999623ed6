"""Pairs of formulas to judge, from files: round trips of a run, and a user's own rows.

The decision procedure alone decides whether two formulas mean the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.cells import Cells
from pytest_autoeval.datasets.columns import Columns, RawRow, RowError, language_called
from pytest_autoeval.datasets.data_set import Entry, WrittenDataSet
from pytest_autoeval.datasets.distinct_rows import DistinctRows, verdict_on
from pytest_autoeval.datasets.file_language import common_of
from pytest_autoeval.datasets.table_files import FileRows, cached_while_unchanged, read_each_row
from pytest_autoeval.languages import (
    Formula,
    FormulaSyntaxError,
    language,
    language_names,
)
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.record.witness_words import FIRST_AND_SECOND, with_sides

#: The languages of the grammars whose formulas are judged in pairs.
LANGUAGES = {
    "propositional": "propositional",
    "ksat": "propositional",
    "first_order": "first_order",
    "regex": "regex",
    "ltl": "ltl",
    "past_ltl": "ltl",
}
#: The names of these data sets begin so; the rest is the name of the grammar.
PREFIX = "judge_"
#: Whether the two formulas of a results row are equivalent, by its outcome; other outcomes do not say.
_RECORDED = {VerdictOutcome.EQUIVALENT: True, VerdictOutcome.DIFFERENT: False}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two formulas of a language, their origin, and whether they mean the same.

    ``grammar`` is that of their data set, ``kind`` is ``round trip`` or ``own``; ``origin`` has id, group and source.
    """

    source: str
    language: str
    grammar: str
    first: Formula
    second: Formula
    kind: str
    same: bool
    id: str | None = None
    origin: Mapping[str, str] = field(default_factory=dict, hash=False)


@cached_while_unchanged
def read_pairs(files: Sequence[Path], columns: Columns = ()) -> FileRows[Pair]:
    """The pairs of files, each once; a wrong claim of a row is a problem. Raises :class:`DataSetError`."""
    distinct: DistinctRows[Pair] = DistinctRows()

    def take(file: Path, raw: RawRow) -> None:
        if raw.problem:
            raise RowError(raw.problem)
        source = f"{file.name}:{raw.place}"
        pairs: list[Pair] = []
        problems: list[str] = []
        if raw.kind == "round trip":
            pairs += filter(None, [_round_trip_pair(raw.values, source)])
        elif raw.kind == "pair":
            pairs, problems = _user_pairs(raw, source)
        for number, pair in enumerate(pairs):
            question = pair.language, pair.first, pair.second
            earlier = distinct.rows.get(question)
            # A round trip may come again: several models or repeats of a run give one answer.
            if earlier is None or "own" in (pair.kind, earlier.kind):
                distinct.add(pair, question, is_again=number > 0)
        if problems:
            raise RowError(*problems)

    problems = read_each_row(files, take, columns)
    return FileRows(tuple(distinct.rows.values()), problems)


def written_set(name: str, read: FileRows[Pair]) -> WrittenDataSet:
    """The data set of those pairs that are of its grammar."""
    grammar = name.removeprefix(PREFIX)
    pairs = (pair for pair in read.rows if pair.grammar == grammar)
    return WrittenDataSet(name, LANGUAGES[grammar], map(_entry, pairs), read.problems)


def _entry(pair: Pair) -> Entry:
    lang = language(pair.language)
    facts = {
        "other": lang.format(pair.second),
        "expected": pair.same,
        "pair": pair.kind,
        **pair.origin,
    }
    return Entry(pair.first, facts, lang.symbols(pair.first).including(lang.symbols(pair.second)))


def _round_trip_pair(values: Mapping[str, Any], source: str) -> Pair | None:
    """The formula and the translation of a row of results; None if it does not say whether they mean the same."""
    claimed = _RECORDED.get(values["outcome"])
    name = values["language"]
    texts = values["formula"], values["translation"]
    if claimed is None or name not in language_names():
        return None
    if not all(isinstance(text, str) for text in texts):
        return None
    if values.get("alignment") is not None:
        # The translation has names of its own: the outcome is not about these two texts.
        return None
    formula = _formula(name, values["formula"], "formula")
    translation = _formula(name, values["translation"], "translation")
    are_equal = _checked_claim(name, formula, translation, claimed, "outcome")
    return Pair(
        source=source,
        language=name,
        grammar=_grammar(name, formula, translation, str(values.get("grammar"))),
        first=formula,
        second=translation,
        kind="round trip",
        same=are_equal,
        origin={"source": source},
    )


def _user_pairs(raw: RawRow, source: str) -> tuple[list[Pair], list[str]]:
    """The pair of a row in each language that it may be of, and why it cannot be read in some of them.

    Raises :class:`RowError` if it can be read in none.
    """
    cells = Cells(raw)
    pairs: list[Pair] = []
    problems: dict[str, str] = {}
    for name in _languages_of(raw, cells):
        try:
            pairs.append(_user_pair(cells, name, source))
        except RowError as problem:
            problems[name] = str(problem)
    if not pairs:
        raise RowError(next(iter(problems.values())))
    return pairs, [f"in {name}: {problem}" for name, problem in problems.items()]


def _languages_of(raw: RawRow, cells: Cells) -> list[str]:
    """The languages that a row may be of: the one that it names or that its file has, else those in doubt."""
    for column in ("formula", "other"):
        cells.needed(column)
    written = cells.name("language")
    if written is not None and language_called(written) not in language_names():
        cells.fail("language", f"there is no language {language_called(written)!r}")
    if raw.language:
        return [raw.language]
    possible = raw.possible & common_of(raw)
    if possible:
        return [name for name in language_names() if name in possible]
    where = f"columns {cells.names['formula']!r}, {cells.names['other']!r}"
    raise RowError(
        f"{where}: no language accepts both; for a precise message, name it in a column 'language'"
    )


def _user_pair(cells: Cells, name: str, source: str) -> Pair:
    formula = _formula(name, cells.needed("formula").strip(), cells.names["formula"])
    partner = _formula(name, cells.needed("other").strip(), cells.names["other"])
    claimed = cells.label("same")
    are_equal = _checked_claim(name, formula, partner, claimed, cells.names.get("same", "same"))
    return Pair(
        source=source,
        language=name,
        grammar=_grammar(name, formula, partner),
        first=formula,
        second=partner,
        kind="own",
        same=are_equal,
        id=cells.name("id"),
        origin={"source": source, **cells.origin("id", "group", "cluster")},
    )


def _formula(name: str, text: str, column: str) -> Formula:
    try:
        return language(name).tree(text)
    except FormulaSyntaxError as problem:
        raise RowError(f"column {column!r}: {problem}") from None


def _grammar(name: str, formula: Formula, partner: Formula, drawn_from: str = "") -> str:
    """The grammar whose data set has a pair: some languages have two."""
    if name == "propositional" and drawn_from == "ksat":
        return drawn_from
    if name == "ltl":
        measured = map(language(name).measure, (formula, partner))
        are_of_future = all(measures["future"] for measures in measured)
        return name if are_of_future else "past_ltl"
    return name


def _checked_claim(
    name: str, formula: Formula, partner: Formula, claimed: bool | None, column: str
) -> bool:
    """Whether two formulas mean the same, by the decision procedure; raises :class:`RowError` for a wrong claim."""
    verdict = verdict_on(name, formula, partner)
    if verdict.outcome == VerdictOutcome.UNDECIDED:
        raise RowError(
            f"cannot decide whether {formula} and {partner} mean the same: {verdict.reason}"
        )
    are_equal = verdict.outcome == VerdictOutcome.EQUIVALENT
    # A wrong claim in the data would count right answers as wrong.
    if claimed not in (None, are_equal):
        text = with_sides(str(verdict.witness), FIRST_AND_SECOND)
        witness = " ".join("; ".join(text.splitlines()).split())
        claim, truth = "mean the same", f"differ: {witness}"
        if are_equal:
            claim, truth = "differ", "mean the same"
        raise RowError(
            f"column {column!r}: says that they {claim}, but {formula} and {partner} {truth}"
        )
    return are_equal
