"""The smaller neighbours of an expression, for shrinking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_autoeval.languages.regex.measures import symbols
from pytest_autoeval.languages.regex.syntax import Character, Concat, Expression, Union, nodes


def simpler(expression: Expression, alphabet: Sequence[str]) -> Iterator[Expression]:
    """The distinct neighbours one step smaller, those that lose most first.

    A step leaves out factors or alternatives, takes a sign of repetition away, puts a subexpression in its parent's
    place, or puts the first symbol of the alphabet, or for a symbol an earlier one, in place of a subexpression. Each
    neighbour has fewer nodes, or as many and earlier symbols, so repeated steps end; a neighbour of a strict
    expression is strict.
    """
    alphabet = tuple(dict.fromkeys(alphabet)) or symbols(expression)
    weight = _weight(expression, alphabet)
    found = {
        neighbour: smaller
        for neighbour in _edited(expression, alphabet)
        if (smaller := _weight(neighbour, alphabet)) < weight
    }
    return iter(sorted(found, key=found.__getitem__))


def _weight(expression: Expression, alphabet: Sequence[str]) -> tuple[int, int]:
    """The number of nodes, and how late in the alphabet the symbols stand; whatever is no symbol stands last."""
    count = lateness = 0
    for node in nodes(expression):
        count += 1
        if isinstance(node, Character) and node.char in alphabet:
            lateness += alphabet.index(node.char)
        elif not node.children():
            lateness += len(alphabet)
    return count, lateness


def _edited(node: Expression, alphabet: Sequence[str]) -> Iterator[Expression]:
    """The tree with one edit, at the root first."""
    yield from _replacements(node, alphabet)
    children = node.children()
    for place, child in enumerate(children):
        for edited in _edited(child, alphabet):
            yield node.with_children((*children[:place], edited, *children[place + 1 :]))


def _replacements(node: Expression, alphabet: Sequence[str]) -> Iterator[Expression]:
    """What may stand in a node's place."""
    children = node.children()
    if not children:
        known = isinstance(node, Character) and node.char in alphabet
        yield from map(
            Character, alphabet[: alphabet.index(node.char)] if known and isinstance(node, Character) else alphabet
        )
        return
    yield from map(Character, alphabet[:1])
    yield from children
    if isinstance(node, Concat | Union) and len(children) > 2:
        half = len(children) // 2
        kept = [children[:half], children[half:], *(children[:i] + children[i + 1 :] for i in range(len(children)))]
        yield from (type(node)(parts) if len(parts) > 1 else parts[0] for parts in kept)
