"""Tasks about formulas, traces, strings and conclusions whose answer is a word or a trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal, cast

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import language
from pytest_autoeval.languages.answer_grammar import AnswerGrammar, words
from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces.lasso import parse_trace, to_python
from pytest_autoeval.languages.ltl.traces.notation import read_trace
from pytest_autoeval.models.base import AnswerForm, Form
from pytest_autoeval.outcomes import Label, Outcome
from pytest_autoeval.record.parts import Part
from pytest_autoeval.record.task_parts import Answered
from pytest_autoeval.tasks.answer_readers import read_label, read_yes_no
from pytest_autoeval.tasks.base import Judgement, Task, reasoned
from pytest_autoeval.tasks.comparison import formula_text, graded, numbered
from pytest_autoeval.tasks.trial import Trial, UnsuitableSampleError

_WORDS = {True: "yes", False: "no"}
_YES_NO = AnswerGrammar("yes_no", (("word", words(_WORDS.values())),))


class YesNoQuestion(Task):
    """A question of yes or no; the sample's fact ``expected`` is the right answer."""

    chance = 1 / 2

    def answer_form(self, _trial: Trial) -> AnswerForm | None:
        return _YES_NO

    def judge(self, answer: str, trial: Trial) -> Judgement:
        return _compared_answer(answer, read_yes_no, trial.fact("expected", bool), "neither yes nor no")


class WellFormedness(YesNoQuestion):
    """Is this string a well-formed formula? The sample's facts are the string (``text``) and ``expected``."""

    name = "well_formed"
    interfaces = constrained_interfaces = ("detailed", "minimal")
    prompt_language = "ltl"
    figures = "well-formedness"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"string": trial.fact("text", str)}


class TraceJudging(YesNoQuestion):
    """Does this trace satisfy this formula? The sample's facts are the ``trace`` (canonical text) and ``expected``."""

    name = "judge_trace"
    interfaces = constrained_interfaces = ("detailed", "minimal", "python")
    figures = "judged traces"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        trace, in_python = trial.fact("trace", str), self.interface(trial) == "python"
        text = to_python(parse_trace(trace)) if in_python else trace
        return {"formula": formula_text(trial.about, in_python=in_python), "trace": text}


class Judge(YesNoQuestion):
    """Do these two formulas mean the same? The sample's facts are the ``other`` one (its text) and ``expected``."""

    name = "judge"
    interfaces = ("reasoning", "direct")
    constrained_interfaces = ("direct",)
    figures = "judged pairs"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"formula": formula_text(trial.about), "other": trial.fact("other", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        judgement = super().judge(answer, trial)
        answered = judgement.part(Answered)
        if answered is not None and answered.value is True and judgement.outcome == Outcome.WRONG_ANSWER:
            formula, lang = trial.about.formula, language(trial.about.language)
            other = trial.fact("other", str)
            verdict = lang.equivalent(formula, other, trial.seconds_for(lang))
            if verdict.outcome == VerdictOutcome.EQUIVALENT:
                raise UnsuitableSampleError(
                    f"{lang.format(formula)} and {other} are equivalent, and the data set says that they are not"
                )
            return replace(judgement, verdict=verdict)
        return judgement


class TraceWriting(Task):
    """Formula → trace of the wanted kind, the fact ``expected``: ``satisfying`` or ``violating``."""

    name = "write_trace"
    interfaces = ("detailed", "minimal", "python")
    figures = "written traces"
    # Every trace satisfies or violates the formula, so a guess is right half of the time.
    chance = 1 / 2

    def slots(self, trial: Trial) -> Mapping[str, str]:
        formula = formula_text(trial.about, in_python=self.interface(trial) == "python")
        return {"formula": formula, "wanted": f"a {_expected(trial)} trace"}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        subject, expected = trial.about, _expected(trial)
        formula = cast("Temporal", subject.formula)
        atoms = language(subject.language).symbols(formula).propositions
        notation: Literal["text", "python"] = "python" if self.interface(trial) == "python" else "text"
        read = read_trace(answer, atoms, notation=notation, is_explicit=True)
        if read.lasso is None:
            return Judgement(
                outcome=Outcome.MALFORMED_TRACE,
                message=f"no trace over {', '.join(atoms) or 'no proposition'} in the answer: {read.problem}",
                parts=(Answered(),),
            )
        answered, trace = "satisfying" if holds(formula, read.lasso) else "violating", str(read.lasso)
        error = f"the trace is {answered}, but should be {expected}\n  formula: {formula}\n  trace:   {trace}"
        judgement = graded(error if answered != expected else "", Answered(value=answered, trace=trace))
        return replace(judgement, compliant=read.compliant, recovered=read.recovered)


def _expected(trial: Trial) -> str:
    expected = trial.fact("expected", str)
    if expected not in ("satisfying", "violating"):
        raise AutoevalError(f"the sample wants a trace that is {expected!r}; known are: satisfying, violating")
    return expected


class Entailment(Task):
    """Premises and a conclusion, in English or in logic: is the conclusion True, False or Uncertain?

    The sample's facts are the right label (``expected``), and premises and conclusion in both forms; ``premises`` and
    ``conclusion`` name the facts that are shown.
    """

    prompt_language = "first_order"
    interfaces = ("structured", "text")
    constrained_interfaces = ("structured",)
    figures = "entailments"
    chance = 1 / len(Label)
    benchmark = "Entailment"
    schema = reasoned("entailment", {"type": "string", "enum": [*Label]})

    def __init__(self, name: str, form: Form, premises: str, conclusion: str) -> None:
        self.name, self.form, self.premises, self.conclusion = name, form, premises, conclusion

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {
            "conclusion": trial.fact(self.conclusion, str),
            "premises": numbered(trial.fact(self.premises, list)),
        }

    def judge(self, answer: str, trial: Trial) -> Judgement:
        return _compared_answer(answer, read_label, trial.fact("expected", str), "no label")

    def parts_without_answer(self, _trial: Trial) -> tuple[Part, ...]:
        return (Answered(),)


def _compared_answer(answer: str, read: Callable[[str], bool | str], expected: bool | str, unread: str) -> Judgement:
    try:
        answered = read(answer)
    except UnreadableError as error:
        return Judgement(outcome=Outcome.UNREADABLE_ANSWER, message=f"{unread}: {error}", parts=(Answered(),))
    given, right = (_WORDS[word] if isinstance(word, bool) else word for word in (answered, expected))
    message = f"the answer is {given}, but should be {right}"
    return graded(message if answered != expected else "", Answered(value=answered))


WELL_FORMED = WellFormedness()
JUDGE_TRACE = TraceJudging()
JUDGE = Judge()
WRITE_TRACE = TraceWriting()
ENTAILMENT_FORMULAS = Entailment("entailment_formulas", "formulas", "premises_formulas", "conclusion_formula")
ENTAILMENT_ENGLISH = Entailment("entailment_english", "english", "premises", "conclusion")
