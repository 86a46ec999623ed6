"""Strings of the symbols of temporal logic, well-formed or not: what a question of well-formedness is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from pytest_autoeval.languages.base import Formula, FormulaSyntaxError, LimitError, Tree

#: Characters that a string may have, white space included.
LONGEST = 20_000
OPERATORS = frozenset("X F G U R V W Y Z O H S T ! & | xor -> <->".split())  # noqa: SIM905
_CONSTANTS = frozenset(("true", "false", "TRUE", "FALSE"))
_SYMBOL = re.compile(r"<->|->|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|\w+|\S")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_NO_SPACE_AFTER, _NO_SPACE_BEFORE = frozenset("(!"), frozenset(")")


class String(Tree):
    """One symbol or more."""

    __slots__ = ()

    @property
    def symbols(self) -> tuple[StringSymbol, ...]:
        """The symbols, left to right."""
        return self.children() or (self,)  # type: ignore[return-value]

    def __str__(self) -> str:
        """The symbols spaced as in the canonical text of a formula, so that spacing gives nothing away."""
        names = [symbol.name for symbol in self.symbols]
        spaced = [
            before if before in _NO_SPACE_AFTER or after in _NO_SPACE_BEFORE else f"{before} "
            for before, after in pairwise(names)
        ]
        return "".join((*spaced, names[-1]))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StringSymbol(String):
    """An operator, a parenthesis, a name, or any other sign."""

    name: str

    def label(self) -> tuple[object, ...]:
        return (self.name,)

    @property
    def is_atom(self) -> bool:
        """Whether it could stand for a proposition."""
        return bool(_NAME.fullmatch(self.name)) and self.name not in OPERATORS | _CONSTANTS


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Sequence(String):
    """Several symbols; made of strings, it is flat all the same."""

    parts: tuple[String, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(symbol for part in self.parts for symbol in part.symbols))

    def children(self) -> tuple[Formula, ...]:
        return self.parts

    def label(self) -> tuple[object, ...]:
        return (len(self.parts),)


def parse(text: str) -> String:
    """The string of symbols that a text is, whatever the symbols; raises :class:`FormulaSyntaxError` for no symbol."""
    if len(text) > LONGEST:
        raise LimitError(f"the string has {len(text)} characters, more than {LONGEST}", text, LONGEST)
    symbols = tuple(StringSymbol(found) for found in _SYMBOL.findall(text))
    if not symbols:
        raise FormulaSyntaxError("there is no symbol", text, 0)
    return symbols[0] if len(symbols) == 1 else Sequence(symbols)


def measure(string: String) -> dict[str, int | float]:
    """The sizes of a string.

    ``operators`` as in a formula: a ``!`` right before an atom is not counted. ``depth`` is how deep parentheses stand
    open, from 1.
    """
    symbols = string.symbols
    operators = sum(symbol.name in OPERATORS for symbol in symbols)
    literals = sum(before.name == "!" and after.is_atom for before, after in pairwise(symbols))
    deepest = now = 0
    for symbol in symbols:
        now += {"(": 1, ")": -1}.get(symbol.name, 0)
        deepest = max(deepest, now)
    return {
        "operators": operators - literals,
        "operators_with_literal_negations": operators,
        "depth": deepest + 1,
        "symbols": len(symbols),
        "distinct_atoms": len(atoms(string)),
    }


def atoms(string: String) -> tuple[str, ...]:
    """The names that could stand for propositions, in the order in which they occur."""
    return tuple(dict.fromkeys(symbol.name for symbol in string.symbols if symbol.is_atom))
