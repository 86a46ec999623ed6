"""A sentence and its propositions into a formula: over the future, and with operators of the past."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_autoeval.languages import language
from pytest_autoeval.languages.ltl.python_notation import read_python
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.comparison import judged_reading
from pytest_autoeval.tasks.formula_text import listed
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.trial import Trial


class Translation(Task):
    """Sentence and propositions → formula.

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
        in_python = self.interface(trial) == "python"
        reading = read_python(answer) if in_python else lang.read(answer, vocabulary=subject.vocabulary)
        return judged_reading(reading, subject.formula, subject.vocabulary, lang, trial.seconds_for(lang))


FUTURE = Translation("translate")
PAST = Translation("translate_past")
