"""Generated data sets of temporal logic: strings to judge, traces to judge and traces to write.

The parsers decide whether a string is a formula. The evaluator decides whether a trace satisfies a formula; it shares
no code with the oracle that made the trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache, reduce
from itertools import chain, zip_longest
from typing import Any, Self, cast
from zlib import crc32

from msgspec import structs

from pytest_autoeval.datasets.data_set import (
    DataSetError,
    DrawnDataSet,
    Entry,
    Item,
    WrittenDataSet,
    measures,
    useful,
)
from pytest_autoeval.datasets.table_files import FileRows
from pytest_autoeval.datasets.temporal_rows import TemporalRow, is_well_formed
from pytest_autoeval.generation.counting import Chance, Choices
from pytest_autoeval.generation.drawing import DrawingOptions, FormulaSpace, formula_space
from pytest_autoeval.generation.grammars import find_grammar, load_grammar
from pytest_autoeval.generation.vocabularies import Names
from pytest_autoeval.languages import Formula, Vocabulary, language
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.oracle.lassos import LassoSearch, drawn, satisfying, violating
from pytest_autoeval.languages.ltl.syntax import And, Atom, Temporal

#: The grammars of formulas without past operators, and with them.
_GRAMMARS = ("ltl", "past_ltl")
#: The grammars of well-formed strings, which may have past operators, and of strings with a mistake.
_WELL_FORMED, _ILL_FORMED = "past_ltl", "ill_formed_ltl"
#: The rule of the grammar of ill-formed strings whose alternatives are the kinds of mistakes.
_MISTAKE = "mistake"
#: The largest number of states of a generated trace, prefix and loop together. The shortest traces would say little
#: about the future.
_MOST_STATES = 6
#: Either answer may come first, so that the place of an item does not show its answer.
_ORDERS: Choices[tuple[bool, bool]] = Choices.evenly([(True, False), (False, True)])


class _GeneratedSet(DrawnDataSet):
    """A generated data set of temporal logic, over the names of a vocabulary."""

    def __init__(self, vocabulary: Vocabulary | Names | None = None) -> None:
        self._spaces = tuple(formula_space(grammar, vocabulary) for grammar in _GRAMMARS)

    def over(self, vocabulary: Vocabulary | Names) -> Self:
        return type(self)(vocabulary)

    def names(self, formula: Formula) -> tuple[Vocabulary, str]:
        return super().names(formula)[0], self._spaces[0].vocabulary_name


class WellFormednessSet(_GeneratedSet):
    """Well-formed and ill-formed strings of the same size, in pairs of either order."""

    name = "ltl_well_formedness"
    language = "ltl_strings"

    def drawn(self, size: int, seed: int) -> Iterator[tuple[Formula, Mapping[str, Any]]]:
        space = self._spaces[_GRAMMARS.index(_WELL_FORMED)]
        well_formed = _strings(space.distinct(size, seed), expected=True)
        ill_formed = _ill_formed_strings(space, size, seed)
        chance = Chance(self.name, size, seed)
        lang = language(self.language)
        # As many right strings as wrong ones of each size: neither answer is better as a guess.
        for right, wrong in zip(well_formed, ill_formed, strict=False):
            for expected in chance(_ORDERS):
                text = right if expected else wrong
                yield lang.parse(text), {"text": text, "expected": expected}

    def about(self, formula: Formula, seed: int) -> Iterator[Mapping[str, Any]]:  # noqa: ARG002
        expected = is_well_formed(str(formula))
        if expected is not None:
            yield {"text": str(formula), "expected": expected}

    def typed(self, text: str, seed: int = 0) -> list[Item]:
        items = super().typed(text.strip(), seed)
        return [replace(item, facts={**item.facts, "text": text.strip()}) for item in items]


def _ill_formed_strings(well_formed: FormulaSpace, size: int, seed: int) -> Iterator[str]:
    """Strings with a mistake each, over the names of the well-formed ones."""
    spaces = _mistake_spaces(well_formed.vocabulary, well_formed.vocabulary_name)
    spaces_of_size = [space for space in spaces if size in space]
    streams = [_strings(space.distinct(size, seed), expected=False) for space in spaces_of_size]
    seen: set[str] = set()
    # In turn, so that each kind of mistake is equally frequent, as long as it has strings of the size.
    while streams:
        for stream in tuple(streams):
            text = next((text for text in stream if text not in seen), None)
            if text is None:
                streams.remove(stream)
            else:
                seen.add(text)
                yield text


def _strings(formulas: Iterator[Formula], *, expected: bool) -> Iterator[str]:
    """The texts of drawn formulas for which the parsers confirm that they are, or are not, well-formed."""
    return useful(map(str, formulas), lambda text: is_well_formed(text) is expected)


@cache
def _mistake_spaces(vocabulary: Vocabulary, vocabulary_name: str) -> tuple[FormulaSpace, ...]:
    """One formula space for each kind of mistake.

    From one space of the whole grammar, draws would be uniform over its derivations. By far the most of these have a
    mistake that takes no operator, so that other kinds would be rare.
    """
    sized, lang = load_grammar(find_grammar(_ILL_FORMED))
    # A dict, since the order of the kinds decides which strings are drawn.
    kinds = {
        production.symbols[0].value: None for production in sized.grammar.productions[_MISTAKE]
    }

    def space_of_kind(kind: str) -> FormulaSpace:
        other_kinds = kinds.keys() - {kind}
        rules = {}
        for rule, templates in sized.rules.items():
            rules[rule] = tuple(
                entry for entry in templates if entry.template.production.rule not in other_kinds
            )
        name = f"{_ILL_FORMED} {kind}"
        grammar = structs.replace(sized, rules=rules)
        return FormulaSpace(name, grammar, lang, vocabulary, vocabulary_name, DrawingOptions())

    return tuple(map(space_of_kind, kinds))


class TraceSet(_GeneratedSet):
    """Formulas with a trace each: of every two, one satisfies its formula and one violates it."""

    name = "ltl_traces"
    language = "ltl"

    def drawn(self, size: int, seed: int) -> Iterator[tuple[Formula, Mapping[str, Any]]]:
        chance = Chance(self.name, size, seed)
        formulas = _formulas(self._spaces, size, seed)
        for formula, value in zip(formulas, _values_in_pairs(chance), strict=False):
            yield formula, _with_trace(formula, value, seed)

    def about(self, formula: Formula, seed: int) -> Iterator[Mapping[str, Any]]:
        temporal = cast("Temporal", formula)
        return (_with_trace(temporal, value, seed) for value in _possible_values(temporal))


def _values_in_pairs(chance: Chance) -> Iterator[bool]:
    """Without end, True and False in pairs of either order: both are equally frequent, and no place shows its value."""
    while True:
        yield from chance(_ORDERS)


class TraceWritingSet(_GeneratedSet):
    """Formulas, each of them twice: for a satisfying trace and for a violating one."""

    name = "ltl_trace_writing"
    language = "ltl"

    def drawn(self, size: int, seed: int) -> Iterator[tuple[Formula, Mapping[str, Any]]]:
        # Both questions about each formula, so that the two kinds are equally hard.
        for formula in _formulas(self._spaces, size, seed):
            yield formula, _expected(True)
            yield formula, _expected(False)

    def about(self, formula: Formula, seed: int) -> Iterator[Mapping[str, Any]]:  # noqa: ARG002
        return map(_expected, _possible_values(cast("Temporal", formula)))


def drawn_set(name: str) -> DrawnDataSet:
    """The data set of that name, generated."""
    data_sets = (WellFormednessSet(), TraceSet(), TraceWritingSet())
    return next(data_set for data_set in data_sets if data_set.name == name)


def written_set(name: str, read: FileRows[TemporalRow]) -> WrittenDataSet:
    """The data set of that name, of the rows that fit."""
    if name == "ltl_trace_writing":
        entries = formulas_to_trace(read.rows)
    else:
        entries = filter(None, (entry_of(row, name) for row in read.rows))
    lang = "ltl_strings" if name == "ltl_well_formedness" else "ltl"
    return WrittenDataSet(name, lang, entries, read.problems)


def entry_of(row: TemporalRow, name: str) -> Entry | None:
    """The entry of a row in the data set of that name; None if the row does not fit it."""
    match name:
        case "ltl_future" | "ltl_past" if row.sentence is not None and row.formula is not None:
            is_of_future = bool(measures(language("ltl"), row.formula)["future"])
            wants_future = name == "ltl_future"
            if is_of_future is not wants_future:
                return None
            return _entry_of_sentence(row, row.formula)
        case "ltl_propositions" if row.sentence is not None:
            # Without a formula, the conjunction of all propositions replaces it: an item needs one for its size.
            atoms: list[Temporal] = [Atom(atom) for _, atom in row.propositions]
            return _entry_of_sentence(row, row.formula or reduce(And, atoms))
        case "ltl_well_formedness" if row.text is not None:
            lang = language("ltl_strings")
            string = lang.parse(row.text)
            facts = {"text": row.text, "expected": row.well_formed, **row.origin}
            return Entry(string, facts, lang.symbols(string))
        case "ltl_traces" if row.formula is not None and row.trace is not None:
            facts = {"trace": str(row.trace), "expected": row.satisfies, **row.origin}
            return Entry(row.formula, facts, Vocabulary(propositions=row.trace.atoms))
    return None


def _entry_of_sentence(row: TemporalRow, formula: Temporal) -> Entry:
    """The entry of a row with a sentence. The atoms are the vocabulary in the order of the row's propositions."""
    facts: dict[str, Any] = {
        "sentence": row.sentence,
        "propositions": list(map(list, row.propositions)),
        **row.origin,
    }
    atoms = tuple(atom for _, atom in row.propositions)
    return Entry(formula, facts, Vocabulary(propositions=atoms))


