"""Tokens, and an operator-precedence parser with an explicit stack, which no input can exhaust."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn

from msgspec import Struct

from pytest_autoeval.languages.base import FormulaSyntaxError, Tree
from pytest_autoeval.languages.size_limits import (
    MAX_DEPTH,
    MAX_LARGE_LENGTH,
    MAX_LENGTH,
    check_canonical,
    check_length,
    too_deep,
)
from pytest_autoeval.lazy_pattern import LazyPattern

NAME = "name"
END = "end"
#: The binding strength of prefixes, of whole bracket contents, and of brackets; connectives are in between.
PREFIX, LOOSEST, _BRACKET = 9, 0, -1


class FormulaToken(Struct, frozen=True, gc=False):
    """A name (kind ``name``), the end, or a sign, whose kind is its canonical form; the numbers are offsets."""

    kind: str
    text: str
    start: int
    end: int


def scan(
    text: str,
    scanner: re.Pattern[str] | LazyPattern[str],
    kind_of: Callable[[re.Match[str]], str | None],
    longest: int = MAX_LENGTH,
) -> list[FormulaToken]:
    """The tokens of a text, followed by one of kind ``end``; raises FormulaSyntaxError.

    ``scanner`` matches at every position, with the token as a group. ``kind_of`` returns the kind of the matched token,
    or None for an unknown character. ``longest`` is the largest number of characters.
    """
    check_length(text, longest)
    tokens: list[FormulaToken] = []
    for match in scanner.finditer(text):
        group = match.lastindex or 0
        start, end = match.span(group)
        kind = kind_of(match)
        if kind is None:
            raise FormulaSyntaxError(f"unexpected character {text[start]!r}", text, start)
        tokens.append(FormulaToken(kind, match[group], start, end))
        if kind == END:
            break
    return tokens


class Pending(Struct, eq=False):
    """An entry of the stack: an operator without its last operand, or an open bracket."""

    strength: int
    token: FormulaToken
    node: Callable[..., Tree] | None = None


@dataclass(slots=True, eq=False)
class PrecedenceParser(ABC):
    """One parse of one text; subclasses define a language's prefixes, connectives and atoms."""

    text: str
    tokens: list[FormulaToken]
    #: The index of the next token.
    at: int = field(default=0, init=False)
    _stack: list[Pending] = field(default_factory=list, init=False)
    _operands: list[Any] = field(default_factory=list, init=False)
    _brackets: int = field(default=0, init=False)

    closing: ClassVar[Mapping[str, str]] = MappingProxyType({"(": ")"})
    #: The connective that groups to the right; all others group to the left.
    rightward: ClassVar[type[Tree]]

    @property
    def is_large(self) -> bool:
        """Whether formulas may be large: with chains of any length, which count as one level."""
        return False

    @abstractmethod
    def prefix(self) -> bool:
        """Pushes a prefix if one comes next, and returns whether it did."""

    @abstractmethod
    def infix(self, token: FormulaToken) -> tuple[int, type[Tree]] | None:
        """The binding strength and node of a connective after an operand; None for other tokens."""

    @abstractmethod
    def atom(self, token: FormulaToken) -> Tree:
        """Takes an atom, which begins with ``token``."""

    def opens(self, token: FormulaToken) -> bool:
        """Whether a token is an opening bracket."""
        return token.kind == "("

    def tree(self) -> Any:
        """The tree of the whole text."""
        while True:
            self._operand()
            while self.take_closing_bracket():
                pass
            token = self.tokens[self.at]
            if token.kind == END:
                break
            self._infix(token)
        self._reduce(LOOSEST)
        if self._stack:
            # The error is at the end of the text, so the message says where the bracket stands.
            opened = self._stack[-1].token
            column = opened.start - self.text.rfind("\n", 0, opened.start)
            problem = f"{opened.text!r} at column {column} is never closed"
            self.fail(problem, ("a connective", repr(self.closing[opened.kind])))
        # The canonical text may be longer than what was written, and must be readable again.
        longest = MAX_LARGE_LENGTH if self.is_large else MAX_LENGTH
        check_canonical(self._operands[0], self.text, longest)
        return self._operands[0]

    def push_prefix(
        self, token: FormulaToken, node: Callable[..., Tree], strength: int = PREFIX
    ) -> None:
        """Takes an operator that stands before its operand."""
        self._push(Pending(strength, token, node))

    def unexpected(self, token: FormulaToken) -> str:
        """The message about a token in the wrong place."""
        return "the text ends too early" if token.kind == END else f"unexpected {token.text!r}"

    def fail(self, problem: str, expected: tuple[str, ...] = (), at: int | None = None) -> NoReturn:
        """Raises the error at the current token, or at that with the index ``at``."""
        raise FormulaSyntaxError(
            problem, self.text, self.tokens[self.at if at is None else at].start, expected
        )

    def _operand(self) -> None:
        while True:
            token = self.tokens[self.at]
            if self.prefix():
                continue
            if not self.opens(token):
                break
            self._brackets += 1
            self._push(Pending(_BRACKET, token))
            self.at += 1
        self._operands.append(self.atom(token))

    def take_closing_bracket(self) -> bool:
        """Takes a closing bracket if one comes next, and returns whether it did."""
        token = self.tokens[self.at]
        if token.kind not in self.closing.values():
            return False
        self._reduce(LOOSEST)
        if not self._stack:
            self.fail(f"{token.text!r} closes nothing", ("a connective", "the end"))
        closing = self.closing[self._stack[-1].token.kind]
        if token.kind != closing:
            self.fail(self.unexpected(token), (repr(closing), "a connective"))
        self._stack.pop()
        self._brackets -= 1
        self.at += 1
        return True

    def _infix(self, token: FormulaToken) -> None:
        connective = self.infix(token)
        if connective is None:
            brackets = [entry.token.kind for entry in self._stack if entry.node is None]
            closing = repr(self.closing[brackets[-1]]) if brackets else "the end"
            self.fail(self.unexpected(token), ("a connective", closing))
        strength, node = connective
        # An equal connective on the stack is not built first if the chain groups to the right.
        self._reduce(strength + 1 if node is self.rightward else strength)
        self._push(Pending(strength, token, node))
        self.at += 1

    def _push(self, entry: Pending) -> None:
        """Pushes an operator or a bracket. The number of each on the stack is the depth to which it is nested.

        The operators of a large formula may belong to one chain. They are counted when their nodes are built.
        """
        self._stack.append(entry)
        if self.is_large:
            return
        if max(self._brackets, len(self._stack) - self._brackets) > MAX_DEPTH:
            raise too_deep(self.text, entry.token.start)

    def _reduce(self, strength: int) -> None:
        """Builds the nodes on top of the stack that bind at least as strongly, down to a bracket."""
        while self._stack and self._stack[-1].strength >= strength:
            entry = self._stack.pop()
            assert entry.node is not None
            operand = self._operands.pop()
            if LOOSEST < entry.strength < PREFIX:  # a connective; prefixes have one operand
                built = entry.node(self._operands.pop(), operand)
            else:
                built = entry.node(operand)
            if (built.levels if self.is_large else built.height) > MAX_DEPTH:
                raise too_deep(self.text, entry.token.start)
            self._operands.append(built)
