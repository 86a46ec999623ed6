"""A word that satisfies a normal form, sought at growing lengths by a SAT solver. Runs in a process of its own.

This is bounded model checking: Biere, Cimatti, Clarke, Zhu, "Symbolic model checking without BDDs", TACAS 1999. There
are the clauses of :mod:`~pytest_autoeval.languages.ltl.oracle.position_clauses` for each position. The solver chooses
where the loop begins. It keeps what it learned when positions are added, as in Biere, Heljanko, Junttila, Latvala,
Schuppan, "Linear encodings of bounded LTL model checking", Logical Methods in Computer Science 2 (2006).
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.ltl.oracle.normal import NormalForm
from pytest_autoeval.languages.ltl.oracle.position_clauses import (
    Clause,
    PositionClauses,
    SatLiteral,
)
from pytest_autoeval.languages.ltl.oracle.short_words import LassoWord
from pytest_autoeval.languages.smt import ClauseSolver

#: The numbers of letters that are tried. A lasso of fewer letters has one of each larger number: the loop begins later.
#: More letters of a large form need more memory than a process may have.
_LENGTHS = (4, 8, 16, 32, 64, 128)
#: What reading a clause costs, in z3's measure of work.
_WORK_A_CLAUSE = 20
#: The share of the remaining work for one question: a hard one must not use up that of a longer word.
_SHARE = 0.3


def find(form: NormalForm, work: int) -> tuple[bool, LassoWord | None]:
    """Whether a search decides before its work is used up; and a word, or None if the form has no word."""
    return GrowingLassos(form, work).word()


class GrowingLassos:
    """The positions of a lasso, as clauses. ``work`` is in z3's own measure.

    Behind the last position comes a copy of the one at which the loop begins. What the last position passes on holds at
    the copy, and what holds at the copy holds at the beginning of the loop.
    """

    def __init__(self, form: NormalForm, work: int) -> None:
        position = self._position = PositionClauses(form)
        self._clauses = without_units(position.clauses())
        self._work = work
        self._solver = ClauseSolver(1, [], work)
        #: The number of variables so far, and for each position the one before its first.
        self._count = 0
        self._offsets: list[int] = []
        #: By what is passed on: its variable at the copy.
        self._copied = {obligation: self._new() for obligation in position.passing}
        #: For each position, "the loop begins here" and "this is on the loop".
        self._starts: list[SatLiteral] = []
        self._on_loop: SatLiteral = self._new()
        #: By variable that puts off an "until": "at a position so far that is on the loop, it is not put off".
        self._met = {postponing: self._new() for postponing in position.put_off}
        nothing_yet = [self._on_loop, *self._met.values()]
        self._solver.add_all(self._count, [(-variable,) for variable in nothing_yet])

    def word(self) -> tuple[bool, LassoWord | None]:
        """As :func:`find`."""
        for length in _LENGTHS:
            clauses: list[Clause] = []
            while len(self._offsets) < length:
                clauses += self._next_position()
            self._work -= _WORK_A_CLAUSE * len(clauses)
            if self._work < 0:
                break
            closed = self._new()
            clauses += self._closing(closed)
            self._solver.add_all(self._count, clauses)
            core = self._core(closed)
            if core is None:
                return True, self._chosen_word()
            # No word fulfils the first positions, whatever follows.
            if not core:
                return True, None
            self._solver.add([-closed])
        return False, None

    def _next_position(self) -> list[Clause]:
        position, before = self._position, self._offsets[-1:]
        offset = self._count
        self._count += position.count
        self._offsets.append(offset)
        clauses = [tuple(_moved(literal, offset) for literal in clause) for clause in self._clauses]
        if not before:
            clauses += [(_moved(obligation, offset),) for obligation in position.start]
        start = self._new()
        self._starts.append(start)
        for obligation, passing in position.passing.items():
            here = _moved(obligation, offset)
            clauses.append((-start, -self._copied[obligation], here))
            clauses += [(-passing - last, here) for last in before]
        on_loop = self._new()
        clauses.append((-on_loop, start, self._on_loop))
        self._on_loop = on_loop
        for postponing, met_before in self._met.items():
            met = self._met[postponing] = self._new()
            clauses.append((-met, met_before, on_loop))
            clauses.append((-met, met_before, -postponing - offset))
        return clauses

    def _closing(self, closed: SatLiteral) -> list[Clause]:
        """If ``closed`` is true, the loop ends at the last position. If it begins at several, the first one counts."""
        last = self._offsets[-1]
        clauses: list[Clause] = [(-closed, *self._starts)]
        # On the loop, no "until" is put off for ever.
        clauses += [(-closed, met) for met in self._met.values()]
        for obligation, passing in self._position.passing.items():
            clauses.append((-closed, -passing - last, self._copied[obligation]))
        return clauses

    def _core(self, closed: SatLiteral) -> list[SatLiteral] | None:
        """None if there is a word of the last length, and [] if the positions alone contradict each other.

        Otherwise ``[closed]``, also if the question needs too much work.
        """
        before = self._solver.spent()
        self._solver.limit(max(1, int(self._work * _SHARE)))
        try:
            return self._solver.core([closed])
        except GaveUpError:
            return [closed]
        finally:
            self._work -= self._solver.spent() - before

    def _chosen_word(self) -> LassoWord:
        """The word of the last model."""
        holds = self._solver.holds
        letters = []
        for offset in self._offsets:
            letter = 0
            for variable, bit in self._position.bits.items():
                letter |= holds(variable + offset) << bit
            letters.append(letter)
        start = next(index for index, variable in enumerate(self._starts) if holds(variable))
        return LassoWord(tuple(letters[:start]), tuple(letters[start:])).reduced()

    def _new(self) -> SatLiteral:
        self._count += 1
        return self._count


def without_units(clauses: Iterable[Clause]) -> list[Clause]:
    """The same clauses without the literals that single ones decide: there are copies of them for each position."""
    decided: set[SatLiteral] = set()
    remaining = [*clauses]
    while units := {clause[0] for clause in remaining if len(clause) == 1}:
        decided |= units
        open_clauses = [clause for clause in remaining if decided.isdisjoint(clause)]
        remaining = [_without(clause, decided) for clause in open_clauses]
    return [*((literal,) for literal in sorted(decided)), *remaining]


def _without(clause: Clause, decided: set[SatLiteral]) -> Clause:
    return tuple(literal for literal in clause if -literal not in decided)


def _moved(literal: SatLiteral, offset: int) -> SatLiteral:
    return literal + offset if literal > 0 else literal - offset
