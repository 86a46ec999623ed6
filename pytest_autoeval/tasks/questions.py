"""Facts of a sample, and questions of yes or no whose right answer is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pytest_autoeval.tasks.answers.yes_no import AnswerWords, read_yes_no
from pytest_autoeval.tasks.base import Judgement
from pytest_autoeval.tasks.trial import Subject, UnsuitableSampleError

T = TypeVar("T")


def fact(subject: Subject, key: str, kind: type[T]) -> T:
    """A fact of a subject, beside its formula; raises :class:`UnsuitableSampleError` if the subject lacks it."""
    value = getattr(subject, "facts", {}).get(key)
    if not isinstance(value, kind):
        raise UnsuitableSampleError(
            f"the sample has no {key!r} ({kind.__name__}), which this task needs: name a data set that is made for it"
        )
    return value


def judged_question(
    answer: str, expected: bool, words: AnswerWords, *, quoted: Sequence[str] = (), reasoned: bool = False
) -> Judgement:
    """``correct``, ``wrong answer`` or ``unreadable answer``; :func:`read_yes_no` documents the other arguments."""
    read = read_yes_no(answer, words, quoted=quoted, reasoned=reasoned)
    notes = {"expected": expected, "answered": read.value}
    if read.value is None:
        return Judgement(outcome="unreadable answer", message=f"neither yes nor no: {read.problem}", notes=notes)
    if read.value == expected:
        return Judgement(outcome="correct", notes=notes)
    right, wrong = ("yes", "no") if expected else ("no", "yes")
    return Judgement(outcome="wrong answer", message=f"the answer is {wrong}, and should be {right}", notes=notes)
