"""A sentence into a formula over given names, and a formula into a sentence and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_autoeval.languages import Formula, Reading, language
from pytest_autoeval.languages.base import LimitError
from pytest_autoeval.languages.logic.le_score import le_score
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.models.base import Form
from pytest_autoeval.tasks.base import Judgement, Task, fact
from pytest_autoeval.tasks.comparison import judged_reading
from pytest_autoeval.tasks.formula_text import formula_in, glossary, listed, shown
from pytest_autoeval.tasks.replies import converse, rendered
from pytest_autoeval.tasks.round_trip import description_in
from pytest_autoeval.tasks.trial import Subject, Trial


class Translation(Task):
    """Sentence and propositions → formula of temporal logic.

    The subject's facts are the ``sentence`` and its ``propositions`` (pairs of phrase and atom); its formula is the
    meaning of the sentence, its vocabulary the names that an answer may use.
    """

    interfaces = ("detailed", "minimal", "python")
    figures = "translation"

    def __init__(self, name: str) -> None:
        self.name = name

    def slots(self, trial: Trial) -> Mapping[str, str]:
        propositions = fact(trial.about, "propositions", list)
        return {"sentence": fact(trial.about, "sentence", str), "propositions": listed(propositions)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        subject, lang = trial.about, language(trial.about.language)
        reading = formula_in(answer, lang, subject.vocabulary, in_python=self.interface(trial) == "python")
        return judged_reading(reading, subject.formula, subject.vocabulary, lang, trial.seconds_for(lang))


class LogicalTranslation(Task):
    """Sentence and ontology → formula of first-order logic.

    The subject's facts are the ``sentence`` and the ``ontology``; its formula is what the sentence means, its
    vocabulary the whole signature of the ontology. Beside the verdict stands the LE score of an earlier study.
    """

    name = "logical_translation"
    form: Form | None = "formulas"
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


class Informalization(LogicalTranslation):
    """Formula and ontology → sentence → formula, in a fresh conversation with the same ontology.

    The subject's facts are its ``ontology``. The outcome is that of the translation back, which judges the English; a
    description that was cut off, refused or empty ends the trial before it. A reference sentence judges nothing.
    """

    name = "informalization"
    form = "english"
    benchmark = "Informalization"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"formula": shown(trial.about), "symbols": glossary(trial.about)}

    def _answered(self, trial: Trial) -> Judgement:
        subject = trial.about
        lang = language(subject.language)
        trial.description = description_in(self._asked(trial), self.name, subject.formula, lang, trial).strip()
        slots = {"sentence": trial.description, "symbols": glossary(subject)}
        prompt = rendered(trial, LogicalTranslation.name, subject.language, slots)
        return self._judged_exchange(converse(trial, prompt), trial)


def le_score_of(reading: Reading, reference: Formula) -> float | None:
    """The LE score of what was read; None where no sentence of logic was read, or it is too large."""
    if not isinstance(reference, Sentence) or not isinstance(reading.formula, Sentence):
        return None
    try:
        return le_score(reference, reading.formula)
    except LimitError:
        return None


TRANSLATE = Translation("translate")
TRANSLATE_PAST = Translation("translate_past")
LOGICAL_TRANSLATION = LogicalTranslation()
INFORMALIZATION = Informalization()
