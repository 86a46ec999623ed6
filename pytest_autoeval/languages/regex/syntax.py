"""The syntax tree of regular expressions.

An expression denotes the set of the strings that match it completely. Concatenations and unions are flat: parts of the
same type are merged. The canonical text has the fewest parentheses that read back as the same tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Any, Self

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.base import Formula, Tree, fold


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Expression(Tree):
    """Any regular expression."""

    def children(self) -> tuple[Expression, ...]:
        return ()

    def own_size(self) -> int:
        """The size of an expression is the number of its symbols with every ``{m,n}`` written out."""
        return 0 if self.children() else 1

    def canonical_text(self) -> str:
        """The text: ``(01)*0*1``, ``(0*)*``, ``0|1+``, ``[01]{2,3}``, ``0*1&~(01)``, ``ε``.

        Symbols other than letters and digits are escaped. The text of a tree of symbols, concatenations and stars is in
        the strict notation.
        """
        return fold(self, node_text)


class Empty(Expression):
    """∅: no string at all."""

    __slots__ = ()


class Epsilon(Expression):
    """ε: the empty string."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Character(Expression):
    """One symbol of the alphabet, a single visible character."""

    char: str

    def __post_init__(self) -> None:
        _check_symbol(self.char)
        Tree.__post_init__(self)  # dataclasses with slots know no bare super

    def label(self) -> tuple[str, ...]:
        return (self.char,)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class WordBoundary(Expression):
    r"""``\b``: the empty string between a symbol of words and another or an end; if ``negated``, ``\B``: elsewhere.

    Symbols of words are letters, digits and the underscore. It depends on the symbols around it what it matches, so the
    strings of an expression are those that match as a whole.
    """

    negated: bool = False

    def label(self) -> tuple[bool]:
        return (self.negated,)


class AnySymbol(Expression):
    """``.``: any one symbol of an alphabet that is not known yet."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CharacterClass(Expression):
    """One of the symbols listed or, if ``negated``, any other symbol of an alphabet that is not known yet.

    ``chars`` are sorted, without duplicates, at least one.
    """

    chars: tuple[str, ...]
    negated: bool = False

    def __post_init__(self) -> None:
        if not self.chars:
            raise AutoevalError(
                "a character class lists at least one symbol; use Empty or AnySymbol"
            )
        for char in self.chars:
            _check_symbol(char)
        object.__setattr__(self, "chars", tuple(sorted(set(self.chars))))
        Tree.__post_init__(self)

    def label(self) -> tuple[Any, ...]:
        return (self.chars, self.negated)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class _Several(Expression):
    """Two or more expressions, none of the same type as the whole."""

    parts: tuple[Expression, ...]

    def __post_init__(self) -> None:
        if any(type(operand) is type(self) for operand in self.parts):
            # Flat, so that `(ab)c` and `a(bc)` are one tree with one canonical text.
            flat: list[Expression] = []
            for operand in self.parts:
                flat += operand.parts if type(operand) is type(self) else (operand,)
            object.__setattr__(self, "parts", tuple(flat))
        if len(self.parts) < 2:
            raise AutoevalError(f"a {type(self).__name__} has at least two parts")
        Tree.__post_init__(self)

    def children(self) -> tuple[Expression, ...]:
        return self.parts

    def with_children(self, children: tuple[Formula, ...]) -> Self:
        return type(self)(children)  # type: ignore[arg-type]


class Concat(_Several):
    """One part after another."""

    __slots__ = ()


class Union(_Several):
    """Any one of the parts."""

    __slots__ = ()


class Intersection(_Several):
    """All of the parts: a string that matches each of them."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Complement(Expression):
    """Any string that does not match ``inner``, over an alphabet that is not known yet."""

    inner: Expression

    def children(self) -> tuple[Expression, ...]:
        return (self.inner,)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Repetition(Expression):
    """An expression under a sign of repetition."""

    inner: Expression

    def children(self) -> tuple[Expression, ...]:
        return (self.inner,)


class Star(Repetition):
    """Zero or more times."""

    __slots__ = ()


class Plus(Repetition):
    """One or more times."""

    __slots__ = ()


