"""Tasks about formulas, strings and traces whose answer is a word or a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, cast

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import language
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces.lasso import parse_trace, to_python
from pytest_autoeval.languages.ltl.traces.notation import read_trace
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.task_parts import Answered
from pytest_autoeval.tasks.formula_answers import formula_text, graded
from pytest_autoeval.tasks.judge import YesNoQuestion
from pytest_autoeval.tasks.task import Judgement, Task
from pytest_autoeval.tasks.trial import Trial


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
        in_python = self.interface(trial) == "python"
        trace = trial.fact("trace", str)
        if in_python:
            trace = to_python(parse_trace(trace))
        return {"formula": formula_text(trial.about, in_python=in_python), "trace": trace}


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
        subject = trial.about
        expected = _expected(trial)
        formula = cast("Temporal", subject.formula)
        atoms = language(subject.language).symbols(formula).propositions
        notation: Literal["text", "python"] = "text"
        if self.interface(trial) == "python":
            notation = "python"
        read = read_trace(answer, atoms, notation=notation, is_explicit=True)
        if read.lasso is None:
            return Judgement(
                outcome=Outcome.MALFORMED_TRACE,
                message=f"no trace over {', '.join(atoms) or 'no proposition'} in the answer: {read.problem}",
                parts=(Answered(),),
            )
        # The trace is evaluated, and compared with no other one: any trace of the wanted kind is right.
        answered = "satisfying" if holds(formula, read.lasso) else "violating"
        trace = str(read.lasso)
        error = ""
        if answered != expected:
            error = f"the trace is {answered}, but should be {expected}\n  formula: {formula}\n  trace:   {trace}"
        judgement = graded(error, Answered(value=answered, trace=trace))
        return replace(judgement, compliant=read.compliant, recovered=read.recovered)


def _expected(trial: Trial) -> str:
    expected = trial.fact("expected", str)
    if expected not in ("satisfying", "violating"):
        raise AutoevalError(
            f"the sample wants a trace that is {expected!r}; known are: satisfying, violating"
        )
    return expected


WELL_FORMED = WellFormedness()
JUDGE_TRACE = TraceJudging()
WRITE_TRACE = TraceWriting()
