"""The syntax tree of propositional and first-order logic.

A name in a term is a bound variable where a quantifier of that name is in scope, and a free name (a constant or a free
variable: equivalence and entailment do not tell them apart) everywhere else. Predicates and function
symbols live in separate name spaces.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval.languages.base import Formula


class Sentence(Formula):
    """Any formula of propositional or first-order logic.

    Equality and hash walk the tree with a stack of their own: dataclasses' would recur three frames a level. As a tree
    never changes, what was once found out about it is kept at its root: hash, text, that its size is all right.
    """

    __slots__ = ("_hash", "_is_propositional", "_size_is_checked", "_text")

    def children(self) -> tuple[Formula, ...]:
        return ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        pending: list[tuple[Formula, Formula]] = [(self, other)]
        while pending:
            left, right = pending.pop()
            if left is right:
                continue
            if type(left) is not type(right) or _label(left) != _label(right):
                return False
            pending.extend(zip(left.children(), right.children(), strict=True))
        return True

    def __hash__(self) -> int:
        if not hasattr(self, "_hash"):
            pending: list[Formula] = [self]
            while pending:
                node = pending[-1]
                children = node.children()
                missing = [child for child in children if not hasattr(child, "_hash")]
                if missing:
                    pending += missing
                    continue
                parts = tuple([child._hash for child in children])  # type: ignore[attr-defined]  # noqa: SLF001
                object.__setattr__(node, "_hash", hash((type(node).__name__, _label(node), parts)))
                pending.pop()
        return self._hash  # type: ignore[attr-defined, no-any-return]

    def __str__(self) -> str:
        from pytest_autoeval.languages.logic.printer import to_text

        return to_text(self)


@dataclass(frozen=True, slots=True)
class Term:
    """A variable, a constant (no arguments) or a function applied to terms."""

    name: str
    arguments: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Top(Sentence):
    """⊤"""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Bottom(Sentence):
    """⊥"""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Atom(Sentence):
    """A proposition (no arguments) or a predicate applied to terms."""

    predicate: str
    arguments: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Equal(Sentence):
    """Equality of two terms."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Not(Sentence):
    """Negation."""

    operand: Sentence

    def children(self) -> tuple[Formula, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Binary(Sentence):
    """A binary connective over two sentences."""

    left: Sentence
    right: Sentence

    def children(self) -> tuple[Formula, ...]:
        return (self.left, self.right)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class And(Binary):
    """Conjunction."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Or(Binary):
    """Inclusive disjunction."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Xor(Binary):
    """Exclusive disjunction."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Implies(Binary):
    """Material implication."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Iff(Binary):
    """Biconditional."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Quantified(Sentence):
    """A quantifier that binds one variable in its body; shadowing and vacuous quantifiers are all right."""

    variable: str
    body: Sentence

    def children(self) -> tuple[Formula, ...]:
        return (self.body,)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Forall(Quantified):
    """Universal quantification."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Exists(Quantified):
    """Existential quantification."""


def _label(node: Formula) -> tuple[object, ...]:
    """What a node says besides its type and its subformulas."""
    match node:
        case Atom(predicate, arguments):
            return predicate, arguments
        case Equal(left, right):
            return left, right
        case Quantified(variable, _):
            return (variable,)
        case _:
            return ()
