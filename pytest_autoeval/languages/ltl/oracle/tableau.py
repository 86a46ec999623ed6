"""The symbolic tableau of a formula. A state promises formulas for the next position and remembers earlier ones.

Clarke, Grumberg, Hamaguchi, "Another look at LTL model checking", Formal Methods in System Design 10 (1997); the past
after Lichtenstein, Pnueli, Zuck, "The glory of the past", Logics of Programs (1985). A formula is satisfiable if and
only if some path of states starts in an initial one and meets every fairness constraint infinitely often. The values of
the atoms along that path are a trace that satisfies it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from typing import Literal as OneOf

# Imported at the top, before the time of a decision begins: the import may take a second.
from dd import autoref

from pytest_autoeval.languages.ltl.oracle.normal import (
    TRUE,
    Kind,
    Literal,
    Node,
    NormalForm,
    negated,
)

try:
    from dd import cudd
except ImportError:
    cudd = None

#: Binary decision diagrams: CUDD's if the library ``dd`` has them, else those that ``dd`` has in Python.
Backend = OneOf["cudd", "autoref"]
#: Takes ``~``, ``&``, ``|``, ``.equiv()``, and ``==``, which is equality of meaning.
Diagram = Any

#: Bytes that CUDD estimates (half a gigabyte costs it a millisecond), and the first size of its cache. Both may grow.
_MEMORY = 1 << 26
_CACHE = 1 << 12
#: Nodes of a diagram below which a better order of variables costs more than it saves.
_REORDER_FROM = 5_000
#: The value of each of a tableau's variables.
State = Mapping[str, bool]
#: Nodes up to which conjuncts of the transition relation are multiplied: fewer factors, but no large ones.
_CLUSTER = 400


class NamedDiagrams:
    """Diagrams over named variables, all of one manager.

    ``backend`` is ``"cudd"`` or ``"autoref"``; None takes the faster one that is installed.
    """

    def __init__(self, backend: Backend | None = None) -> None:
        self._manager, self._and_exists = _manager(backend)
        self._manager.configure(reordering=False)
        self._reorders = False
        self.true: Diagram = self._manager.true
        self.false: Diagram = self._manager.false

    def variable(self, name: str) -> Diagram:
        """A variable's diagram; a new variable comes last in the order."""
        self._manager.declare(name)
        return self._manager.var(name)

    def differ(self, left: Diagram, right: Diagram) -> Diagram:
        return self._manager.apply("xor", left, right)

    def exists(self, names: Iterable[str], left: Diagram, right: Diagram) -> Diagram:
        """The conjunction of two diagrams, with variables quantified away."""
        product = self._and_exists(left, right, names)
        # A better order takes long to find, so small diagrams keep the first one.
        if not self._reorders and product.dag_size > _REORDER_FROM:
            self._manager.configure(reordering=True)
            self._reorders = True
        return product

    def substituted(self, diagram: Diagram, replacements: Mapping[str, Diagram | bool]) -> Diagram:
        """The diagram with variables replaced all at once, either all by diagrams or all by truth values."""
        return self._manager.let(dict(replacements), diagram) if replacements else diagram

    def support(self, diagram: Diagram) -> set[str]:
        """The variables that a diagram depends on."""
        return set(self._manager.support(diagram))


def _manager(backend: Backend | None) -> tuple[Any, Any]:
    """A manager, and its function for conjunction with quantification."""
    if backend == "cudd" or (backend is None and cudd):
        return cudd.BDD(memory_estimate=_MEMORY, initial_cache_size=_CACHE), cudd.and_exists
    manager = autoref.BDD()
    return manager, lambda left, right, names: manager.exist(names, left & right)


