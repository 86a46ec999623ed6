"""The names that fill a grammar's slots, and that a model's answer may use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A signature: propositions, predicates and functions with arities, constants, variables, alphabet.

    ``variables`` are the names that a grammar binds; an answer may bind any name it likes.
    """

    propositions: tuple[str, ...] = ()
    predicates: tuple[tuple[str, int], ...] = ()
    functions: tuple[tuple[str, int], ...] = ()
    constants: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    alphabet: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """Every name of the signature, whatever its kind; variables and alphabet left out."""
        return frozenset(
            (
                *self.propositions,
                *(name for name, _ in self.predicates),
                *(name for name, _ in self.functions),
                *self.constants,
            )
        )
