"""Traces to judge and traces to write, made in any number: formulas from the grammars, traces from the oracle.

Whether a trace satisfies its formula, the evaluator says, which shares no code with the oracle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice, zip_longest
from typing import Any, cast
from zlib import crc32

from pytest_autoeval.datasets.base import DataSet, DataSetError, Item, counted
from pytest_autoeval.datasets.rows import DataRow
from pytest_autoeval.datasets.written import Entry
from pytest_autoeval.generation.choices import Chance, Choices
from pytest_autoeval.generation.drawing import formula_space
from pytest_autoeval.languages import language
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.oracle.lassos import Found, satisfying, several, violating
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces.lasso import Lasso

_GRAMMARS = ("ltl", "past_ltl")
#: States of a made trace, in prefix and loop: the shortest traces would say little about what comes later.
_LONGEST = 6
#: So many formulas in a row that are always true, or never, end a stream.
_MOST_TRIVIAL = 1_000
_ORDERS: Choices[tuple[bool, bool]] = Choices.evenly([(True, False), (False, True)])


class _MadeOfFormulas(DataSet):
    """Items about drawn formulas that some traces satisfy and some violate."""

    language = "ltl"

    @property
    def sizes(self) -> None:
        return None

    def _item(self, formula: Temporal, facts: Mapping[str, Any], seed: int, index: int) -> Item:
        lang = language(self.language)
        size = int(lang.measure(formula)["operators"])
        return Item(self.name, self.language, lang.symbols(formula), "default", size, seed, index, formula, facts)


class TraceSet(_MadeOfFormulas):
    """Formulas with a trace each; of every two in a row one satisfies its formula and one violates it."""

    name = "ltl_traces"

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:
        labels = _labels(Chance(self.name, size, seed))
        chosen = islice(zip(_formulas(size, seed), labels, strict=False), counted(self.name, count))
        return [self._judged(formula, expected, seed, index) for index, (formula, expected) in enumerate(chosen)]

    def typed(self, text: str, seed: int = 0) -> list[Item]:
        formula = cast("Temporal", language(self.language).parse(text))
        return [self._judged(formula, side, seed, index) for index, side in enumerate(_possible(formula))]

    def _judged(self, formula: Temporal, expected: bool, seed: int, index: int) -> Item:
        return self._item(formula, {"trace": str(_trace(formula, expected, seed)), "expected": expected}, seed, index)


class TraceWritingSet(_MadeOfFormulas):
    """Formulas, each of them twice: wanted is a satisfying trace, and a violating one."""

    name = "ltl_trace_writing"

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:
        wanted = ((formula, side) for formula in _formulas(size, seed) for side in (True, False))
        chosen = islice(wanted, counted(self.name, count))
        return [self._item(formula, _wanted(side), seed, index) for index, (formula, side) in enumerate(chosen)]

    def typed(self, text: str, seed: int = 0) -> list[Item]:
        formula = cast("Temporal", language(self.language).parse(text))
        return [self._item(formula, _wanted(side), seed, index) for index, side in enumerate(_possible(formula))]


def formulas_to_trace(rows: Iterable[DataRow]) -> Iterator[Entry | str]:
    """The distinct formulas of rows, with each kind of trace that they have."""
    seen: set[Temporal] = set()
    for row in rows:
        if row.formula is None or row.formula in seen:
            continue
        seen.add(row.formula)
        atoms = language("ltl").symbols(row.formula).propositions
        for side, found in _searched(row.formula).items():
            if found.outcome == "found":
                yield Entry(row.formula, {**_wanted(side), "source": row.source}, atoms)
            elif found.outcome == "undecided":
                wanted = _wanted(side)["expected"]
                yield f"{row.source}: whether {row.formula} has a {wanted} trace is undecided: {found.reason}"


def _wanted(side: bool) -> dict[str, str]:
    return {"expected": "satisfying" if side else "violating"}


def _labels(chance: Chance) -> Iterator[bool]:
    """Either label first, then the other, again and again."""
    while True:
        yield from chance(_ORDERS)


def _formulas(size: int, seed: int) -> Iterator[Temporal]:
    """Distinct formulas over the future and with past in turn, each satisfied by some traces and violated by some."""
    streams = [formula_space(grammar).distinct(size, seed) for grammar in _GRAMMARS]
    seen: set[str] = set()
    misses = 0
    for drawn in chain.from_iterable(zip_longest(*streams)):
        if drawn is None or str(drawn) in seen:
            continue
        seen.add(str(drawn))
        formula = cast("Temporal", drawn)
        if len(_possible(formula)) == 2:
            misses = 0
            yield formula
        else:
            misses += 1
            if misses == _MOST_TRIVIAL:
                return


@lru_cache(maxsize=4096)
def _possible(formula: Temporal) -> tuple[bool, ...]:
    """The truth values that a formula has on some trace for certain, true first."""
    return tuple(side for side, found in _searched(formula).items() if found.outcome == "found")


def _searched(formula: Temporal) -> dict[bool, Found]:
    return {True: satisfying(formula), False: violating(formula)}


def _trace(formula: Temporal, side: bool, seed: int) -> Lasso:
    """A trace that satisfies a formula, or violates it, which it must be known to have."""
    chance = crc32(f"{formula} {seed}".encode())  # each formula has its own, so that traces differ in shape
    found = several(formula, 1, chance, value=side, longest=_LONGEST)
    trace = found.lasso or (satisfying(formula) if side else violating(formula)).lasso
    if trace is None or holds(formula, trace) is not side:
        raise DataSetError(f"no trace is known that gives {formula} the value {side}: {found.reason or trace}")
    return trace
