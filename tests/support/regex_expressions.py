"""Regular expressions for tests: strategies, and the strings of an expression by enumeration."""

from __future__ import annotations

from hypothesis import strategies as st

from pytest_autoeval.languages.regex.syntax import (
    AnySymbol,
    Character,
    CharacterClass,
    Complement,
    Concat,
    Empty,
    Epsilon,
    Expression,
    Intersection,
    Optional,
    Plus,
    Repeat,
    Star,
    Union,
    WordBoundary,
)


def strict_expressions(alphabet: str = "01", max_leaves: int = 12) -> st.SearchStrategy[Expression]:
    """Symbols, concatenations and stars."""
    return st.recursive(
        st.sampled_from([Character(char) for char in alphabet]),
        lambda inner: (
            st.lists(inner, min_size=2, max_size=4).map(lambda parts: Concat(tuple(parts)))
            | inner.map(Star)
        ),
        max_leaves=max_leaves,
    )


def closed_expressions(alphabet: str = "01", max_leaves: int = 8) -> st.SearchStrategy[Expression]:
    """Expressions whose meaning does not depend on an alphabet."""
    classes = st.sets(st.sampled_from(alphabet), min_size=1).map(
        lambda chars: CharacterClass(tuple(chars))
    )
    symbols = st.sampled_from([Character(char) for char in alphabet])
    return _grown(symbols | st.just(Epsilon()) | st.just(Empty()) | classes, max_leaves)


def expressions(alphabet: str = "01b*.", max_leaves: int = 8) -> st.SearchStrategy[Expression]:
    """All expressions, with wildcards, negated classes and escaped symbols."""
    chars = st.sets(st.sampled_from(alphabet), min_size=1)
    classes = st.builds(
        lambda chars, negated: CharacterClass(tuple(chars), negated), chars, st.booleans()
    )
    symbols = st.sampled_from([Character(char) for char in alphabet])
    return _grown(
        symbols | st.sampled_from([Epsilon(), Empty(), AnySymbol()]) | classes, max_leaves
    )


def boolean_expressions(alphabet: str = "01", max_leaves: int = 6) -> st.SearchStrategy[Expression]:
    """Expressions with intersections and complements, in each other and in everything else."""
    leaves = st.sampled_from([*map(Character, alphabet), Star(AnySymbol()), Epsilon()])

    def grow(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        pairs = st.tuples(inner, inner)
        kinds = (pairs.map(Concat), pairs.map(Union), pairs.map(Intersection))
        return st.one_of(*kinds, inner.map(Star), inner.map(Complement))

    return st.recursive(leaves, grow, max_leaves=max_leaves)


def bounded_expressions(max_leaves: int = 7) -> st.SearchStrategy[Expression]:
    """Expressions over ``a``, ``_`` and ``-`` with word boundaries, without intersections and complements."""
    symbols = [Character(char) for char in "a_-"]
    edges = [WordBoundary(), WordBoundary(negated=True)]
    classes = [AnySymbol(), CharacterClass(("a", "-")), CharacterClass(("a",), negated=True)]
    leaves = st.sampled_from([*symbols, *edges, *classes, Epsilon(), WordBoundary()])
    return _grown(leaves, max_leaves)


def bounded_boolean_expressions(max_leaves: int = 6) -> st.SearchStrategy[Expression]:
    """The same with intersections and complements in each other and in everything else."""

    def grow(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        pairs = st.tuples(inner, inner)
        kinds = (pairs.map(Concat), pairs.map(Union), pairs.map(Intersection))
        return st.one_of(*kinds, inner.map(Star), inner.map(Plus), inner.map(Complement))

    return st.recursive(bounded_expressions(max_leaves=2), grow, max_leaves=max_leaves)


def strings(expression: Expression, longest: int, alphabet: str) -> frozenset[str]:  # noqa: C901, PLR0911, PLR0912
    """The strings over ``alphabet`` of at most ``longest`` symbols that match, by the definition of each operator."""
    match expression:
        case Character(char):
            return frozenset({char} & set(alphabet))
        case AnySymbol():
            return frozenset(alphabet)
        case CharacterClass(chars, negated):
            return frozenset(char for char in alphabet if (char in chars) != negated)
        case Epsilon():
            return frozenset({""})
        case Union(parts):
            return frozenset().union(*(strings(part, longest, alphabet) for part in parts))
        case Intersection(parts):
            return frozenset.intersection(*(strings(part, longest, alphabet) for part in parts))
        case Complement(inner):
            return _power(frozenset(alphabet), 0, None, longest) - strings(inner, longest, alphabet)
        case Concat(parts):
            found = frozenset({""})
            for part in parts:
                found = _product(found, strings(part, longest, alphabet), longest)
            return found
        case Star(inner):
            return _power(strings(inner, longest, alphabet), 0, None, longest)
        case Plus(inner):
            return _power(strings(inner, longest, alphabet), 1, None, longest)
        case Optional(inner):
            return _power(strings(inner, longest, alphabet), 0, 1, longest)
        case Repeat(inner, minimum, maximum):
            return _power(strings(inner, longest, alphabet), minimum, maximum, longest)
    return frozenset()


def _grown(leaves: st.SearchStrategy[Expression], max_leaves: int) -> st.SearchStrategy[Expression]:
    counts = st.tuples(st.integers(0, 3), st.none() | st.integers(0, 3))

    def grow(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        repeats = st.builds(
            lambda body, count: Repeat(body, count[0], None if count[1] is None else sum(count)),
            inner,
            counts,
        )
        return (
            several.map(Concat)
            | several.map(Union)
            | inner.map(Star)
            | inner.map(Plus)
            | inner.map(Optional)
            | repeats
        )

    return st.recursive(leaves, grow, max_leaves=max_leaves)


def _product(left: frozenset[str], right: frozenset[str], longest: int) -> frozenset[str]:
    return frozenset(a + b for a in left for b in right if len(a) + len(b) <= longest)


def _power(base: frozenset[str], minimum: int, maximum: int | None, longest: int) -> frozenset[str]:
    found = frozenset({""})
    for _ in range(minimum):
        found = _product(found, base, longest)
    rounds = maximum - minimum if maximum is not None else longest
    for _ in range(rounds):
        found |= _product(found, base, longest)
    return found
