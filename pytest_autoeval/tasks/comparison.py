"""What a formula in an answer is worth beside the right one: equivalent, stronger, weaker, or neither."""

from __future__ import annotations

from typing import Any

from pytest_autoeval.languages import Formula, Language, Reading, Verdict, Vocabulary
from pytest_autoeval.tasks.base import Judgement

#: How the answer relates to the reference, by whether each of them entails the other.
STRONGER, WEAKER, INCOMPARABLE, EQUIVALENT = "stronger", "weaker", "incomparable", "equivalent"

#: What readers begin with where the reason follows.
_NONE_FOUND = "no formula was found"


def judged_reading(
    reading: Reading, reference: Formula, vocabulary: Vocabulary, tongue: Language, timeout: float
) -> Judgement:
    """What was read, compared to the reference: ``unparseable``, ``foreign symbol`` or as :func:`compared` finds.

    ``vocabulary`` holds the names that the answer may use; ``timeout`` is in seconds, for each question to the oracle.
    """
    if reading.formula is None:
        return Judgement(
            outcome="unparseable",
            message=without_formula(reading, tongue),
            notes=not_meaningful(syntactically_correct=False),
            reading=reading,
        )
    if foreign := tongue.foreign(reading.formula, vocabulary):
        return Judgement(
            outcome="foreign symbol",
            message=f"the answer uses {'; '.join(foreign)}",
            notes=not_meaningful(syntactically_correct=True),
            reading=reading,
        )
    return compared(reading, reading.formula, reference, tongue, timeout)


def without_formula(reading: Reading, tongue: Language) -> str:
    """What is said of an answer in which no formula was read."""
    reason = reading.problem.removeprefix(_NONE_FOUND).removeprefix(": ")
    return f"no {tongue.name} formula in the answer{reason and f': {reason}'}"


def compared(reading: Reading, answer: Formula, reference: Formula, tongue: Language, timeout: float) -> Judgement:
    """``equivalent``, ``different`` or ``undecided``, and the relation of the answer to the reference."""
    verdict = tongue.equivalent(reference, answer, timeout=timeout)
    notes = {
        "relation": _relation(verdict, answer, reference, tongue, timeout),
        "meaningful": True,
        "syntactically_correct": True,
    }
    message = ""
    if verdict.outcome == "different":
        message = (
            f"not equivalent\n  left (expected): {tongue.format(reference)}\n"
            f"  right (actual):  {tongue.format(answer)}\n  they differ on:  {verdict.witness}"
        )
    elif verdict.outcome == "undecided":
        message = f"undecided: {verdict.reason or verdict.method}\n  {reference}\n  {answer}"
    return Judgement(outcome=verdict.outcome, message=message, notes=notes, reading=reading, verdict=verdict)


def not_meaningful(*, syntactically_correct: bool) -> dict[str, Any]:
    """The notes on an answer that cannot be compared."""
    return {"relation": None, "meaningful": False, "syntactically_correct": syntactically_correct}


def _relation(verdict: Verdict, answer: Formula, reference: Formula, tongue: Language, timeout: float) -> str | None:
    """The witness refutes one of the entailments, so that only the other one is left to ask for."""
    if verdict.outcome != "different" or verdict.witness is None:
        return EQUIVALENT if verdict.outcome == "equivalent" else None
    if verdict.witness.to_json()["left"]:  # the reference holds where the answer does not
        entailment, relation = tongue.entails(answer, reference, timeout=timeout), STRONGER
    else:
        entailment, relation = tongue.entails(reference, answer, timeout=timeout), WEAKER
    return {"entails": relation, "does not entail": INCOMPARABLE}.get(entailment.outcome)
