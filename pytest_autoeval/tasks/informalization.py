"""A formula into English in the words of a glossary, and back in a fresh conversation with the same glossary.

The verdict on what came back judges the English; the reference sentence judges nothing, but stands beside it in the row
for the metrics of texts.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_autoeval.languages import language
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.formula_text import shown
from pytest_autoeval.tasks.logical_translation import TASK as TRANSLATION
from pytest_autoeval.tasks.logical_translation import glossary
from pytest_autoeval.tasks.round_trip import description_in
from pytest_autoeval.tasks.trial import Trial


class Informalization(Task):
    """Formula and ontology → sentence → formula.

    The subject's facts are its ``ontology``. The outcome is that of the translation back; a description that was cut
    off, refused or empty ends the trial before it.
    """

    name = "informalization"
    form = "english"
    figures = "scored translation"
    benchmark = "Informalization"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"formula": shown(trial.about), "symbols": glossary(trial.about)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        return TRANSLATION.judge(answer, trial)

    def _answered(self, trial: Trial) -> Judgement:
        lang = language(trial.about.language)
        trial.description = description_in(self._asked(trial), self.name, trial.about.formula, lang, trial).strip()
        return TRANSLATION.translated(trial.description, trial)


TASK = Informalization()
