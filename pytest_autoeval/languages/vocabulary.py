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
    ``signs`` are the signs beyond the strict notation that formulas may have, such as ``|`` in regular expressions. The
    prompts explain them, and an answer with them is compliant. A ``.`` among them is also a sign at the end of an
    answer.
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
        other_kinds = {kind: () for kind in self._kinds() if kind not in kinds}
        reduced = replace(self, **other_kinds)
        names = reduced.names
        # ``sorts`` is a field, too, and was emptied with the others. The names that remain keep their sorts.
        kept_sorts = tuple((name, sorts) for name, sorts in self.sorts if name in names)
        return replace(reduced, sorts=kept_sorts)

    def including(self, other: Vocabulary) -> Vocabulary:
        """The vocabulary with the missing names of another one added; variables are not changed."""
        joined = {}
        for kind in self._kinds():
            if kind != "variables":
                names = getattr(self, kind) + getattr(other, kind)
                joined[kind] = tuple(dict.fromkeys(names))  # without repeats, in their order
        return replace(self, **joined)

    def _kinds(self) -> list[str]:
        """The names of all fields, such as ``propositions``, ``alphabet`` and ``sorts``."""
        return [kind.name for kind in fields(self)]

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
    names_by_kind: dict[str, Sequence[str]] = {
        "Propositions": vocabulary.propositions,
        "Predicates": [
            _with_arity(name, arity, vocabulary.sorts_of(name))
            for name, arity in vocabulary.predicates
        ],
        "Functions": [_with_arity(name, arity) for name, arity in vocabulary.functions],
        "Constants": [_with_sort(name, vocabulary.sorts_of(name)) for name in vocabulary.constants],
        "Variables": vocabulary.variables,
        "Alphabet": vocabulary.alphabet,
    }
    lines = [f"{kind}: {', '.join(names)}" for kind, names in names_by_kind.items() if names]
    return "\n".join(lines) or "(no names)"


def _with_arity(name: str, arity: int, sorts: Sequence[str] = ()) -> str:
    number_words = {1: "one argument", 2: "two arguments", 3: "three arguments"}
    count = number_words.get(arity, f"{arity} arguments")
    if not any(sorts):
        return f"{name} ({count})"
    # Some arguments have a sort. The others, whose sort is empty, fit every sort.
    named_sorts = ", ".join(sort or "any" for sort in sorts)
    return f"{name} ({count}: {named_sorts})"


def _with_sort(name: str, sorts: Sequence[str]) -> str:
    if any(sorts):
        return f"{name} ({sorts[0]})"
    return name
