"""Formulas, propositions, vocabularies and lists as prompts show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from pytest_autoeval.languages import Vocabulary, language
from pytest_autoeval.tasks.trial import Subject


def shown(subject: Subject, *, in_python: bool = False) -> str:
    """The subject's formula as the language's canonical text; one of temporal logic also as a Python expression."""
    if in_python:
        from pytest_autoeval.languages.ltl.python_notation import to_python
        from pytest_autoeval.languages.ltl.syntax import Temporal

        return to_python(cast(Temporal, subject.formula))
    return language(subject.language).format(subject.formula)


def listed(propositions: Iterable[Sequence[str]]) -> str:
    """Pairs of phrase and name, one a line: ``"the door is open": x1``."""
    return "\n".join(f'"{phrase}": {name}' for phrase, name in propositions)


def numbered(texts: Sequence[str]) -> str:
    """Texts as a list, a line each, from 1."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))


_PLACES = {1: "one argument", 2: "two arguments", 3: "three arguments"}


def in_words(vocabulary: Vocabulary) -> str:
    """The names of a vocabulary as a short list, one kind a line; kinds that have none are left out."""
    lines = [
        _line("Propositions", vocabulary.propositions),
        _line("Predicates", [_with_arity(*symbol) for symbol in vocabulary.predicates]),
        _line("Functions", [_with_arity(*symbol) for symbol in vocabulary.functions]),
        _line("Constants", vocabulary.constants),
        _line("Variables", vocabulary.variables),
        _line("Alphabet", vocabulary.alphabet),
    ]
    return "\n".join(line for line in lines if line) or "(no names)"


def _line(kind: str, names: tuple[str, ...] | list[str]) -> str:
    return f"{kind}: {', '.join(names)}" if names else ""


def _with_arity(name: str, arity: int) -> str:
    return f"{name} ({_PLACES.get(arity, f'{arity} arguments')})"
