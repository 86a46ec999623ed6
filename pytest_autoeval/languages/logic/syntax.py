"""The syntax tree of propositional and first-order logic.

A name in a term is a bound variable where a quantifier of that name is in scope, and a free name (a constant or a free
variable: equivalence and entailment do not tell them apart) everywhere else. Predicates and function
symbols live in separate name spaces.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval.languages.base import Formula
from pytest_autoeval.languages.tree import Tree


class Sentence(Tree):
    """Any formula of propositional or first-order logic; what was once found out about a tree is kept at its root."""

    __slots__ = ("_is_propositional", "_size_is_checked", "_text")

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

    def label(self) -> tuple[object, ...]:
        return self.predicate, self.arguments


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Equal(Sentence):
    """Equality of two terms."""

    left: Term
    right: Term

    def label(self) -> tuple[object, ...]:
        return self.left, self.right


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

    def label(self) -> tuple[object, ...]:
        return (self.variable,)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Forall(Quantified):
    """Universal quantification."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Exists(Quantified):
    """Existential quantification."""
