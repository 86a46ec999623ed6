"""An explicit tableau: states are made as the search reaches them, in this process and within a limit of work.

A state is the diagram of what must hold from a position on, over the atoms, the promises for the next position and
the memories of the previous one. Each cube of the diagram is a step: it fixes atoms, and its promises and memories make
the next state. Equal diagrams are one state.

Couvreur, "On-the-fly verification of linear temporal logic", FM 1999; diagrams of formulas are from there too. A step
puts an "until" off if it promises the formula and does not reach its goal. A cycle is fair if each "until" has a step
that does not put it off. A formula is satisfiable if and only if a fair cycle can be reached.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from typing import Generic, NamedTuple, Protocol, TypeVar

from pytest_autoeval.languages.ltl.oracle.normal import Kind, Literal, Node, NormalForm
from pytest_autoeval.languages.ltl.oracle.short_words import LassoWord, Letter
from pytest_autoeval.languages.ltl.oracle.small_diagrams import (
    FALSE,
    TRUE,
    SmallDiagrams,
    WorkUsedUpError,
)

#: An operation of diagrams calls itself for each variable, and Python's stack is limited.
_MOST_VARIABLES = 100
#: A state, as a diagram.
State = int
#: A set of variables as bits.
Variables = int
EVERY: Variables = -1


#: What a search takes for a state.
StateT = TypeVar("StateT", bound=Hashable)


class TraceStep(NamedTuple, Generic[StateT]):
    """The atoms of a position, the "until"s that it puts off, and the state of the next position."""

    letter: Letter
    put_off: Variables
    target: StateT


class StateSpace(Protocol[StateT]):
    """States that a search makes as it reaches them."""

    initial: StateT

    def steps(self, state: StateT) -> Iterator[TraceStep[StateT]]:
        """The steps from a state; each infinite word of the state takes them to states of which it is a word."""

    def close(self, states: list[StateT], put_off: Variables) -> None:
        """Called for each component without a fair cycle, when all its steps are known.

        ``put_off`` are the "until"s that every step inside puts off, :data:`EVERY` if there is none inside.
        """


class ExplicitTableau:
    """The initial state of a formula, and the steps from a state.

    Subformulas with equal diagrams share their variables, as in the symbolic tableau. Without ``from_start``, words
    begin at any position: the initial state remembers anything.
    """

    def __init__(self, form: NormalForm, work: int, from_start: bool = True) -> None:
        self.diagrams = SmallDiagrams(work)
        self._variables = 0
        self._atoms: dict[int, int] = {}
        #: By variable: the diagram that a promise makes true at the next position; the value that a memory takes there.
        self._promised: dict[int, int] = {}
        self._remembered: dict[int, int] = {}
        self._goals: dict[int, int] = {}
        self._neighbours: dict[tuple[Kind, int], int] = {}
        self._reached: dict[tuple[Kind, int, int], int] = {}
        #: By "until" or "since" and its value: the right operand.
        self._operands: dict[Kind, dict[int, int]] = {Kind.UNTIL: {}, Kind.SINCE: {}}
        self._needs: dict[State, list[int]] = {}
        self._values: list[int] = []
        for node in form.nodes:
            self._values.append(self._value(node))
        self.initial = self._literal(form.root)
        if from_start:
            # At position 0, nothing is remembered.
            for name in self._remembered:
                self.initial = self.diagrams.both(self.initial, self.diagrams.variable(name) ^ 1)

    def _literal(self, literal: Literal) -> int:
        return self._values[literal >> 1] ^ literal & 1

    def _value(self, node: Node) -> int:
        match node.kind:
            case Kind.TRUE:
                return TRUE
            case Kind.ATOM:
                variable = self._new()
                self._atoms[variable] = node.left
                return self.diagrams.variable(variable)
            case Kind.AND:
                return self.diagrams.both(self._literal(node.left), self._literal(node.right))
            case Kind.XOR:
                return self.diagrams.differ(self._literal(node.left), self._literal(node.right))
            case Kind.NEXT | Kind.YESTERDAY:
                return self._neighbour(node.kind, self._literal(node.left))
            case Kind.UNTIL | Kind.SINCE:
                return self._reaching(
                    node.kind, self._literal(node.left), self._literal(node.right)
                )

    def _new(self) -> int:
        if self._variables == _MOST_VARIABLES:
            raise WorkUsedUpError
        self._variables += 1
        return self._variables - 1

    def _neighbour(self, kind: Kind, operand: int) -> int:
        if operand == FALSE or (kind is Kind.NEXT and operand == TRUE):
            return operand
        sign = operand & 1 if kind is Kind.NEXT else 0  # X !a = !X a
        operand ^= sign
        if (kind, operand) not in self._neighbours:
            variable = self._new()
            self._neighbours[kind, operand] = self.diagrams.variable(variable)
            (self._promised if kind is Kind.NEXT else self._remembered)[variable] = operand
        return self._neighbours[kind, operand] ^ sign

    def _reaching(self, kind: Kind, hold: int, goal: int) -> int:
        """``left U right`` or ``left S right``; ``left | right`` in place of ``left`` means the same."""
        hold = self.diagrams.either(hold, goal)
        if hold == goal:
            return goal
        # F (a U b) = F b, also if a U b is unfolded
        if hold == TRUE and goal in self._operands[kind]:
            goal = self._operands[kind][goal]
        if (kind, hold, goal) not in self._reached:
            variable = self._new()
            literal = self.diagrams.variable(variable)
            value = self.diagrams.either(goal, self.diagrams.both(hold, literal))
            if kind is Kind.UNTIL:
                self._promised[variable] = value
                self._neighbours[Kind.NEXT, value & ~1] = literal ^ value & 1
                self._goals[variable] = goal
            else:
                self._remembered[variable] = value
                self._neighbours[Kind.YESTERDAY, value] = literal
            self._reached[kind, hold, goal] = value
            self._operands[kind][value] = goal
        return self._reached[kind, hold, goal]

    def steps(self, state: State) -> Iterator[TraceStep[State]]:
        """The steps from a state; each infinite word of the state takes them to states of which it is a word."""
        for cube in self.diagrams.cubes(state):
            yield from self._determined(dict(cube))

    def _determined(self, values: dict[int, bool]) -> Iterator[TraceStep[State]]:
        """The steps with some values. Splits them by each memory that the next state needs, and by each goal."""
        diagrams = self.diagrams
        target, put_off = TRUE, 0
        for variable in values.keys() & self._promised.keys():
            target = diagrams.both(target, self._promised[variable] ^ (not values[variable]))
        if target == FALSE:
            return
        undetermined = []
        for variable in values.keys() & self._goals.keys():
            if values[variable]:
                goal = diagrams.restricted(self._goals[variable], values)
                put_off |= (goal == FALSE) << variable
                undetermined.append(goal)
        for variable in reversed(self._needed(target)):
            memory = diagrams.restricted(self._remembered[variable], values)
            target = diagrams.both(target, diagrams.variable(variable) ^ (memory == FALSE))
            undetermined.append(memory)
        # A split on one undetermined diagram may determine the others, so one is split at a time.
        if splits := [diagram for diagram in undetermined if diagram > FALSE]:
            for split in (splits[0], splits[0] ^ 1):
                for cube in diagrams.cubes(split):
                    yield from self._determined({**values, **dict(cube)})
        # The memories may contradict what was promised: then there is no such step.
        elif target != FALSE:
            yield TraceStep(self._letter(values), put_off, target)

    def close(self, states: list[State], put_off: Variables) -> None:
        """Nothing is learned: the search itself does not enter these states again."""

    def _letter(self, values: dict[int, bool]) -> Letter:
        letter = 0
        for variable, value in values.items():
            if variable in self._atoms:
                letter |= value << self._atoms[variable]
        return letter

    def _needed(self, state: State) -> list[int]:
        """The memories on which a state depends, now or later."""
        if not self._remembered:
            return []
        if state not in self._needs:
            seen: set[int] = set()
            pending = list(self.diagrams.support(state))
            while pending:
                variable = pending.pop()
                if variable not in seen:
                    seen.add(variable)
                    for later in (self._promised, self._remembered):
                        pending += self.diagrams.support(later.get(variable, TRUE))
            self._needs[state] = sorted(seen & self._remembered.keys())
        return self._needs[state]


def find_by_states(tableau: ExplicitTableau) -> LassoWord | None:
    """A word over the atoms of a tableau's form; None proves that there is none. Raises :class:`WorkUsedUpError`."""
    return None if tableau.initial == FALSE else FairCycleSearch(tableau).word()


