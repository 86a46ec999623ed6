"""The names that fill a grammar's slots, and that a model's answer may use."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, fields, replace


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A signature: propositions, predicates and functions with arities, constants, variables, alphabet.

    ``variables`` are the names that a grammar binds; an answer may bind any name. ``sorts`` has, for predicates, the
    sort of each argument, and for constants their sort: ``(("Owns", ("person", "dog")), ("bob", ("person",)))``. A name
    without sorts, and the sort ``""``, fit every sort. Sorts say what is drawn; a quantifier ranges over everything.
    ``signs`` are signs of the formula in question that look like punctuation, such as the wildcard ``.``: at the end of
    an answer they are read as signs.
    """

    propositions: tuple[str, ...] = ()
    predicates: tuple[tuple[str, int], ...] = ()
    functions: tuple[tuple[str, int], ...] = ()
    constants: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    alphabet: tuple[str, ...] = ()
    # Not in the ``repr``, from which the names of vocabularies in results are made.
    sorts: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), repr=False)
    signs: tuple[str, ...] = field(default=(), repr=False)

    def only(self, kinds: Collection[str]) -> Vocabulary:
        """The vocabulary with only these kinds of names, such as ``propositions`` or ``alphabet``."""
        kept = replace(self, **{field.name: () for field in fields(self) if field.name not in kinds})
        return replace(kept, sorts=tuple((name, sorts) for name, sorts in self.sorts if name in kept.names))

    def including(self, other: Vocabulary) -> Vocabulary:
        """The vocabulary with the missing names of another one added; variables are not changed."""
        kinds = [field.name for field in fields(self) if field.name != "variables"]
        return replace(
            self, **{kind: tuple(dict.fromkeys(getattr(self, kind) + getattr(other, kind))) for kind in kinds}
        )

    def sorts_of(self, name: str) -> tuple[str, ...]:
        """The sorts of a predicate's arguments, or of a constant; empty for a name without sorts."""
        return dict(self.sorts).get(name, ())

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
