"""A sentence and its propositions into a formula: over the future, and with operators of the past."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pytest_autoeval.languages import Reading, language
from pytest_autoeval.languages.ltl.answers.python_notation import read_python
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.comparison import judged_reading
from pytest_autoeval.tasks.formula_text import listed
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.trial import Interface, Subject, Trial


class Translation(Task):
    """Sentence and propositions → formula.

    The subject's facts tell the ``sentence`` and its ``propositions`` (pairs of phrase and atom); its formula is what
    the sentence means, its vocabulary what an answer may use.
    """

    interfaces: ClassVar[tuple[Interface, ...]] = ("detailed", "minimal", "python")

    def slots(self, subject: Subject, interface: Interface) -> Mapping[str, str]:
        _ = interface
        return {"sentence": fact(subject, "sentence", str), "propositions": listed(fact(subject, "propositions", list))}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        subject = trial.about
        reading = formula_in(answer, subject, self.interface(trial))
        tongue = language(subject.language)
        return judged_reading(reading, subject.formula, subject.vocabulary, tongue, trial.seconds_for(tongue))


def formula_in(answer: str, subject: Subject, interface: Interface) -> Reading:
    """The formula of an answer, in the notation that the interface asks for."""
    if interface == "python":
        return read_python(answer)
    return language(subject.language).read(answer, vocabulary=subject.vocabulary)


class FutureTranslation(Translation):
    """Into formulas over the future."""

    name = "translate"


class PastTranslation(Translation):
    """Into formulas that also speak of the past."""

    name = "translate_past"


FUTURE = FutureTranslation()
PAST = PastTranslation()
