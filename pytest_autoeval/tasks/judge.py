"""Questions whose answer is a word; among them the model as judge: do two formulas mean the same?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pytest_autoeval.languages import language
from pytest_autoeval.languages.answer_grammar import AnswerGrammar, words
from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.models.protocols import AnswerForm
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.task_parts import Answered
from pytest_autoeval.tasks.answer_readers import read_yes_no
from pytest_autoeval.tasks.formula_answers import formula_text, graded
from pytest_autoeval.tasks.task import Task
from pytest_autoeval.tasks.trial import Judgement, Trial, UnsuitableSampleError

_WORD_OF = {True: "yes", False: "no"}
_YES_NO = AnswerGrammar("yes_no", (("word", words(_WORD_OF.values())),))


class YesNoQuestion(Task):
    """A question of yes or no; the sample's fact ``expected`` is the right answer."""

    chance = 1 / 2

    def answer_form(self, _trial: Trial) -> AnswerForm | None:
        return _YES_NO

    def judge(self, answer: str, trial: Trial) -> Judgement:
        return compared_answer(
            answer, read_yes_no, trial.fact("expected", bool), "neither yes nor no"
        )


class Judge(YesNoQuestion):
    """Do these two formulas mean the same? The sample's facts are the ``other`` one (its text) and ``expected``."""

    name = "judge"
    interfaces = ("reasoning", "direct", "paper")
    constrained_interfaces = ("direct",)
    figures = "judged pairs"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"formula": formula_text(trial.about), "other": trial.fact("other", str)}

    def _signs(self, trial: Trial) -> Sequence[str]:
        lang = language(trial.about.language)
        signs = [*super()._signs(trial)]
        # The prompt shows both formulas, so the signs of both are explained.
        for formula in (trial.about.formula, trial.fact("other", str)):
            signs += lang.signs(lang.tree(formula))
        return signs

    def judge(self, answer: str, trial: Trial) -> Judgement:
        judgement = super().judge(answer, trial)
        answered = judgement.part(Answered)
        said_yes = answered is not None and answered.value is True
        if not said_yes or judgement.outcome != Outcome.WRONG_ANSWER:
            return judgement
        # After a wrong yes, the verdict has a witness of the difference; or the data set is wrong, and not the model.
        formula = trial.about.formula
        lang = language(trial.about.language)
        other = trial.fact("other", str)
        verdict = lang.equivalent(formula, other, trial.seconds_for(lang))
        if verdict.outcome == VerdictOutcome.EQUIVALENT:
            raise UnsuitableSampleError(
                f"{lang.format(formula)} and {other} are equivalent, and the data set says that they are not"
            )
        return replace(judgement, verdict=verdict)


def compared_answer(
    answer: str, read: Callable[[str], bool | str], expected: bool | str, unread: str
) -> Judgement:
    """Judges an answer that is a word, by the reader that finds the word.

    ``unread`` begins the message about an answer that cannot be read, such as ``neither yes nor no``.
    """
    try:
        answered = read(answer)
    except UnreadableError as error:
        return Judgement(
            outcome=Outcome.UNREADABLE_ANSWER, message=f"{unread}: {error}", parts=(Answered(),)
        )
    problem = ""
    if answered != expected:
        problem = f"the answer is {_word(answered)}, but should be {_word(expected)}"
    return graded(problem, Answered(value=answered))


def _word(answer: bool | str) -> str:
    return _WORD_OF[answer] if isinstance(answer, bool) else answer


JUDGE = Judge()
