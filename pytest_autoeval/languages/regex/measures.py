"""Complexity measures of regular expressions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_autoeval.languages.base import fold
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.minimal import minimal_size
from pytest_autoeval.languages.regex.syntax import Expression


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
    counts: Counter[type] = Counter()
    parts: Counter[type] = Counter()
    for node in expression.subformulas():
        counts[type(node)] += 1
        parts[type(node)] += len(node.children())
    signs = {
        "stars": counts[regex.Star],
        "unions": parts[regex.Union] - counts[regex.Union],
        "repetitions": counts[regex.Plus] + counts[regex.Optional] + counts[regex.Repeat],
    }
    measures: dict[str, int | float] = {
        "operators": sum(signs.values()),
        "depth": depth(expression),
        **signs,
        "concatenations": parts[regex.Concat] - counts[regex.Concat],
        "symbols": counts[regex.Character] + counts[regex.AnySymbol] + counts[regex.CharacterClass],
        "distinct_symbols": len(symbols(expression)),
        "length": len(str(expression)),
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
    return tuple(sorted({char for node in expression.subformulas() for char in regex.named(node)}))


def _depth(node: Expression, parts: Sequence[int]) -> int:
    match node:
        case regex.Concat():
            reached = parts[0]
            for part in parts[1:]:
                reached = 1 + max(reached, part)
            return reached
        case regex.Union():
            return 1 + max(parts)
        case regex.Repetition(inner):
            return 1 + parts[0] if inner.children() else 1
    return 1
