"""Connectives and quantifiers written as functions: ``And(P(a), Q(a))``, ``ForAll([x, y], R(x, y))``.

Such a formula is unfolded into the tokens of the same formula with signs: ``((P(a)) ∧ (Q(a)))``, ``(∀x.∀y.(R(x, y)))``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pytest_autoeval.languages.logic.brackets import contents, split_at_commas
from pytest_autoeval.languages.logic.reserved import CONNECTIVE_WORDS, QUANTIFIER_WORDS
from pytest_autoeval.languages.precedence import NAME, FormulaToken

#: The connectives that may have more than two operands as functions. Three operands of ⊕ may mean an odd number of
#: them or exactly one, and three of ↔ a chain or that all agree.
_OF_SEVERAL = frozenset("∧∨")
#: Words that are also common names of relations between things: ``Equivalent(a, b)``.
_RELATIONS = frozenset(("equivalent", "equiv"))


def unfolded(
    tokens: Sequence[FormulaToken],
    index: int,
    *,
    bound: Collection[str],
    propositions: Collection[str] | None,
) -> list[FormulaToken]:
    """The tokens instead of a function that begins at an index; none if no connective or quantifier does.

    ``bound`` are the variables in scope, which are no formulas. ``propositions`` are the names that are known to be
    formulas; None if every name is one.
    """
    name = tokens[index]
    word = name.text.casefold() if name.kind == NAME else name.kind
    sign_of_quantifier = word if word in ("∀", "∃") else ""
    quantifier = QUANTIFIER_WORDS.get(word, sign_of_quantifier)
    connective = CONNECTIVE_WORDS.get(word, "")
    opened = tokens[index + 1]
    if not (quantifier or connective) or opened.kind != "(":
        return []
    inside = contents(tokens, index + 1)
    arguments = split_at_commas(inside)
    # Between two commas nothing stands: the parser refuses that, and names the place.
    if not all(arguments):
        return []
    end = tokens[index + 2 + len(inside)]
    if quantifier:
        return _quantified(quantifier, arguments, opened, end)
    # ``Equivalent(a, b)`` of two individuals is an atom, and And(x, y) of bound variables is no formula at all.
    names = {argument[0].text for argument in arguments if _is_name(argument)}
    may_be_relation = word in _RELATIONS and all(map(_is_name, arguments))
    if may_be_relation and propositions is not None and not names <= {*propositions}:
        return []
    if not _is_number_of_operands(len(arguments), connective) or not names.isdisjoint(bound):
        return []
    sign = FormulaToken(connective, name.text, name.start, name.end)
    joined: list[FormulaToken] = []
    for argument in arguments:
        joined += [sign, *_bracketed(argument, opened, end)]
    without_first_sign = joined[1:]
    return [_at(opened, "("), *without_first_sign, _at(end, ")")]


def _is_number_of_operands(number: int, connective: str) -> bool:
    # It is read as a sign before brackets.
    if connective == "¬":
        return False
    return number == 2 or (number > 2 and connective in _OF_SEVERAL)


def _quantified(
    sign: str, arguments: Sequence[list[FormulaToken]], opened: FormulaToken, end: FormulaToken
) -> list[FormulaToken]:
    """``(∀x.∀y.(…))``; none if a variable is not a name, or if the body is, which may then be a relation's argument."""
    *bound, body = arguments
    # Perhaps a list of variables in brackets.
    if len(bound) == 1:
        tokens = bound[0]
        if tokens[0].kind in ("[", "(") and tokens[-1].kind in ("]", ")"):
            bound = split_at_commas(tokens[1:-1])
    if not bound or not all(map(_is_name, bound)) or _is_name(body):
        return []
    quantifiers: list[FormulaToken] = []
    for (variable,) in bound:
        quantifiers += [_at(variable, sign), variable, _at(variable, ".")]
    in_brackets = _bracketed(body, opened, end)
    return [_at(opened, "("), *quantifiers, *in_brackets, _at(end, ")")]


def _is_name(tokens: Sequence[FormulaToken]) -> bool:
    return len(tokens) == 1 and tokens[0].kind == NAME


def _bracketed(
    tokens: Sequence[FormulaToken], opened: FormulaToken, end: FormulaToken
) -> list[FormulaToken]:
    return [_at(opened, "("), *tokens, _at(end, ")")]


def _at(token: FormulaToken, kind: str) -> FormulaToken:
    """A sign at the place of a token."""
    return FormulaToken(kind, kind, token.start, token.end)
