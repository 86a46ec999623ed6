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
            yield from (regex.Character(candidate) for candidate in alphabet if candidate != char)
        case regex.Union(operands):
            yield regex.Intersection(operands)
        case regex.Intersection(operands):
            yield regex.Union(operands)
        case regex.Concat(operands):
            for index, (factor, neighbour) in enumerate(pairwise(operands)):
                if factor != neighbour:
                    exchanged = (*operands[:index], neighbour, factor, *operands[index + 2 :])
                    yield concatenated(exchanged)
                yield from _moved_signs(operands, index)
        case regex.Repetition(regex.Concat(operands)):
            for index, operand in enumerate(operands):
                repeated = _under(expression, operand)
                yield concatenated((*operands[:index], repeated, *operands[index + 1 :]))


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
        case regex.Concat(operands):
            for index in range(len(operands) - 1):
                for end, replacement in _of_factors(operands, index):
                    yield concatenated((*operands[:index], *replacement, *operands[end:]))
            yield from _of_factored_union(operands)
        case regex.Union(operands):
            yield from _of_union(operands)
        case regex.Intersection(operands):
            yield from _of_intersection(operands)
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
    star = regex.Star(inner)
    yield regex.Star(star)
    yield regex.Concat((star, star))
    yield regex.Union((regex.Epsilon(), concatenated((inner, star))))
    match inner:
        case regex.Star():
            yield inner
        case regex.Plus(once) | regex.Optional(once):
            yield regex.Star(once)
        case regex.Concat(operands) if all(isinstance(operand, regex.Star) for operand in operands):
            # Under a star, the order of stars does not matter.
            starred = tuple(star.inner for star in operands if isinstance(star, regex.Star))
            yield regex.Star(concatenated((*operands[1:], operands[0])))
            yield regex.Star(concatenated((*operands[:-2], operands[-1], operands[-2])))
            # (r*s*)* = (r|s)*
            yield regex.Star(regex.Union(starred))
            yield concatenated((regex.Star(concatenated(operands)), operands[0]))
        case regex.Union(operands):
            yield regex.Star(regex.Concat(tuple(map(regex.Star, operands))))
            yield regex.Star(regex.Union((regex.Star(operands[0]), *operands[1:])))
            if len(operands) == 2:
                # (r|s)* = r*(sr*)* = (r*s)*r*
                choice, alternative = operands
                repeated = regex.Star(choice)
                alternative_first = concatenated((alternative, repeated))
                yield concatenated((repeated, regex.Star(alternative_first)))
                alternative_last = concatenated((repeated, alternative))
                yield concatenated((regex.Star(alternative_last), repeated))


def _of_factors(operands: Factors, index: int) -> Iterator[tuple[int, Factors]]:
    """For runs of factors from a place: the end of the run, and its replacement."""
    factor, neighbour = operands[index], operands[index + 1]
    if isinstance(factor, regex.Epsilon):
        yield index + 1, ()
    if isinstance(neighbour, regex.Epsilon):
        yield index + 2, (factor,)
    if isinstance(factor, regex.Star):
        if factor == neighbour:
            yield index + 2, (factor,)
        yield from _slid_right(factor, operands, index + 1)
    for end in range(index + 1, len(operands)):
        star = operands[end]
        if isinstance(star, regex.Star):
            yield from ((end + 1, slid) for slid in _slid_left(operands[index:end], star))


def _slid_right(star: regex.Star, operands: Factors, start: int) -> Iterator[tuple[int, Factors]]:
    """``(rs)*r`` as ``r(sr)*``; the star is before the place ``start``."""
    inner = _factors(star.inner)
    for cut in range(1, len(inner) + 1):
        moved, remaining = inner[:cut], inner[cut:]
        if operands[start : start + cut] == moved:
            star_behind = regex.Star(concatenated((*remaining, *moved)))
            yield start + cut, (*moved, star_behind)


def _slid_left(run: Factors, star: regex.Star) -> Iterator[Factors]:
    """``r(sr)*`` as ``(rs)*r``."""
    inner = _factors(star.inner)
    remaining, ending = inner[: -len(run)], inner[-len(run) :]
    if run == ending:
        star_in_front = regex.Star(concatenated((*run, *remaining)))
        yield star_in_front, *run


