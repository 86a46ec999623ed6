"""The minimal deterministic automaton of an expression, counted."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from pytest_autoeval.languages.regex.automaton import END, Automaton, State
from pytest_autoeval.languages.regex.budget import Budget, ExhaustedError
from pytest_autoeval.languages.regex.syntax import Expression

#: States of a deterministic automaton that are built for a count, before minimisation, and symbols of an expression.
MAX_STATES = 2_000
#: Bytes that a count may take; no bound on time, or the answer would depend on the machine.
_MEMORY = 16 * 1024 * 1024


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


def minimal_size(expression: Expression) -> Size | None:
    """The size of the minimal automaton over the symbols that the expression names, at least one of them.

    None if the way there leads through more than ``MAX_STATES`` states.
    """
    try:
        automaton = Automaton([expression], Budget(math.inf, _MEMORY))
        if automaton.positions > MAX_STATES:
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
            if len(numbers) > MAX_STATES:
                return None
    except ExhaustedError:
        return None
    classes = _equivalence_classes([bool(state & END) for state in reached], table)
    edges = {(classes[source], classes[target]) for source, row in enumerate(table) for target in row}
    return Size(states=max(classes) + 1, edges=len(edges))


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
