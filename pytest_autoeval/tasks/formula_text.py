"""Formulas, propositions, vocabularies and lists as prompts show them, and formulas as answers give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from pytest_autoeval.languages import Language, Reading, Vocabulary, language
from pytest_autoeval.languages.ontology import ontology_of_facts
from pytest_autoeval.tasks.base import fact
from pytest_autoeval.tasks.trial import Subject


def shown(subject: Subject, *, in_python: bool = False) -> str:
    """The subject's formula as the language's canonical text; one of temporal logic also as a Python expression."""
    if in_python:
        from pytest_autoeval.languages.ltl.python_notation import to_python
        from pytest_autoeval.languages.ltl.syntax import Temporal

        return to_python(cast(Temporal, subject.formula))
    return language(subject.language).format(subject.formula)


def formula_in(answer: str, lang: Language, vocabulary: Vocabulary | None, *, in_python: bool) -> Reading:
    """The reading of an answer that is a formula of a language; of temporal logic also a Python program."""
    if in_python:
        from pytest_autoeval.languages.ltl.python_notation import read_python

        return read_python(answer)
    return lang.read(answer, vocabulary=vocabulary)


def glossary(subject: Subject) -> str:
    """The meanings of the subject's symbols, a line each."""
    return ontology_of_facts(fact(subject, "ontology", list)).listed()


def listed(propositions: Iterable[Sequence[str]]) -> str:
    """Pairs of phrase and name, one a line: ``"the door is open": x1``."""
    return "\n".join(f'"{phrase}": {name}' for phrase, name in propositions)


def numbered(texts: Sequence[str]) -> str:
    """Texts as a list, a line each, from 1."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))


def in_words(vocabulary: Vocabulary) -> str:
    """The names of a vocabulary as a short list, one kind a line; kinds that have none are left out."""
    kinds = {
        "Propositions": vocabulary.propositions,
        "Predicates": [_with_arity(*symbol) for symbol in vocabulary.predicates],
        "Functions": [_with_arity(*symbol) for symbol in vocabulary.functions],
        "Constants": vocabulary.constants,
        "Variables": vocabulary.variables,
        "Alphabet": vocabulary.alphabet,
    }
    return "\n".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items() if names) or "(no names)"


def _with_arity(name: str, arity: int) -> str:
    count = {1: "one argument", 2: "two arguments", 3: "three arguments"}.get(arity, f"{arity} arguments")
    return f"{name} ({count})"
