"""Do these two formulas mean the same? Asked of pairs that do and of pairs that do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from pytest_autoeval.languages import Verdict, language
from pytest_autoeval.tasks.answers.equivalence_words import WORDS
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.failures import UnsuitableSampleError
from pytest_autoeval.tasks.formula_text import shown
from pytest_autoeval.tasks.questions import fact, judged_question
from pytest_autoeval.tasks.trial import Interface, Subject, Trial


class Judge(Task):
    """Two formulas → yes or no.

    The subject's facts tell the second formula (``other``, its canonical text) and whether the two are equivalent
    (``expected``). ``reasoning`` asks for reasons and then for a line with the answer, ``direct`` for one word.
    """

    name = "judge"
    interfaces: ClassVar[tuple[Interface, ...]] = ("reasoning", "direct")

    def slots(self, subject: Subject, interface: Interface) -> Mapping[str, str]:
        return {"formula": shown(subject, interface), "other": fact(subject, "other", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        subject, interface = trial.about, self.interface(trial)
        judgement = judged_question(
            answer,
            fact(subject, "expected", bool),
            WORDS,
            quoted=tuple(self.slots(subject, interface).values()),
            reasoned=interface == "reasoning",
        )
        if judgement.notes["answered"] is True and judgement.outcome == "wrong answer":
            return replace(judgement, verdict=_difference(trial))
        return judgement


def _difference(trial: Trial) -> Verdict:
    """What the two formulas differ on, for who took them for the same."""
    subject = trial.about
    tongue = language(subject.language)
    other = fact(subject, "other", str)
    verdict = tongue.equivalent(subject.formula, other, trial.seconds_for(tongue))
    if verdict.outcome == "equivalent":
        raise UnsuitableSampleError(
            f"{tongue.format(subject.formula)} and {other} are equivalent, and the data set says that they are not"
        )
    return verdict


TASK = Judge()
