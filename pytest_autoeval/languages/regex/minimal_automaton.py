"""Minimal deterministic automata: states that accept the same strings become one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_autoeval.languages.regex.decision_budget import DecisionBudget

#: Rounds in which the states of nearly all small automata are told apart. A chain needs one for each of its states.
_ROUNDS = 16


@dataclass(frozen=True, slots=True)
class Deterministic:
    """A complete minimal deterministic automaton with initial state 0; ``table`` has a column for each of ``alike``."""

    accepting: list[bool]
    table: list[list[int]]
    alike: tuple[list[str], ...]

    def complement(self) -> Deterministic:
        """The automaton of all other strings."""
        return replace(self, accepting=[not accepts for accepts in self.accepting])

    @property
    def useful(self) -> set[int]:
        """The states from which an accepting one can be reached."""
        # Backwards from the accepting states, so that a long chain takes linear time.
        sources: defaultdict[int, list[int]] = defaultdict(list)
        for source, row in enumerate(self.table):
            for target in row:
                sources[target].append(source)
        waiting = [state for state, accepts in enumerate(self.accepting) if accepts]
        useful = set(waiting)
        while waiting:
            before = {source for source in sources[waiting.pop()] if source not in useful}
            useful |= before
            waiting += before
        return useful


def minimised(
    accepting: Sequence[bool],
    table: Sequence[Sequence[int]],
    classes_of_symbols: tuple[list[str], ...],
    budget: DecisionBudget,
) -> Deterministic:
    """The minimal automaton of a complete one whose states can all be reached from state 0.

    Classes of states are split until their states lead to the same classes, always by the smaller half of a class that
    was split: J. Hopcroft, "An n log n algorithm for minimizing states in a finite automaton", 1971. A plain refinement
    in rounds takes quadratic time for a chain, which counting expressions such as ``~((a{50}){50})`` make.
    """
    classes = _classes_by_rounds(accepting, table) or _classes_by_halves(accepting, table, budget)
    # Classes are numbered in the order of their first states, so that state 0 stays the initial one.
    numbers: dict[int, int] = {}
    representatives: list[int] = []
    for state, state_class in enumerate(classes):
        if state_class not in numbers:
            numbers[state_class] = len(numbers)
            representatives.append(state)
    class_numbers = [numbers[state_class] for state_class in classes]
    minimal_table = [
        [class_numbers[target] for target in table[state]] for state in representatives
    ]
    minimal_accepting = [accepting[state] for state in representatives]
    return Deterministic(minimal_accepting, minimal_table, classes_of_symbols)


def _classes_by_rounds(
    accepting: Sequence[bool], table: Sequence[Sequence[int]]
) -> list[int] | None:
    """For each state the number of its class, None if they are not known after a few rounds.

    Most automata are small, and for these it is faster than halves.
    """
    classes = list(map(int, accepting))
    count = 0
    for _ in range(_ROUNDS):
        numbers: dict[tuple[int, ...], int] = {}
        refined = []
        for state_class, row in zip(classes, table, strict=True):
            signature = (state_class, *[classes[target] for target in row])
            refined.append(numbers.setdefault(signature, len(numbers)))
        classes = refined
        # A round only splits classes. With the same number, none was split.
        if len(numbers) == count:
            return classes
        count = len(numbers)
    return None


def _classes_by_halves(
    accepting: Sequence[bool], table: Sequence[Sequence[int]], budget: DecisionBudget
) -> list[int]:
    """For each state the number of its class. States of one class accept the same strings."""
    classes = list(map(int, accepting))
    members: list[set[int]] = [set(), set()]
    for state, state_class in enumerate(classes):
        members[state_class].add(state)
    columns = [_sources(column) for column in zip(*table, strict=True)]
    # One of the two would do, but then the other may be the one that is not empty.
    waiting = {0, 1}
    while waiting:
        splitter = tuple(members[waiting.pop()])  # the class itself may be split below
        for sources in columns:
            budget.spend()
            leading: defaultdict[int, set[int]] = defaultdict(set)
            for target in splitter:
                for source in sources.get(target, ()):
                    leading[classes[source]].add(source)
            for state_class, inside in leading.items():
                if len(inside) == len(members[state_class]):
                    continue
                new = len(members)
                # The smaller half gets the new number: each state is renumbered at most log n times.
                outside = members[state_class] - inside
                smaller, larger = sorted((inside, outside), key=len)
                members[state_class] = larger
                members.append(smaller)
                for state in smaller:
                    classes[state] = new
                waiting.add(new)
    return classes


def _sources(column: Sequence[int]) -> dict[int, list[int]]:
    """The states that lead to each state by one symbol."""
    sources: defaultdict[int, list[int]] = defaultdict(list)
    for source, target in enumerate(column):
        sources[target].append(source)
    return dict(sources)
