"""Complexity measures of regular expressions, and the minimal automaton that some of them count."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_autoeval.languages.base import LimitError, fold
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.automaton import END, Automaton, DecisionBudget, State
from pytest_autoeval.languages.regex.syntax import Expression


def measure(expression: Expression) -> dict[str, int | float]:
    """Complexity by name.

    - ``operators``: signs of repetition and of union; concatenation has none and does not count;
    - ``depth``: height of the derivation, see :func:`depth`;
    - ``stars``, ``unions``, ``repetitions`` (``+ ? {m,n}``), ``concatenations`` (factors after the first): how many;
    - ``symbols``: occurrences of symbols, classes and wildcards; ``distinct_symbols``: the different ones named;
    - ``length``: characters of the canonical text;
    - ``states``, ``edges``, ``density``: of the minimal complete deterministic automaton over the symbols named, at
      least one. A state that accepts nothing counts if a symbol leads there. ``edges`` are ordered pairs of states, a
      state with itself included, that one or more symbols connect. ``density`` is |E| / (|V| (|V| - 1)), unrounded, of
      the paper's equation (1); 0 for one state. Left out where more than ``MAX_STATES`` states lead there.
    """
    counts: Counter[type] = Counter()
    parts: Counter[type] = Counter()
    for node in expression.subformulas():
        counts[type(node)] += 1
        parts[type(node)] += len(node.children())
    signs = {
        "stars": counts[regex.Star],
        "unions": parts[regex.Union] - counts[regex.Union],
        "repetitions": counts[regex.Plus] + counts[regex.Optional] + counts[regex.Repeat],
    }
    return {
        "operators": sum(signs.values()),
        "depth": depth(expression),
        **signs,
        "concatenations": parts[regex.Concat] - counts[regex.Concat],
        "symbols": counts[regex.Character] + counts[regex.AnySymbol] + counts[regex.CharacterClass],
        "distinct_symbols": len(symbols(expression)),
        "length": len(str(expression)),
        **_of_automaton(expression),
    }


def depth(expression: Expression) -> int:
    """The height of the derivation in ``grammars/regex.lark``, as a function of the tree.

    1 for a symbol, repeated or not; one more than the inside for a group that is repeated; of a concatenation, built up
    from the left, one more than the deeper of what is there and the factor that is added; of a union, one more than
    its deepest part.
    """
    return fold(expression, _depth)


def symbols(expression: Expression) -> tuple[str, ...]:
    """The symbols that an expression names, in order."""
    return tuple(sorted({char for node in expression.subformulas() for char in regex.named(node)}))


def _depth(node: Expression, parts: Sequence[int]) -> int:
    match node:
        case regex.Concat():
            reached = parts[0]
            for part in parts[1:]:
                reached = 1 + max(reached, part)
            return reached
        case regex.Union():
            return 1 + max(parts)
        case regex.Repetition(inner):
            return 1 + parts[0] if inner.children() else 1
    return 1


#: States of a deterministic automaton that are built for a count, before minimisation, and symbols of an expression.
MAX_STATES = 2_000
#: Bytes that a count may take; no bound on time, or the answer would depend on the machine.
_MEMORY = 16 * 1024 * 1024
#: How many times as many states may be built for a small automaton as it may have: it must never take long.
_DETOUR = 20
#: States of an automaton that is still written out, to be drawn: with more, a person sees nothing.
MAX_DRAWN_STATES = 12


@dataclass(frozen=True, slots=True)
class DistinguishingString:
    """A string that one of two expressions accepts and the other does not: its text and that make it equal."""

    text: str
    left: bool
    right: bool
    expressions: tuple[Expression, Expression] | None = field(default=None, compare=False, repr=False)

    @property
    def accepted_by(self) -> Literal["first", "second"]:
        """Which of the two expressions accepts it."""
        return "first" if self.left else "second"

    def __str__(self) -> str:
        other = "second" if self.left else "first"
        return f"{self.text or 'ε'} (accepted by the {self.accepted_by}, not by the {other})"

    def to_json(self) -> dict[str, Any]:
        """``kind``, the string (empty for ε), which expression accepts it, ``first`` or ``second``, and ``automata``.

        ``left`` and ``right`` say the same of the two expressions as of two formulas. The automata are the minimal one
        of each, None where it has more than ``MAX_DRAWN_STATES`` states or is not known; see :func:`small_automaton`.
        """
        automata: dict[str, Any] = {"first": None, "second": None}
        for side, expression in zip(automata, self.expressions or (), strict=False):
            automata[side] = small_automaton(expression, MAX_DRAWN_STATES)
        return {
            "kind": "string",
            "text": self.text,
            "accepted_by": self.accepted_by,
            "left": self.left,
            "right": self.right,
            "automata": automata,
        }


def _of_automaton(expression: Expression) -> dict[str, int | float]:
    if (found := _minimal(expression, MAX_STATES)) is None:
        return {}
    states = len(found.table)
    edges = len({(source, target) for source, row in enumerate(found.table) for target in row})
    return {"states": states, "edges": edges, "density": edges / (states * (states - 1)) if states > 1 else 0.0}


def small_automaton(expression: Expression, most: int) -> dict[str, Any] | None:
    """The minimal automaton without the states from which nothing is accepted, if it has at most ``most`` others.

    ``start``, ``accepting`` states, and ``edges`` of a state, its symbols with commas between them, and a state: at
    most one between any two. A comma and a backslash that are symbols themselves stand behind a backslash. States are
    numbered from 0 in the order in which a breadth-first walk meets them.

    None if it has more, if the expression or the way there is many times as large, or if there is a wildcard or a
    negated class: what those accept depends on the alphabet.
    """
    allowed = _DETOUR * most
    found = _minimal(expression, allowed) if expression.size <= allowed else None
    if found is None or found.is_open:
        return None
    # The states from which an accepting one can be reached.
    useful = {state for state, accepts in enumerate(found.accepting) if accepts}
    while more := {source for source, row in enumerate(found.table) if not useful.isdisjoint(row)} - useful:
        useful |= more
    numbers = {0: 0}
    between: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for state in (met := [0]):
        for target, symbols in zip(found.table[state], found.alike, strict=True):
            if target in useful:
                if target not in numbers:
                    numbers[target] = len(numbers)
                    met.append(target)
                between[numbers[state], numbers[target]] += symbols
        if len(numbers) > most:
            return None
    return {
        "start": 0,
        "accepting": [number for state, number in numbers.items() if found.accepting[state]],
        "edges": [
            [source, ",".join(map(_escaped, sorted(symbols))), target] for (source, target), symbols in between.items()
        ],
    }


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
            for target in automaton.successors(state):
                if target not in numbers:
                    numbers[target] = len(numbers)
                    reached.append(target)
            table.append([numbers[target] for target in automaton.successors(state)])
            if len(numbers) > most:
                return None
    except (GaveUpError, LimitError):
        return None
    accepting = [bool(state & END) for state in reached]
    classes = _equivalence_classes(accepting, table)
    members = {its_class: state for state, its_class in reversed(list(enumerate(classes)))}
    return _Minimal(
        [accepting[members[each]] for each in sorted(members)],
        [[classes[target] for target in table[members[each]]] for each in sorted(members)],
        automaton.alike,
        automaton.is_open,
    )


def _equivalence_classes(accepting: list[bool], table: list[list[int]]) -> list[int]:
    """The class of each state, numbered as they are met: split until those of a class lead to the same classes.

    E. F. Moore, "Gedanken-experiments on sequential machines", 1956.
    """
    classes, count = list(map(int, accepting)), 0
    while True:
        numbers: dict[tuple[int, ...], int] = {}
        for_all = zip(classes, table, strict=True)
        classes = [
            numbers.setdefault((own, *[classes[target] for target in row]), len(numbers)) for own, row in for_all
        ]
        if len(numbers) == count:
            return classes
        count = len(numbers)


def _escaped(symbol: str) -> str:
    return f"\\{symbol}" if symbol in ",\\" else symbol
