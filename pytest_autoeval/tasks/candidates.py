"""Tasks with a sentence and numbered candidates, in formulas or in English: choose one, or rank them all."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_autoeval.models.base import Embedder, Form
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.formula_text import numbered
from pytest_autoeval.tasks.logical_translation import glossary
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.similarity import similarities
from pytest_autoeval.tasks.trial import Subject, Trial

#: The messages for invalid answers, by their problem.
_MESSAGES: Final = {
    "no number": "the answer gives no number",
    "out of range": "the answer names a number that no candidate has",
    "several numbers": "the answer does not keep to one answer",
    "not a permutation": "the order leaves out a number, or has one twice",
}


class CandidateTask(Task):
    """Sentence and candidates → numbers.

    The subject's facts are the ``sentence``, its ``ontology``, the ``candidates`` (canonical formulas) and
    ``candidates_english`` (each in words), and which numbers are ``expected``. ``form`` says which of the two the model
    is shown; with formulas it is shown the ontology too.
    """

    interfaces = ("structured", "text")
    embeds = True
    form: Form
    #: The prompt's slot for the candidates.
    candidates_slot: str

    def __init__(self, name: str, form: Form) -> None:
        self.name, self.form = name, form

    def slots(self, trial: Trial) -> Mapping[str, str]:
        subject = trial.about
        slots = {"sentence": fact(subject, "sentence", str), self.candidates_slot: numbered(self.candidates(subject))}
        return slots | {"symbols": glossary(subject)} if self.form == "formulas" else slots

    def embed(self, embedder: Embedder, trial: Trial) -> Judgement:
        """Judges the candidates by the cosine similarity of each to the sentence, which is embedded as English."""
        subject = trial.about
        sentence = fact(subject, "sentence", str)
        found = similarities(embedder, sentence, self.candidates(subject), self.form, trial)
        notes: dict[str, Any] = {"structured": None, "similarities": None if found is None else list(found)}
        if found is None:
            notes |= {**self.notes_without_answer(subject), "problem": "no number"}
            message = f"{embedder.name} gives a vector that has no direction: zero, not finite, or of another length"
            return Judgement(outcome="invalid answer", message=message, notes=notes)
        judgement = self.judge_similarities(found, trial)
        return replace(judgement, notes={**judgement.notes, **notes})

    @abstractmethod
    def judge_similarities(self, similarities: Sequence[float], trial: Trial) -> Judgement:
        """Judges the candidates' similarities to the sentence; ties go against the model."""

    def candidates(self, subject: Subject) -> tuple[str, ...]:
        """The candidates as the model is shown them."""
        return tuple(fact(subject, "candidates" if self.form == "formulas" else "candidates_english", list))

    def invalid(self, problem: str, subject: Subject) -> Judgement:
        """The judgement of an answer that gives no number, or no order of all numbers."""
        notes = {**self.notes_without_answer(subject), "problem": problem}
        return Judgement(outcome="invalid answer", message=_MESSAGES[problem], notes=notes)