class FairCycleSearch(Generic[StateT]):
    """A depth-first search for a fair cycle; each component of states is left when all its steps are known."""

    def __init__(self, space: StateSpace[StateT]) -> None:
        self._space = space
        #: The steps taken so far, by state.
        self._taken: dict[StateT, list[TraceStep[StateT]]] = {}

    def word(self) -> LassoWord | None:
        initial = self._space.initial
        numbers: dict[StateT, int] = {}
        open_states: list[StateT] = []
        # The roots of components on the path: number, "until"s put off within, and those put off on the way there.
        roots: list[tuple[int, Variables, Variables]] = []
        path: list[tuple[StateT, Iterator[TraceStep[StateT]]]] = []

        def enter(state: StateT, put_off: Variables) -> None:
            numbers[state] = len(numbers) + 1
            self._taken[state] = []
            open_states.append(state)
            roots.append((numbers[state], EVERY, put_off))
            path.append((state, self._space.steps(state)))

        closed: set[StateT] = set()
        enter(initial, EVERY)
        while path:
            state, steps = path[-1]
            step = next(steps, None)
            # All steps of the state are known. If it is the root of a component, that has no fair cycle.
            if step is None:
                path.pop()
                if roots[-1][0] == numbers[state]:
                    _, within, _ = roots.pop()
                    start = open_states.index(state)
                    component = open_states[start:]
                    closed.update(component)
                    del open_states[start:]
                    self._space.close(component, within)
                continue
            self._taken[state].append(step)
            if step.target not in numbers:
                enter(step.target, step.put_off)
            elif step.target not in closed:
                put_off = step.put_off
                # A step back closes a cycle: all components on the way become one.
                while roots[-1][0] > numbers[step.target]:
                    _, within, entering = roots.pop()
                    put_off &= within & entering
                number, within, entering = roots[-1]
                roots[-1] = number, within & put_off, entering
                # Each "until" has a step of the component that does not put it off.
                if not within & put_off:
                    reached = {state for state in open_states if numbers[state] >= number}
                    return self._lasso(reached)
        return None

    def _lasso(self, component: set[StateT]) -> LassoWord:
        """A short way into a component, and a cycle of it on which no "until" is put off for ever."""
        initial = self._space.initial
        prefix: list[TraceStep[StateT]] = []
        if initial not in component:
            prefix = self._way(initial, lambda step: step.target in component, None)
        start = prefix[-1].target if prefix else initial
        loop: list[TraceStep[StateT]] = []
        unmet: Variables = EVERY
        # Each way meets at least one more "until", so the loop is short, though not the shortest.
        while unmet:
            state = loop[-1].target if loop else start
            loop += self._way(state, partial(_helps, unmet), component)
            unmet &= loop[-1].put_off
        if loop[-1].target != start:
            loop += self._way(loop[-1].target, lambda step: step.target == start, component)
        prefix_letters = tuple(step.letter for step in prefix)
        loop_letters = tuple(step.letter for step in loop)
        return LassoWord(prefix_letters, loop_letters).reduced()

    def _way(
        self,
        state: StateT,
        is_last: Callable[[TraceStep[StateT]], bool],
        within: set[StateT] | None,
    ) -> list[TraceStep[StateT]]:
        """The fewest steps from a state up to one with a property, inside a set of states."""
        ways: dict[StateT, list[TraceStep[StateT]]] = {state: []}
        pending = deque([state])
        while True:
            current = pending.popleft()
            for step in self._taken[current]:
                if within is not None and step.target not in within:
                    continue
                if is_last(step):
                    return [*ways[current], step]
                if step.target not in ways and step.target in self._taken:
                    ways[step.target] = [*ways[current], step]
                    pending.append(step.target)


def _helps(unmet: Variables, step: TraceStep[StateT]) -> bool:
    """Whether a step does not put off one of the "until"s that are unmet so far."""
    return step.put_off & unmet != unmet
