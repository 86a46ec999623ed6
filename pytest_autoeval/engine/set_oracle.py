"""Answers whether formulas can hold together, by the decision procedure and the evaluator of their language."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_autoeval.engine.cores import Numbers, Oracle, OracleAnswer
from pytest_autoeval.languages.base import Formula, VerdictOutcome
from pytest_autoeval.languages.contract import Language


def oracle_of(language: Language, formulas: Sequence[Formula], timeout: float | None = None) -> Oracle:
    """The oracle for formulas, numbered from 1, with a time limit in seconds for each decision.

    At most one of the numbers asked for may be negative. Raises `AutoevalError` for a language without conjunctions.
    """
    language.conjunction(formulas[:2])  # a language without conjunctions is refused before the first question
    contradiction = language.trivial()["contradiction"]

    def oracle(numbers: Numbers) -> OracleAnswer:
        asserted = language.conjunction([formulas[number - 1] for number in sorted(numbers) if number > 0])
        (denied,) = [formulas[-number - 1] for number in numbers if number < 0] or [contradiction]
        verdict = language.entails(asserted, denied, timeout)
        if verdict.outcome == VerdictOutcome.ENTAILS:
            return OracleAnswer(False)
        if verdict.outcome == VerdictOutcome.UNDECIDED or verdict.witness is None:
            return OracleAnswer(None)
        values = [language.holds_in(formula, verdict.witness) for formula in formulas]
        known = {number: value for number, value in enumerate(values, 1) if value is not None}
        if any(known.get(abs(number), number > 0) != (number > 0) for number in numbers):
            return OracleAnswer(None)  # the evaluator rejects the witness
        holding = frozenset(number if value else -number for number, value in known.items())
        return OracleAnswer(True, holding | numbers, verdict.witness)

    return oracle