class Tableau:
    """States over variables: one for each atom, and one for each formula at the next or the previous position.

    ``initial`` and each of ``fairness`` are sets of states: diagrams over ``variables``. ``atoms`` are in the order of
    the normal form. Subformulas with equal diagrams share their variables. So a formula together with its unfolding
    (``a U b`` and ``b | a & X(a U b)``) costs no more than one of them.

    A conjunct ``G a`` of the whole formula needs no variable: all states satisfy ``a``. Only an "until" that helps to
    satisfy the formula needs a fairness constraint. Where its negation helps, a state that claims it without reason
    makes nothing true.
    """

    def __init__(self, form: NormalForm, backend: Backend | None = None) -> None:
        self.diagrams = NamedDiagrams(backend)
        self.variables: list[str] = []
        self.atoms = [f"atom{index}" for index in range(len(form.atoms))]
        self.fairness: list[Diagram] = []
        #: The formula that a variable promises for the next position, or remembers of the previous one, as a diagram.
        self._promised: dict[str, Diagram] = {}
        self._remembered: dict[str, Diagram] = {}
        self._primed: dict[str, Diagram] = {}
        self._fair: set[Diagram] = set()
        self._neighbours: dict[tuple[Kind, Diagram], Diagram] = {}
        self._reached: dict[tuple[Kind, Diagram, Diagram], Diagram] = {}
        self._values: list[Diagram] = []
        initially, always = conjuncts(form)
        self._fulfilled = _positive(form, (*initially, *always))
        needed = _below(form, (*initially, *always))
        for number in _order(form, needed):
            for name in (f"formula{number}", _prime(f"formula{number}")):
                self.diagrams.variable(name)
        for number, node in enumerate(form.nodes):
            self._values.append(self._value(number, node) if number in needed else None)
        #: What holds in each state.
        self.invariant = self.diagrams.true
        for literal in always:
            self.invariant &= self._literal(literal)
        self.initial = self.invariant
        for literal in initially:
            self.initial &= self._literal(literal)
        for name in self._remembered:
            self.initial &= ~self.diagrams.variable(name)
        self._relation = self._clusters()

    def before(self, states: Diagram) -> Diagram:
        """The states with a successor among the given ones."""
        predecessors = self.diagrams.substituted(states, self._primed)
        for conjunct, last_seen in self._relation:
            predecessors = self.diagrams.exists(last_seen, predecessors, conjunct)
        remembered = {_prime(name): value for name, value in self._remembered.items()}
        return self.diagrams.substituted(predecessors, remembered)

    def after(self, state: State) -> Diagram:
        """The successors of one state."""
        states = self.diagrams.true
        for name, promised in self._promised.items():
            states &= promised if state[name] else ~promised
        for name, remembered in self._remembered.items():
            variable = self.diagrams.variable(name)
            is_true = self.diagrams.substituted(remembered, state) == self.diagrams.true
            states &= variable if is_true else ~variable
        return states

    def only(self, state: State) -> Diagram:
        """The set of one state."""
        states = self.diagrams.true
        # Backwards: most variables then come above those already there, which costs one node each.
        for name in reversed(self.variables):
            variable = self.diagrams.variable(name)
            states &= variable if state[name] else ~variable
        return states

    def _literal(self, literal: Literal) -> Diagram:
        value = self._values[literal >> 1]
        return ~value if literal & 1 else value

    def _value(self, number: int, node: Node) -> Diagram:
        match node.kind:
            case Kind.TRUE:
                return self.diagrams.true
            case Kind.ATOM:
                self.atoms[node.left] = f"formula{number}"
                return self._variable(f"formula{number}")
            case Kind.AND:
                return self._literal(node.left) & self._literal(node.right)
            case Kind.XOR:
                return self.diagrams.differ(self._literal(node.left), self._literal(node.right))
            case Kind.NEXT | Kind.YESTERDAY:
                return self._neighbour(number, node.kind, self._literal(node.left))
            case Kind.UNTIL | Kind.SINCE:
                return self._reaching(
                    number, node.kind, self._literal(node.left), self._literal(node.right)
                )

    def _neighbour(self, number: int, kind: Kind, operand: Diagram) -> Diagram:
        if operand == self.diagrams.false or (kind is Kind.NEXT and operand == self.diagrams.true):
            return operand
        if kind is Kind.NEXT and (kind, ~operand) in self._neighbours:
            return ~self._neighbours[kind, ~operand]
        if (kind, operand) not in self._neighbours:
            name = f"formula{number}"
            self._neighbours[kind, operand] = self._variable(name)
            (self._promised if kind is Kind.NEXT else self._remembered)[name] = operand
        return self._neighbours[kind, operand]

    def _reaching(self, number: int, kind: Kind, hold: Diagram, goal: Diagram) -> Diagram:
        """``hold U goal`` or ``hold S goal``; ``hold | goal`` in place of ``hold`` means the same."""
        hold |= goal
        if hold == goal:
            return goal
        if (kind, hold, goal) not in self._reached:
            name = f"formula{number}"
            variable = self._variable(name)
            value = goal | (hold & variable)
            if kind is Kind.UNTIL:
                self._promised[name] = value
                self._neighbours[Kind.NEXT, value] = variable
            else:
                self._remembered[name] = value
                self._neighbours[Kind.YESTERDAY, value] = variable
            self._reached[kind, hold, goal] = value
        value = self._reached[kind, hold, goal]
        if kind is Kind.UNTIL and number in self._fulfilled and value not in self._fair:
            self._fair.add(value)
            # Otherwise a path could promise its goal for ever and never reach it.
            self.fairness.append(~value | goal)
        return value

    def _variable(self, name: str) -> Diagram:
        """A node's variable; its primed copy (its value at the next position) is adjacent in the order."""
        variable = self.diagrams.variable(name)
        self.variables.append(name)
        self._primed[name] = self.diagrams.variable(_prime(name))
        return variable

    def _clusters(self) -> list[tuple[Diagram, set[str]]]:
        """The promises as conjuncts of a relation, each with the primed variables that no later conjunct mentions.

        What a state remembers is a function of its predecessor, which :meth:`before` substitutes afterwards. The
        innermost formulas come last: they share variables with most others, but few others mention them.
        """
        clusters = [self.diagrams.true]
        for name, promised in reversed(self._promised.items()):
            primed = self.diagrams.substituted(promised, self._primed)
            conjunct = self.diagrams.variable(name).equiv(primed)
            product = clusters[-1] & conjunct
            if product.dag_size <= _CLUSTER:
                clusters[-1] = product
            else:
                clusters.append(conjunct)
        unseen = {_prime(name) for name in self.variables if name not in self._remembered}
        relation = []
        for conjunct in reversed(clusters[1:]):
            last_seen = self.diagrams.support(conjunct) & unseen
            relation.append((conjunct, last_seen))
            unseen -= last_seen
        return [(clusters[0], unseen), *reversed(relation)]


