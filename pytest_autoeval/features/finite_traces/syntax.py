"""The syntax tree of linear temporal logic on finite traces, judged at the first step.

``str`` of a tree is its canonical text. Its signs, brackets and quotes are those of temporal logic on infinite traces;
``X[!]`` is added. The nodes are types of their own, so that no formula is taken for one on infinite traces.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pytest_autoeval.languages.base import Tree, fold
from pytest_autoeval.languages.ltl.letters import ambiguous


class OnFiniteTraces(Tree):
    """Any formula of linear temporal logic on finite traces."""

    __slots__ = ()

    def canonical_text(self) -> str:
        quoted = quoted_names(self)
        return fold(self, lambda node, parts: node_text(node, parts, quoted))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Top(OnFiniteTraces):
    """true"""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Bottom(OnFiniteTraces):
    """false"""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Atom(OnFiniteTraces):
    """An atomic proposition."""

    name: str

    def label(self) -> tuple[object, ...]:
        return (self.name,)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Unary(OnFiniteTraces):
    """An operator over one formula."""

    operand: OnFiniteTraces

    def children(self) -> tuple[OnFiniteTraces, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Binary(OnFiniteTraces):
    """An operator over two formulas."""

    left: OnFiniteTraces
    right: OnFiniteTraces

    def children(self) -> tuple[OnFiniteTraces, ...]:
        return (self.left, self.right)


class Not(Unary):
    """``!a``"""

    __slots__ = ()


class And(Binary):
    """``a & b``"""

    __slots__ = ()
    is_chained = True


class Or(Binary):
    """``a | b``"""

    __slots__ = ()
    is_chained = True


class Xor(Binary):
    """``a xor b``"""

    __slots__ = ()
    is_chained = True


class Implies(Binary):
    """``a -> b``"""

    __slots__ = ()


class Iff(Binary):
    """``a <-> b``"""

    __slots__ = ()
    is_chained = True


class StrongNext(Unary):
    """``X[!] a``: there is a next step, and a holds there; false at the last step."""

    __slots__ = ()
    is_chained = True


class Next(Unary):
    """``X a``, the weak next: a holds at the next step, if there is one; true at the last step."""

    __slots__ = ()
    is_chained = True


class Eventually(Unary):
    """``F a``: a holds at this or some later step."""

    __slots__ = ()


class Always(Unary):
    """``G a``: a holds at this and every later step."""

    __slots__ = ()


class Until(Binary):
    """``a U b``: b holds now or later, and a at every step before that."""

    __slots__ = ()
    is_chained = True


class Release(Binary):
    """``a R b``: b holds from now up to and including the first a, or up to the last step if a never holds."""

    __slots__ = ()
    is_chained = True


class WeakUntil(Binary):
    """``a W b``: ``a U b``, or a up to the last step."""

    __slots__ = ()
    is_chained = True


TEMPORAL: tuple[type[OnFiniteTraces], ...] = (
    StrongNext,
    Next,
    Eventually,
    Always,
    Until,
    Release,
    WeakUntil,
)
PREFIX_SIGNS: dict[type[Unary], str] = {
    Not: "!",
    StrongNext: "X[!] ",
    Next: "X ",
    Eventually: "F ",
    Always: "G ",
}
INFIX_SIGNS: dict[type[Binary], str] = {
    And: "&",
    Or: "|",
    Xor: "xor",
    Implies: "->",
    Iff: "<->",
    Until: "U",
    Release: "R",
    WeakUntil: "W",
}
_CONSTANTS: dict[type[OnFiniteTraces], str] = {Top: "true", Bottom: "false"}


def names_of(formula: OnFiniteTraces) -> tuple[str, ...]:
    """The names of the propositions, in order of appearance."""
    atoms = (node for node in formula.subformulas() if isinstance(node, Atom))
    return tuple(dict.fromkeys(atom.name for atom in atoms))


def quoted_names(formula: OnFiniteTraces) -> frozenset[str]:
    """The names that stand in quotes in the canonical text of a formula."""
    return ambiguous(names_of(formula), has_past=False)


def node_text(node: OnFiniteTraces, parts: Sequence[str], quoted: Collection[str] = ()) -> str:
    """The canonical text of a node, from those of its children. Names among ``quoted`` stand in quotes."""
    enclosed = [
        f"({part})" if isinstance(child, Binary) else part
        for child, part in zip(node.children(), parts, strict=True)
    ]
    match node:
        case Atom(name):
            return f'"{name}"' if name in quoted else name
        case Unary():
            return PREFIX_SIGNS[type(node)] + enclosed[0]
        case Binary(left, _):
            is_chain = isinstance(node, And | Or) and type(left) is type(node)
            first_text = parts[0] if is_chain else enclosed[0]
            return f"{first_text} {INFIX_SIGNS[type(node)]} {enclosed[1]}"
    return _CONSTANTS[type(node)]
