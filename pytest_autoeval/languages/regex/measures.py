"""Complexity measures of regular expressions."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_autoeval.languages.regex.minimal import minimal_size
from pytest_autoeval.languages.regex.syntax import (
    AnySymbol,
    Character,
    CharacterClass,
    Concat,
    Expression,
    Optional,
    Plus,
    Repeat,
    Repetition,
    Star,
    Union,
    fold,
    nodes,
    to_text,
)


def measure(expression: Expression) -> dict[str, int | float]:
    """Complexity by name.

    - ``operators``: signs of repetition and of union; concatenation has none and does not count;
    - ``depth``: height of the derivation, see :func:`depth`;
    - ``stars``, ``unions``, ``repetitions`` (``+ ? {m,n}``), ``concatenations`` (factors after the first): how many;
    - ``symbols``: occurrences of symbols, classes and wildcards; ``distinct_symbols``: the different ones named;
    - ``length``: characters of the canonical text;
    - ``states``, ``edges``, ``density``: of the minimal complete deterministic automaton over the symbols named, see
      :class:`~pytest_autoeval.languages.regex.minimal.Size`; left out where it is too large to be built.
    """
    listed = list(nodes(expression))
    counts = {
        "stars": sum(isinstance(node, Star) for node in listed),
        "unions": sum(len(node.parts) - 1 for node in listed if isinstance(node, Union)),
        "repetitions": sum(isinstance(node, Plus | Optional | Repeat) for node in listed),
    }
    measures: dict[str, int | float] = {
        "operators": sum(counts.values()),
        "depth": depth(expression),
        **counts,
        "concatenations": sum(len(node.parts) - 1 for node in listed if isinstance(node, Concat)),
        "symbols": sum(isinstance(node, Character | AnySymbol | CharacterClass) for node in listed),
        "distinct_symbols": len(symbols(expression)),
        "length": len(to_text(expression)),
    }
    if (size := minimal_size(expression)) is not None:
        measures |= {"states": size.states, "edges": size.edges, "density": size.density}
    return measures


def depth(expression: Expression) -> int:
    """The height of the derivation in ``grammars/regex.lark``, as a function of the tree.

    1 for a symbol, repeated or not; one more than the inside for a group that is repeated; of a concatenation, built up
    from the left, one more than the deeper of what is there and the factor that is added; of a union, one more than
    its deepest part.
    """
    return fold(expression, _depth)


def symbols(expression: Expression) -> tuple[str, ...]:
    """The symbols that an expression names, in order."""
    found: set[str] = set()
    for node in nodes(expression):
        match node:
            case Character(char):
                found.add(char)
            case CharacterClass(chars, _):
                found.update(chars)
    return tuple(sorted(found))


def _depth(node: Expression, parts: Sequence[int]) -> int:
    match node:
        case Concat():
            reached = parts[0]
            for part in parts[1:]:
                reached = 1 + max(reached, part)
            return reached
        case Union():
            return 1 + max(parts)
        case Repetition(inner):
            return 1 + parts[0] if inner.children() else 1
    return 1
