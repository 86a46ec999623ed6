"""What the author of a sentence has answered: cases that the sentence allows, and cases that it does not allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pytest_autoeval.languages.base import Formula
from pytest_autoeval.languages.contract import Language


@dataclass(frozen=True, slots=True)
class AuthorAnswer:
    """An answered question: its id and text, the case as the JSON of a witness, and whether the case is allowed."""

    id: str
    question: str
    case: Mapping[str, Any]
    allowed: bool

    def to_fact(self) -> dict[str, Any]:
        """Plain basic types for the facts of a sentence."""
        return asdict(self)

    @property
    def text(self) -> str:
        """The question with its answer."""
        return f"{self.question} {'Yes' if self.allowed else 'No'}."


def answers_of_facts(facts: Iterable[Mapping[str, Any]]) -> list[AuthorAnswer]:
    """The answers from the results of :meth:`AuthorAnswer.to_fact`."""
    return [AuthorAnswer(**fact) for fact in facts]


def contradicted_answer(lang: Language, formula: Formula, answers: Iterable[AuthorAnswer]) -> AuthorAnswer | None:
    """The first answer that a formula contradicts; None if there is none, or if the cases leave it open.

    The evaluator of the language decides. Raises :class:`AutoevalError` for a case of another language.
    """
    for answer in answers:
        holds = lang.satisfies(formula, answer.case)
        if holds is not None and holds is not answer.allowed:
            return answer
    return None
