"""Premises and a conclusion, in English or in logic: is the conclusion True, False or Uncertain?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pytest_autoeval.models.base import AnswerSchema, Form
from pytest_autoeval.tasks.answers.entailment_words import LABELS, read_label
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.structured import reasoned
from pytest_autoeval.tasks.trial import Interface, Subject, Trial


class Entailment(Task):
    """Premises and conclusion → True, False or Uncertain.

    The subject's facts tell the right label (``expected``), and premises and conclusion in both forms. An answer is
    read alike, whichever way it was asked for.
    """

    prompt_language: ClassVar[str] = "first_order"
    interfaces: ClassVar[tuple[Interface, ...]] = ("structured", "text")
    #: The facts that are shown.
    premises: ClassVar[str]
    conclusion: ClassVar[str]

    def slots(self, subject: Subject, interface: Interface) -> Mapping[str, str]:
        _ = interface
        return {
            "premises": _numbered(fact(subject, self.premises, list)),
            "conclusion": fact(subject, self.conclusion, str),
        }

    def schema(self, subject: Subject) -> AnswerSchema | None:
        _ = subject
        return reasoned("entailment", {"type": "string", "enum": [*LABELS]})

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

    def notes_without_answer(self, subject: Subject) -> Mapping[str, Any]:
        _ = subject
        return {"answered": None}


def _numbered(premises: Sequence[str]) -> str:
    return "\n".join(f"{number}. {premise}" for number, premise in enumerate(premises, 1))


class FormulaEntailment(Entailment):
    """Between formulas."""

    name = "entailment_formulas"
    form: ClassVar[Form | None] = "formulas"
    premises = "premises_formulas"
    conclusion = "conclusion_formula"


class EnglishEntailment(Entailment):
    """Between sentences."""

    name = "entailment_english"
    form: ClassVar[Form | None] = "english"
    premises = "premises"
    conclusion = "conclusion"


FORMULAS = FormulaEntailment()
ENGLISH = EnglishEntailment()
