"""A sentence and an ontology into a formula of first-order logic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_autoeval.languages import Formula, Reading, language
from pytest_autoeval.languages.base import LimitError
from pytest_autoeval.languages.logic.le_score import le_score
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import ontology_of_facts
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.comparison import judged_reading
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.replies import converse, rendered
from pytest_autoeval.tasks.trial import Subject, Trial


class LogicalTranslation(Task):
    """Sentence and ontology → formula.

    The subject's facts are the ``sentence`` and the ``ontology``; its formula is what the sentence means, its
    vocabulary the whole signature of the ontology. Beside the verdict stands the LE score of an earlier study.
    """

    name = "logical_translation"
    form = "formulas"
    figures = "scored translation"
    benchmark = "Logical translation"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"sentence": fact(trial.about, "sentence", str), "symbols": glossary(trial.about)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        subject = trial.about
        lang = language(subject.language)
        reading = lang.read(answer, vocabulary=subject.vocabulary)
        seconds = trial.seconds_for(lang)
        judgement = judged_reading(reading, subject.formula, subject.vocabulary, lang, seconds)
        return replace(judgement, notes={**judgement.notes, "le_score": le_score_of(reading, subject.formula)})

    def notes_without_answer(self, _subject: Subject) -> Mapping[str, Any]:
        return {"le_score": None}

    def translated(self, sentence: str, trial: Trial) -> Judgement:
        """Judges the model's translation of another sentence about the subject's symbols."""
        slots = {"sentence": sentence, "symbols": glossary(trial.about)}
        return self._judged_exchange(converse(trial, rendered(trial, self.name, trial.about.language, slots)), trial)


def glossary(subject: Subject) -> str:
    """The meanings of the subject's symbols, a line each."""
    return ontology_of_facts(fact(subject, "ontology", list)).listed()


def le_score_of(reading: Reading, reference: Formula) -> float | None:
    """The LE score of what was read; None where no sentence of logic was read, or it is too large."""
    if not isinstance(reference, Sentence) or not isinstance(reading.formula, Sentence):
        return None
    try:
        return le_score(reference, reading.formula)
    except LimitError:
        return None


TASK = LogicalTranslation()
