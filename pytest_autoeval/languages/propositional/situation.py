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
    clauses = zip(phrases, witness.values.values(), strict=True)
    facts = [sentence(f"{'' if value else NOT}{phrase.text}") for phrase, value in clauses]
    return " ".join(["Suppose the following.", *facts]) if facts else "Suppose anything."


@readable_case()
def holds_in(formula: Sentence, case: Mapping[str, Any], *, closed: bool) -> bool | None:
    """See `Language.holds_in`: under the assignment of a witness's JSON."""
    values = {name: {False: False, True: True}[value] for name, value in case["values"].items()}
    lacking = dict.fromkeys(set(symbols(formula).propositions) - values.keys(), False)
    return evaluate(formula, values | lacking) if closed or not lacking else None
