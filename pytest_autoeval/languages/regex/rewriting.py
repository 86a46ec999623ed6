"""Regular expressions written otherwise: by laws, which keep the strings that match, and by changes, which seldom do.

Concatenations are flat, so a law about a part of one is used on any of its factors that stand side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pytest_autoeval.languages.regex.syntax import (
    Character,
    CharacterClass,
    Concat,
    Empty,
    Epsilon,
    Expression,
    Optional,
    Plus,
    Repetition,
    Star,
    Union,
    nodes,
)

Factors = tuple[Expression, ...]


def rewritings(expression: Expression) -> Iterator[Expression]:
    """What an expression is by one law at its root; what is made of one in the strict notation is in it, too."""
    strict = is_strict(expression)
    for written in _by_laws(expression):
        if not strict or is_strict(written):
            yield written


def edits(expression: Expression, alphabet: Sequence[str]) -> Iterator[Expression]:
    """An expression with one change at its root: a symbol, the order of factors, what is repeated."""
    match expression:
        case Character(char):
            yield from (Character(other) for other in alphabet if other != char)
        case Concat(parts):
            for at, (first, second) in enumerate(pairwise(parts)):
                if first != second:
                    yield _concatenated((*parts[:at], second, first, *parts[at + 2 :]))
                yield from _moved_signs(parts, at)
        case Repetition(Concat(parts)):
            for at in range(len(parts)):
                yield _concatenated((*parts[:at], _repeated(expression, parts[at]), *parts[at + 1 :]))


def is_strict(expression: Expression) -> bool:
    """Whether an expression has symbols, concatenations and stars alone."""
    return all(isinstance(node, Character | Concat | Star) for node in nodes(expression))


def _by_laws(expression: Expression) -> Iterator[Expression]:
    match expression:
        case Star(inner):
            yield from _of_star(inner)
        case Concat(parts):
            for at in range(len(parts) - 1):
                for end, replacement in _of_factors(parts, at):
                    yield _concatenated((*parts[:at], *replacement, *parts[end:]))
            yield from _of_factored_union(parts)
        case Union(parts):
            yield from _of_union(parts)
        case Plus(inner):
            yield _concatenated((inner, Star(inner)))
            yield _concatenated((Star(inner), inner))
        case Optional(inner):
            yield Union((Epsilon(), inner))
        case CharacterClass(chars, False) if len(chars) > 1:
            yield Union(tuple(map(Character, chars)))


def _of_star(inner: Expression) -> Iterator[Expression]:
    yield Star(Star(inner))
    yield Concat((Star(inner), Star(inner)))
    yield Union((Epsilon(), _concatenated((inner, Star(inner)))))
    match inner:
        case Star():
            yield inner
        case Plus(once) | Optional(once):
            yield Star(once)
        case Concat(parts) if all(isinstance(part, Star) for part in parts):
            # Whatever order stars stand in under a star, it repeats whatever they hold.
            starred = tuple(part.inner for part in parts if isinstance(part, Star))
            yield Star(_concatenated((*parts[1:], parts[0])))
            yield Star(_concatenated((*parts[:-2], parts[-1], parts[-2])))
            yield Star(Union(starred))
            yield _concatenated((Star(_concatenated(parts)), parts[0]))
        case Union(parts):
            yield Star(Concat(tuple(map(Star, parts))))
            yield Star(Union((Star(parts[0]), *parts[1:])))
            if len(parts) == 2:
                first, second = parts
                yield _concatenated((Star(first), Star(_concatenated((second, Star(first))))))
                yield _concatenated((Star(_concatenated((Star(first), second))), Star(first)))


def _of_factors(parts: Factors, at: int) -> Iterator[tuple[int, Factors]]:
    """Where a run of factors from a place ends, and what it may give way to."""
    first, second = parts[at], parts[at + 1]
    if isinstance(first, Epsilon):
        yield at + 1, ()
    if isinstance(second, Epsilon):
        yield at + 2, (first,)
    if isinstance(first, Star):
        if first == second:
            yield at + 2, (first,)
        yield from _slid_right(first, parts, at + 1)
    for end in range(at + 1, len(parts)):
        star = parts[end]
        if isinstance(star, Star):
            yield from ((end + 1, slid) for slid in _slid_left(parts[at:end], star))


def _slid_right(star: Star, parts: Factors, start: int) -> Iterator[tuple[int, Factors]]:
    """``(rs)*r`` as ``r(sr)*``, where the star stands before the place ``start``."""
    inner = _factors(star.inner)
    for cut in range(1, len(inner) + 1):
        if parts[start : start + cut] == inner[:cut]:
            yield start + cut, (*inner[:cut], Star(_concatenated((*inner[cut:], *inner[:cut]))))


def _slid_left(run: Factors, star: Star) -> Iterator[Factors]:
    """``r(sr)*`` as ``(rs)*r``."""
    inner = _factors(star.inner)
    if run == inner[-len(run) :]:
        yield Star(_concatenated((*run, *inner[: -len(run)]))), *run


def _of_factored_union(parts: Factors) -> Iterator[Expression]:
    """Concatenation distributed over a union at either end."""
    if isinstance(parts[-1], Union):
        yield Union(tuple(_concatenated((*parts[:-1], choice)) for choice in parts[-1].parts))
    if isinstance(parts[0], Union):
        yield Union(tuple(_concatenated((choice, *parts[1:])) for choice in parts[0].parts))


def _of_union(parts: Factors) -> Iterator[Expression]:
    yield Union((*parts[1:], parts[0]))
    distinct = tuple(dict.fromkeys(part for part in parts if not isinstance(part, Empty)))
    if distinct and distinct != parts:
        yield _either(distinct)
    if all(isinstance(part, Character) for part in parts):
        yield CharacterClass(tuple(part.char for part in parts if isinstance(part, Character)))
    listed = [_factors(part) for part in parts]
    if all(len(factors) > 1 for factors in listed):
        if all(factors[0] == listed[0][0] for factors in listed):
            yield _concatenated((listed[0][0], _either(tuple(_concatenated(factors[1:]) for factors in listed))))
        if all(factors[-1] == listed[0][-1] for factors in listed):
            yield _concatenated((_either(tuple(_concatenated(factors[:-1]) for factors in listed)), listed[0][-1]))


def _moved_signs(parts: Factors, at: int) -> Iterator[Expression]:
    """A sign of repetition on the neighbour instead, or over both."""
    first, second = parts[at], parts[at + 1]
    before, after = parts[:at], parts[at + 2 :]
    if isinstance(first, Repetition):
        yield _concatenated((*before, first.inner, _repeated(first, second), *after))
        yield _concatenated((*before, _repeated(first, _concatenated((first.inner, second))), *after))
    if isinstance(second, Repetition):
        yield _concatenated((*before, _repeated(second, first), second.inner, *after))
        yield _concatenated((*before, _repeated(second, _concatenated((first, second.inner))), *after))


def _repeated(like: Repetition, inner: Expression) -> Expression:
    """Another expression under a sign of repetition."""
    return like.with_children((inner,))


def _factors(expression: Expression) -> Factors:
    return expression.parts if isinstance(expression, Concat) else (expression,)


def _concatenated(parts: Factors) -> Expression:
    return Concat(parts) if len(parts) > 1 else parts[0] if parts else Epsilon()


def _either(parts: Factors) -> Expression:
    return Union(parts) if len(parts) > 1 else parts[0]
