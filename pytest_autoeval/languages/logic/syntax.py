"""The syntax trees of propositional and first-order logic, and their canonical text.

A name in a term is a bound variable in the scope of a quantifier of that name, and a free name everywhere else. A free
name is a constant or a free variable; equivalence and entailment do not distinguish them. Predicates and functions have
separate name spaces.

The canonical text has parentheses around a binary formula inside another, except in a chain of the same ∧, ∨ or ⊕
nested to the left; around a binary body of a quantifier; and around a negated binary formula or equation.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pytest_autoeval.languages.base import Formula, Tree, fold
from pytest_autoeval.languages.logic.reserved import TRUTH_WORDS
from pytest_autoeval.languages.size_limits import MAX_DEPTH, MAX_TERM_DEPTH, too_deep


class Sentence(Tree):
    """Any formula of propositional or first-order logic.

    ``free`` caches its free names, and ``propositional`` whether it is propositional.
    """

    __slots__ = ("free", "propositional")

    def canonical_text(self) -> str:
        # A tree that was built in Python may be deeper than the interpreter's stack. For others recursion is faster.
        return _written(self) if self.height <= MAX_DEPTH else fold(self, node_text)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Term(Tree):
    """A variable, a constant (no arguments) or a function applied to terms."""

    name: str
    arguments: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        Tree.__post_init__(self)  # (dataclasses with slots know no bare super)
        # Here, since other functions recurse over terms that no parser has seen.
        if self.height > MAX_TERM_DEPTH + 1:
            raise too_deep("", 0)

    def children(self) -> tuple[Term, ...]:
        return self.arguments

    def label(self) -> tuple[object, ...]:
        return (self.name,)

    def canonical_text(self) -> str:
        if not self.arguments:
            return self.name
        return f"{self.name}({', '.join(map(str, self.arguments))})"


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

    # The terms are in the label, not among the children: subformulas and paths are those of formulas.
    def label(self) -> tuple[object, ...]:
        return self.predicate, self.arguments

    def own_size(self) -> int:
        return 1 + sum([term.size for term in self.arguments]) if self.arguments else 1


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Equal(Sentence):
    """Equality of two terms."""

    left: Term
    right: Term

    def label(self) -> tuple[object, ...]:
        return self.left, self.right

    def own_size(self) -> int:
        return 1 + self.left.size + self.right.size


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Not(Sentence):
    """Negation."""

    operand: Sentence

    def children(self) -> tuple[Sentence, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Binary(Sentence):
    """A binary connective over two sentences."""

    left: Sentence
    right: Sentence

    def children(self) -> tuple[Sentence, ...]:
        return (self.left, self.right)


class And(Binary):
    """Conjunction."""

    __slots__ = ()
    is_chained = True


class Or(Binary):
    """Inclusive disjunction."""

    __slots__ = ()
    is_chained = True


class Xor(Binary):
    """Exclusive disjunction."""

    __slots__ = ()
    is_chained = True


class Implies(Binary):
    """Material implication."""

    __slots__ = ()


class Iff(Binary):
    """Biconditional."""

    __slots__ = ()
    is_chained = True


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Quantified(Sentence):
    """A quantifier that binds one variable in its body; it may be vacuous or shadow another one."""

    variable: str
    body: Sentence

    def children(self) -> tuple[Sentence, ...]:
        return (self.body,)

    def label(self) -> tuple[object, ...]:
        return (self.variable,)


class Forall(Quantified):
    """Universal quantification."""

    __slots__ = ()


class Exists(Quantified):
    """Existential quantification."""

    __slots__ = ()


#: The truth functions of the binary connectives: on truth values, ≤ is implication.
TRUTH_FUNCTIONS: dict[type[Binary], Callable[[bool, bool], bool]] = {
    And: operator.and_,
    Or: operator.or_,
    Xor: operator.ne,
    Implies: operator.le,
    Iff: operator.eq,
}


# Tuples of types, since ``Atom | Equal`` makes an object at each test.
ATOMIC: tuple[type[Sentence], ...] = (Atom, Equal)
_CHAINS: tuple[type[Binary], ...] = (And, Or, Xor)
#: What has brackets under a negation.
_BRACKETED: tuple[type[Sentence], ...] = (Binary, Equal)


def parts_of(formula: Binary) -> list[Sentence]:
    """The parts of a chain of the same ∧, ∨ or ⊕ nested to the left, from left to right; else the two operands."""
    operands = [formula.right]
    leftmost = formula.left
    while isinstance(leftmost, _CHAINS) and type(leftmost) is type(formula):
        operands.append(leftmost.right)
        leftmost = leftmost.left
    return [leftmost, *reversed(operands)]


SIGNS: dict[type[Binary], str] = {And: "∧", Or: "∨", Xor: "⊕", Implies: "→", Iff: "↔"}
_CONSTANTS: dict[type[Sentence], str] = {Top: "⊤", Bottom: "⊥"}
QUANTIFIERS: dict[type[Quantified], str] = {Forall: "∀", Exists: "∃"}


def node_text(node: Sentence, texts: Sequence[str]) -> str:  # noqa: PLR0911 (a return for each sort of node)
    """The canonical text of a node, from those of its children."""
    # Tests of types, the most frequent one first: this takes half the time of a ``match``.
    if isinstance(node, Atom):
        predicate = node.predicate
        if node.arguments:
            return f"{predicate}({', '.join(map(str, node.arguments))})"
        # Without the brackets it would be read as a truth constant.
        return f"{predicate}()" if predicate.casefold() in TRUTH_WORDS else predicate
    if isinstance(node, Binary):
        left_text, right_text = texts
        if not _stands_left(node.left, node):
            left_text = f"({left_text})"
        if isinstance(node.right, Binary):
            right_text = f"({right_text})"
        return f"{left_text} {SIGNS[type(node)]} {right_text}"
    if isinstance(node, Not):
        operand_text = f"({texts[0]})" if isinstance(node.operand, _BRACKETED) else texts[0]
        return f"¬{operand_text}"
    if isinstance(node, Quantified):
        body_text = f"({texts[0]})" if isinstance(node.body, Binary) else texts[0]
        return f"{QUANTIFIERS[type(node)]}{node.variable}. {body_text}"
    if isinstance(node, Equal):
        return f"{node.left} = {node.right}"
    return _CONSTANTS[type(node)]


def _written(node: Sentence) -> str:
    return node_text(node, [_written(child) for child in node.children()])


def _stands_left(left: Formula, parent: Binary) -> bool:
    """Whether the left operand needs no parentheses. A quantifier at its end would reach over the sign."""
    if isinstance(left, Binary):
        chain = type(left) is type(parent) and isinstance(left, _CHAINS)
        return chain and not _ends_quantified(left.right)
    return not _ends_quantified(left)


def _ends_quantified(formula: Formula) -> bool:
    while isinstance(formula, Not):  # its text ends as that of its operand does
        formula = formula.operand
    return isinstance(formula, Quantified)
