"""Cases that the verifier found for some rules of a set, kept because one case answers many questions.

An evaluator that shares no code with the verifier says what holds in a case: which rules, and which conditions meet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_autoeval.languages import Formula, Language
from pytest_autoeval.languages.base import VerdictOutcome, Witness
from pytest_autoeval.requirements.cores import Numbers


class World:
    """A case, and what holds in it.

    Attributes:
        witness: the case.
        holding: the numbers of the formulas of the set that hold in it.
    """

    def __init__(
        self, witness: Witness, formulas: Mapping[int, Formula], language: Language
    ) -> None:
        self.witness = witness
        self._case = witness.to_json()
        self._language = language
        self._shown: dict[Formula, bool] = {}
        self.holding: Numbers = frozenset(
            number for number, formula in formulas.items() if self.shows(formula)
        )

    def shows(self, formula: Formula) -> bool:
        """Whether a formula holds in the case, as the evaluator says. What it cannot say is not shown."""
        if formula not in self._shown:
            self._shown[formula] = self._language.holds_in(formula, self._case, closed=True) is True
        return self._shown[formula]


class Worlds:
    """Questions whether some formulas of a set can hold together with one more, and the cases that were found.

    Arguments:
        formulas: the formulas of the set, by number.
        timeout: the time limit of one decision in seconds; None is that of the language.
        is_over: says when no more questions are asked.
    """

    def __init__(
        self,
        language: Language,
        formulas: Mapping[int, Formula],
        timeout: float | None = None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self.kept: list[World] = []
        #: Whether a question was not asked because the time was over.
        self.were_cut = False
        self._language = language
        self._formulas = formulas
        self._timeout = timeout
        self._is_over = is_over
        self._contradiction = language.trivial()["contradiction"]

    def stop(self) -> None:
        """Ends the search: each new question is undecided."""
        self._is_over = lambda: True

    def add(self, witness: Witness) -> World:
        """Keeps a case."""
        world = World(witness, self._formulas, self._language)
        self.kept.append(world)
        return world

    def ask(self, numbers: Numbers, further: Formula) -> World | bool | None:
        """A case in which formulas of the set hold with a further one; False if there is none, None is undecided."""
        # Without an answer rather than late: what was found until then is still reported.
        if self._is_over():
            self.were_cut = True
            return None
        joined = self._language.conjunction(
            [*(self._formulas[number] for number in sorted(numbers)), further]
        )
        verdict = self._language.entails(joined, self._contradiction, self._timeout)
        if verdict.outcome == VerdictOutcome.ENTAILS:
            return False
        if verdict.outcome == VerdictOutcome.UNDECIDED or verdict.witness is None:
            return None
        world = self.add(verdict.witness)
        # Only what the evaluator confirms is a case.
        return world if numbers <= world.holding and world.shows(further) else None

    def known(
        self, numbers: Numbers, further: Formula, implied: Sequence[Formula] = ()
    ) -> World | None:
        """A kept case in which formulas of the set hold with a further one.

        The ``implied`` ones follow from the further formula, and many questions share them: they rule most cases out.
        """
        # A copy, since other threads add cases meanwhile.
        for world in self.kept[:]:
            if numbers <= world.holding and all(map(world.shows, implied)) and world.shows(further):
                return world
        return None

    def find(
        self,
        numbers: Numbers,
        further: Formula,
        implied: Sequence[Formula] = (),
        initial: Numbers = frozenset(),
    ) -> World | bool | None:
        """As `ask`, but first among the kept cases, and then with few of the formulas.

        The ``initial`` ones are asked with at once. A case that breaks others adds these to the question. So most
        questions are small, also where the set is large: what few formulas forbid, all of them forbid.
        """
        case = self.known(numbers, further, implied)
        question = initial & numbers
        while case is None:
            answer = self.ask(question, further)
            if not isinstance(answer, World):
                return answer
            broken = numbers - answer.holding
            case = None if broken else answer
            question |= broken
        return case

    def showing(self, further: Formula) -> Sequence[tuple[Numbers, Any]]:
        """What holds in each kept case in which a formula holds, and the case."""
        return [(world.holding, world) for world in self.kept[:] if world.shows(further)]
