"""Which of these means what the sentence says? Asked of a formula and its perturbations, and of them in English.

Source of the task: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_autoeval.languages import Reading, language
from pytest_autoeval.tasks.answers.chosen_numbers import read_number
from pytest_autoeval.tasks.base import Judgement
from pytest_autoeval.tasks.candidates import CandidateTask
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.structured import reasoned
from pytest_autoeval.tasks.trial import Subject, Trial, UnsuitableSampleError


class MostSimilar(CandidateTask):
    """Sentence and options → the number of the one that means the same; ``expected`` is that number, from 1.

    A model that embeds chooses the option of the highest similarity; where others are as similar as the right one, one
    of those.
    """

    figures = "choices"
    benchmark = "Most similar"
    candidates_slot = "options"
    schema = reasoned("most_similar", {"type": "integer"})

    def judge(self, answer: str, trial: Trial) -> Judgement:
        chosen = read_number(answer, self.candidates(trial.about))
        if chosen.value is None:
            return self.invalid(chosen.problem, trial.about)
        return self._choice(chosen.value, trial)

    def judge_similarities(self, similarities: Sequence[float], trial: Trial) -> Judgement:
        expected = fact(trial.about, "expected", int)
        numbers = range(1, len(similarities) + 1)
        return self._choice(max(numbers, key=lambda number: (similarities[number - 1], number != expected)), trial)

    def notes_without_answer(self, _subject: Subject) -> Mapping[str, Any]:
        return {"answered": None, "problem": None}

    def _choice(self, number: int, trial: Trial) -> Judgement:
        subject = trial.about
        expected = fact(subject, "expected", int)
        notes: dict[str, Any] = {"answered": number, "problem": None}
        if number == expected:
            return Judgement(outcome="correct", notes=notes)
        candidates = self.candidates(subject)
        lang = language(subject.language)
        chosen = lang.parse(fact(subject, "candidates", list)[number - 1])
        verdict = lang.equivalent(subject.formula, chosen, timeout=trial.seconds_for(lang))
        if verdict.outcome == "equivalent":
            raise UnsuitableSampleError(
                f"{lang.format(subject.formula)} and {lang.format(chosen)} are equivalent, and the data set says "
                "that only one of them is right"
            )
        message = (
            f"chosen is {number}, and should be {expected}\n  left (expected): {candidates[expected - 1]}\n"
            f"  right (chosen):  {candidates[number - 1]}"
        )
        if verdict.witness is not None:
            message += f"\n  they differ on:  {verdict.witness}"
        if self.form == "formulas":
            # The row shows the chosen formula; the answer names it by its number, so that its syntax does not count.
            reading = Reading(chosen, compliant=True, recovered=False, text=candidates[number - 1])
            notes |= {"compliant": None, "recovered": None}
        else:
            reading = None
        return Judgement(outcome="wrong answer", message=message, notes=notes, reading=reading, verdict=verdict)


FORMULAS = MostSimilar("most_similar_formulas", "formulas")
ENGLISH = MostSimilar("most_similar_english", "english")
