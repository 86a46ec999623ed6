"""Complexity measures of regular expressions, their minimal automaton, and the witness string."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Literal

from pytest_autoeval.languages.base import LimitError, all_nodes, fold
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.automaton import END, State
from pytest_autoeval.languages.regex.boundaries import automaton_of
from pytest_autoeval.languages.regex.decision_budget import DecisionBudget
from pytest_autoeval.languages.regex.minimal_automaton import Deterministic, minimised
from pytest_autoeval.languages.regex.syntax import Expression


def measure(expression: Expression) -> dict[str, int | float]:
    """Complexity by name.

    - ``operators``: signs of repetition, union, intersection, complement and boundaries (concatenation has none);
    - ``depth``: height of the derivation, see :func:`depth`;
    - ``stars``, ``unions``, ``repetitions`` (``+ ? {m,n}``), ``concatenations`` (factors after the first);
    - ``intersections``, ``complements``, ``boundaries`` (``\\b``, ``\\B``): only if the expression has some;
    - ``symbols``: occurrences of symbols, classes and wildcards; ``distinct_symbols``: different symbols named;
    - ``length``: characters of the canonical text;
    - ``states``, ``edges``, ``density``: of the minimal complete deterministic automaton over the symbols named, at
      least one. A state that accepts nothing counts if it can be reached. ``edges`` are ordered pairs of states (also
      of a state with itself) with a transition. ``density`` is |E| / (|V| (|V| - 1)), unrounded, from the paper's
      equation (1); 0 for one state. Omitted if the automaton has more than ``MAX_STATES`` states before minimisation.
    """
    counts: Counter[type] = Counter()
    operands: Counter[type] = Counter()
    for node in expression.subformulas():
        counts[type(node)] += 1
        operands[type(node)] += len(node.children())
    signs = {
        "stars": counts[regex.Star],
        "unions": operands[regex.Union] - counts[regex.Union],
        "repetitions": counts[regex.Plus] + counts[regex.Optional] + counts[regex.Repeat],
    }
    rare_signs = {
        "intersections": operands[regex.Intersection] - counts[regex.Intersection],
        "complements": counts[regex.Complement],
        "boundaries": counts[regex.WordBoundary],
    }
    signs |= {name: count for name, count in rare_signs.items() if count}
    return {
        "operators": sum(signs.values()),
        "depth": depth(expression),
        **signs,
        "concatenations": operands[regex.Concat] - counts[regex.Concat],
        "symbols": counts[regex.Character] + counts[regex.AnySymbol] + counts[regex.CharacterClass],
        "distinct_symbols": len(symbols(expression)),
        "length": len(str(expression)),
        **_of_automaton(expression),
    }


def depth(expression: Expression) -> int:
    """The height of the derivation in ``grammars/regex.lark``, as a function of the tree.

    A symbol, repeated or not, has 1. A repeated group has one more than its inside. A concatenation is built from the
    left: each further factor gives one more than the deeper of the two parts. A union, an intersection and a
    complement have one more than their deepest part.
    """
    return fold(expression, _depth)


def symbols(expression: Expression) -> tuple[str, ...]:
    """The symbols that an expression names, in order."""
    return tuple(sorted(regex.symbols_of(all_nodes(expression))))


def _depth(node: Expression, operands: Sequence[int]) -> int:
    match node:
        case regex.Concat():
            reached = operands[0]
            for operand in operands[1:]:
                reached = 1 + max(reached, operand)
            return reached
        case regex.Union() | regex.Intersection() | regex.Complement():
            return 1 + max(operands)
        case regex.Repetition(inner):
            return 1 + operands[0] if inner.children() else 1
    return 1


_EMPTY_STRING = frozenset([""])
#: Expressions of these kinds match some string; an intersection or a complement may match none.
_MATCHING = {
    *(regex.Character, regex.Epsilon, regex.Concat, regex.Union),
    *(regex.Star, regex.Plus, regex.Optional, regex.Repeat),
}


def is_contingent(expression: Expression) -> bool:
    """Whether a cheap look shows that some string matches an expression, and that some string does not."""
    nodes = all_nodes(expression)
    kinds = set(map(type, nodes))
    if not kinds <= _MATCHING:
        return False
    short = fold(expression, _short_strings)
    if "" not in short:
        return True
    # Some string with a symbol matches. So in any alphabet, an expression that rejects the symbol alone is not trivial.
    # But the symbol of a{0} occurs in no such string.
    named_symbols = {node.char for node in nodes if isinstance(node, regex.Character)}
    return regex.Repeat not in kinds and not named_symbols <= short


def _short_strings(node: Expression, operands: Sequence[frozenset[str]]) -> frozenset[str]:
    """The strings of at most one symbol that match a node, from those of its operands.

    Of ``{m,n}``, only the empty string is certain.
    """
    match node:
        case regex.Character(char):
            return frozenset((char,))
        case regex.Concat():
            return reduce(_concatenated, operands)
        case regex.Union():
            return frozenset().union(*operands)
        case regex.Star() | regex.Optional() | regex.Repeat(_, 0):
            return operands[0] | _EMPTY_STRING
        case regex.Plus() | regex.Repeat():
            return operands[0]
    return _EMPTY_STRING


def _concatenated(left: frozenset[str], right: frozenset[str]) -> frozenset[str]:
    """The strings of at most one symbol that are a string on the left before one on the right."""
    of_left = left if "" in right else frozenset()
    return of_left | right if "" in left else of_left


#: States before minimisation, and symbols of an expression, up to which states are counted.
MAX_STATES = 2_000
#: Bytes for a count. There is no limit of time: the result would depend on the machine.
_MEMORY = 16 * 1024 * 1024
#: States that may be built for each state of a small automaton, so that it never takes long.
_DETOUR = 20
#: States of an automaton that is drawn: with more, a drawing is unreadable.
MAX_DRAWN_STATES = 12


@dataclass(frozen=True, slots=True)
class DistinguishingString:
    """A string that exactly one of two expressions accepts. Equality ignores the expressions."""

    text: str
    left: bool
    right: bool
    expressions: tuple[Expression, Expression] | None = field(
        default=None, compare=False, repr=False
    )

    @property
    def accepted_by(self) -> Literal["first", "second"]:
        """Which of the two expressions accepts it."""
        return "first" if self.left else "second"

    def __str__(self) -> str:
        opposite = "second" if self.left else "first"
        return f"{self.text or 'ε'} (accepted by the {self.accepted_by}, not by the {opposite})"

    def to_json(self) -> dict[str, Any]:
        """``kind``, ``text`` (empty for ε), ``accepted_by`` (``first``, ``second``), ``left``, ``right``, ``automata``.

        ``left`` and ``right`` are the values of the two expressions. The automata are minimal, None for more than
        ``MAX_DRAWN_STATES`` states or if not known; see :func:`small_automaton`.
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
    minimal = _minimal(expression, MAX_STATES)
    if minimal is None:
        return {}
    automaton, _ = minimal
    states = len(automaton.table)
    # Several symbols that lead from one state to another are one edge.
    edges = sum(len(set(row)) for row in automaton.table)
    density = edges / (states * (states - 1)) if states > 1 else 0.0
    return {"states": states, "edges": edges, "density": density}


