"""Regular expressions as text, in the fewest parentheses that read back as the same tree."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_autoeval.languages.regex.syntax import (
    AnySymbol,
    CharacterClass,
    Concat,
    Empty,
    Epsilon,
    Expression,
    Optional,
    Plus,
    Repeat,
    Repetition,
    Star,
    Symbol,
    Union,
    fold,
)

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
        case Symbol(char):
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
