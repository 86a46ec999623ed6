"""Pairs of formulas to judge out of files: the round trips of a run, and a user's own rows of two formulas.

Whether two formulas mean the same is decided anew, whatever a row says of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.base import Entry
from pytest_autoeval.datasets.columns import Cells, Distinct, RawRow, RowError, kind_of
from pytest_autoeval.datasets.tables import FileRows, once_a_version, take_rows
from pytest_autoeval.languages import Formula, FormulaSyntaxError, Verdict, formulas_of, language, language_names

#: The version of results that is read.
_SCHEMA_VERSION = 1
#: What a results row says of its two formulas; other outcomes say nothing.
_RECORDED = {"equivalent": True, "different": False}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two formulas of a language, where they come from, and whether they mean the same.

    ``grammar`` is that of the data set of pairs that they suit. ``kind`` is ``round trip``, or ``own`` for a row of a
    user's own; ``origin`` are its id, group and source, as facts.
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


@once_a_version
def read_pairs(files: Sequence[Path]) -> FileRows[Pair]:
    """The pairs of files, each once; what their rows say wrongly of them is a problem. Raises :class:`DataSetError`."""
    distinct: Distinct[Pair] = Distinct()

    def take(file: Path, raw: RawRow) -> None:
        pair = _pair(raw, f"{file.name}:{raw.place}")
        if pair is not None:
            question = pair.language, pair.first, pair.second
            same = distinct.kept.get(question)
            if same is None or "own" in (pair.kind, same.kind):  # a round trip may come again
                distinct.add(pair, question)

    problems = take_rows(files, take)
    return FileRows(tuple(distinct.kept.values()), problems)


def entries_of(pairs: Sequence[Pair], grammar: str) -> Iterator[Entry]:
    """What a data set of pairs has of them."""
    for pair in pairs:
        if pair.grammar == grammar:
            lang = language(pair.language)
            facts = {"other": lang.format(pair.second), "expected": pair.same, "pair": pair.kind, **pair.origin}
            yield Entry(pair.first, facts, lang.symbols(pair.first).including(lang.symbols(pair.second)))


def _pair(raw: RawRow, source: str) -> Pair | None:
    """The pair that a row is about; None where it is about something else."""
    if raw.problem:
        raise RowError(raw.problem)
    match kind_of(raw.values):
        case "round trip":
            return _round_trip(raw.values, source)
        case "pair":
            return _own(Cells(raw), source)
        case _:
            return None


def _round_trip(values: Mapping[str, Any], source: str) -> Pair | None:
    if values["schema_version"] != _SCHEMA_VERSION:
        raise RowError(f"schema_version is {values['schema_version']!r}; {_SCHEMA_VERSION} is read here")
    claimed, name = _RECORDED.get(values["outcome"]), values["language"]
    texts = values["formula"], values["translation"]
    if claimed is None or name not in language_names() or not all(isinstance(text, str) for text in texts):
        return None
    if values.get("alignment") is not None:
        return None  # the translation has names of its own: the outcome is not about these two texts
    first, second = (_formula(name, values[column], column) for column in ("formula", "translation"))
    same = _same(name, first, second, claimed, "outcome")
    grammar = _grammar(name, first, second, str(values.get("grammar")))
    return Pair(source, name, grammar, first, second, "round trip", same, origin={"source": source})


def _own(cells: Cells, source: str) -> Pair:
    texts = str(cells.name("formula")), str(cells.name("other"))
    if (name := cells.name("language")) is None:
        name = _language_of(*texts, cells.names)
    if name not in language_names():
        cells.fail("language", f"there is no language {name!r}")
    first = _formula(name, texts[0], cells.names["formula"])
    second = _formula(name, texts[1], cells.names["other"])
    same = _same(name, first, second, cells.label("same"), cells.names.get("same", "same"))
    origin = {"source": source, **cells.origin("id", "group")}
    return Pair(source, name, _grammar(name, first, second), first, second, "own", same, cells.name("id"), origin)


def _formula(name: str, text: str, column: str) -> Formula:
    try:
        return language(name).tree(text)
    except FormulaSyntaxError as problem:
        raise RowError(f"column {column!r}: {problem}") from None


def _language_of(first: str, second: str, names: Mapping[str, str]) -> str:
    """The language of two texts; a language in which a name of theirs is a mere number does not count."""
    if (found := formulas_of(first, second)) is not None:
        lang, formulas = found
        if not any(symbol.isdecimal() for formula in formulas for symbol in lang.symbols(formula).names):
            return lang.name
    where = f"columns {names['formula']!r}, {names['other']!r}"
    raise RowError(f"{where}: no language takes both; name theirs in a column 'language' to hear what is wrong")


def _grammar(name: str, first: Formula, second: Formula, drawn_from: str = "") -> str:
    """The grammar whose data set of pairs takes two formulas of a language."""
    if name == "propositional" and drawn_from == "ksat":
        return drawn_from
    if name == "ltl" and not all(language(name).measure(formula)["future"] for formula in (first, second)):
        return "past_ltl"
    return name


def _same(name: str, first: Formula, second: Formula, claimed: bool | None, column: str) -> bool:
    """Whether two formulas mean the same, as the decision procedure says; refuses a claim that they do not bear out."""
    verdict = _verdict(name, first, second)
    if verdict.outcome == "undecided":
        raise RowError(f"whether {first} and {second} mean the same is undecided: {verdict.reason}")
    same = verdict.outcome == "equivalent"
    if claimed not in (None, same):
        witness = " ".join("; ".join(str(verdict.witness).splitlines()).split())
        claim, truth = ("differ", "mean the same") if same else ("mean the same", f"differ: {witness}")
        raise RowError(f"column {column!r}: says that they {claim}, but {first} and {second} {truth}")
    return same


@lru_cache(maxsize=4096)
def _verdict(name: str, first: Formula, second: Formula) -> Verdict:
    """What is decided of two formulas; a run has many of the same."""
    return language(name).equivalent(first, second)
