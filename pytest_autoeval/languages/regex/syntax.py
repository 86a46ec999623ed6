"""The syntax tree of regular expressions.

An expression means the set of the strings that match it as a whole. Concatenations and unions are flat: one built from
parts that are themselves concatenations (or unions) takes over their parts. The canonical text has the
fewest parentheses that read back as the same tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.base import Formula

Value = TypeVar("Value")


class Expression(Formula):
    """Any regular expression.

    Equality and hash walk the tree with a stack of their own: dataclasses' would recur three frames a level.
    """

    __slots__ = ("_hash",)

    @property
    def label(self) -> tuple[Any, ...]:
        """What the node says besides its type and its subexpressions."""
        return ()

    def children(self) -> tuple[Expression, ...]:
        return ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression):
            return NotImplemented
        pending: list[tuple[Expression, Expression]] = [(self, other)]
        while pending:
            left, right = pending.pop()
            if left is right:
                continue
            if type(left) is not type(right) or left.label != right.label:
                return False
            parts, others = left.children(), right.children()
            if len(parts) != len(others):
                return False
            pending.extend(zip(parts, others, strict=True))
        return True

    def __hash__(self) -> int:
        if not hasattr(self, "_hash"):
            object.__setattr__(self, "_hash", fold(self, _combined_hash))
        return self._hash  # type: ignore[attr-defined, no-any-return]

    def __str__(self) -> str:
        return to_text(self)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Empty(Expression):
    """∅: no string at all."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Epsilon(Expression):
    """ε: the empty string."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Character(Expression):
    """One symbol of the alphabet, a single visible character."""

    char: str

    def __post_init__(self) -> None:
        _check_symbol(self.char)

    @property
    def label(self) -> tuple[str, ...]:
        return (self.char,)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class AnySymbol(Expression):
    """`.`: any one symbol, of an alphabet that is not known yet."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CharacterClass(Expression):
    """One symbol of those listed, or one that is not listed, of an alphabet that is not known yet.

    ``chars`` are kept in order and once each; there is at least one.
    """

    chars: tuple[str, ...]
    negated: bool = False

    def __post_init__(self) -> None:
        if not self.chars:
            raise AutoevalError("a character class lists at least one symbol; use Empty or AnySymbol")
        for char in self.chars:
            _check_symbol(char)
        object.__setattr__(self, "chars", tuple(sorted(set(self.chars))))

    @property
    def label(self) -> tuple[Any, ...]:
        return (self.chars, self.negated)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class _Several(Expression):
    """Two or more expressions, none of them of this very type."""

    parts: tuple[Expression, ...]

    def __post_init__(self) -> None:
        if any(type(part) is type(self) for part in self.parts):
            flat = [part.parts if type(part) is type(self) else (part,) for part in self.parts]
            object.__setattr__(self, "parts", tuple(part for group in flat for part in group))
        if len(self.parts) < 2:
            raise AutoevalError(f"a {type(self).__name__} has at least two parts")

    def children(self) -> tuple[Expression, ...]:
        return self.parts

    def with_children(self, children: tuple[Formula, ...]) -> Self:
        return type(self)(children)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Concat(_Several):
    """One part after another."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Union(_Several):
    """Any one of the parts."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Repetition(Expression):
    """An expression under a sign that says how often it is repeated."""

    inner: Expression

    def children(self) -> tuple[Expression, ...]:
        return (self.inner,)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Star(Repetition):
    """Zero or more times."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Plus(Repetition):
    """One or more times."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Optional(Repetition):
    """Zero times or once."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Repeat(Repetition):
    """At least ``minimum`` times, at most ``maximum`` times or, if that is None, as often as wanted."""

    minimum: int
    maximum: int | None

    def __post_init__(self) -> None:
        if self.minimum < 0 or (self.maximum is not None and self.maximum < self.minimum):
            raise AutoevalError(f"no number of repetitions is between {self.minimum} and {self.maximum}")

    @property
    def label(self) -> tuple[int | None, ...]:
        return (self.minimum, self.maximum)


def fold(expression: Expression, combine: Callable[[Expression, Sequence[Value]], Value]) -> Value:
    """What ``combine`` makes of the tree, given each node with the values of its children, without recursion."""
    values: list[Value] = []
    pending: list[tuple[Expression, bool]] = [(expression, False)]
    while pending:
        node, ready = pending.pop()
        children = node.children()
        if ready or not children:
            start = len(values) - len(children)
            values[start:] = [combine(node, values[start:])]
        else:
            pending.append((node, True))
            pending.extend([(child, False) for child in reversed(children)])
    return values[0]


def nodes(expression: Expression) -> Iterator[Expression]:
    """Every node of the tree, a parent before its children, left to right."""
    pending = [expression]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.children()))


def _combined_hash(node: Expression, hashes: Sequence[int]) -> int:
    return hash((type(node).__name__, node.label, *hashes))


def _check_symbol(char: str) -> None:
    if len(char) != 1 or not char.isprintable() or char.isspace():
        raise AutoevalError(f"a symbol is one visible character, not {char!r}")


# The canonical text

#: Letters that the extended notation reads as something else than themselves.
RESERVED_LETTERS = frozenset("εϵλΛΣ")


def to_text(expression: Expression) -> str:
    """The canonical text: ``(01)*0*1``, ``(0*)*``, ``0|1+``, ``[01]{2,3}``, ``ε``.

    Symbols other than letters and digits stand behind a backslash. A tree of symbols, concatenations and stars is
    in the strict notation.
    """
    return fold(expression, _text)[0]


def is_plain(char: str) -> bool:
    """Whether a symbol stands for itself in the text, without a backslash before it."""
    return char.isalnum() and char not in RESERVED_LETTERS


def _text(node: Expression, parts: Sequence[tuple[str, type[Expression]]]) -> tuple[str, type[Expression]]:
    """The node's text, and what kind of node a parent has to deal with."""
    match node:
        case Concat():
            text = "".join([_grouped(part) if part[1] is Union else part[0] for part in parts])
        case Union():
            text = "|".join([part[0] for part in parts])
        case Repetition():
            inner = parts[0]
            compound = issubclass(inner[1], Concat | Union | Repetition)
            text = (_grouped(inner) if compound else inner[0]) + _sign(node)
        case _:
            text = _atom(node)
    return text, type(node)


def _grouped(part: tuple[str, type[Expression]]) -> str:
    return f"({part[0]})"


def _sign(node: Repetition) -> str:
    match node:
        case Star():
            return "*"
        case Plus():
            return "+"
        case Optional():
            return "?"
        case Repeat(_, minimum, None):
            return f"{{{minimum},}}"
        case Repeat(_, minimum, maximum):
            return f"{{{minimum}}}" if minimum == maximum else f"{{{minimum},{maximum}}}"
    raise TypeError(f"no sign for {type(node).__name__}")


def _atom(node: Expression) -> str:
    match node:
        case Character(char):
            return _escaped(char)
        case CharacterClass(chars, negated):
            return f"[{'^' if negated else ''}{''.join(map(_escaped, chars))}]"
        case AnySymbol():
            return "."
        case Epsilon():
            return "ε"
        case Empty():
            return "∅"
    raise TypeError(f"no text for {type(node).__name__}")


def _escaped(char: str) -> str:
    return char if is_plain(char) else f"\\{char}"
