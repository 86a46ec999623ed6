"""A search for a fair cycle whose states a SAT solver makes. Runs in a process of its own, within a limit of work.

A state is a set of obligations. A model of the clauses of a position fulfils them or passes them on: that is a step. A
fair cycle is as in :mod:`~pytest_autoeval.languages.ltl.oracle.states`, and the search for it is the same.

What is learned are dead sets: obligations that no word fulfils together, at whatever position. A dead set excludes
every state that contains it. Unsatisfiable cores make it small, so a few dead sets may exclude a great many states. The
method is that of Li, Zhu, Pu, Zhang, Vardi (see :mod:`~pytest_autoeval.languages.ltl.oracle.position_clauses`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.ltl.oracle.normal import NormalForm
from pytest_autoeval.languages.ltl.oracle.position_clauses import (
    Obligations,
    PositionClauses,
    SatLiteral,
)
from pytest_autoeval.languages.ltl.oracle.short_words import LassoWord
from pytest_autoeval.languages.ltl.oracle.states import (
    EVERY,
    FairCycleSearch,
    TraceStep,
    Variables,
)
from pytest_autoeval.languages.smt import ClauseSolver

#: What a question costs beside its variables. A unit of work takes a microsecond or less.
_WORK_A_QUESTION = 200
#: z3's own measure of the work on one question; most need a thousandth of it.
_RLIMIT = 2_000_000
#: The number of steps in a row that put an "until" off, from which a proof is tried that it is never met.
_PATIENCE = 4
#: By how much longer the next proof waits.
_GROWTH = 4


def find(form: NormalForm, work: int) -> tuple[bool, LassoWord | None]:
    """Whether the search decides before its work is used up; and a word, or None if the form has no word."""
    try:
        return True, FairCycleSearch(ObligationStates(form, work)).word()
    except GaveUpError:
        return False, None


class ObligationStates:
    """The states of a search, with the dead sets learned so far. ``work`` limits the questions to the solver."""

    def __init__(self, form: NormalForm, work: int) -> None:
        self._position = PositionClauses(form)
        self._solver = ClauseSolver(self._position.count, self._position.clauses(), _RLIMIT)
        self._work = work
        self.initial: Obligations = self._position.start
        self._bits = {postponing: bit for bit, postponing in enumerate(self._position.put_off)}
        #: By variable that puts off an "until": how many of the last steps did so. The longest waiting comes first.
        self._waiting = dict.fromkeys(self._position.put_off, 0)
        self._patience = dict.fromkeys(self._position.put_off, _PATIENCE)

    def steps(self, state: Obligations) -> Iterator[TraceStep[Obligations]]:
        """The steps from a state, each to obligations that include those of no earlier step."""
        for postponing in self._long_put_off(state):
            # What was learned excludes this state.
            if self._is_never_met(state, postponing):
                return
        active = self._position.new()
        while self._finds_step([active, *state]):
            explanation = self._explanation(state)
            yield self._step(explanation)
            # An "until" that is put off is another step than one that only a "next" passes on.
            is_left_out = self._position.passed.keys() | self._position.put_off.keys()
            self._exclude([active, *sorted(explanation & is_left_out)])
        self._exclude([active])

    def _finds_step(self, needed: list[SatLiteral]) -> bool:
        """Looks for a model that puts off few "until"s, and not the longest waiting one if possible."""
        wished = [-postponing for postponing in self._waiting]
        while True:
            core = self._core([*needed, *wished])
            if core is None:
                return True
            conflict = [wish for wish in wished if wish in core]
            if not conflict:
                return False
            # All wishes in conflict are dropped but the first one. Alone, it cannot come true.
            dropped = set(conflict[1:] or conflict)
            wished = [wish for wish in wished if wish not in dropped]

    def _explanation(self, state: Obligations) -> set[SatLiteral]:
        """True literals of the last model that suffice for a state: no more is fulfilled or passed on than must be."""
        position, holds = self._position, self._solver.holds
        explanation: set[SatLiteral] = set()
        pending = [*state, *position.always]
        for literal in position.always:
            pending += self._remembered(literal)
        while pending:
            literal = pending.pop()
            if literal in explanation:
                continue
            explanation.add(literal)
            for clause in position.rules.get(literal, ()):
                if explanation.isdisjoint(clause):
                    pending.append(next(option for option in clause if holds(option)))
            if literal in position.passed:
                pending += self._remembered(literal)
        return explanation

    def _remembered(self, literal: SatLiteral) -> list[SatLiteral]:
        """The values, in the last model, of the memories that a literal needs at the next position."""
        passing = self._position.passing
        memories = sorted(self._position.needed_memories(literal))
        return [
            passing[memory] if self._solver.holds(passing[memory]) else passing[-memory]
            for memory in memories
        ]

    def _step(self, explanation: set[SatLiteral]) -> TraceStep[Obligations]:
        position = self._position
        letter, put_off = 0, 0
        for literal in explanation & position.bits.keys():
            letter |= 1 << position.bits[literal]
        for postponing, bit in self._bits.items():
            if postponing in explanation:
                put_off |= 1 << bit
                self._waiting[postponing] += 1
            else:
                del self._waiting[postponing]
                self._waiting[postponing] = 0
        passed = frozenset(
            position.passed[literal] for literal in explanation & position.passed.keys()
        )
        return TraceStep(letter, put_off, passed)

    def _long_put_off(self, state: Obligations) -> list[SatLiteral]:
        """The longest waiting "until" of a state whose patience is over, as a list of at most one."""
        for postponing, steps in self._waiting.items():
            is_pending = self._position.put_off[postponing] in state
            if is_pending and steps >= self._patience[postponing]:
                # A proof that fails is tried again only after much longer.
                self._patience[postponing] = _GROWTH * steps
                return [postponing]
        return []

    def _is_never_met(self, state: Obligations, postponing: SatLiteral) -> bool:
        """Whether obligations of a state put off an "until" and pass themselves on, for ever; they are dead then.

        Each model drops the obligations that it does not pass on. So the largest such set remains, or none.
        """
        passing = self._position.passing
        until = self._position.put_off[postponing]
        repeated = state.intersection(passing)
        while until in repeated:
            active = self._position.new()
            self._exclude([active, postponing, *(passing[obligation] for obligation in repeated)])
            core = self._core([active, *repeated])
            self._exclude([active])
            if core is not None:
                self.close([repeated], 1 << self._bits[postponing])
                return True
            if not self._solver.holds(postponing):
                return False
            repeated = frozenset(
                obligation for obligation in repeated if self._solver.holds(passing[obligation])
            )
        return False

    def close(self, states: list[Obligations], put_off: Variables) -> None:
        """Learns that the states of a component are dead, and which of their obligations suffice for that.

        Every step from such a state leads to another one or to a dead set. Where there are steps inside, all put off
        one "until", which is never met then. The cores of these proofs are dead too: they grow until each leads to
        another one.
        """
        later: list[SatLiteral] = []
        until: Obligations = frozenset()
        if put_off != EVERY:
            lowest = (put_off & -put_off).bit_length() - 1
            later = [postponing for postponing, bit in self._bits.items() if bit == lowest]
            until = frozenset(self._position.put_off[postponing] for postponing in later)
        dead = dict.fromkeys(states, until)
        previous: dict[Obligations, Obligations] = {}
        while dead != previous:
            previous = dict(dead)
            active = self._position.new()
            if later:
                for obligations in set(dead.values()):
                    passing = [self._position.passing[obligation] for obligation in obligations]
                    self._exclude([active, *later, *passing])
            for state in states:
                core = self._core([active, *state])
                assert core is not None, "a step was left out"
                dead[state] |= state.intersection(core)
            self._exclude([active])
            # Without steps inside, the first cores are proofs.
            if not later:
                break
        for obligations in set(dead.values()):
            self._exclude(obligations)
            if obligations <= self._position.passing.keys():
                self._exclude(self._position.passing[obligation] for obligation in obligations)

    def _exclude(self, literals: Iterable[SatLiteral]) -> None:
        """From now on, these literals are not all true."""
        self._solver.add(-literal for literal in literals)

    def _core(self, assumed: Iterable[SatLiteral]) -> list[SatLiteral] | None:
        self._work -= _WORK_A_QUESTION + self._position.count
        if self._work < 0:
            raise GaveUpError("the work is used up")
        return self._solver.core(assumed)
