"""The parser of token streams, and the strict notation: symbols, ``*`` and parentheses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.syntax import Expression, is_plain
from pytest_autoeval.languages.size_limits import MAX_DEPTH, check_length, check_size, too_deep

TokenKind = Literal["atom", "open", "close", "or", "and", "*", "+", "?", "{}", "begin", "end"]


class RegexToken(NamedTuple):
    """A piece of the text, ``sign``; with a ``node`` if an atom, with ``counts`` if ``{m,n}``."""

    kind: TokenKind
    offset: int
    sign: str
    node: Expression | None = None
    counts: tuple[int, int | None] = (0, None)


@dataclass(slots=True)
class _Group:
    """A group, or the whole text, as far as read: finished alternatives, and the factors of the current one.

    ``operands`` are the finished parts of an intersection that is the current alternative. ``last`` has the factors of
    the last symbol or group, to which a sign of repetition would apply; ``ends_in_complement`` is true for ``~(…)``.
    """

    opening: RegexToken | None
    alternatives: list[Expression] = field(default_factory=list)
    operands: list[Expression] = field(default_factory=list)
    factors: list[Expression] = field(default_factory=list)
    last: tuple[Expression, ...] = ()
    ends_in_complement: bool = False

    def add(self, *factors: Expression) -> None:
        self.factors += self.last
        self.last = factors
        self.ends_in_complement = False

    @property
    def is_complement(self) -> bool:
        return self.opening is not None and self.opening.sign.startswith("~")

    def end_operand(self, token: RegexToken | None, text: str) -> None:
        """Ends a part of an intersection at a token; raises :class:`FormulaSyntaxError` for an empty one."""
        if not self.last and token is not None and (self.operands or token.kind == "and"):
            raise FormulaSyntaxError(
                "'&' has nothing beside it", text, token.offset, ("a symbol", "'('")
            )
        self.operands.append(regex.concatenated((*self.factors, *self.last)))
        self.factors, self.last = [], ()

    def end_alternative(self, token: RegexToken | None, text: str) -> None:
        self.end_operand(token, text)
        self.alternatives.append(regex.intersected(tuple(self.operands)))
        self.operands = []

    def finished(self, token: RegexToken, text: str) -> tuple[Expression, ...]:
        """The factors of the group, which ends at a token; an empty alternative is ε."""
        # Factors, not a node: a group of a concatenation is flat in the one around it, `a(bc)d` is `abcd`.
        factors = (*self.factors, *self.last)
        if not self.alternatives and not self.operands and not self.is_complement:
            return factors or (regex.Epsilon(),)
        self.end_alternative(token, text)
        union = regex.united(tuple(self.alternatives))
        return (regex.Complement(union) if self.is_complement else union,)


def parse(text: str) -> Expression:
    """The expression of a text in the strict notation, which may have white space around it.

    Symbols are letters and digits. A star follows a symbol or a group. A group is not empty; redundant groups are not
    in the tree. Raises :class:`FormulaSyntaxError`.
    """
    return build(_strict_tokens(text), text, strict=True)


def build(tokens: Iterable[RegexToken], text: str, *, strict: bool) -> Expression:
    """The tree of a token stream: a union of intersections of concatenations of repeated atoms and groups.

    ``strict`` refuses empty groups and two signs of repetition in a row. Raises :class:`FormulaSyntaxError`, or
    :class:`LimitError` for a tree beyond the limits.
    """
    groups = [_Group(None)]
    previous: RegexToken | None = None
    signs = 0
    for token in tokens:
        group = groups[-1]
        # Each sign is a level of the tree, as each group is. The tree is refused before it is built.
        signs = signs + 1 if token.kind in ("*", "+", "?", "{}") else 0
        if max(signs, len(groups)) > MAX_DEPTH:
            raise too_deep(text, token.offset)
        match token.kind:
            case "atom" if token.node:
                group.add(token.node)
            case "open":
                groups.append(_Group(token))
            case "close":
                inner = _closed(groups, token, text, strict=strict)
                groups[-1].add(*inner)
                groups[-1].ends_in_complement = group.is_complement
            case "or":
                group.end_alternative(token, text)
            case "and":
                group.end_operand(token, text)
            case _:
                _repeat(group, token, previous if signs > 1 else None, text, strict=strict)
        previous = token
    if opening := groups[-1].opening:
        raise FormulaSyntaxError(f"{opening.sign!r} is never closed", text, opening.offset)
    if previous is None:
        raise FormulaSyntaxError("there is no expression", text, 0, ("a symbol", "'('"))
    end = RegexToken("close", len(text), "")
    expression = regex.concatenated(groups[0].finished(end, text))
    check_size(expression)
    return expression


@lru_cache(maxsize=1024)
def character(char: str) -> regex.Character:
    """The node of a symbol, made only once."""
    return regex.Character(char)


def _strict_tokens(text: str) -> Iterator[RegexToken]:
    check_length(text)
    start = len(text) - len(text.lstrip())
    for offset, char in enumerate(text.strip(), start):
        match char:
            case "*":
                yield RegexToken("*", offset, char)
            case "(":
                yield RegexToken("open", offset, char)
            case ")":
                yield RegexToken("close", offset, char)
            case _ if is_plain(char):
                yield RegexToken("atom", offset, char, character(char))
            case _:
                raise FormulaSyntaxError(
                    f"unexpected {char!r}", text, offset, ("a symbol", "'*'", "'('", "')'")
                )


def _closed(
    groups: list[_Group], token: RegexToken, text: str, *, strict: bool
) -> tuple[Expression, ...]:
    opening = groups[-1].opening
    if opening is None:
        raise FormulaSyntaxError(f"{token.sign!r} closes nothing", text, token.offset)
    group = groups.pop()
    if strict and not group.last:
        raise FormulaSyntaxError("an empty group", text, token.offset, ("a symbol", "'('"))
    return group.finished(token, text)


def _repeat(
    group: _Group, token: RegexToken, sign_before: RegexToken | None, text: str, *, strict: bool
) -> None:
    if not group.last:
        raise FormulaSyntaxError(
            f"{token.sign!r} has nothing to repeat", text, token.offset, ("a symbol", "'('")
        )
    if sign_before and strict:
        raise FormulaSyntaxError(
            f"{token.sign!r} after {sign_before.sign!r}", text, token.offset, ("parentheses",)
        )
    if sign_before and token.kind == "+":
        problem = f"{token.sign!r} after {sign_before.sign!r} has two meanings: a possessive repetition or a second one"
        raise FormulaSyntaxError(problem, text, token.offset, ("parentheses",))
    # Some read `~(a)*` as the star of a complement, others as the complement of a star.
    if group.ends_in_complement and not sign_before:
        problem = f"{token.sign!r} after '~(…)' has two meanings"
        forms = f"'(~(…)){token.sign}'", f"'~((…){token.sign})'"
        raise FormulaSyntaxError(problem, text, token.offset, forms)
    # A group without parentheses in the tree has several factors: `(01)*` repeats both.
    inner = regex.concatenated(group.last)
    match token.kind:
        case "*":
            repeated: Expression = regex.Star(inner)
        case "+":
            repeated = regex.Plus(inner)
        case "?":
            # After another sign, ? makes that sign lazy, which does not change complete matches.
            repeated = inner if sign_before else regex.Optional(inner)
        case _:
            repeated = regex.Repeat(inner, *token.counts)
    group.last = (repeated,)
