"""Write a trace that satisfies this formula, or one that violates it: any such trace is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast, get_args

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import language
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces.lasso import to_text
from pytest_autoeval.languages.ltl.traces.notation import read_trace
from pytest_autoeval.tasks.base import Judgement, Task, fact
from pytest_autoeval.tasks.formula_text import shown
from pytest_autoeval.tasks.trial import Subject, Trial

Kind = Literal["satisfying", "violating"]


class TraceWriting(Task):
    """Formula → trace.

    The subject's facts are the kind of trace that is wanted (``expected``): ``satisfying`` or ``violating``. The trace
    is infinite, with its loop written out, over the formula's propositions.
    """

    name = "write_trace"
    interfaces = ("detailed", "minimal", "python")
    figures = "written traces"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        formula = shown(trial.about, in_python=self.interface(trial) == "python")
        return {"formula": formula, "wanted": f"a {_expected(trial.about)} trace"}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        subject, expected = trial.about, _expected(trial.about)
        formula = cast("Temporal", subject.formula)
        atoms = language(subject.language).symbols(formula).propositions
        notation: Literal["text", "python"] = "python" if self.interface(trial) == "python" else "text"
        read = read_trace(answer, atoms, None, notation=notation)
        if read.lasso is None:
            return Judgement(
                outcome="malformed trace",
                message=f"no trace over {', '.join(atoms) or 'no proposition'} in the answer: {read.problem}",
                notes={"expected": expected, "answered": None, "trace": None},
            )
        answered = "satisfying" if holds(formula, read.lasso) else "violating"
        notes = {
            "expected": expected,
            "answered": answered,
            "trace": to_text(read.lasso),
            "compliant": read.compliant,
            "recovered": read.recovered,
        }
        if answered == expected:
            return Judgement(outcome="correct", notes=notes)
        message = (
            f"the trace is {answered}, and should be {expected}\n  formula: {formula}\n  trace:   {notes['trace']}"
        )
        return Judgement(outcome="wrong answer", message=message, notes=notes)


def _expected(subject: Subject) -> Kind:
    expected = fact(subject, "expected", str)
    if expected not in get_args(Kind):
        raise AutoevalError(f"the sample wants a trace that is {expected!r}; known are: {', '.join(get_args(Kind))}")
    return cast("Kind", expected)


WRITE_TRACE = TraceWriting()
