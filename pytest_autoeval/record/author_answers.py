"""The question to the author of a sentence about a case, and the answer that a formula contradicts, in words."""

from __future__ import annotations

from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Formalized, Given

#: What stands around the case in the text of a question: between the sentence and the case, and behind the case.
_BEFORE_CASE, _BEHIND_CASE = "” can be read in two ways. ", " Is that allowed?"
#: What the author says of a case, and what a formula does that contradicts this; by whether the author allows it.
CONTRADICTED = {
    True: "this case is allowed, but the formula forbids it",
    False: "this case is not allowed, but the formula allows it",
}


def question_about(sentence: str, case: str) -> str:
    """The question to the author of a sentence: whether a case, given in English, is allowed."""
    return f"“{sentence}{_BEFORE_CASE}{case}{_BEHIND_CASE}"


def case_in(question: str) -> str:
    """The case of a question without the sentence: a screen that shows both cuts the case.

    A question in other words, which a user may have written, is returned as it is.
    """
    # An editor may have wrapped it.
    _, _, case = " ".join(question.split()).rpartition(_BEFORE_CASE)
    return case.removesuffix(_BEHIND_CASE)


def answer_text(question: str, *, allowed: bool) -> str:
    """The answer, then its case: where the text is cut, the answer must be left."""
    return f"{'allowed' if allowed else 'not allowed'}: {case_in(question)}"


def contradicted_by(sample: Sample) -> tuple[str, str] | None:
    """What the author says, and the case, if the formula of a sample contradicts it; None if it does not."""
    contradicted = sample.part_or_empty(Formalized).contradicted
    if sample.outcome != Outcome.CONTRADICTS_ANSWER or contradicted is None:
        return None
    for answer in sample.part_or_empty(Given).answers or ():
        if answer["id"] == contradicted:
            return CONTRADICTED[answer["allowed"]], case_in(answer["question"])
    return None
