"""The formula in a model's answer.

The strict syntax comes first. Failing that, every place of the answer that may hold a formula is tried, and the *last
complete formula* counts, with these reservations, for a wrong reading is a wrong verdict:

- A span of code or mathematics amid prose that is a part of a formula given before is a mention of it ("where ``p1``
  says …"), and so is a lone name or an equation between names beside any fuller formula.
- A lone word is a formula only where it cannot be prose: as the whole answer, in code, in mathematics, in a block,
  after a label with a colon, or where the vocabulary knows it. Words joined by words ("rain and wind") likewise.
- Amid prose, names that the vocabulary does not know disqualify a span; in a block, on a line of its own or after a
  label they do not, and are for the caller to report.
- What the words around it negate, quantify, or connect with something else, is a fragment, not the formula; and what
  they set apart from the answer ("instead of", "unlike") is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, islice
from typing import NamedTuple

from pytest_autoeval.languages.answers import Candidate, candidates, is_contrasted
from pytest_autoeval.languages.base import FormulaSyntaxError, Reading
from pytest_autoeval.languages.logic import prose
from pytest_autoeval.languages.logic.lenient import parse_leniently
from pytest_autoeval.languages.logic.parser import parse
from pytest_autoeval.languages.logic.signature import foreign, symbols
from pytest_autoeval.languages.logic.syntax import Atom, Bottom, Equal, Not, Sentence, Term, Top
from pytest_autoeval.languages.vocabulary import Vocabulary
from pytest_autoeval.languages.wrappings import unpacked

#: Characters of an answer; prose around a formula may be longer than any formula.
MAX_ANSWER = 100_000
#: Places of an answer that are tried, from its end.
MOST_CANDIDATES = 2_000
#: A ``!`` right after a word ends a sentence ("Sure! p1 ∧ p2"): no formula has a negation there.
_EXCLAMATION = re.compile(r"(?<=[\w)])!+(?!=)(?=\s*\S)")
#: Nor is there one in a dash or tilde that stands by itself after a word ("Answer - p1 ∧ p2") or a colon.
_DASH = re.compile(r"(?<=[\w:)])\s*(?<=\s)[-~](?=\s)[^\S\n]*")
#: Places where no word of the same line can change what a formula means.
_APART = ("whole", "block", "label", "line")


class _Found(NamedTuple):
    formula: Sentence
    candidate: Candidate


def read(answer: str, vocabulary: Vocabulary | None = None, *, quantifiers: bool = True) -> Reading:
    """The formula in an answer; ``compliant`` if the answer is one of the strict syntax and means what that says.

    Where the lenient syntax sees something else in a compliant text (a name of the vocabulary spelt otherwise, the word
    ``not``, a quantifier that must reach further), that is taken, and the reading is recovered.
    """
    text = answer.strip()
    if not text:
        return Reading(None, compliant=False, recovered=False, text="", problem="the answer is empty")
    if len(text) > MAX_ANSWER:
        problem = f"the answer has {len(text):,} characters; at most {MAX_ANSWER:,} are read"
        return Reading(None, compliant=False, recovered=False, text="", problem=problem)
    whole, problem = _attempt(text, vocabulary, quantifiers=quantifiers)
    try:
        strict = parse(text, quantifiers=quantifiers)
    except FormulaSyntaxError:
        pass
    else:
        compliant = whole is None or whole == strict
        return Reading(strict if whole is None else whole, compliant, recovered=not compliant, text=text)
    prosaic = _DASH.sub(": ", _EXCLAMATION.sub(". ", unpacked(text))).strip()
    if found := _chosen(_found(prosaic, vocabulary, quantifiers=quantifiers)):
        return Reading(found.formula, compliant=False, recovered=True, text=found.candidate.text)
    return Reading(None, compliant=False, recovered=False, text="", problem=f"no formula was found: {problem}")


def _attempt(text: str, vocabulary: Vocabulary | None, *, quantifiers: bool) -> tuple[Sentence | None, str]:
    """The formula that a text is, or why it is none."""
    try:
        return parse_leniently(text, vocabulary, quantifiers=quantifiers), ""
    except FormulaSyntaxError as error:
        return None, str(error)


def _found(answer: str, vocabulary: Vocabulary | None, *, quantifiers: bool) -> Iterator[_Found]:
    """The formulas of an answer, last first; of a line with a fragment amid its words only what stands apart."""
    for _, group in groupby(_with_line_numbers(answer), key=lambda numbered: numbered[0]):
        found: list[_Found] = []
        is_spoilt = False
        for _, candidate in group:
            if candidate.place == "prose" and any(candidate.before.count(mark) % 2 for mark in "`$"):
                continue  # a piece of what stands in code or mathematics, which is a candidate itself
            formula, _ = _attempt(candidate.text, vocabulary, quantifiers=quantifiers)
            if formula is None:
                is_spoilt |= candidate.place == "prose"  # a formula gone wrong
            elif _is_beside_the_point(candidate):
                continue
            elif candidate.place in _APART or not _is_fragment(formula, candidate):
                if _is_meant(formula, candidate, vocabulary):
                    found.append(_Found(formula, candidate))
            elif not (_is_basic(formula) and prose.is_explained(candidate.before, candidate.after)):
                is_spoilt = True
        yield from (one for one in found if one.candidate.place in _APART or not is_spoilt)


def _with_line_numbers(answer: str) -> Iterator[tuple[int, Candidate]]:
    """The candidates, those of one line under one number."""
    number = 0
    above = None
    for candidate in islice(candidates(answer, prose.continues), MOST_CANDIDATES):
        if candidate.place in ("whole", "block") or (candidate.place == "line" and candidate.before != above):
            number += 1
            above = candidate.before if candidate.place == "line" else None
        for part in prose.runs(candidate) if candidate.place == "prose" else [candidate]:
            yield number, part


def _is_fragment(formula: Sentence, candidate: Candidate) -> bool:
    free = symbols(formula).constants
    return prose.is_fragment(candidate.before, candidate.after, free, is_basic=_is_basic(formula))


def _is_meant(formula: Sentence, candidate: Candidate, vocabulary: Vocabulary | None) -> bool:
    """Whether a text that can be read as a formula is meant as one, by its place and its names."""
    text, place = candidate.text, candidate.place
    if place in ("whole", "block"):
        return not prose.is_alternatives(text)
    strange = vocabulary is not None and bool(foreign(formula, vocabulary))
    is_known = vocabulary is not None and not strange and symbols(formula) != Vocabulary()
    is_likely = is_known or prose.is_symbolic(text)
    explicit = _is_announced(candidate)
    if place == "label":
        hindered = prose.is_conditional(f"{candidate.before} {text[:4]}")
        return not prose.is_followed_up(candidate.after) and (explicit or (is_likely and not hindered))
    if place == "line":
        return explicit or (is_likely and (is_known or vocabulary is None or not _is_slight(formula)))
    return not strange and (is_likely or (vocabulary is None and place in ("code", "math")))


def _is_beside_the_point(candidate: Candidate) -> bool:
    if candidate.place == "line" and not _is_announced(candidate):  # the line above says nothing about this one
        return False
    return is_contrasted(candidate.before, candidate.after) or prose.is_defined(candidate.before)


def _is_announced(candidate: Candidate) -> bool:
    """Whether a colon stands before a candidate."""
    return candidate.before.rstrip(" \t*_`$\"'“").endswith((":", "："))


def _chosen(found: Iterator[_Found]) -> _Found | None:
    """The last formula that is not a mention of a part of another."""
    chosen: _Found | None = None
    for other in found:
        if chosen is None or _is_mention(chosen, other):
            chosen = other
    return chosen


def _is_mention(found: _Found, other: _Found) -> bool:
    """Whether a formula merely mentions a part of one that stands before it, or explains a name."""
    if found.formula == other.formula:
        return False
    if found.candidate.place in ("whole", "block") or (
        found.candidate.place == "label" and _is_announced(found.candidate)
    ):
        return False
    if _is_slight(found.formula):
        return not _is_slight(other.formula) or other.candidate.place in ("block", "label")
    return found.candidate.place not in ("line", "label") and _is_part(found.formula, other.formula)


def _is_slight(formula: Sentence) -> bool:
    """A lone name, or an equation between names: what glossaries are made of."""
    match formula:
        case Atom(_, ()) | Top() | Bottom() | Equal(Term(_, ()), Term(_, ())):
            return True
    return False


def _is_basic(formula: Sentence) -> bool:
    """An atom or a negated one."""
    return not (formula.operand if isinstance(formula, Not) else formula).children()


def _is_part(part: Sentence, formula: Sentence) -> bool:
    pending = list(formula.children())
    while pending:
        node = pending.pop()
        if node == part or (isinstance(part, Atom) and Term(part.predicate, part.arguments) in _arguments(node)):
            return True
        pending.extend(node.children())
    return False


def _arguments(node: object) -> tuple[Term, ...]:
    match node:
        case Atom(_, arguments):
            return arguments
        case Equal(left, right):
            return left, right
        case _:
            return ()
