"""What an expression means over a known alphabet.

A wildcard, a negated class and a complement leave open which symbols there are. Over an alphabet, each is equivalent to
an expression that does not. Given expressions and those in answers are written out over the same alphabet.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from pytest_autoeval.languages.base import Formula, all_nodes, fold
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.syntax import Expression

#: The signs of a wildcard.
WILDCARDS: Final = (".",)
#: The nodes that may mean any one symbol of an alphabet.
_CHOICES: Final = (regex.AnySymbol, regex.CharacterClass, regex.Union)


def over_alphabet(expression: Expression, alphabet: Collection[str]) -> Expression:
    """The expression with wildcards, negated classes and complements written out over an alphabet.

    ``.`` becomes the class of all symbols, and ``~(e)`` the strings of these symbols that do not match ``e``.
    """
    symbols = tuple(alphabet)

    def written_out(node: Expression, operands: Sequence[Expression]) -> Expression:
        match node:
            case regex.AnySymbol():
                return one_of(symbols)
            case regex.CharacterClass(chars, True):
                return one_of([symbol for symbol in symbols if symbol not in chars])
            case regex.Complement():
                return regex.Intersection(
                    (regex.Star(one_of(symbols)), regex.Complement(operands[0]))
                )
            case regex.Intersection():
                # Each operand once, so that an expression that is written out stays as it is.
                flat = regex.Intersection(tuple(operands)).parts
                return regex.intersected(tuple(dict.fromkeys(flat)))
        return node.with_children(tuple(operands))

    # Most expressions are closed. They stay the same object, which costs one look at each node.
    if not _is_open(all_nodes(expression)):
        return expression
    return fold(expression, written_out)


def one_of(symbols: Sequence[str]) -> Expression:
    """The class of some symbols; ∅ for none."""
    return regex.CharacterClass(tuple(symbols)) if symbols else regex.Empty()


def has_wildcard(expression: Expression, alphabet: Collection[str]) -> bool:
    """Whether a part of an expression means any one symbol of the alphabet, so that it can be written as ``.``."""
    nodes = all_nodes(expression)
    # Most nodes offer no choice.
    choices = [node for node in nodes if isinstance(node, _CHOICES)]
    return any(
        isinstance(node, regex.AnySymbol) or {*alphabet} <= {*_choices(node)} for node in choices
    )


def _is_open(nodes: Collection[Formula]) -> bool:
    """Whether any of the nodes leaves open which symbols there are."""
    kinds = set(map(type, nodes))
    if not kinds.isdisjoint((regex.AnySymbol, regex.Complement)):
        return True
    # Most expressions have no class.
    return regex.CharacterClass in kinds and any(map(_is_negated, nodes))


def _is_negated(node: Formula) -> bool:
    return isinstance(node, regex.CharacterClass) and node.negated


def _choices(node: object) -> Sequence[str]:
    """The symbols that a class or a union offers."""
    match node:
        case regex.CharacterClass(chars, False):
            return chars
        case regex.Union(operands):
            return [char for operand in operands for char in regex.named(operand)]
    return ()
