"""The canonical text of a formula.

Parentheses stand around a binary formula inside any other, except in a chain of the same ``&`` or ``|`` nested to the
left; unary operators follow each other without any.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pytest_autoeval.languages.ltl.syntax import (
    Always,
    And,
    Atom,
    Binary,
    Bottom,
    Eventually,
    Historically,
    Iff,
    Implies,
    Next,
    Not,
    Once,
    Or,
    Release,
    Since,
    Temporal,
    Top,
    Triggered,
    Unary,
    Until,
    WeakUntil,
    WeakYesterday,
    Xor,
    Yesterday,
)

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


def to_text(formula: Temporal) -> str:
    """The canonical text, which the strict parser turns back into the same tree."""
    if not hasattr(formula, "_text"):
        object.__setattr__(formula, "_text", written(formula))
    return formula._text  # type: ignore[attr-defined, no-any-return]  # noqa: SLF001


def written(formula: Temporal, spelling: Mapping[str, str] = MappingProxyType({})) -> str:
    """The text with the canonical parentheses; ``spelling`` gives other words for ``R``, ``true`` and the like."""
    pieces: list[str] = []
    pending: list[Any] = [formula]  # what is still to be written, the next part last; texts stand for themselves
    while pending:
        part = pending.pop()
        kind = type(part)
        if kind is str:
            pieces.append(part)
        elif kind is Atom:
            pieces.append(part.name)
        elif kind in PREFIX_SIGNS:
            pieces.append(PREFIX_SIGNS[kind])
            pending += (")", part.operand, "(") if isinstance(part.operand, Binary) else (part.operand,)
        elif kind in INFIX_SIGNS:
            pending += (")", part.right, "(") if isinstance(part.right, Binary) else (part.right,)
            sign = INFIX_SIGNS[kind]
            pending.append(f" {spelling.get(sign, sign)} ")
            chained = kind in (And, Or) and type(part.left) is kind
            enclosed = isinstance(part.left, Binary) and not chained
            pending += (")", part.left, "(") if enclosed else (part.left,)
        elif kind in _CONSTANTS:
            pieces.append(spelling.get(_CONSTANTS[kind], _CONSTANTS[kind]))
        else:
            raise TypeError(f"not a formula of linear temporal logic: {kind.__name__}")
    return "".join(pieces)