def _of_factored_union(operands: Factors) -> Iterator[Expression]:
    *before, ending = operands
    if isinstance(ending, regex.Union):
        products = [concatenated((*before, choice)) for choice in ending.parts]
        yield regex.Union(tuple(products))
    beginning, *after = operands
    if isinstance(beginning, regex.Union):
        products = [concatenated((choice, *after)) for choice in beginning.parts]
        yield regex.Union(tuple(products))


def _of_union(operands: Factors) -> Iterator[Expression]:
    yield regex.Union((*operands[1:], operands[0]))
    non_empty = [operand for operand in operands if not isinstance(operand, regex.Empty)]
    distinct = tuple(dict.fromkeys(non_empty))
    if distinct and distinct != operands:
        yield united(distinct)
    chars = [operand.char for operand in operands if isinstance(operand, regex.Character)]
    if len(chars) == len(operands):
        yield regex.CharacterClass(tuple(chars))
    # rs|rt = r(s|t), and rt|st = (r|s)t. A single factor would leave ε.
    alternatives = [_factors(operand) for operand in operands]
    if all(len(factors) > 1 for factors in alternatives):
        beginning, ending = alternatives[0][0], alternatives[0][-1]
        if all(factors[0] == beginning for factors in alternatives):
            remainders = [concatenated(factors[1:]) for factors in alternatives]
            yield concatenated((beginning, united(tuple(remainders))))
        if all(factors[-1] == ending for factors in alternatives):
            remainders = [concatenated(factors[:-1]) for factors in alternatives]
            yield concatenated((united(tuple(remainders)), ending))


def _of_intersection(operands: Factors) -> Iterator[Expression]:
    yield regex.Intersection((*operands[1:], operands[0]))
    distinct = tuple(dict.fromkeys(operands))
    if distinct != operands:
        yield intersected(distinct)
    if any(isinstance(operand, regex.Empty) for operand in operands):
        yield regex.Empty()
    negated = [operand.inner for operand in operands if isinstance(operand, regex.Complement)]
    if len(negated) == len(operands):
        yield regex.Complement(regex.Union(tuple(negated)))
    *before, ending = operands
    if isinstance(ending, regex.Union):
        choices = [regex.Intersection((*before, choice)) for choice in ending.parts]
        yield united(tuple(choices))


def _of_complement(inner: Expression) -> Iterator[Expression]:
    match inner:
        case regex.Complement(negated):
            yield negated
        case regex.Union(operands):
            yield regex.Intersection(tuple(map(regex.Complement, operands)))
        case regex.Intersection(operands):
            yield regex.Union(tuple(map(regex.Complement, operands)))


def _moved_signs(operands: Factors, index: int) -> Iterator[Expression]:
    """The sign of repetition moved to the neighbour, or over both."""
    factor, neighbour = operands[index], operands[index + 1]
    before, after = operands[:index], operands[index + 2 :]
    if isinstance(factor, regex.Repetition):
        over_both = concatenated((factor.inner, neighbour))
        yield concatenated((*before, factor.inner, _under(factor, neighbour), *after))
        yield concatenated((*before, _under(factor, over_both), *after))
    if isinstance(neighbour, regex.Repetition):
        over_both = concatenated((factor, neighbour.inner))
        yield concatenated((*before, _under(neighbour, factor), neighbour.inner, *after))
        yield concatenated((*before, _under(neighbour, over_both), *after))


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
    weights = {}
    for path, node in places(expression):
        for candidate in _replacements(node, alphabet):
            neighbour = replaced_at(expression, path, candidate)
            neighbour_weight = _weight(neighbour, alphabet)
            if neighbour_weight < weight:
                weights[neighbour] = neighbour_weight
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
        is_listed = isinstance(node, regex.Character) and node.char in alphabet
        # A symbol gets only earlier ones, so that repeated steps end.
        earlier = alphabet[: alphabet.index(str(node))] if is_listed else alphabet
        yield from map(regex.Character, earlier)
        return
    yield from map(regex.Character, alphabet[:1])
    yield from children
    join = _JOINED.get(type(node))
    if join is not None and len(children) > 2:
        half = len(children) // 2
        # Halves first: a long list shrinks in a few steps.
        yield join(children[:half])
        yield join(children[half:])
        for index in range(len(children)):
            yield join(children[:index] + children[index + 1 :])


#: What makes one expression of several parts of a node.
_JOINED: dict[type[Expression], Callable[[Factors], Expression]] = {
    regex.Concat: concatenated,
    regex.Union: united,
    regex.Intersection: intersected,
}
