"""Pairs of formulas to judge out of files: the round trips of a run, and a user's own rows of two formulas.

Whether two formulas mean the same is decided anew, whatever a row says of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.columns import RESULT, Column, columns_of, is_pair
from pytest_autoeval.datasets.labels import label
from pytest_autoeval.datasets.tables import RawRow, Version, read_table, version_of
from pytest_autoeval.datasets.written import Entry
from pytest_autoeval.languages import Formula, FormulaSyntaxError, Verdict, formulas_of, language, language_names

#: The version of results that is read.
_SCHEMA_VERSION = 1
#: What a results row says of its two formulas; other outcomes say nothing.
_RECORDED = {"equivalent": True, "different": False}
_SAME, _DIFFERENT = "mean the same", "differ"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two formulas of a language, where they come from, and whether they mean the same.

    ``grammar`` is that of the data set of pairs that they suit. ``kind`` is ``round trip``, or ``own`` for a row of a
    user's own.
    """

    source: str
    language: str
    grammar: str
    first: Formula
    second: Formula
    kind: str
    claimed: bool | None
    claim_column: str
    id: str | None = None
    group: str | None = None
    same: bool | None = None


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs that can be used, in the order of the files, and a line for each that cannot."""

    pairs: tuple[Pair, ...]
    problems: tuple[str, ...]


class _PairError(Exception):
    """A row cannot be used."""


def read_pairs(files: Sequence[Path]) -> Pairs:
    """The pairs of files, each once; what their rows say wrongly of them is a problem. Raises :class:`DataSetError`."""
    kept: dict[tuple[str, Formula, Formula], Pair] = {}
    names: dict[str, Pair] = {}
    problems: list[str] = []
    for file in dict.fromkeys(files):
        found = _read_version(file, version_of(file))
        problems += found.problems
        for pair in found.pairs:
            key = pair.language, pair.first, pair.second
            earlier, namesake = kept.get(key), names.get(pair.id or "")
            if earlier is not None and "own" in (pair.kind, earlier.kind):
                problems.append(f"{file.parent / pair.source}: says the same as {earlier.source}")
            elif namesake is not None:
                problems.append(f"{file.parent / pair.source}: the id {pair.id!r} is that of {namesake.source}")
            elif earlier is None:
                kept[key] = pair
                if pair.id is not None:
                    names[pair.id] = pair
    return Pairs(tuple(kept.values()), tuple(problems))


def entries_of(pairs: Sequence[Pair], grammar: str) -> Iterator[Entry]:
    """What a data set of pairs has of them."""
    for pair in pairs:
        if pair.grammar == grammar:
            lang = language(pair.language)
            origin = {"source": pair.source, "item": pair.id, "group": pair.group}
            facts = {
                "other": lang.format(pair.second),
                "expected": pair.same,
                "pair": pair.kind,
                **{key: value for key, value in origin.items() if value is not None},
            }
            yield Entry(pair.first, facts, lang.symbols(pair.first).including(lang.symbols(pair.second)))


@lru_cache(maxsize=32)
def _read_version(path: Path, _version: Version) -> Pairs:
    pairs: list[Pair] = []
    problems: list[str] = []
    for raw in read_table(path):
        try:
            pair = _pair(raw, f"{path.name}:{raw.place}")
            if pair is not None:
                pairs.append(_decided(pair))
        except _PairError as problem:
            problems.append(f"{path}:{raw.place}: {problem}")
    return Pairs(tuple(pairs), tuple(problems))


def _pair(raw: RawRow, source: str) -> Pair | None:
    """The pair that a row is about, not decided yet; None where it is about something else."""
    if raw.problem:
        raise _PairError(raw.problem)
    if not is_pair(raw.values):
        return None
    return _round_trip(raw.values, source) if raw.values.keys() >= RESULT else _own(raw.values, source)


def _round_trip(values: Mapping[str, Any], source: str) -> Pair | None:
    if values["schema_version"] != _SCHEMA_VERSION:
        raise _PairError(f"schema_version is {values['schema_version']!r}; {_SCHEMA_VERSION} is read here")
    claimed, name = _RECORDED.get(values["outcome"]), values["language"]
    texts = values["formula"], values["translation"]
    if claimed is None or name not in language_names() or not all(isinstance(text, str) for text in texts):
        return None
    if values.get("alignment") is not None:
        return None  # the translation has names of its own: the outcome is not about these two texts
    first, second = (_formula(name, values[column], column) for column in ("formula", "translation"))
    grammar = _grammar(name, first, second, str(values.get("grammar")))
    return Pair(source, name, grammar, first, second, "round trip", claimed, "outcome")


def _own(values: Mapping[str, Any], source: str) -> Pair:
    try:
        names = columns_of(values)
    except ValueError as problem:
        raise _PairError(str(problem)) from None
    cells = {column: str(values[name]).strip() for column, name in names.items() if values[name] is not None}
    first, second = cells["formula"], cells["other"]
    name = cells.get("language", "") or _language_of(first, second, names)
    if name not in language_names():
        raise _PairError(f"column {names['language']!r}: there is no language {name!r}")
    formulas = _formula(name, first, names["formula"]), _formula(name, second, names["other"])
    try:
        claimed = label(cells["same"]) if cells.get("same") else None
    except ValueError as problem:
        raise _PairError(f"column {names['same']!r}: {problem}") from None
    grammar = _grammar(name, *formulas, "")
    pair = Pair(source, name, grammar, *formulas, "own", claimed, names.get("same", "same"))
    return replace(pair, id=cells.get("id") or None, group=cells.get("group") or None)


def _formula(name: str, text: Any, column: str) -> Formula:
    try:
        return language(name).tree(str(text))
    except FormulaSyntaxError as problem:
        raise _PairError(f"column {column!r}: {problem}") from None


def _language_of(first: str, second: str, names: Mapping[Column, str]) -> str:
    """The language of two texts; a language in which a name of theirs is a mere number does not count."""
    if (found := formulas_of(first, second)) is not None:
        lang, formulas = found
        if not any(symbol.isdecimal() for formula in formulas for symbol in lang.symbols(formula).names):
            return lang.name
    where = f"columns {names['formula']!r}, {names['other']!r}"
    raise _PairError(f"{where}: no language takes both; name theirs in a column 'language' to hear what is wrong")


def _grammar(name: str, first: Formula, second: Formula, drawn_from: str) -> str:
    """The grammar whose data set of pairs takes two formulas of a language."""
    if name == "propositional" and drawn_from == "ksat":
        return drawn_from
    if name == "ltl" and not all(language(name).measure(formula)["future"] for formula in (first, second)):
        return "past_ltl"
    return name


def _decided(pair: Pair) -> Pair:
    """The pair with what the decision procedure says of it."""
    verdict = _verdict(pair.language, pair.first, pair.second)
    if verdict.outcome == "undecided":
        raise _PairError(f"whether {pair.first} and {pair.second} {_SAME} is undecided: {verdict.reason}")
    same = verdict.outcome == "equivalent"
    if pair.claimed not in (None, same):
        truth = _SAME if same else f"{_DIFFERENT}: {' '.join('; '.join(str(verdict.witness).splitlines()).split())}"
        says = _SAME if pair.claimed else _DIFFERENT
        but = f"but {pair.first} and {pair.second} {truth}"
        raise _PairError(f"column {pair.claim_column!r}: says that they {says}, {but}")
    return replace(pair, same=same)


@lru_cache(maxsize=4096)
def _verdict(name: str, first: Formula, second: Formula) -> Verdict:
    """What is decided of two formulas; a run has many of the same."""
    return language(name).equivalent(first, second)
