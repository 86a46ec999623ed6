"""The names that fill a grammar's slots, and that a model's answer may use."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A signature: propositions, predicates and functions with arities, constants, variables, alphabet.

    ``variables`` are the names that a grammar binds; an answer may bind any name.
    """

    propositions: tuple[str, ...] = ()
    predicates: tuple[tuple[str, int], ...] = ()
    functions: tuple[tuple[str, int], ...] = ()
    constants: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    alphabet: tuple[str, ...] = ()

    def only(self, kinds: Collection[str]) -> Vocabulary:
        """The vocabulary with only these kinds of names, such as ``propositions`` or ``alphabet``."""
        return replace(self, **{field.name: () for field in fields(self) if field.name not in kinds})

    def including(self, other: Vocabulary) -> Vocabulary:
        """The vocabulary with the missing names of another one added; variables are not changed."""
        kinds = [field.name for field in fields(self) if field.name != "variables"]
        return replace(
            self, **{kind: tuple(dict.fromkeys(getattr(self, kind) + getattr(other, kind))) for kind in kinds}
        )

    @property
    def names(self) -> frozenset[str]:
        """All names of the signature, without variables and alphabet."""
        return frozenset(
            (
                *self.propositions,
                *(name for name, _ in self.predicates),
                *(name for name, _ in self.functions),
                *self.constants,
            )
        )
