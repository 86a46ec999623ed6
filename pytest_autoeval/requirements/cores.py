"""Sets of sentences that cannot hold together, found by questions "can these hold together?".

A sentence is a number from 1; a negative number is its negation. The questions go to an *oracle*, which may also give
up. Each claim follows from answers that are not "undecided".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

#: A set of numbers: the sentences that hold, and with a minus those that do not.
Numbers = frozenset[int]
#: What was proved of a core: no smaller set will do; no sentence can be left out; only that it is a contradiction.
Proved = Literal["smallest", "minimal", "contradictory"]

#: Limits of the search from small sets to large ones: numbers of a core, undecided questions, rounds, and steps of the
#: search for one hitting set.
_LARGEST_SOUGHT = 8
_MOST_UNDECIDED = 10
#: Rounds of that search before all numbers are tried together, which may take long.
_FIRST_ROUNDS = 10
_MOST_ROUNDS = 400
_MOST_STEPS = 100_000


@dataclass(frozen=True, slots=True)
class OracleAnswer:
    """Whether some numbers can hold together; None is undecided.

    ``holding`` are numbers that all hold in the case that was found, at least those asked for. ``witness`` is that
    case.
    """

    satisfiable: bool | None
    holding: Numbers = frozenset()
    witness: Any = None


Oracle = Callable[[Numbers], OracleAnswer]


@dataclass(frozen=True, slots=True)
class Core:
    """Numbers that cannot hold together, besides those that were given as fixed."""

    numbers: Numbers
    proved: Proved


class Questions:
    """The questions to an oracle. What follows from earlier answers is not asked again.

    When ``is_over`` becomes true, each new question is undecided. ``cases`` are those of earlier questions: the numbers
    that hold in each, and its witness.
    """

    def __init__(
        self,
        oracle: Oracle,
        is_over: Callable[[], bool] = lambda: False,
        cases: Iterable[tuple[Numbers, Any]] = (),
    ) -> None:
        self._oracle = oracle
        self._is_over = is_over
        #: Whether a question was not asked because the time was over.
        self.were_cut = False
        self._cases: list[tuple[Numbers, Any]] = list(cases)
        self._cores: list[Numbers] = []
        self._undecided: set[Numbers] = set()

    def ask(self, numbers: Iterable[int]) -> bool | None:
        """Whether numbers can hold together; None if that is undecided."""
        question = frozenset(numbers)
        if self._case(question) is not None:
            return True
        if any(core <= question for core in self._cores):
            return False
        if question in self._undecided:
            return None
        if self._is_over():
            self.were_cut = True
            return None
        answer = self._oracle(question)
        if answer.satisfiable is None:
            self._undecided.add(question)
        elif answer.satisfiable:
            self._cases.append((question | answer.holding, answer.witness))
        else:
            self._cores.append(question)
        return answer.satisfiable

    def witness(self, numbers: Iterable[int]) -> Any:
        """The witness of numbers that can hold together."""
        case = self._case(frozenset(numbers))
        return None if case is None else case[1]

    def core(self, numbers: Iterable[int], fixed: Iterable[int] = ()) -> Core | bool | None:
        """The smallest of the numbers that cannot hold together with the fixed ones, as far as the questions decide it.

        True if all can hold together, None if that is undecided.
        """
        soft, hard = frozenset(numbers), frozenset(fixed)
        # Few small questions often find a small core at once, where the question about all numbers is hard.
        if core := self._smallest(soft, hard, _FIRST_ROUNDS):
            return core
        if (together := self.ask(soft | hard)) is True:
            return True
        if core := self._smallest(soft, hard, _MOST_ROUNDS):
            return core
        # Cases that were found since may answer the question about all numbers after all.
        return self._minimal(soft, hard) if together is False else self.ask(soft | hard)

    def _case(self, numbers: Numbers) -> tuple[Numbers, Any] | None:
        return next((case for case in self._cases if numbers <= case[0]), None)

    def _smallest(self, soft: Numbers, hard: Numbers, rounds: int) -> Core | None:
        """By implicit hitting sets.

        A core shares a number with each complement of a case. So a smallest set that does so is a smallest core, if it
        is a core. Ignatiev, Previti, Liffiton, Marques-Silva, "Smallest MUS extraction with minimal hitting set
        dualization", CP 2015.
        """
        complements = [soft - holding for holding, _ in self._cases if hard <= holding]
        undecided = 0
        for _ in range(rounds):
            chosen = smallest_hitting_set(complements)
            if (
                chosen is None
                or len(chosen) > _LARGEST_SOUGHT
                or undecided > _MOST_UNDECIDED
                or self.were_cut
            ):
                break
            answer = self.ask(chosen | hard)
            if answer is False:
                return Core(chosen, "smallest") if not undecided else self._minimal(chosen, hard)
            undecided += answer is None
            case = self._case(chosen | hard)
            complements.append(soft - (chosen if case is None else case[0]))
        return None

    def _minimal(self, core: Numbers, hard: Numbers) -> Core:
        """By deletion. What was undecided is asked again after the core has become smaller."""
        needed: set[int] = set()
        for _ in range(2):
            for number in sorted(core - needed):
                answer = self.ask((core - {number}) | hard)
                if answer is False:
                    core -= {number}
                elif answer:
                    needed.add(number)
        return Core(core, "minimal" if core <= needed else "contradictory")


def smallest_hitting_set(sets: Sequence[Numbers]) -> Numbers | None:
    """A smallest set that shares a number with each set; None if there is none, or if the search takes too long."""
    steps = _MOST_STEPS

    def within(size: int, chosen: Numbers) -> Numbers | None:
        nonlocal steps
        steps -= 1
        missed = [numbers for numbers in sets if chosen.isdisjoint(numbers)]
        if not missed:
            return chosen
        # Disjoint sets need a number each: with too few left, this branch is hopeless.
        if steps < 0 or number_of_disjoint(missed) > size:
            return None
        # The set with the fewest numbers has the fewest branches.
        fewest = min(missed, key=len)
        branches = (within(size - 1, chosen | {number}) for number in sorted(fewest))
        return next((hitting_set for hitting_set in branches if hitting_set is not None), None)

    for size in range(len(frozenset().union(*sets)) + 1):
        hitting_set = within(size, frozenset())
        # A branch may have been cut off.
        if steps < 0:
            return None
        if hitting_set is not None:
            return hitting_set
    return None


def number_of_disjoint(sets: Iterable[Numbers]) -> int:
    """How many of the sets, taken small ones first, have no number in common: a hitting set is at least so large."""
    taken: Numbers = frozenset()
    count = 0
    for numbers in sorted(sets, key=len):
        if taken.isdisjoint(numbers):
            taken |= numbers
            count += 1
    return count
