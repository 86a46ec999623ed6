"""Does this trace satisfy this formula? Asked of satisfying and of violating traces."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_autoeval.languages.ltl.traces.lasso import parse_trace, to_python
from pytest_autoeval.tasks.answers.yes_no import AnswerWords
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.formula_text import shown
from pytest_autoeval.tasks.questions import fact, judged_question
from pytest_autoeval.tasks.trial import Trial

WORDS = AnswerWords(
    affirming=(r"satisf(?:y|ies|ied|ying)", r"holds?"),
    denying=(r"violat(?:e|es|ed|ing|ions?)", r"falsif(?:y|ies|ied)", r"unsatisfied", r"fail(?:s|ed)?"),
    topics=("trace", "formula", "property", "specification"),
)


class TraceJudging(Task):
    """Formula and trace → yes or no.

    The subject's facts are the trace (``trace``, its canonical text) and whether it satisfies the formula
    (``expected``).
    """

    name = "judge_trace"
    interfaces = ("detailed", "minimal", "python")
    figures = "judged traces"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        in_python = self.interface(trial) == "python"
        trace = fact(trial.about, "trace", str)
        if in_python:
            trace = to_python(parse_trace(trace))
        return {"formula": shown(trial.about, in_python=in_python), "trace": trace}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        quoted = tuple(self.slots(trial).values())
        return judged_question(answer, fact(trial.about, "expected", bool), WORDS, quoted=quoted)


TASK = TraceJudging()
