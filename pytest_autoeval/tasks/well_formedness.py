"""Is this string a well-formed formula? Asked of well-formed and of ill-formed strings."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_autoeval.tasks.answers.yes_no import AnswerWords
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.questions import fact, judged_question
from pytest_autoeval.tasks.trial import Trial

WORDS = AnswerWords(
    affirming=(
        r"well[- ]?formed",
        r"(?:(?:syntactically|grammatically)\s+)?(?:valid|correct)",
        r"grammatical",
        r"syntactically\s+(?:sound|legal)",
    ),
    denying=(
        r"(?:ill|mal|badly|poorly)[- ]?formed",
        r"(?:(?:syntactically|grammatically)\s+)?(?:invalid|incorrect)",
        r"ungrammatical",
    ),
    topics=("string", "formula", "expression", "input", "ltl", "syntax", "linear temporal logic"),
)


class WellFormedness(Task):
    """String → yes or no.

    The subject's facts are the string (``text``) and whether it is well-formed (``expected``).
    """

    name = "well_formed"
    interfaces = ("detailed", "minimal")
    prompt_language = "ltl"
    figures = "well-formedness"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"string": fact(trial.about, "text", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        string = fact(trial.about, "text", str)
        return judged_question(answer, fact(trial.about, "expected", bool), WORDS, quoted=(string,))


TASK = WellFormedness()
