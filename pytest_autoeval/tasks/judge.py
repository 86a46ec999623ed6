"""Do these two formulas mean the same? Asked of pairs that do and of pairs that do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pytest_autoeval.languages import Verdict, language
from pytest_autoeval.tasks.answers.equivalence_words import WORDS
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.formula_text import shown
from pytest_autoeval.tasks.questions import fact, judged_question
from pytest_autoeval.tasks.trial import Trial, UnsuitableSampleError


class Judge(Task):
    """Two formulas → yes or no.

    The subject's facts are the second formula (``other``, its canonical text) and whether the two are equivalent
    (``expected``). ``reasoning`` asks for reasons and then for a line with the answer, ``direct`` for one word.
    """

    name = "judge"
    interfaces = ("reasoning", "direct")
    figures = "judged pairs"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"formula": shown(trial.about), "other": fact(trial.about, "other", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        judgement = judged_question(
            answer,
            fact(trial.about, "expected", bool),
            WORDS,
            quoted=tuple(self.slots(trial).values()),
            reasoned=self.interface(trial) == "reasoning",
        )
        if judgement.notes["answered"] is True and judgement.outcome == "wrong answer":
            return replace(judgement, verdict=_difference(trial))
        return judgement


def _difference(trial: Trial) -> Verdict:
    """The witness against a yes: what the two formulas differ on."""
    subject = trial.about
    lang = language(subject.language)
    other = fact(subject, "other", str)
    verdict = lang.equivalent(subject.formula, other, trial.seconds_for(lang))
    if verdict.outcome == "equivalent":
        raise UnsuitableSampleError(
            f"{lang.format(subject.formula)} and {other} are equivalent, and the data set says that they are not"
        )
    return verdict


TASK = Judge()
