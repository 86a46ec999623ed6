"""A sentence and an ontology into a formula of first-order logic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from pytest_autoeval.languages import Formula, Reading, language
from pytest_autoeval.languages.base import LimitError
from pytest_autoeval.languages.logic.le_score import le_score
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import ontology_of_facts
from pytest_autoeval.models.base import Form, Message
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.comparison import judged_reading
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.replies import converse
from pytest_autoeval.tasks.trial import Interface, Subject, Trial


class LogicalTranslation(Task):
    """Sentence and ontology → formula.

    The subject's facts tell the ``sentence`` and the ``ontology``; its formula is what the sentence means, its
    vocabulary the whole signature of the ontology. Beside the verdict stands the LE score of an earlier study.
    """

    name = "logical_translation"
    form: ClassVar[Form | None] = "formulas"

    def slots(self, subject: Subject, interface: Interface) -> Mapping[str, str]:
        _ = interface
        return {"sentence": fact(subject, "sentence", str), "symbols": glossary(subject)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        subject = trial.about
        tongue = language(subject.language)
        reading = tongue.read(answer, vocabulary=subject.vocabulary)
        seconds = trial.seconds_for(tongue)
        judgement = judged_reading(reading, subject.formula, subject.vocabulary, tongue, seconds)
        return replace(judgement, notes={**judgement.notes, "le_score": _le_score(subject.formula, reading)})

    def notes_without_answer(self, subject: Subject) -> Mapping[str, Any]:
        _ = subject
        return {"le_score": None}

    def translated(self, sentence: str, trial: Trial) -> Judgement:
        """What the model's translation of another sentence about the subject's symbols is worth."""
        template = self._template(trial, "")
        slots = {"sentence": sentence, "symbols": glossary(trial.about)}
        turns = template.render(slots, few_shot=trial.prompting.way == "few-shot")
        messages = [Message(role, content) for role, content in turns]
        return self._judged_exchange(converse(trial, self.name, messages, template), trial)


def glossary(subject: Subject) -> str:
    """What the subject's symbols stand for, a line each."""
    return ontology_of_facts(fact(subject, "ontology", list)).listed()


def _le_score(reference: Formula, reading: Reading) -> float | None:
    if not isinstance(reference, Sentence) or not isinstance(reading.formula, Sentence):
        return None
    try:
        return le_score(reference, reading.formula)
    except LimitError:
        return None


TASK = LogicalTranslation()
