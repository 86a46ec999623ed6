"""An assignment in English: "Suppose the following. The door is open. It is not the case that the light is red." """

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_autoeval.languages.base import Witness
from pytest_autoeval.languages.deciding import Assignment
from pytest_autoeval.languages.logic.signature import symbols
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.propositional.evaluate import evaluate
from pytest_autoeval.languages.situation import NOT, phrases_of, readable_case, sentence, unlike


def situation(witness: Witness, glossary: Mapping[str, str]) -> str:
    """The assignment, one sentence for each proposition in order; raises :class:`EnglishError` for another witness."""
    if not isinstance(witness, Assignment):
        raise unlike("an assignment")
    phrases = phrases_of(glossary, [(name, 0) for name in witness.values], " holds")
    facts = []
    for phrase, value in zip(phrases, witness.values.values(), strict=True):
        negation = "" if value else NOT
        facts.append(sentence(f"{negation}{phrase.text}"))
    if not facts:
        return "Suppose anything."
    return " ".join(["Suppose the following.", *facts])


@readable_case()
def holds_in(formula: Sentence, case: Mapping[str, Any], *, closed: bool) -> bool | None:
    """See `Language.holds_in`: under the assignment of a witness's JSON."""
    values: dict[str, bool] = {}
    for name, value in case["values"].items():
        # A file may hold anything: a value that is no truth value is a KeyError, and the case is unreadable.
        values[name] = {False: False, True: True}[value]
    lacking = set(symbols(formula).propositions) - values.keys()
    if lacking and not closed:
        return None
    return evaluate(formula, values | dict.fromkeys(lacking, False))
