"""One or two parentheses too many or too few: mended where every way to do so gives a formula of the same meaning.

People forget parentheses, and seldom add one: of a closing one too many it must make no difference where the opening
one has been forgotten, for ``A ∧ B ∨ C)`` may have been ``A ∧ (B ∨ C)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

from pytest_autoeval.datasets.first_order.drafts import Draft
from pytest_autoeval.languages import FormulaSyntaxError, language
from pytest_autoeval.languages.logic.parser import CONNECTIVES, QUANTIFIERS
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.logic.tokens import NAME, LogicToken, strict_tokens

#: Tokens of a text in which so many parentheses are too many or too few: the ways to mend it are that many, squared.
_MOST_TOKENS = {1: 200, 2: 60}
#: Readings of different trees that are compared in meaning, and the seconds that a comparison may take.
_MOST_READINGS, _TIMEOUT = 8, 2.0
#: What reads a draft as a formula, or raises an error.
Reader = Callable[[Draft], tuple[Sentence, Draft]]


def balanced(draft: Draft, read: Reader) -> Draft:
    """The draft with as many closing parentheses as opening ones.

    Of closing ones too many the last are left out, and missing ones are added as far to the right as can be, if all
    other ways give the same meaning. A draft that cannot be mended stays as it is. Raises :class:`FormulaSyntaxError`
    where two ways differ in meaning.
    """
    try:
        tokens = strict_tokens(draft.text)
    except FormulaSyntaxError:
        return draft
    surplus = sum((token.kind == ")") - (token.kind == "(") for token in tokens)
    if len(tokens) > _MOST_TOKENS.get(abs(surplus), 0) or "(" not in draft.text:
        return draft
    found = _readings(_ways(draft, tokens, surplus), read)
    if not found:
        return draft
    first, meant = found[0]
    for _, other in found[1:]:
        if not _same(meant, other):
            problem = f"which parenthesis is missing cannot be told: this may be {meant} or {other}"
            raise draft.error(problem, _first_fault(tokens))
    return first


class Level(NamedTuple):
    """The connectives and commas directly inside a pair of parentheses, or, not ``closed``, outside of all pairs."""

    signs: list[LogicToken]
    closed: bool


def levels(tokens: Sequence[LogicToken]) -> Iterator[Level]:
    """Each pair of parentheses that groups, and the whole; the comma behind a quantifier's variable is none of them."""
    opened: list[tuple[bool, list[LogicToken]]] = [(True, [])]
    before = LogicToken("", "", 0, 0), LogicToken("", "", 0, 0)
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


def _ways(draft: Draft, tokens: Sequence[LogicToken], surplus: int) -> Iterator[Draft]:
    """The draft with as many opening as closing parentheses, in every way; first the change that is furthest right."""
    if surplus > 0:
        yield from _without(draft, tokens, surplus)
        starts = [token.start for token in reversed(tokens) if token.kind in (NAME, "(", "¬", "∀", "∃")]
        yield from _with(draft, "(", starts, surplus)
    else:
        ends = [token.end for token in reversed(tokens) if token.kind in (NAME, ")")]
        yield from _with(draft, ")", ends, -surplus)


def _without(draft: Draft, tokens: Sequence[LogicToken], count: int) -> Iterator[Draft]:
    """The draft with so many closing parentheses left out, but for such as stand where no formula ends."""
    kinds = ["", *(token.kind for token in tokens)]
    around = list(zip(kinds, tokens, kinds[2:], strict=False))
    places = [
        token.start
        for before, token, after in reversed(around)
        if token.kind == ")" and before in (NAME, ")") and after != NAME
    ]
    repair = "a closing parenthesis left out" if count == 1 else f"{count} closing parentheses left out"
    for chosen in combinations(places, count):
        changed = draft.with_repair(repair)
        for at in chosen:
            changed = changed.replaced(at, at + 1, "")
        yield changed


def _with(draft: Draft, sign: str, places: Sequence[int], count: int) -> Iterator[Draft]:
    """The draft with so many parentheses added, in every way, from the right, but around no lone atom."""
    what = "opening" if sign == "(" else "closing"
    repair = f"a {what} parenthesis added" if count == 1 else f"{count} {what} parentheses added"
    grouped_alone = _lone_atoms(strict_tokens(draft.text))
    for chosen in combinations_with_replacement(places, count):
        changed = draft.with_repair(repair)
        for at in chosen:
            changed = changed.replaced(at, at, sign)
        if _lone_atoms(strict_tokens(changed.text)) <= grouped_alone:
            yield changed


def _lone_atoms(tokens: Sequence[LogicToken]) -> int:
    """How many pairs of parentheses group, but have no connective to group."""
    return sum(level.closed and not any(token.kind in CONNECTIVES for token in level.signs) for level in levels(tokens))


def _readings(ways: Iterator[Draft], read: Reader) -> list[tuple[Draft, Sentence]]:
    """The first way to each formula; none where there are more formulas than can be compared."""
    found: dict[Sentence, Draft] = {}
    for way in ways:
        try:
            found.setdefault(read(way)[0], way)
        except FormulaSyntaxError:
            continue
    return [(way, formula) for formula, way in found.items()] if len(found) <= _MOST_READINGS else []


def _same(one: Sentence, other: Sentence) -> bool:
    return language("first_order").equivalent(one, other, _TIMEOUT).outcome == "equivalent"


def _first_fault(tokens: Sequence[LogicToken]) -> int:
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
