"""Does this trace satisfy this formula? Asked of satisfying and of violating traces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pytest_autoeval.languages.ltl.traces import notation as trace_notation
from pytest_autoeval.tasks.answers.yes_no import AnswerWords
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.formula_text import shown
from pytest_autoeval.tasks.questions import fact, judged_question
from pytest_autoeval.tasks.trial import Interface, Subject, Trial

WORDS = AnswerWords(
    affirming=(r"satisf(?:y|ies|ied|ying)", r"holds?"),
    denying=(r"violat(?:e|es|ed|ing|ions?)", r"falsif(?:y|ies|ied)", r"unsatisfied", r"fail(?:s|ed)?"),
    topics=("trace", "formula", "property", "specification"),
)


class TraceJudging(Task):
    """Formula and trace → yes or no.

    The subject's facts tell the trace (``trace``, its canonical text) and whether it satisfies the formula
    (``expected``).
    """

    name = "judge_trace"
    interfaces: ClassVar[tuple[Interface, ...]] = ("detailed", "minimal", "python")

    def slots(self, subject: Subject, interface: Interface) -> Mapping[str, str]:
        return {"formula": shown(subject, interface), "trace": _trace(subject, interface)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        subject, interface = trial.about, self.interface(trial)
        quoted = (shown(subject, interface), _trace(subject, interface))
        return judged_question(answer, fact(subject, "expected", bool), WORDS, quoted=quoted)


def _trace(subject: Subject, interface: Interface) -> str:
    """The trace, in the notation of the interface."""
    text = fact(subject, "trace", str)
    if interface != "python":
        return text
    return trace_notation.to_python(trace_notation.parse_trace(text))


TASK = TraceJudging()
