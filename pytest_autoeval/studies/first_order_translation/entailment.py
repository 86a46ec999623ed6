"""The task that says what premises say of a conclusion."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_autoeval.models.protocols import Form
from pytest_autoeval.outcomes import Label
from pytest_autoeval.record.sample_parts import Part
from pytest_autoeval.record.task_parts import Answered
from pytest_autoeval.tasks.answer_readers import read_label
from pytest_autoeval.tasks.formula_answers import numbered
from pytest_autoeval.tasks.judge import compared_answer
from pytest_autoeval.tasks.task import Judgement, Task, reasoned
from pytest_autoeval.tasks.trial import Trial


class Entailment(Task):
    """Premises and a conclusion, in English or in logic: is the conclusion True, False or Uncertain?

    The sample's facts are the right label (``expected``), and premises and conclusion in both forms; ``premises`` and
    ``conclusion`` name the facts that are shown.
    """

    prompt_language = "first_order"
    interfaces = ("structured", "text")
    constrained_interfaces = ("structured",)
    figures = "entailments"
    chance = 1 / len(Label)
    benchmark = "Entailment"
    schema = reasoned("entailment", {"type": "string", "enum": [*Label]})

    def __init__(self, name: str, form: Form, premises: str, conclusion: str) -> None:
        self.name = name
        self.form = form
        # The facts that the prompt shows: the answer is judged by the label alone.
        self.premises = premises
        self.conclusion = conclusion

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {
            "conclusion": trial.fact(self.conclusion, str),
            "premises": numbered(trial.fact(self.premises, list)),
        }

    def judge(self, answer: str, trial: Trial) -> Judgement:
        return compared_answer(answer, read_label, trial.fact("expected", str), "no label")

    def parts_without_answer(self, _trial: Trial) -> tuple[Part, ...]:
        return (Answered(),)


ENTAILMENT_FORMULAS = Entailment(
    "entailment_formulas", "formulas", "premises_formulas", "conclusion_formula"
)
ENTAILMENT_ENGLISH = Entailment("entailment_english", "english", "premises", "conclusion")