def _prime(name: str) -> str:
    return f"{name}'"


def conjuncts(form: NormalForm) -> tuple[list[Literal], list[Literal]]:
    """The conjuncts of a form, except those ``G a``; and the operands ``a`` of the others."""
    initially: list[Literal] = []
    always: list[Literal] = []
    pending = [form.root]
    while pending:
        literal = pending.pop()
        node = form.nodes[literal >> 1]
        if node.kind is Kind.AND and not literal & 1:
            pending += (node.left, node.right)
        elif node.kind is Kind.UNTIL and literal & 1 and node.left == TRUE:
            always.append(negated(node.right))
        else:
            initially.append(literal)
    return initially, always


def _positive(form: NormalForm, literals: Iterable[Literal]) -> set[int]:
    """The numbers of the nodes whose truth helps to make the literals true."""
    seen: set[Literal] = set()
    pending = list(literals)
    while pending:
        literal = pending.pop()
        if literal in seen:
            continue
        seen.add(literal)
        sign, node = literal & 1, form.nodes[literal >> 1]
        if node.kind in (Kind.TRUE, Kind.ATOM):
            continue
        pending += (node.left ^ sign, node.right ^ sign)
        if node.kind is Kind.XOR:
            pending += (node.left ^ sign ^ 1, node.right ^ sign ^ 1)
    return {literal >> 1 for literal in seen if not literal & 1}


def _order(form: NormalForm, needed: set[int]) -> list[int]:
    """The nodes with a variable, in the order of the diagrams: each follows its left operand if that has a variable.

    So X b stands beside b, and a U b, whose variable is combined with a, beside a. A counter and a nest of "until"s
    have many such pairs. With all first halves before all second ones, their diagrams double with each pair.
    """
    followers: dict[int, list[int]] = {number: [] for number in needed}
    leaders = []
    for number in sorted(needed - {0}):
        kind, operand, _ = form.nodes[number]
        if kind in (Kind.AND, Kind.XOR):
            continue
        # A constant or a connective has no variable to stand beside.
        without_variable = (Kind.TRUE, Kind.AND, Kind.XOR)
        if kind is Kind.ATOM or form.nodes[operand >> 1].kind in without_variable:
            leaders.append(number)
        else:
            followers[operand >> 1].append(number)
    order = []
    pending = leaders[::-1]
    while pending:
        number = pending.pop()
        order.append(number)
        pending += reversed(followers[number])
    return order


def _below(form: NormalForm, literals: Iterable[Literal]) -> set[int]:
    """The numbers of the nodes that literals are made of."""
    numbers: set[int] = {0}
    pending = [literal >> 1 for literal in literals]
    while pending:
        number = pending.pop()
        node = form.nodes[number]
        if number not in numbers:
            numbers.add(number)
            if node.kind is not Kind.ATOM:
                pending += (node.left >> 1, node.right >> 1)
    return numbers
