"""The syntax tree of propositional and first-order logic.

A name in a term is a bound variable where a quantifier of that name is in scope, and a free name (a constant or a free
variable: equivalence and entailment do not tell them apart) everywhere else. Predicates and function
symbols live in separate name spaces.

The canonical text has parentheses around a binary formula inside another, except in a chain of the same ∧, ∨ or ⊕
nested to the left; around a binary body of a quantifier; around the operand of a negation unless that is an atom, a
negation or quantified.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pytest_autoeval.languages.base import Formula, Tree


class Sentence(Tree):
    """Any formula of propositional or first-order logic; what was once found out about a tree is kept at its root."""

    __slots__ = ("_is_propositional", "_size_is_checked", "_text")

    def __str__(self) -> str:
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


# The canonical text

SIGNS: dict[type[Binary], str] = {And: "∧", Or: "∨", Xor: "⊕", Implies: "→", Iff: "↔"}
_CONSTANTS: dict[type[Sentence], str] = {Top: "⊤", Bottom: "⊥"}
QUANTIFIERS: dict[type[Quantified], str] = {Forall: "∀", Exists: "∃"}
#: What the strict syntax reads as ⊤ and ⊥; a proposition of that name is written with empty parentheses.
TRUTH_WORDS = ("true", "false")


def to_text(formula: Sentence) -> str:
    """The canonical text, which the strict parser turns back into the same tree."""
    if not hasattr(formula, "_text"):
        object.__setattr__(formula, "_text", _written(formula))
    return formula._text  # type: ignore[attr-defined, no-any-return]  # noqa: SLF001


def term_text(term: Term) -> str:
    """The text of a term."""
    return f"{term.name}({', '.join(map(term_text, term.arguments))})" if term.arguments else term.name


def _written(formula: Sentence) -> str:
    pieces: list[str] = []
    pending: list[Any] = [formula]  # what is still to be written, the next part last; texts stand for themselves
    while pending:
        part = pending.pop()
        kind = type(part)
        if kind is str:
            pieces.append(part)
        elif kind is Atom:
            pieces.append(_atom_text(part))
        elif kind in SIGNS:
            right_enclosed = isinstance(part.right, Binary)
            pending += (")", part.right, f" {SIGNS[kind]} (") if right_enclosed else (part.right, f" {SIGNS[kind]} ")
            if _stands_left(part.left, part):
                pending.append(part.left)
            else:
                pieces.append("(")
                pending += (")", part.left)
        elif kind is Not:
            enclosed = isinstance(part.operand, Binary | Equal)
            pending += (")", part.operand, "¬(") if enclosed else (part.operand, "¬")
        elif kind in QUANTIFIERS:
            head = f"{QUANTIFIERS[kind]}{part.variable}. "
            pending += (")", part.body, f"{head}(") if isinstance(part.body, Binary) else (part.body, head)
        elif kind is Equal:
            pieces.append(f"{term_text(part.left)} = {term_text(part.right)}")
        elif kind in _CONSTANTS:
            pieces.append(_CONSTANTS[kind])
        else:
            raise TypeError(f"not a formula of logic: {kind.__name__}")
    return "".join(pieces)


@lru_cache(maxsize=4096)
def _atom_text(atom: Atom) -> str:
    if not atom.arguments:
        return f"{atom.predicate}()" if atom.predicate in TRUTH_WORDS else atom.predicate
    return f"{atom.predicate}({', '.join(map(term_text, atom.arguments))})"


def _stands_left(left: Formula, parent: Binary) -> bool:
    """Whether the left operand needs no parentheses: a quantifier at its end would reach over the sign."""
    if isinstance(left, Binary):
        chain = type(left) is type(parent) and isinstance(left, And | Or | Xor)
        return chain and not _ends_quantified(left.right)
    return not _ends_quantified(left)


def _ends_quantified(formula: Formula) -> bool:
    while isinstance(formula, Not):
        formula = formula.operand
    return isinstance(formula, Quantified)
