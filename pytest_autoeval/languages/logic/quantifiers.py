"""What is unclear about quantifiers as people write them: how far they reach, where the variable ends, and sorts.

Each function sees one kind of text that can be read in two ways. The parsers refuse such a text, or take the reading
that its names leave.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from msgspec import Struct

from pytest_autoeval.languages.logic.brackets import closing_indices, contents, split_at_commas
from pytest_autoeval.languages.precedence import NAME, FormulaToken
from pytest_autoeval.lazy_pattern import lazy_pattern

#: The form of a variable: a letter, perhaps with a number.
VARIABLE = lazy_pattern(r"[^\W\d_](?:_?\d+|_?[₀-₉]+|['’]+)?")
#: The tokens of a list of terms.
_OF_TERMS = frozenset((NAME, "(", ")", ","))
#: What stands after a sort: a mark, or the beginning of a formula.
_AFTER_A_SORT = frozenset((NAME, ".", ",", ":", "∀", "∃", "¬", "[", "{"))


class Scope(Struct, eq=False):
    """The scope of a quantifier: the tokens ``start`` to ``end - 1``; the quantifier is the token ``first``."""

    first: int
    start: int
    variable: str
    wide: bool
    end: int = -1


def beyond_their_scopes(
    tokens: Sequence[FormulaToken], scopes: Sequence[Scope], free_terms: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """The free names to the right of the scope of a quantifier without a dot that has their name as its variable.

    Yields the number of the scope with the index of the name's token. Brackets around a quantifier end its reach. The
    nearest of several quantifiers counts.
    """
    narrow = [number for number, scope in enumerate(scopes) if not scope.wide]
    # The usual case. It needs no walk over all brackets.
    if not narrow or not free_terms:
        return
    closing = closing_indices(tokens)
    # Both the scopes and the names are read from left to right, so that each scope is looked at once.
    ending = deque(sorted(narrow, key=lambda number: (scopes[number].end, number)))
    ended: defaultdict[str, list[int]] = defaultdict(list)
    for index in free_terms:
        while ending and scopes[ending[0]].end <= index:
            number = ending.popleft()
            ended[scopes[number].variable].append(number)
        candidates = ended[tokens[index].text]
        # The brackets around these quantifiers are closed, and no later name is inside them.
        while candidates and closing[scopes[candidates[-1]].first] <= index:
            candidates.pop()
        if candidates:
            yield candidates[-1], index


def is_glued(tokens: Sequence[FormulaToken], index: int) -> bool:
    """Whether the name at an index, after a quantifier, may be a variable and a predicate without space: ``∀xP(x)``.

    Nothing stands between it and an argument list in which it does not occur itself.
    """
    name = tokens[index]
    opened = tokens[index + 1]
    if opened.kind != "(" or opened.start != name.end or not _begins_with_variable(name.text):
        return False
    inside = contents(tokens, index + 1)
    if not inside or any(token.text == name.text for token in inside):
        return False
    return all(token.kind in _OF_TERMS for token in inside)


def _begins_with_variable(word: str) -> bool:
    ends = [end for end in range(1, len(word)) if word[end].isalpha()]
    return any(VARIABLE.fullmatch(word[:end]) for end in ends)


def without_glue(word: str, arguments: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """The ways to read a word as variables and a predicate: ``xP`` is ``x`` and ``P``. The variables are arguments."""
    for variable in sorted(arguments):  # in a fixed order, since a set has none
        remainder = word[len(variable) :]
        if VARIABLE.fullmatch(variable) and word.startswith(variable) and remainder[:1].isalpha():
            yield variable, remainder
            for further_names in without_glue(remainder, arguments - {variable}):
                yield variable, *further_names


def sort_at(tokens: Sequence[FormulaToken], index: int, *, is_operator: bool) -> bool:
    """Whether the name at an index, after ``∀x:``, may be a sort: ``∀x:Person (Tall(x))``.

    ``is_operator``: the next token is a word that connects formulas. ``∀x: P(f(x))`` is a predicate: a space stands
    before the name, and none behind it.
    """
    colon = tokens[index - 1]
    name = tokens[index]
    after = tokens[index + 1]
    if after.kind != "(":
        return after.kind in _AFTER_A_SORT and not is_operator
    inside = contents(tokens, index + 1)
    # A predicate of a name, or of several terms.
    if len(inside) < 2 or len(split_at_commas(inside)) > 1:
        return False
    is_a_term = all(token.kind in _OF_TERMS for token in inside)
    return not is_a_term or after.start > name.end or colon.end == name.start
