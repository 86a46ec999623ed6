"""One or two parentheses too many or too few: mended where every way to do so gives a formula of the same meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

from pytest_autoeval.datasets.drafts import Draft
from pytest_autoeval.languages import FormulaSyntaxError, language
from pytest_autoeval.languages.logic.parser import CONNECTIVES, QUANTIFIERS
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.logic.tokens import NAME, Token, strict_tokens

#: Parentheses that may be too many or too few, and the ways to mend them that are tried.
_MOST, _MOST_WAYS = 2, 300
#: Readings of different trees that are compared in meaning, and the seconds that a comparison may take.
_MOST_READINGS, _TIMEOUT = 8, 2.0
#: What tells whether a draft reads as a formula: the formula, or an error.
Reader = Callable[[Draft], Sentence]


def balanced(draft: Draft, read: Reader) -> Draft:
    """The draft with as many closing parentheses as opening ones.

    Of all ways to leave out, or to add, no more closing ones than need be, that furthest to the right is taken.
    Raises :class:`FormulaSyntaxError` where there is no way, or where two of them differ in meaning.
    """
    try:
        tokens = strict_tokens(draft.text)
    except FormulaSyntaxError:
        return draft
    surplus = sum((token.kind == ")") - (token.kind == "(") for token in tokens)
    ends = sum(token.kind in (NAME, ")") for token in tokens)
    if not 0 < abs(surplus) <= _MOST or comb(ends, abs(surplus)) > _MOST_WAYS:
        return draft
    ways = _without(draft, tokens, surplus) if surplus > 0 else _closed(draft, tokens, -surplus)
    found = _readings(ways, read)
    if not found:
        return draft
    first, meant = found[0]
    for _, other in found[1:]:
        if not _same(meant, other):
            what = "is one too many" if surplus > 0 else "is missing"
            problem = f"which parenthesis {what} cannot be told: this may be {meant} or {other}"
            raise draft.error(problem, _first_fault(tokens))
    return first


class Level(NamedTuple):
    """The connectives and commas directly inside a pair of parentheses, or, not ``closed``, outside of all pairs."""

    signs: list[Token]
    closed: bool


def levels(tokens: Sequence[Token]) -> Iterator[Level]:
    """Each pair of parentheses that groups, and the whole; the comma behind a quantifier's variable is none of them."""
    opened: list[tuple[bool, list[Token]]] = [(True, [])]
    before = Token("", "", 0, 0), Token("", "", 0, 0)
    for token in tokens:
        quantified = before[0].text in QUANTIFIERS and before[1].kind == NAME
        if token.kind == "(":
            opened.append((before[1].kind != NAME or quantified, []))
        elif token.kind == ")" and len(opened) > 1:
            groups, signs = opened.pop()
            if groups:
                yield Level(signs, closed=True)
        elif token.kind in CONNECTIVES or (token.kind == "," and not quantified):
            opened[-1][1].append(token)
        before = before[1], token
    yield from (Level(signs, closed=False) for groups, signs in opened if groups)


def _without(draft: Draft, tokens: Sequence[Token], count: int) -> Iterator[Draft]:
    """The draft with so many closing parentheses left out, in every way, from the right."""
    places = [token.start for token in reversed(tokens) if token.kind == ")"]
    repair = "a closing parenthesis left out" if count == 1 else f"{count} closing parentheses left out"
    for chosen in combinations(places, count):
        changed = draft.with_repair(repair)
        for at in chosen:
            changed = changed.replaced(at, at + 1, "")
        yield changed


def _closed(draft: Draft, tokens: Sequence[Token], count: int) -> Iterator[Draft]:
    """The draft with so many closing parentheses added, in every way, from the right, but around no lone atom."""
    places = [token.end for token in reversed(tokens) if token.kind in (NAME, ")")]
    repair = "a closing parenthesis added" if count == 1 else f"{count} closing parentheses added"
    grouped_alone = _lone_atoms(tokens)
    for chosen in combinations([places[0], *places] if count > 1 else places, count):
        changed = draft.with_repair(repair)
        for at in chosen:
            changed = changed.replaced(at, at, ")")
        if _lone_atoms(strict_tokens(changed.text)) <= grouped_alone:
            yield changed


def _lone_atoms(tokens: Sequence[Token]) -> int:
    """How many pairs of parentheses group, but have no connective to group."""
    return sum(level.closed and not any(token.kind in CONNECTIVES for token in level.signs) for level in levels(tokens))


def _readings(ways: Iterator[Draft], read: Reader) -> list[tuple[Draft, Sentence]]:
    """The first way to each formula; none where there are more formulas than can be compared."""
    found: dict[Sentence, Draft] = {}
    for way in ways:
        try:
            found.setdefault(read(way), way)
        except FormulaSyntaxError:
            continue
    return [(way, formula) for formula, way in found.items()] if len(found) <= _MOST_READINGS else []


def _same(one: Sentence, other: Sentence) -> bool:
    return language("first_order").equivalent(one, other, _TIMEOUT).outcome == "equivalent"


def _first_fault(tokens: Sequence[Token]) -> int:
    """The offset of the first parenthesis that closes nothing, or else of the last one that nothing closes."""
    opened: list[int] = []
    for token in tokens:
        if token.kind == "(":
            opened.append(token.start)
        elif token.kind == ")":
            if not opened:
                return token.start
            opened.pop()
    return opened[-1]
