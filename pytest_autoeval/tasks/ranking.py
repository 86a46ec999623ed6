"""From what means the same as the sentence to what means the opposite: formulas to put in order, or them in English.

Source of the task and its scores: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_autoeval.tasks.answers.chosen_orders import read_order
from pytest_autoeval.tasks.base import Judgement
from pytest_autoeval.tasks.candidates import CandidateTask
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.structured import reasoned
from pytest_autoeval.tasks.trial import Subject, Trial


class Ranking(CandidateTask):
    """Sentence and candidates → all their numbers, the most similar in meaning first.

    ``expected`` are the numbers of the two that mean the same as the sentence, and of the two that mean the opposite.
    Ranking-Equivalence is that the first two places are those of the former, Ranking-Negation that the last two are
    those of the latter; the answer is ``correct`` if both are so. What stands between is of no account.

    A model that embeds ranks by falling similarity; among equals, what harms both scores stands first.
    """

    figures = "rankings"
    benchmark = "Ranking"
    candidates_slot = "candidates"
    schema = reasoned("ranking", {"type": "array", "items": {"type": "integer"}})

    def judge(self, answer: str, trial: Trial) -> Judgement:
        order = read_order(answer, len(self.candidates(trial.about)))
        if order.value is None:
            return self.invalid(order.problem, trial.about)
        return _scored(order.value, trial.about)

    def judge_similarities(self, similarities: Sequence[float], trial: Trial) -> Judgement:
        same, opposite = _expected(trial.about)

        def place(number: int) -> tuple[float, int, int]:
            among_equals = 0 if number in opposite else 2 if number in same else 1
            return -similarities[number - 1], among_equals, number

        return _scored(sorted(range(1, len(similarities) + 1), key=place), trial.about)

    def notes_without_answer(self, _subject: Subject) -> Mapping[str, Any]:
        return {"answered": None, "problem": None, "ranking_equivalence": False, "ranking_negation": False}


def _scored(order: Sequence[int], subject: Subject) -> Judgement:
    same, opposite = _expected(subject)
    notes = {
        "answered": list(order),
        "problem": None,
        "ranking_equivalence": set(order[:2]) == set(same),
        "ranking_negation": set(order[-2:]) == set(opposite),
    }
    wrong = []
    if not notes["ranking_equivalence"]:
        wrong.append(f"the first two are {_listed(order[:2])}, and should be {_listed(same)}")
    if not notes["ranking_negation"]:
        wrong.append(f"the last two are {_listed(order[-2:])}, and should be {_listed(opposite)}")
    return Judgement(outcome="wrong answer" if wrong else "correct", message="; ".join(wrong), notes=notes)


def _expected(subject: Subject) -> tuple[list[int], list[int]]:
    """The numbers of the two that mean the same, and of the two that mean the opposite."""
    same, opposite = fact(subject, "expected", list)
    return same, opposite


def _listed(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, sorted(numbers)))


FORMULAS = Ranking("ranking_formulas", "formulas")
ENGLISH = Ranking("ranking_english", "english")
