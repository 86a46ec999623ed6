"""An assignment in English: "Suppose the following. The door is open. It is not the case that the light is red." """

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_autoeval.languages.base import Witness
from pytest_autoeval.languages.deciding import Assignment
from pytest_autoeval.languages.logic.signature import symbols
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.propositional.evaluate import evaluate
from pytest_autoeval.languages.situation import NOT, phrases_of, sentence, unlike


def situation(witness: Witness, glossary: Mapping[str, str]) -> str:
    """The assignment, one sentence for each proposition in order; raises :class:`EnglishError` for another witness."""
    if not isinstance(witness, Assignment):
        raise unlike("an assignment")
    phrases = phrases_of(glossary, [(name, 0) for name in witness.values], " holds")
    clauses = zip(phrases, witness.values.values(), strict=True)
    facts = [sentence(f"{'' if value else NOT}{phrase.text}") for phrase, value in clauses]
    return " ".join(["Suppose the following.", *facts]) if facts else "Suppose anything."


def satisfies(formula: Sentence, witness: Mapping[str, Any]) -> bool | None:
    """Whether the formula holds under the assignment of a witness's JSON; None if it lacks a proposition."""
    values = {name: {False: False, True: True}[value] for name, value in witness["values"].items()}
    if not values.keys() >= set(symbols(formula).propositions):
        return None
    return evaluate(formula, values)
