"""A formula into English in the words of a glossary, and back in a fresh conversation with the same glossary.

The verdict on what came back judges the English; the reference sentence judges nothing, but stands beside it in the row
for the metrics of texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pytest_autoeval.languages import language
from pytest_autoeval.models.base import Form
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.formula_text import shown
from pytest_autoeval.tasks.leakage import leaks
from pytest_autoeval.tasks.logical_translation import TASK as TRANSLATION
from pytest_autoeval.tasks.logical_translation import glossary
from pytest_autoeval.tasks.replies import said
from pytest_autoeval.tasks.trial import Interface, Subject, Trial


class Informalization(Task):
    """Formula and ontology → sentence → formula.

    The subject's facts tell its ``ontology``. The outcome is that of the translation back; a description that was cut
    off, refused or empty ends the trial before it.
    """

    name = "informalization"
    form: ClassVar[Form | None] = "english"

    def slots(self, subject: Subject, interface: Interface) -> Mapping[str, str]:
        return {"formula": shown(subject, interface), "symbols": glossary(subject)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        return TRANSLATION.judge(answer, trial)

    def _answered(self, trial: Trial) -> Judgement:
        exchange = self._asked(trial)
        if exchange.first is not None:
            trial.notes["first_description"] = exchange.first.text
        trial.description = description = said(exchange.final, self.name).strip()
        trial.leaked = leaks(description, trial.about.formula, language(trial.about.language))
        return TRANSLATION.translated(description, trial)


TASK = Informalization()
