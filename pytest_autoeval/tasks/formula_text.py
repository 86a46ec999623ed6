"""Formulas, propositions and lists as prompts show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from pytest_autoeval.languages import language
from pytest_autoeval.languages.ltl.answers.python_notation import to_python
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.tasks.trial import Subject


def shown(subject: Subject, *, in_python: bool = False) -> str:
    """The subject's formula as the language's canonical text; one of temporal logic also as a Python expression."""
    if in_python:
        return to_python(cast("Temporal", subject.formula))
    return language(subject.language).format(subject.formula)


def listed(propositions: Iterable[Sequence[str]]) -> str:
    """Pairs of phrase and name, one a line: ``"the door is open": x1``."""
    return "\n".join(f'"{phrase}": {name}' for phrase, name in propositions)


def numbered(texts: Sequence[str]) -> str:
    """Texts as a list, a line each, from 1."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
