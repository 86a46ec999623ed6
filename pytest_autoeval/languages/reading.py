"""The formula in a model's answer, in any language: the strict notation first, else a formula in one of its places.

:mod:`pytest_autoeval.languages.answers` lists the places. Of those with a formula in them the first rank counts. Two
different formulas of one rank, or a different one after the one that counts, are no answer, unless one is labelled
final. A formula amid the words of a sentence is not looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Generic, Protocol, TypeVar

from pytest_autoeval.languages.answers import (
    FORMULA_LABELS,
    MAX_REPLY,
    PLACES,
    Passage,
    Place,
    bare,
    is_taken_back,
    passages,
    plain,
    undecorated,
)
from pytest_autoeval.languages.base import Formula, FormulaSyntaxError, Reading

F = TypeVar("F", bound=Formula)

#: Places of an answer that are tried, and lines of one place.
_MOST_PASSAGES, _MOST_LINES = 2_000, 500
#: "φ = …": what a formula is called, and not an equation.
_NAMED = re.compile(
    r"(?P<name>[φϕψΦΨ]|\\(?:var)?[pP][hs]i\b|[Pp][hs]i\b|(?:LTL |FOL )?[Ff]ormula|LTLSPEC(?= ))(?:_?\{?\d+\}?)?"
    r"\s{0,9}(?::=|[≔≜]|=(?![>=])|:|(?<=LTLSPEC))\s{0,9}(?=\S)"
)
#: A line that goes on with the formula above it, or lets it go on below.
_OPEN_START = re.compile(r"\s*(?:[∧∨→↔⊕&|⇒⇔≡=)\]]|->|=>|<|/\\|\\/|\\(?:land|lor|to|wedge|vee|rightarrow|iff)\b)")
_OPEN_END = re.compile(
    r"(?:[∧∨→↔⊕¬&|⇒⇔≡=,(\[]|->|=>|/\\|\\/|\\(?:land|lor|to|wedge|vee|rightarrow|iff)|\b(?:and|or|implies|iff|until))$"
)
_CHOICE = re.compile(r"\bor\b", re.IGNORECASE)
_JUNCTION = re.compile(r"^\W*(?:and|or)\W*$", re.IGNORECASE | re.MULTILINE)


class Notation(Protocol[F]):
    """What the reader must know of a language."""

    def strict(self, text: str) -> F:
        """The formula that a text is in the strict notation; raises :class:`FormulaSyntaxError`."""
        ...

    def lenient(self, text: str) -> F:
        """The formula that a text is in whatever notation; raises :class:`FormulaSyntaxError`."""
        ...

    def is_meant(self, formula: F, text: str, place: Place | None) -> bool:
        """Whether a text that can be read as a formula is meant as one in its place; None is the whole answer."""
        ...

    def is_symbolic(self, text: str) -> bool:
        """Whether a text has a sign that English does not have, so that it is a formula gone wrong if it is none."""
        ...


def read_formula(reply: str, notation: Notation[F], known: frozenset[str] = frozenset()) -> Reading:
    """The formula in a reply; ``known`` are the names of the vocabulary.

    The reading is compliant if the whole reply is a formula of the strict notation, and means what that says. Where the
    lenient notation sees something else in such a text (a name of the vocabulary spelt otherwise, the word ``not``, a
    quantifier that must reach further), that is taken, and the reading is recovered.
    """
    text = reply.strip()
    if not text:
        return nothing("the answer is empty")
    if len(text) > MAX_REPLY:
        return nothing(f"the answer has {len(text):,} characters; at most {MAX_REPLY:,} are read")
    search = _Search(notation, known)
    whole, problem = search.attempt(text)
    try:
        strict = notation.strict(text)
    except FormulaSyntaxError:
        strict = None
    if strict is not None and notation.is_meant(strict, text, None):
        compliant = whole is None or whole == strict
        return Reading(strict if whole is None else whole, compliant, recovered=not compliant, text=text)
    unpacked = plain(text)
    all_of_it = bare(undecorated(unpacked))
    whole, _ = search.attempt(all_of_it)
    if whole is not None and not _JUNCTION.search(unpacked) and notation.is_meant(whole, all_of_it, None):
        return Reading(whole, compliant=False, recovered=True, text=all_of_it)
    return search.chosen(unpacked) or nothing(f"no formula was found: {problem}")


def nothing(problem: str) -> Reading:
    """The reading of an answer without a formula."""
    return Reading(None, compliant=False, recovered=False, text="", problem=problem)


class _Search(Generic[F]):
    """The search for the formula of one reply."""

    def __init__(self, notation: Notation[F], known: frozenset[str]) -> None:
        self._notation = notation
        self._known = known

    def attempt(self, text: str) -> tuple[F | None, str]:
        """The formula that a text is, or why it is none."""
        named = _NAMED.match(text)
        if named and named["name"] not in self._known:
            text = bare(text[named.end() :])
        try:
            return self._notation.lenient(text), ""
        except FormulaSyntaxError as error:
            return None, str(error)

    def chosen(self, text: str) -> Reading | None:
        """The reading of the first rank of places that has a formula; None if there is none."""
        found = [*islice(passages(text, FORMULA_LABELS), _MOST_PASSAGES)]
        for place in PLACES:
            here = [passage for passage in found if passage.place == place]
            formulas = [(one, passage) for passage in here for one in self._formulas(passage)]
            if problem := next((text for (formula, text), _ in formulas if formula is None), ""):
                return nothing(f"a formula of the answer cannot be read: {problem}")
            if formulas:
                later = [
                    p for p in found if p.line > here[-1].line and p.place in ("block", "line") and p.place != place
                ]
                (formula, source), passage = formulas[-1]
                rivals = [one[0] for one, _ in formulas]
                if place != "final":
                    rivals += [one[0] for p in later for one in self._formulas(p) if one[0] is not None]
                if any(rival != formula for rival in rivals):
                    return nothing("the answer gives several formulas, and calls none of them final")
                if is_taken_back(text, passage):
                    return nothing("the answer takes its formula back")
                return Reading(formula, compliant=False, recovered=True, text=source)
        return None

    def _formulas(self, passage: Passage) -> list[tuple[F | None, str]]:
        """The formulas of a passage with their texts: all of it, else its lines; None with a reason for a wrong one."""
        text, place = passage.text, passage.place
        if place == "span" and self._notation.is_symbolic(passage.rest):  # it may be a part of a larger formula
            return []
        formula, problem = self.attempt(text)
        is_symbolic = self._notation.is_symbolic(text)
        if formula is not None and is_symbolic and _CHOICE.search(text) and "\n" not in text:
            formula, problem = None, "'or' beside signs may join two formulas to choose from"
        if formula is not None and not _JUNCTION.search(text):
            return [(formula, text)] if self._notation.is_meant(formula, text, place) else []
        lines = [bare(line) for line in text.split("\n")]
        if 1 < len(lines) <= _MOST_LINES:
            return [*self._alone(lines, place)]
        return [(None, problem)] if is_symbolic and place in ("final", "label", "block") else []

    def _alone(self, lines: list[str], place: Place) -> Iterator[tuple[F | None, str]]:
        """The lines that are formulas by themselves; None for one that goes on above or below."""
        for above, line, below in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
            formula, _ = self.attempt(line)
            if formula is not None and self._notation.is_meant(formula, line, "line" if place == "block" else place):
                goes_on = _OPEN_END.search(above) or _OPEN_START.match(below)
                yield (None, f"{line!r} goes on above or below") if goes_on else (formula, line)