def small_automaton(expression: Expression, most: int) -> dict[str, Any] | None:
    """The minimal automaton without the states from which nothing is accepted, if it has at most ``most`` states.

    The keys are ``start``, ``accepting`` (states) and ``edges``. An edge is a state, its symbols joined by commas, and
    a state; there is at most one from one state to another. A symbol that is a comma or a backslash is escaped. States
    are numbered from 0 in breadth-first order.

    None if it has more states, if the expression or an automaton on the way is many times larger, or if there is a
    wildcard or a negated class, whose meaning depends on the alphabet.
    """
    allowed = _DETOUR * most
    minimal = _minimal(expression, allowed) if expression.size <= allowed else None
    # A wildcard leaves open which symbols an edge has.
    if minimal is None or minimal[1]:
        return None
    automaton, _ = minimal
    useful = automaton.useful
    numbers = {0: 0}
    between: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    reached_states = [0]
    for state in reached_states:
        for target, symbols in zip(automaton.table[state], automaton.alike, strict=True):
            # A drawing without the states from which nothing is accepted: they only catch errors.
            if target in useful:
                if target not in numbers:
                    numbers[target] = len(numbers)
                    reached_states.append(target)
                between[numbers[state], numbers[target]] += symbols
        if len(numbers) > most:
            return None
    accepting = [number for state, number in numbers.items() if automaton.accepting[state]]
    edges = []
    for (source, target), symbols in between.items():
        label = ",".join(map(_escaped, sorted(symbols)))
        edges.append([source, label, target])
    return {"start": 0, "accepting": accepting, "edges": edges}


def _minimal(expression: Expression, most: int) -> tuple[Deterministic, bool] | None:
    """The minimal automaton, and whether it depends on the alphabet.

    None for more than ``most`` positions, or states before minimisation.
    """
    budget = DecisionBudget(math.inf, _MEMORY)
    try:
        automaton = automaton_of([expression], budget)
        if automaton.positions > most:
            return None
        # The measures need an alphabet of at least one symbol, also for ε and ∅.
        automaton.use(automaton.alphabet or ("0",))
        numbers: dict[State, int] = {automaton.starts[0]: 0}
        table: list[list[int]] = []
        reached = list(numbers)
        for state in reached:
            for target in automaton.successors(state):
                if target not in numbers:
                    numbers[target] = len(numbers)
                    reached.append(target)
            table.append([numbers[target] for target in automaton.successors(state)])
            if len(numbers) > most:
                return None
        accepting = [bool(state & END) for state in reached]
        return minimised(accepting, table, automaton.alike, budget), automaton.is_open
    except (GaveUpError, LimitError):
        return None


def _escaped(symbol: str) -> str:
    return f"\\{symbol}" if symbol in ",\\" else symbol
