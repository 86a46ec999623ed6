"""The minimal deterministic automaton of an expression: counted, and written out where it is small."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from pytest_autoeval.languages.regex.automaton import END, Automaton, State
from pytest_autoeval.languages.regex.budget import DecisionBudget, ExhaustedError
from pytest_autoeval.languages.regex.limits import written_out
from pytest_autoeval.languages.regex.syntax import Expression

#: States of a deterministic automaton that are built for a count, before minimisation, and symbols of an expression.
MAX_STATES = 2_000
#: Bytes that a count may take; no bound on time, or the answer would depend on the machine.
_MEMORY = 16 * 1024 * 1024
#: How many times as many states may be built for a small automaton as it may have: it must never take long.
_DETOUR = 20


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a complete automaton: a state that accepts nothing counts if a symbol leads there.

    ``edges`` are ordered pairs of states, a state with itself included, that one or more symbols connect.
    """

    states: int
    edges: int

    @property
    def density(self) -> float:
        """|E| / (|V| (|V| - 1)), unrounded, of the paper's equation (1); 0 for one state."""
        return self.edges / (self.states * (self.states - 1)) if self.states > 1 else 0.0


@dataclass(frozen=True, slots=True)
class SmallAutomaton:
    """A minimal automaton without the states from which nothing is accepted: a symbol that has no edge is refused.

    States are numbered from 0, where it starts, in the order in which a breadth-first walk meets them. ``edges`` go
    from a state with some symbols to a state, at most one between any two.
    """

    accepting: tuple[int, ...]
    edges: tuple[tuple[int, tuple[str, ...], int], ...]

    def to_json(self) -> dict[str, Any]:
        """``start``, ``accepting`` states, ``edges`` of a state, its symbols with commas between them, and a state.

        A comma and a backslash that are symbols themselves stand behind a backslash.
        """
        return {
            "start": 0,
            "accepting": list(self.accepting),
            "edges": [[source, ",".join(map(_escaped, symbols)), target] for source, symbols, target in self.edges],
        }


def minimal_size(expression: Expression) -> Size | None:
    """The size of the minimal automaton over the symbols that the expression names, at least one of them.

    None if the way there leads through more than ``MAX_STATES`` states.
    """
    found = _minimal(expression, MAX_STATES)
    if found is None:
        return None
    edges = {(source, target) for source, row in enumerate(found.table) for target in row}
    return Size(states=len(found.table), edges=len(edges))


def small_automaton(expression: Expression, most: int) -> SmallAutomaton | None:
    """The minimal automaton, of at most ``most`` states that lead to acceptance.

    None if it has more, if the expression or the way there is many times as large, or if there is a wildcard or a
    negated class: what those accept depends on the alphabet.
    """
    allowed = _DETOUR * most
    found = _minimal(expression, allowed) if written_out(expression) <= allowed else None
    if found is None or found.is_open:
        return None
    useful = _leading_to(found.accepting, found.table)
    numbers = {0: 0}
    between: dict[tuple[int, int], list[str]] = {}
    for state in (met := [0]):
        for target, symbols in zip(found.table[state], found.alike, strict=True):
            if target in useful:
                if target not in numbers:
                    numbers[target] = len(numbers)
                    met.append(target)
                between.setdefault((numbers[state], numbers[target]), []).extend(symbols)
        if len(numbers) > most:
            return None
    edges = tuple((source, tuple(sorted(symbols)), target) for (source, target), symbols in between.items())
    return SmallAutomaton(tuple(number for state, number in numbers.items() if found.accepting[state]), edges)


@dataclass(frozen=True, slots=True)
class _Minimal:
    """A complete minimal automaton that starts in state 0; ``table`` has a column for each of ``alike``."""

    accepting: list[bool]
    table: list[list[int]]
    alike: tuple[list[str], ...]
    is_open: bool


def _minimal(expression: Expression, most: int) -> _Minimal | None:
    """The minimal automaton, None if there are more than ``most`` positions or states before it is minimal."""
    try:
        automaton = Automaton([expression], DecisionBudget(math.inf, _MEMORY))
        if automaton.positions > most:
            return None
        automaton.use(automaton.alphabet or ("0",))
        numbers: dict[State, int] = {automaton.starts[0]: 0}
        table: list[list[int]] = []
        for state in (reached := list(numbers)):
            row = []
            for target in automaton.successors(state):
                if target not in numbers:
                    numbers[target] = len(numbers)
                    reached.append(target)
                row.append(numbers[target])
            table.append(row)
            if len(numbers) > most:
                return None
    except ExhaustedError:
        return None
    accepting = [bool(state & END) for state in reached]
    return _merged(_equivalence_classes(accepting, table), accepting, table, automaton)


def _merged(classes: list[int], accepting: list[bool], table: list[list[int]], automaton: Automaton) -> _Minimal:
    """One state for each class, numbered as they are met: 0 is that of the start."""
    numbers: dict[int, int] = {}
    members = []
    for state, its_class in enumerate(classes):
        if its_class not in numbers:
            numbers[its_class] = len(numbers)
            members.append(state)
    return _Minimal(
        [accepting[state] for state in members],
        [[numbers[classes[target]] for target in table[state]] for state in members],
        automaton.alike,
        automaton.is_open,
    )


def _leading_to(accepting: list[bool], table: list[list[int]]) -> set[int]:
    """The states from which an accepting one can be reached."""
    sources: defaultdict[int, set[int]] = defaultdict(set)
    for source, row in enumerate(table):
        for target in row:
            sources[target].add(source)
    useful = {state for state, accepts in enumerate(accepting) if accepts}
    pending = list(useful)
    while pending:
        new = sources[pending.pop()] - useful
        useful |= new
        pending.extend(new)
    return useful


def _escaped(symbol: str) -> str:
    return f"\\{symbol}" if symbol in ",\\" else symbol


def _equivalence_classes(accepting: list[bool], table: list[list[int]]) -> list[int]:
    """The number of the class of each state: Hopcroft, "An n log n algorithm for minimizing states", 1971."""
    sources: list[defaultdict[int, list[int]]] = [defaultdict(list) for _ in table[0]]
    for source, row in enumerate(table):
        for symbol, target in enumerate(row):
            sources[symbol][target].append(source)
    classes = [int(accepts) for accepts in accepting]
    blocks: list[set[int]] = [{s for s, c in enumerate(classes) if c == wanted} for wanted in (0, 1)]
    if not all(blocks):
        return [0] * len(table)
    pending = {(int(len(blocks[1]) < len(blocks[0])), symbol) for symbol in range(len(sources))}
    while pending:
        splitter, symbol = pending.pop()
        hit: defaultdict[int, set[int]] = defaultdict(set)
        for target in blocks[splitter]:
            for source in sources[symbol].get(target, ()):
                hit[classes[source]].add(source)
        for block, inside in hit.items():
            if len(inside) == len(blocks[block]):
                continue
            new = len(blocks)
            blocks[block] -= inside
            blocks.append(inside)
            for state in inside:
                classes[state] = new
            smaller = block if len(blocks[block]) < len(inside) else new
            pending |= {(new if (block, other) in pending else smaller, other) for other in range(len(sources))}
    return classes
