"""Equivalence of regular expressions by derivatives, which shares no idea with position automata.

J. Brzozowski, "Derivatives of regular expressions", 1964: the derivative of an expression by a symbol matches what may
follow that symbol. Counts are kept as counts, so nested counters have small derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.syntax import Expression

#: An expression in normal form: its kind and its operands. The operands of unions and intersections are sets.
Term = tuple[Any, ...]
NOTHING: Term = ("symbols", frozenset())
EMPTY: Term = ("row",)
EVERYTHING: Term = ("not", NOTHING)


def shortest_difference(
    left: Expression, right: Expression, alphabet: Sequence[str], most: int = 20_000
) -> str | None:
    """A shortest string that exactly one of two expressions matches; None if there is none.

    Raises ``OverflowError`` after ``most`` pairs of derivatives.
    """
    pair = term(left, frozenset(alphabet)), term(right, frozenset(alphabet))
    seen = {pair}
    level = [("", *pair)]
    while level:
        longer = []
        for text, x, y in level:
            if nullable(x) != nullable(y):
                return text
            for symbol in alphabet:
                after = derivative(x, symbol), derivative(y, symbol)
                if after[0] != after[1] and after not in seen:
                    if len(seen) >= most:
                        raise OverflowError
                    seen.add(after)
                    longer.append((text + symbol, *after))
        level = longer
    return None


def term(node: Expression, alphabet: frozenset[str]) -> Term:  # noqa: C901, PLR0911 - one case for each type
    """The normal form of an expression over an alphabet."""
    operands = [term(child, alphabet) for child in node.children()]
    match node:
        case regex.Concat():
            return row(*operands)
        case regex.Union():
            return union(*operands)
        case regex.Intersection():
            return complement(union(*map(complement, operands)))
        case regex.Complement():
            return complement(operands[0])
        case regex.Star():
            return counted(operands[0], 0, None)
        case regex.Plus():
            return counted(operands[0], 1, None)
        case regex.Optional():
            return counted(operands[0], 0, 1)
        case regex.Repeat(_, minimum, maximum):
            return counted(operands[0], minimum, maximum)
        case regex.Epsilon():
            return EMPTY
        case regex.AnySymbol():
            return "symbols", alphabet
        case regex.CharacterClass(chars, True):
            return "symbols", alphabet - {*chars}
    return "symbols", frozenset(regex.named(node))


def union(*operands: Term) -> Term:
    flat: set[Term] = set()
    for operand in operands:
        flat |= operand[1] if operand[0] == "union" else {operand}
    flat.discard(NOTHING)
    if EVERYTHING in flat:
        return EVERYTHING
    if len(flat) == 1:
        return flat.pop()
    return ("union", frozenset(flat)) if flat else NOTHING


def complement(operand: Term) -> Term:
    inner: Term = operand[1] if operand[0] == "not" else ("not", operand)
    return inner


def row(*operands: Term) -> Term:
    flat: list[Term] = []
    for operand in operands:
        flat += operand[1:] if operand[0] == "row" else [operand]
    if NOTHING in flat:
        return NOTHING
    return flat[0] if len(flat) == 1 else ("row", *flat)


def counted(operand: Term, minimum: int, maximum: int | None) -> Term:
    if maximum == 0:
        return EMPTY
    return operand if (minimum, maximum) == (1, 1) else ("counted", operand, minimum, maximum)


@cache
def nullable(expression: Term) -> bool:
    match expression:
        case ("row", *operands):
            return all(map(nullable, operands))
        case ("union", operands):
            return any(map(nullable, operands))
        case ("not", operand):
            return not nullable(operand)
        case ("counted", operand, minimum, _):
            return minimum == 0 or nullable(operand)
    return False


@cache
def derivative(expression: Term, symbol: str) -> Term:
    match expression:
        case ("symbols", symbols):
            return EMPTY if symbol in symbols else NOTHING
        case ("union", operands):
            return union(*(derivative(operand, symbol) for operand in operands))
        case ("not", operand):
            return complement(derivative(operand, symbol))
        case ("counted", operand, minimum, maximum):
            # If the empty string matches the operand, this one covers what later copies give.
            fewer = None if maximum is None else maximum - 1
            rest = counted(operand, max(minimum - 1, 0), fewer)
            return row(derivative(operand, symbol), rest)
        case ("row", first, *rest):
            after = row(derivative(first, symbol), *rest)
            return union(after, derivative(row(*rest), symbol)) if nullable(first) else after
    return NOTHING
