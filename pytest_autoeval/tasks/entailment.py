"""Premises and a conclusion, in English or in logic: is the conclusion True, False or Uncertain?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_autoeval.models.base import Form
from pytest_autoeval.tasks.answers.entailment_words import LABELS, read_label
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.formula_text import numbered
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.structured import reasoned
from pytest_autoeval.tasks.trial import Subject, Trial


class Entailment(Task):
    """Premises and conclusion → True, False or Uncertain.

    The subject's facts are the right label (``expected``), and premises and conclusion in both forms; ``premises`` and
    ``conclusion`` name the facts that are shown. Answers are read in the same way through both interfaces.
    """

    prompt_language = "first_order"
    interfaces = ("structured", "text")
    figures = "entailments"
    benchmark = "Entailment"
    schema = reasoned("entailment", {"type": "string", "enum": [*LABELS]})

    def __init__(self, name: str, form: Form, premises: str, conclusion: str) -> None:
        self.name, self.form, self.premises, self.conclusion = name, form, premises, conclusion

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {
            "conclusion": fact(trial.about, self.conclusion, str),
            "premises": numbered(fact(trial.about, self.premises, list)),
        }

    def judge(self, answer: str, trial: Trial) -> Judgement:
        expected = fact(trial.about, "expected", str)
        read = read_label(answer, fact(trial.about, self.conclusion, str))
        notes = {"answered": read.label}
        if read.label is None:
            return Judgement(outcome="unreadable answer", message=f"no label: {read.problem}", notes=notes)
        if read.label == expected:
            return Judgement(outcome="correct", notes=notes)
        message = f"the answer is {read.label}, and should be {expected}"
        return Judgement(outcome="wrong answer", message=message, notes=notes)

    def notes_without_answer(self, _subject: Subject) -> Mapping[str, Any]:
        return {"answered": None}


FORMULAS = Entailment("entailment_formulas", "formulas", "premises_formulas", "conclusion_formula")
ENGLISH = Entailment("entailment_english", "english", "premises", "conclusion")
