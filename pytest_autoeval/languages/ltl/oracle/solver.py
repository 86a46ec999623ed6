"""A lasso that satisfies a normal form, from its symbolic tableau. Runs in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_autoeval.languages.ltl.oracle.normal import NormalForm
from pytest_autoeval.languages.ltl.oracle.short_words import LassoWord
from pytest_autoeval.languages.ltl.oracle.tableau import Backend, Diagram, State, Tableau


def find(form: NormalForm, backend: Backend | None = None) -> LassoWord | None:
    """A word that satisfies a normal form; None proves that there is none."""
    tableau = Tableau(form, backend)
    fair = fair_states(tableau)
    if fair == tableau.diagrams.false:
        return None
    return Paths(tableau, fair).word().reduced()


def fair_states(tableau: Tableau) -> Diagram:
    """The states on fair paths; false as soon as no fair path can start in an initial state.

    Emerson, Lei, "Efficient model checking in fragments of the propositional mu-calculus", LICS 1986.
    """
    false = tableau.diagrams.false
    if tableau.initial == false:
        return false
    fair, before = tableau.invariant, None
    while fair != before:
        before = fair
        # Without constraints, the loop below does not run. Then every infinite path is fair.
        if not tableau.fairness:
            fair &= tableau.before(fair)
        for constraint in tableau.fairness:
            reaching = false
            for ring in rings(tableau, fair & constraint, fair):
                reaching |= ring
            fair &= tableau.before(reaching)
        # The set only shrinks, so the proof that there is no word is complete here.
        if fair & tableau.initial == false:
            return false
    return fair


def rings(tableau: Tableau, target: Diagram, within: Diagram) -> Iterator[Diagram]:
    """The states at distance 0, 1, 2, … from a target, over paths inside a set, until there are none."""
    reaching = ring = target & within
    while ring != tableau.diagrams.false:
        yield ring
        ring = tableau.before(ring) & within & ~reaching
        reaching |= ring


class Paths:
    """Paths inside ``fair``, the fair states of a tableau, one of which is initial.

    A path takes the fewest steps and has few atoms. It does not depend on the order of variables or on the backend.

    A cycle is sought as in Clarke, Grumberg, McMillan, Zhao, "Efficient generation of counterexamples and witnesses in
    symbolic model checking", DAC 1995: go to the nearest state of a constraint not yet met, until all are met, and
    back. If there is no way back, continue from the state reached, deeper among the strongly connected components.
    """

    def __init__(self, tableau: Tableau, fair: Diagram) -> None:
        self._tableau = tableau
        self._fair = fair
        promises = [name for name in tableau.variables if name not in tableau.atoms]
        # Atoms are chosen first, so that few of them hold.
        self._variables = [*tableau.atoms, *promises]

    def word(self) -> LassoWord:
        """The atoms along a lasso from an initial state."""
        path = [self._one_of(self._tableau.initial & self._fair)]
        while True:
            start = len(path) - 1
            if self._closes(path):
                letters = tuple(map(self._letter, path))
                return LassoWord(letters[:start], letters[start:])

    def _letter(self, state: State) -> int:
        return sum(1 << bit for bit, name in enumerate(self._tableau.atoms) if state[name])

    def _closes(self, path: list[State]) -> bool:
        """Appends a fair cycle through the last state; if there is none, extends the path and returns False."""
        start = path[-1]
        constraints = self._tableau.fairness
        unmet = [constraint for constraint in constraints if not self._holds(constraint, start)]
        while unmet:
            target = self._tableau.diagrams.false
            for constraint in unmet:
                target |= constraint
            path += self._way(path[-1], target)
            unmet = [constraint for constraint in unmet if not self._holds(constraint, path[-1])]
        back = self._way(path[-1], self._tableau.only(start))
        # The start is met already but lies on no cycle: one step leads on, or the search would not end.
        if not back and path[-1] is start:
            path.append(self._one_of(self._tableau.after(start) & self._fair))
        path += back[:-1]
        return bool(back)

    def _way(self, state: State, target: Diagram) -> list[State]:
        """A shortest path of at least one step to a target, without its first state; [] if there is none."""
        reachable = self._tableau.after(state)
        passed = []
        for ring in rings(self._tableau, target, self._fair):
            passed.append(ring)
            if reachable & ring != self._tableau.diagrams.false:
                break
        else:
            return []
        way = []
        for ring in reversed(passed):
            state = self._one_of(self._tableau.after(state) & ring)
            way.append(state)
        return way

    def _one_of(self, states: Diagram) -> State:
        """A state in which each variable in turn is false if possible."""
        chosen: dict[str, bool] = {}
        diagrams = self._tableau.diagrams
        for name in self._variables:
            where_false = diagrams.substituted(states, {name: False})
            chosen[name] = where_false == diagrams.false
            states = diagrams.substituted(states, {name: True}) if chosen[name] else where_false
        return chosen

    def _holds(self, condition: Diagram, state: State) -> bool:
        diagrams = self._tableau.diagrams
        return bool(diagrams.substituted(condition, state) == diagrams.true)
