"""Brackets among the tokens of a formula of logic."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_autoeval.languages.precedence import FormulaToken

#: Models write all three for parentheses. The strict notation has only the first pair: its scanner knows no others.
CLOSING = {"(": ")", "[": "]", "{": "}"}
_CLOSING_KINDS = frozenset(CLOSING.values())


def contents(tokens: Sequence[FormulaToken], opened: int) -> list[FormulaToken]:
    """The tokens between the bracket at an index and the one that closes it; none if it is no bracket or not closed."""
    # The kinds of the brackets need not match here: the parser refuses those that do not.
    depth = 0
    for index in range(opened, len(tokens)):
        kind = tokens[index].kind
        depth += (kind in CLOSING) - (kind in _CLOSING_KINDS)
        if depth == 0:
            return list(tokens[opened + 1 : index])
    return []


def split_at_commas(tokens: Sequence[FormulaToken]) -> list[list[FormulaToken]]:
    """The parts of a list of tokens between the commas that stand in no brackets."""
    pieces: list[list[FormulaToken]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.kind in CLOSING) - (token.kind in _CLOSING_KINDS)
        if token.kind == "," and depth == 0:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return pieces


def closing_indices(tokens: Sequence[FormulaToken]) -> list[int]:
    """For each token, the index of the token that closes the brackets around it, or the number of tokens."""
    # From the end, since the brackets around a token are closed behind it.
    closing = [len(tokens)] * len(tokens)
    enclosing = [len(tokens)]
    for index in range(len(tokens) - 1, -1, -1):
        kind = tokens[index].kind
        if kind in CLOSING:
            enclosing.pop()
        closing[index] = enclosing[-1]
        if kind in _CLOSING_KINDS:
            enclosing.append(index)
    return closing
