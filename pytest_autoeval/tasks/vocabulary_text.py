"""A vocabulary in words, for a prompt's slot."""

from __future__ import annotations

from pytest_autoeval.languages import Vocabulary

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
