"""Judging the formula of an answer by the right one: equivalent, stronger, weaker, or neither."""

from __future__ import annotations

from typing import Any

from pytest_autoeval.languages import Formula, Language, Reading, Verdict, Vocabulary
from pytest_autoeval.tasks.base import Judgement

#: How the answer relates to the reference, by whether each of them entails the other.
STRONGER, WEAKER, INCOMPARABLE, EQUIVALENT = "stronger", "weaker", "incomparable", "equivalent"

#: Readers begin their problem with this; the reason follows.
_NONE_FOUND = "no formula was found"


def judged_reading(
    reading: Reading, reference: Formula, vocabulary: Vocabulary, lang: Language, timeout: float
) -> Judgement:
    """Judges a reading by the reference: ``unparseable``, ``foreign symbol``, or the outcome of :func:`compared`.

    ``vocabulary`` holds the names that the answer may use; ``timeout`` is in seconds, for each question to the oracle.
    """
    if reading.formula is None:
        return Judgement(
            outcome="unparseable",
            message=without_formula(reading, lang),
            notes=not_meaningful(syntactically_correct=False),
            reading=reading,
        )
    if foreign := lang.foreign(reading.formula, vocabulary):
        return Judgement(
            outcome="foreign symbol",
            message=f"the answer uses {'; '.join(foreign)}",
            notes=not_meaningful(syntactically_correct=True),
            reading=reading,
        )
    return compared(reading, reading.formula, reference, lang, timeout)


def without_formula(reading: Reading, lang: Language) -> str:
    """The message for an answer in which no formula was read."""
    reason = reading.problem.removeprefix(_NONE_FOUND).removeprefix(": ")
    return f"no {lang.name} formula in the answer{reason and f': {reason}'}"


def compared(reading: Reading, answer: Formula, reference: Formula, lang: Language, timeout: float) -> Judgement:
    """``equivalent``, ``different`` or ``undecided``, and the relation of the answer to the reference."""
    verdict = lang.equivalent(reference, answer, timeout=timeout)
    notes = {
        "relation": _relation(verdict, answer, reference, lang, timeout),
        "meaningful": True,
        "syntactically_correct": True,
    }
    message = "" if verdict.outcome == "equivalent" else unequal(verdict, reference, answer, lang)
    return Judgement(outcome=verdict.outcome, message=message, notes=notes, reading=reading, verdict=verdict)


def unequal(verdict: Verdict, expected: Formula, actual: Formula | str, lang: Language) -> str:
    """Why two formulas are not proved equivalent, for a person."""
    if verdict.outcome == "undecided":
        return f"undecided: {verdict.reason or verdict.method}\n  {expected}\n  {actual}"
    return (
        f"not equivalent\n  left (expected): {lang.format(expected)}\n"
        f"  right (actual):  {actual}\n  they differ on:  {verdict.witness}"
    )


def not_meaningful(*, syntactically_correct: bool) -> dict[str, Any]:
    """The notes for an answer that cannot be compared."""
    return {"relation": None, "meaningful": False, "syntactically_correct": syntactically_correct}


def not_aligned(*, syntactically_correct: bool) -> dict[str, Any]:
    """The notes for an answer over names of the model's own that cannot be aligned with ours."""
    notes = not_meaningful(syntactically_correct=syntactically_correct)
    return {**notes, "alignment": None, "alignment_basis": None}


def _relation(verdict: Verdict, answer: Formula, reference: Formula, lang: Language, timeout: float) -> str | None:
    """The witness refutes one of the two entailments, so that only the other one is asked for."""
    if verdict.outcome != "different" or verdict.witness is None:
        return EQUIVALENT if verdict.outcome == "equivalent" else None
    if verdict.witness.to_json()["left"]:  # the reference holds where the answer does not
        entailment, relation = lang.entails(answer, reference, timeout=timeout), STRONGER
    else:
        entailment, relation = lang.entails(reference, answer, timeout=timeout), WEAKER
    return {"entails": relation, "does not entail": INCOMPARABLE}.get(entailment.outcome)
