"""What the author of a sentence has answered: cases that the sentence allows, and cases that it does not allow."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.base import Formula
from pytest_autoeval.languages.contract import Language


@dataclass(frozen=True, slots=True)
class AuthorAnswer:
    """An answered question: its id and text, the case as the JSON of a witness, and whether the case is allowed.

    ``names`` are those of the case, with the phrases that the author read; empty if they are not known.
    """

    id: str
    question: str
    case: Mapping[str, Any]
    allowed: bool
    names: Mapping[str, str] = field(default_factory=dict)

    def to_fact(self) -> dict[str, Any]:
        """Plain basic types for the facts of a sentence."""
        return asdict(self)

    @property
    def case_text(self) -> str:
        """The case as text, the same for equal cases."""
        return json.dumps(self.case, sort_keys=True)

    def fits(self, glossary: Mapping[str, str]) -> bool:
        """Whether the names of the case still stand for what the author read."""
        return all(glossary.get(name) == phrase for name, phrase in self.names.items())

    def asks_the_same_as(self, other: AuthorAnswer) -> bool:
        """Whether two answers to a sentence are to one question. With other phrases, a case is another question."""
        shared = self.names.keys() & other.names.keys()
        has_same_phrases = all(self.names[name] == other.names[name] for name in shared)
        return has_same_phrases and self.case_text == other.case_text

    def is_opposite(self, other: AuthorAnswer) -> bool:
        """Whether the same question has the opposite answer."""
        return self.asks_the_same_as(other) and self.allowed is not other.allowed


def names_of_case(case: Mapping[str, Any], glossary: Mapping[str, str]) -> dict[str, str]:
    """The entries of a glossary whose names a case has."""
    text = json.dumps(case, ensure_ascii=False)
    names: dict[str, str] = {}
    for symbol_text, phrase in glossary.items():
        name = symbol_text.partition("(")[0].strip()
        # A name with several arities stands in a case with its arity: "likes/2".
        if re.search(rf'"{re.escape(name)}(/\d+)?"', text):
            names[symbol_text] = phrase
    return names


def answers_of_facts(facts: Iterable[Mapping[str, Any]]) -> list[AuthorAnswer]:
    """The answers from the results of :meth:`AuthorAnswer.to_fact`; raises :class:`AutoevalError` for anything else."""
    try:
        answers = [AuthorAnswer(**fact) for fact in facts]
    except TypeError as problem:
        raise AutoevalError(f"these are no answers of an author: {problem}") from None
    for answer in answers:
        if not isinstance(answer.allowed, bool):
            raise AutoevalError(f"an answer of an author is true or false, not {answer.allowed!r}")
    return answers


def contradicted_answer(
    lang: Language, formula: Formula, answers: Iterable[AuthorAnswer]
) -> AuthorAnswer | None:
    """The first answer that a formula contradicts; None if there is none, or if the cases leave it open.

    The evaluator of the language decides. Raises :class:`AutoevalError` for a case of another language.
    """
    for answer in answers:
        holds = lang.holds_in(formula, answer.case)
        # None means that the case leaves the formula open, which contradicts nobody.
        if holds is not None and holds is not answer.allowed:
            return answer
    return None
