"""The names that fill a grammar's slots, and that a model's answer may use."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
        kept = replace(
            self, **{field.name: () for field in fields(self) if field.name not in kinds}
        )
        return replace(
            kept, sorts=tuple((name, sorts) for name, sorts in self.sorts if name in kept.names)
        )

    def including(self, other: Vocabulary) -> Vocabulary:
        """The vocabulary with the missing names of another one added; variables are not changed."""
        kinds = [field.name for field in fields(self) if field.name != "variables"]
        return replace(
            self,
            **{
                kind: tuple(dict.fromkeys(getattr(self, kind) + getattr(other, kind)))
                for kind in kinds
            },
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


def vocabulary_text(vocabulary: Vocabulary) -> str:
    """The names of a vocabulary with arities and sorts, one kind on a line; empty kinds are left out."""
    kinds = {
        "Propositions": vocabulary.propositions,
        "Predicates": [
            _with_arity(*symbol, vocabulary.sorts_of(symbol[0])) for symbol in vocabulary.predicates
        ],
        "Functions": [_with_arity(*symbol) for symbol in vocabulary.functions],
        "Constants": [_with_sort(name, vocabulary.sorts_of(name)) for name in vocabulary.constants],
        "Variables": vocabulary.variables,
        "Alphabet": vocabulary.alphabet,
    }
    return (
        "\n".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items() if names)
        or "(no names)"
    )


def _with_arity(name: str, arity: int, sorts: Sequence[str] = ()) -> str:
    count = {1: "one argument", 2: "two arguments", 3: "three arguments"}.get(
        arity, f"{arity} arguments"
    )
    kinds = f": {', '.join(sort or 'any' for sort in sorts)}" if any(sorts) else ""
    return f"{name} ({count}{kinds})"


def _with_sort(name: str, sorts: Sequence[str]) -> str:
    return f"{name} ({sorts[0]})" if any(sorts) else name
