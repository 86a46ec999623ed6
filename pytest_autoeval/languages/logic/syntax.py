"""The syntax tree of propositional and first-order logic.

A name in a term is a bound variable where a quantifier of that name is in scope, and a free name (a constant or a free
variable: equivalence and entailment do not tell them apart) everywhere else. Predicates and function
symbols live in separate name spaces.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval.languages.base import Formula


class Sentence(Formula):
    """Any formula of propositional or first-order logic."""

    __slots__ = ()

    def __str__(self) -> str:
        from pytest_autoeval.languages.logic.printer import to_text

        return to_text(self)


@dataclass(frozen=True, slots=True)
class Term:
    """A variable, a constant (no arguments) or a function applied to terms."""

    name: str
    arguments: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Top(Sentence):
    """⊤"""


@dataclass(frozen=True, slots=True, repr=False)
class Bottom(Sentence):
    """⊥"""


@dataclass(frozen=True, slots=True, repr=False)
class Atom(Sentence):
    """A proposition (no arguments) or a predicate applied to terms."""

    predicate: str
    arguments: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Equal(Sentence):
    """Equality of two terms."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True, repr=False)
class Not(Sentence):
    """Negation."""

    operand: Sentence


@dataclass(frozen=True, slots=True, repr=False)
class Binary(Sentence):
    """A binary connective over two sentences."""

    left: Sentence
    right: Sentence


@dataclass(frozen=True, slots=True, repr=False)
class And(Binary):
    """Conjunction."""


@dataclass(frozen=True, slots=True, repr=False)
class Or(Binary):
    """Inclusive disjunction."""


@dataclass(frozen=True, slots=True, repr=False)
class Xor(Binary):
    """Exclusive disjunction."""


@dataclass(frozen=True, slots=True, repr=False)
class Implies(Binary):
    """Material implication."""


@dataclass(frozen=True, slots=True, repr=False)
class Iff(Binary):
    """Biconditional."""


@dataclass(frozen=True, slots=True, repr=False)
class Quantified(Sentence):
    """A quantifier that binds one variable in its body; shadowing and vacuous quantifiers are all right."""

    variable: str
    body: Sentence


@dataclass(frozen=True, slots=True, repr=False)
class Forall(Quantified):
    """Universal quantification."""


@dataclass(frozen=True, slots=True, repr=False)
class Exists(Quantified):
    """Existential quantification."""