class Optional(Repetition):
    """Zero times or once."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Repeat(Repetition):
    """Between ``minimum`` and ``maximum`` times; None is no maximum."""

    minimum: int
    maximum: int | None

    def __post_init__(self) -> None:
        if self.minimum < 0 or (self.maximum is not None and self.maximum < self.minimum):
            raise AutoevalError(
                f"no number of repetitions is between {self.minimum} and {self.maximum}"
            )
        Tree.__post_init__(self)
        # As written out: a{2,} is aaa*, a{2,5} has five copies. The limit of nodes counts them.
        copies = self.minimum + 1 if self.maximum is None else self.maximum
        object.__setattr__(self, "size", self.inner.size * max(copies, 1))

    def label(self) -> tuple[int | None, ...]:
        return (self.minimum, self.maximum)


def concatenated(operands: tuple[Expression, ...]) -> Expression:
    """The concatenation of any number of parts: ε for none."""
    if not operands:
        return Epsilon()
    return Concat(operands) if len(operands) > 1 else operands[0]


def united(operands: tuple[Expression, ...]) -> Expression:
    """The union of any number of parts: ∅ for none."""
    if not operands:
        return Empty()
    return Union(operands) if len(operands) > 1 else operands[0]


def intersected(operands: tuple[Expression, ...]) -> Expression:
    """The intersection of one or more parts."""
    return Intersection(operands) if len(operands) > 1 else operands[0]


def named(node: Formula) -> tuple[str, ...]:
    """The symbols in a node itself, without its subexpressions."""
    match node:
        case Character(char):
            return (char,)
        case CharacterClass(chars):
            return chars
    return ()


def symbols_of(nodes: Iterable[Formula]) -> set[str]:
    """The symbols in these nodes themselves, without their subexpressions."""
    symbols: set[str] = set()
    # Most nodes name none, and a sample asks about the same nodes many times: a `match` takes twice as long.
    for node in nodes:
        if isinstance(node, Character):
            symbols.add(node.char)
        elif isinstance(node, CharacterClass):
            symbols.update(node.chars)
    return symbols


def is_word_symbol(symbol: str) -> bool | None:
    """Whether a symbol is one of words. None for letters and digits beyond ASCII: programs differ about these."""
    if symbol == "_" or (symbol.isascii() and symbol.isalnum()):
        return True
    is_foreign_word_symbol = not symbol.isascii() and re.match(r"\w", symbol)
    return None if symbol.isalnum() or is_foreign_word_symbol else False


def _check_symbol(char: str) -> None:
    if len(char) != 1 or not char.isprintable() or char.isspace():
        raise AutoevalError(f"a symbol is one visible character, not {char!r}")


#: Letters with a meaning of their own in the extended notation.
RESERVED_LETTERS = frozenset("εϵλΛΣ")
_CONSTANTS: dict[type[Expression], str] = {AnySymbol: ".", Epsilon: "ε", Empty: "∅"}
_SIGNS: dict[type[Expression], str] = {Star: "*", Plus: "+", Optional: "?"}


def is_plain(char: str) -> bool:
    """Whether a symbol needs no backslash in the text."""
    return char.isalnum() and char not in RESERVED_LETTERS


def node_text(node: Expression, texts: Sequence[str]) -> str:  # noqa: PLR0911 - one case for each type of node
    """The canonical text of a node, from those of its children."""
    match node:
        case Concat(children):
            return "".join(_grouped(children, texts, Union | Intersection))
        case Union():
            return "|".join(texts)
        case Intersection(children):
            return "&".join(_grouped(children, texts, Union))
        case Complement():
            return f"~({texts[0]})"
        case Repetition(inner):
            grouped = f"({texts[0]})" if inner.children() else texts[0]
            return grouped + _sign(node)
        case Character(char):
            return _escaped(char)
        case WordBoundary(negated):
            return r"\B" if negated else r"\b"
        case CharacterClass(chars, negated):
            return f"[{'^' if negated else ''}{''.join(map(_escaped, chars))}]"
    return _CONSTANTS[type(node)]


def _grouped(
    children: Sequence[Expression], texts: Sequence[str], looser: UnionType | type
) -> Iterator[str]:
    """The texts of children, in parentheses if they are nodes of a type that binds less tightly."""
    for child, text in zip(children, texts, strict=True):
        yield f"({text})" if isinstance(child, looser) else text


def _sign(node: Repetition) -> str:
    match node:
        case Repeat(_, minimum, None):
            return f"{{{minimum},}}"
        case Repeat(_, minimum, maximum):
            return f"{{{minimum}}}" if minimum == maximum else f"{{{minimum},{maximum}}}"
    return _SIGNS[type(node)]


def _escaped(char: str) -> str:
    return char if is_plain(char) else f"\\{char}"
