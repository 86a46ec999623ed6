"""The signs of an expression beyond the strict notation: the prompts explain those that may occur."""

from __future__ import annotations

from collections.abc import Collection

from pytest_autoeval.languages.base import all_nodes
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.alphabet import WILDCARDS, has_wildcard
from pytest_autoeval.languages.regex.syntax import Expression, is_plain, symbols_of

#: All of them. ``{}`` are counts, ``[]`` and ``[^]`` classes. A backslash stands before a symbol that is no letter or
#: digit. A wildcard counts as a class, which it becomes over an alphabet; see :func:`over_alphabet_signs` for ``.``.
SIGNS = ("|", "&", "~", "+", "?", "{}", "[]", "[^]", ".", r"\b", r"\B", "ε", "∅", "\\")
_BY_TYPE: dict[type, str] = {
    regex.Union: "|",
    regex.Intersection: "&",
    regex.Complement: "~",
    regex.Plus: "+",
    regex.Optional: "?",
    regex.Repeat: "{}",
    regex.AnySymbol: "[]",
    regex.Epsilon: "ε",
    regex.Empty: "∅",
}
#: What an expression with a sign becomes over an alphabet: ``~(0)`` is ``[01]*&~(0)`` there.
_WRITTEN_OUT = {"~": ("&", "[]"), "[^]": ("[]",)}


def signs_of(expression: Expression) -> tuple[str, ...]:
    """The signs of an expression that the strict notation lacks."""
    nodes = all_nodes(expression)
    kinds = set(map(type, nodes))
    signs = {sign for kind, sign in _BY_TYPE.items() if kind in kinds}
    # These have a second sign where they are negated. Most expressions have neither.
    if not kinds.isdisjoint((regex.WordBoundary, regex.CharacterClass)):
        signs.update(filter(None, map(_sign_of_either, nodes)))
    if not all(map(is_plain, symbols_of(nodes))):
        signs.add("\\")
    return in_order(signs)


def over_alphabet_signs(
    signs: Collection[str], expression: Expression, alphabet: Collection[str]
) -> tuple[str, ...]:
    """The signs of expressions over an alphabet, of which an expression is one.

    ``.`` is among them only if this expression has a wildcard: it decides what a period at the end of an answer is.
    """
    known = {*signs, *signs_of(expression)}
    for sign, others in _WRITTEN_OUT.items():
        if sign in known:
            known.update(others)
    known.difference_update(WILDCARDS)
    if has_wildcard(expression, alphabet):
        known.update(WILDCARDS)
    return in_order(known)


def in_order(signs: Collection[str]) -> tuple[str, ...]:
    """The signs in the order of the prompts, each once."""
    return tuple(sign for sign in SIGNS if sign in signs)


def _sign_of_either(node: object) -> str:
    """The sign of a boundary or a class; empty for any other node."""
    match node:
        case regex.WordBoundary(negated):
            return r"\B" if negated else r"\b"
        case regex.CharacterClass(_, negated):
            return "[^]" if negated else "[]"
    return ""
