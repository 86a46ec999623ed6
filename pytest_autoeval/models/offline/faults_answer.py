"""Faults of the answer: the formula was read rightly, and the answer is none, or not one that says so.

Sources: the ∀uto∃val paper, appendix H (explanations after the formula, parentheses that do not match); the rest is
what servers and models are known to return.
"""

from __future__ import annotations

from pytest_autoeval.languages import Formula, language_of
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour, Wording


def prose(formula: Formula, text: str) -> Answer:
    """The formula in a sentence, followed by its parts."""
    parts = [language_of(part).format(part) for part in formula.children()] or [text]
    listed = "\n".join(f"{number}. `{part}`" for number, part in enumerate(parts, start=1))
    return Answer(f"The statement can be written as `{text}`. It is made of:\n\n{listed}")


def unbalanced(formula: Formula, text: str) -> Answer:  # noqa: ARG001
    """The formula behind a parenthesis that never closes."""
    return Answer(f"({text}")


def truncated(formula: Formula, text: str) -> Answer:  # noqa: ARG001
    """The first half of the text."""
    return Answer(text[: len(text) // 2], "length")


def empty(formula: Formula, text: str) -> Answer:  # noqa: ARG001
    """No text."""
    return Answer("")


def refusal(formula: Formula, text: str) -> Answer:  # noqa: ARG001
    """An apology."""
    return Answer("I'm sorry, but I can't help with translating this statement.")


BEHAVIOURS: tuple[Behaviour, ...] = (
    Wording("prose", "explains the formula part by part after giving it, so that a part stands last", prose),
    Wording("unbalanced", "opens a parenthesis and does not close it", unbalanced),
    Wording("truncated", "stops in the middle of the formula, at the token limit", truncated),
    Wording("empty", "answers nothing at all when it should give a formula", empty),
    Wording("refusal", "declines politely to give a formula", refusal),
)
