"""Expressions made from an expression: equivalent ones by laws, edited ones, and smaller ones for shrinking.

Concatenations are flat, so a law about a concatenation is used on any adjacent factors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from pytest_autoeval.languages.base import places, replaced_at
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.measures import symbols
from pytest_autoeval.languages.regex.syntax import Expression, concatenated, intersected, united

Factors = tuple[Expression, ...]


def rewritings(expression: Expression) -> Iterator[Expression]:
    """The expressions equivalent by one law at the root; strict ones if the expression is strict."""
    strict = is_strict(expression)
    for written in _by_laws(expression):
        if not strict or is_strict(written):
            yield written


def edits(expression: Expression, alphabet: Sequence[str]) -> Iterator[Expression]:
    """The expressions with one change at the root: of a symbol, the order of factors, the scope of a repetition."""
    match expression:
        case regex.Character(char):
            yield from (regex.Character(other) for other in alphabet if other != char)
        case regex.Union(parts):
            yield regex.Intersection(parts)
        case regex.Intersection(parts):
            yield regex.Union(parts)
        case regex.Concat(parts):
            for at, (first, second) in enumerate(pairwise(parts)):
                if first != second:
                    yield concatenated((*parts[:at], second, first, *parts[at + 2 :]))
                yield from _moved_signs(parts, at)
        case regex.Repetition(regex.Concat(parts)):
            for at in range(len(parts)):
                yield concatenated((*parts[:at], _under(expression, parts[at]), *parts[at + 1 :]))


def is_strict(expression: Expression) -> bool:
    """Whether an expression has only symbols, concatenations and stars."""
    return all(
        isinstance(node, regex.Character | regex.Concat | regex.Star)
        for node in expression.subformulas()
    )


def _by_laws(expression: Expression) -> Iterator[Expression]:  # noqa: C901 - one case for each type of node
    match expression:
        case regex.Star(inner):
            yield from _of_star(inner)
        case regex.Concat(parts):
            for at in range(len(parts) - 1):
                for end, replacement in _of_factors(parts, at):
                    yield concatenated((*parts[:at], *replacement, *parts[end:]))
            yield from _of_factored_union(parts)
        case regex.Union(parts):
            yield from _of_union(parts)
        case regex.Intersection(parts):
            yield from _of_intersection(parts)
        case regex.Complement(inner):
            yield from _of_complement(inner)
        case regex.Plus(inner):
            yield concatenated((inner, regex.Star(inner)))
            yield concatenated((regex.Star(inner), inner))
        case regex.Optional(inner):
            yield regex.Union((regex.Epsilon(), inner))
        case regex.CharacterClass(chars, False) if len(chars) > 1:
            yield regex.Union(tuple(map(regex.Character, chars)))


def _of_star(inner: Expression) -> Iterator[Expression]:
    yield regex.Star(regex.Star(inner))
    yield regex.Concat((regex.Star(inner), regex.Star(inner)))
    yield regex.Union((regex.Epsilon(), concatenated((inner, regex.Star(inner)))))
    match inner:
        case regex.Star():
            yield inner
        case regex.Plus(once) | regex.Optional(once):
            yield regex.Star(once)
        case regex.Concat(parts) if all(isinstance(part, regex.Star) for part in parts):
            # Under a star, the order of stars does not matter.
            starred = tuple(part.inner for part in parts if isinstance(part, regex.Star))
            yield regex.Star(concatenated((*parts[1:], parts[0])))
            yield regex.Star(concatenated((*parts[:-2], parts[-1], parts[-2])))
            yield regex.Star(regex.Union(starred))
            yield concatenated((regex.Star(concatenated(parts)), parts[0]))
        case regex.Union(parts):
            yield regex.Star(regex.Concat(tuple(map(regex.Star, parts))))
            yield regex.Star(regex.Union((regex.Star(parts[0]), *parts[1:])))
            if len(parts) == 2:
                first, second = parts
                yield concatenated(
                    (regex.Star(first), regex.Star(concatenated((second, regex.Star(first)))))
                )
                yield concatenated(
                    (regex.Star(concatenated((regex.Star(first), second))), regex.Star(first))
                )


def _of_factors(parts: Factors, at: int) -> Iterator[tuple[int, Factors]]:
    """For runs of factors from a place: the end of the run, and its replacement."""
    first, second = parts[at], parts[at + 1]
    if isinstance(first, regex.Epsilon):
        yield at + 1, ()
    if isinstance(second, regex.Epsilon):
        yield at + 2, (first,)
    if isinstance(first, regex.Star):
        if first == second:
            yield at + 2, (first,)
        yield from _slid_right(first, parts, at + 1)
    for end in range(at + 1, len(parts)):
        star = parts[end]
        if isinstance(star, regex.Star):
            yield from ((end + 1, slid) for slid in _slid_left(parts[at:end], star))


def _slid_right(star: regex.Star, parts: Factors, start: int) -> Iterator[tuple[int, Factors]]:
    """``(rs)*r`` as ``r(sr)*``; the star is before the place ``start``."""
    inner = _factors(star.inner)
    for cut in range(1, len(inner) + 1):
        if parts[start : start + cut] == inner[:cut]:
            yield (
                start + cut,
                (*inner[:cut], regex.Star(concatenated((*inner[cut:], *inner[:cut])))),
            )


def _slid_left(run: Factors, star: regex.Star) -> Iterator[Factors]:
    """``r(sr)*`` as ``(rs)*r``."""
    inner = _factors(star.inner)
    if run == inner[-len(run) :]:
        yield regex.Star(concatenated((*run, *inner[: -len(run)]))), *run


def _of_factored_union(parts: Factors) -> Iterator[Expression]:
    if isinstance(parts[-1], regex.Union):
        yield regex.Union(tuple(concatenated((*parts[:-1], choice)) for choice in parts[-1].parts))
    if isinstance(parts[0], regex.Union):
        yield regex.Union(tuple(concatenated((choice, *parts[1:])) for choice in parts[0].parts))


def _of_union(parts: Factors) -> Iterator[Expression]:
    yield regex.Union((*parts[1:], parts[0]))
    distinct = tuple(dict.fromkeys(part for part in parts if not isinstance(part, regex.Empty)))
    if distinct and distinct != parts:
        yield united(distinct)
    if all(isinstance(part, regex.Character) for part in parts):
        yield regex.CharacterClass(
            tuple(part.char for part in parts if isinstance(part, regex.Character))
        )
    listed = [_factors(part) for part in parts]
    if all(len(factors) > 1 for factors in listed):
        if all(factors[0] == listed[0][0] for factors in listed):
            yield concatenated(
                (listed[0][0], united(tuple(concatenated(factors[1:]) for factors in listed)))
            )
        if all(factors[-1] == listed[0][-1] for factors in listed):
            yield concatenated(
                (united(tuple(concatenated(factors[:-1]) for factors in listed)), listed[0][-1])
            )


def _of_intersection(parts: Factors) -> Iterator[Expression]:
    yield regex.Intersection((*parts[1:], parts[0]))
    distinct = tuple(dict.fromkeys(parts))
    if distinct != parts:
        yield intersected(distinct)
    if any(isinstance(part, regex.Empty) for part in parts):
        yield regex.Empty()
    if all(isinstance(part, regex.Complement) for part in parts):
        inner = tuple(part.inner for part in parts if isinstance(part, regex.Complement))
        yield regex.Complement(regex.Union(inner))
    if isinstance(parts[-1], regex.Union):
        yield united(tuple(regex.Intersection((*parts[:-1], choice)) for choice in parts[-1].parts))


def _of_complement(inner: Expression) -> Iterator[Expression]:
    match inner:
        case regex.Complement(negated):
            yield negated
        case regex.Union(parts):
            yield regex.Intersection(tuple(map(regex.Complement, parts)))
        case regex.Intersection(parts):
            yield regex.Union(tuple(map(regex.Complement, parts)))


def _moved_signs(parts: Factors, at: int) -> Iterator[Expression]:
    """The sign of repetition moved to the neighbour, or over both."""
    first, second = parts[at], parts[at + 1]
    before, after = parts[:at], parts[at + 2 :]
    if isinstance(first, regex.Repetition):
        yield concatenated((*before, first.inner, _under(first, second), *after))
        yield concatenated((*before, _under(first, concatenated((first.inner, second))), *after))
    if isinstance(second, regex.Repetition):
        yield concatenated((*before, _under(second, first), second.inner, *after))
        yield concatenated((*before, _under(second, concatenated((first, second.inner))), *after))


def _under(like: regex.Repetition, inner: Expression) -> Expression:
    return like.with_children((inner,))


def _factors(expression: Expression) -> Factors:
    return expression.parts if isinstance(expression, regex.Concat) else (expression,)


def simpler(expression: Expression, alphabet: Sequence[str]) -> Iterator[Expression]:
    """The distinct neighbours one step smaller, smallest first.

    A step drops factors or alternatives, drops a sign of repetition, replaces a node by one of its children or by the
    first symbol of the alphabet, or replaces a symbol by an earlier one. Repeated steps end, since :func:`_weight` gets
    smaller with each. A neighbour of a strict expression is strict.
    """
    alphabet = tuple(dict.fromkeys(alphabet)) or symbols(expression)
    weight = _weight(expression, alphabet)
    edited = (
        replaced_at(expression, path, other)
        for path, node in places(expression)
        for other in _replacements(node, alphabet)
    )
    weights = {
        neighbour: smaller
        for neighbour in edited
        if (smaller := _weight(neighbour, alphabet)) < weight
    }
    return iter(sorted(weights, key=weights.__getitem__))


def _weight(expression: Expression, alphabet: Sequence[str]) -> tuple[int, int, int]:
    """The number of nodes, minus the number of different ones, and the sum of the symbols' places in the alphabet.

    Leaves that are not symbols of the alphabet have the place after the last.
    """
    count = lateness = 0
    for node in expression.subformulas():
        count += 1
        if isinstance(node, regex.Character) and node.char in alphabet:
            lateness += alphabet.index(node.char)
        elif not node.children():
            lateness += len(alphabet)
    return count, -len(set(expression.subformulas())), lateness


def _replacements(node: Expression, alphabet: Sequence[str]) -> Iterator[Expression]:
    children = node.children()
    if not children:
        known = isinstance(node, regex.Character) and node.char in alphabet
        yield from map(
            regex.Character, alphabet[: alphabet.index(str(node))] if known else alphabet
        )
        return
    yield from map(regex.Character, alphabet[:1])
    yield from children
    join = _JOINED.get(type(node))
    if join is not None and len(children) > 2:
        half = len(children) // 2
        fewer = [
            children[:half],
            children[half:],
            *(children[:i] + children[i + 1 :] for i in range(len(children))),
        ]
        yield from map(join, fewer)


#: What makes one expression of several parts of a node.
_JOINED: dict[type[Expression], Callable[[Factors], Expression]] = {
    regex.Concat: concatenated,
    regex.Union: united,
    regex.Intersection: intersected,
}