def formulas_to_trace(rows: Iterable[TemporalRow]) -> Iterator[Entry | str]:
    """The distinct formulas of rows, with each kind of trace that they have."""
    rows_by_formula: dict[Temporal, TemporalRow] = {}
    for row in rows:
        # The first row of a formula is its source.
        if row.formula is not None:
            rows_by_formula.setdefault(row.formula, row)
    for formula, row in rows_by_formula.items():
        # Several rows may have the formula, so their ids say nothing.
        origin = {key: fact for key, fact in row.origin.items() if key in ("source", "cluster")}
        for value, search in _searches(formula).items():
            facts = _expected(value)
            if search.outcome == "found":
                yield Entry(formula, {**facts, **origin}, language("ltl").symbols(formula))
            elif search.outcome == "undecided":
                question = f"whether {formula} has a {facts['expected']} trace"
                yield f"{row.source}: cannot decide {question}: {search.reason}"


def _expected(value: bool) -> dict[str, str]:
    """The fact of an item that asks for a trace on which its formula has this value."""
    return {"expected": "satisfying" if value else "violating"}


def _formulas(spaces: Iterable[FormulaSpace], size: int, seed: int) -> Iterator[Temporal]:
    """Distinct formulas, without and with past in turn; some traces satisfy each one and some violate it."""
    streams = [space.distinct(size, seed) for space in spaces]
    # `zip_longest` gives None for a stream that ended before the other one.
    seen: set[Formula | None] = {None}

    def distinct() -> Iterator[Temporal]:
        for formula in chain.from_iterable(zip_longest(*streams)):
            if formula not in seen:
                seen.add(formula)
                yield cast("Temporal", formula)

    # A formula that all traces satisfy, or none, has no trace of the other kind.
    return useful(distinct(), lambda formula: len(_possible_values(formula)) == 2)


@lru_cache(maxsize=4096)
def _possible_values(formula: Temporal) -> tuple[bool, ...]:
    """The truth values that a formula is proved to have on some trace, true first."""
    searches = _searches(formula)
    return tuple(value for value, search in searches.items() if search.outcome == "found")


def _searches(formula: Temporal) -> dict[bool, LassoSearch]:
    """For each truth value, the search for a trace on which the formula has it; true first."""
    return {True: satisfying(formula), False: violating(formula)}


def _with_trace(formula: Temporal, value: bool, seed: int) -> dict[str, Any]:
    """The facts of an item with a trace on which a formula has this value; the formula must have such a trace."""
    # Each formula has a seed of its own, so that traces differ in shape.
    seed_of_trace = crc32(f"{formula} {seed}".encode())
    trace = drawn(formula, seed_of_trace, value=value, longest=_MOST_STATES)
    # A formula that needs a longer trace gets the one that the search finds.
    if not trace:
        trace = _searches(formula)[value].lasso
    # The evaluator checks what was drawn or found: a wrong label would make right answers fail.
    if trace is None or holds(formula, trace) is not value:
        raise DataSetError(f"no trace was found on which {formula} is {value}: {trace}")
    return {"trace": str(trace), "expected": value}
