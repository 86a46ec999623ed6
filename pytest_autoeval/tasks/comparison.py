"""Judging the formula of an answer by the right one: equivalent, stronger, weaker, or neither."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pytest_autoeval.languages import Formula, Language, Reading, Verdict, Vocabulary
from pytest_autoeval.tasks.base import Judgement

#: How the answer relates to the reference, by whether each of them entails the other.
STRONGER, WEAKER, INCOMPARABLE, EQUIVALENT = "stronger", "weaker", "incomparable", "equivalent"

#: The notes for an answer over names of the model's own that were not aligned with ours.
NOT_ALIGNED: Final = MappingProxyType({"alignment": None, "alignment_basis": None})

#: Readers begin their problem with this; the reason follows.
_NONE_FOUND = "no formula was found"


def judged_reading(
    reading: Reading, reference: Formula, vocabulary: Vocabulary, lang: Language, timeout: float
) -> Judgement:
    """Judges a reading by the reference: ``unparseable``, ``foreign symbol``, or the outcome of :func:`compared`.

    ``vocabulary`` holds the names that the answer may use; ``timeout`` is in seconds, for each question to the oracle.
    """
    if reading.formula is None:
        return not_compared(reading, without_formula(reading, lang))
    if foreign := lang.foreign(reading.formula, vocabulary):
        return not_compared(reading, f"the answer uses {'; '.join(foreign)}")
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


def not_compared(reading: Reading, message: str, notes: Mapping[str, Any] | None = None) -> Judgement:
    """The judgement of a reading without a formula, or with a formula that has foreign symbols."""
    is_correct = reading.formula is not None
    notes = {"relation": None, "meaningful": False, "syntactically_correct": is_correct, **(notes or {})}
    outcome = "foreign symbol" if is_correct else "unparseable"
    return Judgement(outcome=outcome, message=message, notes=notes, reading=reading)


def _relation(verdict: Verdict, answer: Formula, reference: Formula, lang: Language, timeout: float) -> str | None:
    """The witness refutes one of the two entailments, so that only the other one is asked for."""
    if verdict.outcome != "different" or verdict.witness is None:
        return EQUIVALENT if verdict.outcome == "equivalent" else None
    if verdict.witness.to_json()["left"]:  # the reference holds where the answer does not
        entailment, relation = lang.entails(answer, reference, timeout=timeout), STRONGER
    else:
        entailment, relation = lang.entails(reference, answer, timeout=timeout), WEAKER
    return {"entails": relation, "does not entail": INCOMPARABLE}.get(entailment.outcome)
