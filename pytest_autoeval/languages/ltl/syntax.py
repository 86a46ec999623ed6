"""The syntax tree of linear temporal logic with past, over infinite traces and judged at position 0.

``str`` of a tree is its canonical text: a binary formula inside another formula has parentheses, except in a chain of
the same ``&`` or ``|`` nested to the left. Unary operators need none. A name that could be read as operators stands in
double quotes: ``G "Fa"``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pytest_autoeval.languages.base import Tree, fold
from pytest_autoeval.languages.ltl.letters import ambiguous


class Temporal(Tree):
    """Any formula of linear temporal logic. ``temporal`` caches whether all nodes inside it are temporal, too."""

    __slots__ = ("temporal",)

    def canonical_text(self) -> str:
        quoted = quoted_names(self)
        return fold(self, lambda node, texts: node_text(node, texts, quoted))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Top(Temporal):
    """true"""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Bottom(Temporal):
    """false"""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Atom(Temporal):
    """An atomic proposition."""

    name: str

    def label(self) -> tuple[object, ...]:
        return (self.name,)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Unary(Temporal):
    """An operator over one formula."""

    operand: Temporal

    def children(self) -> tuple[Temporal, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Binary(Temporal):
    """An operator over two formulas."""

    left: Temporal
    right: Temporal

    def children(self) -> tuple[Temporal, ...]:
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


class FutureOperator:
    """Marks the operators over later positions."""

    __slots__ = ()


class PastOperator:
    """Marks the operators over earlier positions."""

    __slots__ = ()


class Next(Unary, FutureOperator):
    """``X a``: a holds at the next position."""

    __slots__ = ()
    is_chained = True


class Eventually(Unary, FutureOperator):
    """``F a``: a holds at this or some later position."""

    __slots__ = ()


class Always(Unary, FutureOperator):
    """``G a``: a holds at this and every later position."""

    __slots__ = ()


class Until(Binary, FutureOperator):
    """``a U b``: b holds now or later, and a at every position before that."""

    __slots__ = ()
    is_chained = True


class Release(Binary, FutureOperator):
    """``a R b`` (NuSMV: ``V``): b holds from now up to and including the first a, for ever if a never holds."""

    __slots__ = ()
    is_chained = True


class WeakUntil(Binary, FutureOperator):
    """``a W b``: ``a U b``, or a for ever."""

    __slots__ = ()
    is_chained = True


class Yesterday(Unary, PastOperator):
    """``Y a``: there is a previous position, and a holds there; false at position 0."""

    __slots__ = ()
    is_chained = True


class WeakYesterday(Unary, PastOperator):
    """``Z a``: a holds at the previous position, if there is one; true at position 0."""

    __slots__ = ()
    is_chained = True


class Once(Unary, PastOperator):
    """``O a``: a holds at this or some earlier position."""

    __slots__ = ()


class Historically(Unary, PastOperator):
    """``H a``: a holds at this and every earlier position."""

    __slots__ = ()


class Since(Binary, PastOperator):
    """``a S b``: b held at this or an earlier position, and a at every position since."""

    __slots__ = ()
    is_chained = True


class Triggered(Binary, PastOperator):
    """``a T b`` (NuSMV), the dual of since: b holds at every position back to and including the last a."""

    __slots__ = ()
    is_chained = True


PREFIX_SIGNS: dict[type[Unary], str] = {
    Not: "!",
    Next: "X ",
    Eventually: "F ",
    Always: "G ",
    Yesterday: "Y ",
    WeakYesterday: "Z ",
    Once: "O ",
    Historically: "H ",
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
    Since: "S",
    Triggered: "T",
}
_CONSTANTS: dict[type[Temporal], str] = {Top: "true", Bottom: "false"}


def quoted_names(formula: Temporal) -> frozenset[str]:
    """The names that stand in quotes in the canonical text of a formula."""
    # Whether a name is in doubt depends on all names and on operators of the past, wherever they are.
    nodes = tuple(formula.subformulas())
    names = {node.name for node in nodes if isinstance(node, Atom)}
    return ambiguous(names, has_past=any(isinstance(node, PastOperator) for node in nodes))


def node_text(node: Temporal, parts: Sequence[str], quoted: Collection[str] = ()) -> str:
    """The canonical text of a node, from those of its children. Names among ``quoted`` stand in quotes."""
    enclosed = []
    for child, text in zip(node.children(), parts, strict=True):
        enclosed.append(f"({text})" if isinstance(child, Binary) else text)
    match node:
        case Atom(name):
            return f'"{name}"' if name in quoted else name
        case Unary():
            return PREFIX_SIGNS[type(node)] + enclosed[0]
        case Binary(left, _):
            # Only a chain to the left reads back as the same tree without parentheses.
            is_chain = isinstance(node, And | Or) and type(left) is type(node)
            left_text = parts[0] if is_chain else enclosed[0]
            return f"{left_text} {INFIX_SIGNS[type(node)]} {enclosed[1]}"
    return _CONSTANTS[type(node)]
