"""Which of the formulas in a model's answer is the one that it gives, for languages of names and connectives.

Every place of the answer that may hold a formula is tried, and the *last complete formula* counts, with these
reservations, for a wrong reading is a wrong verdict:

- A span of code or mathematics amid prose that is a part of a formula given before is a mention of it ("where ``p1``
  says …"), and so is a formula that says next to nothing, such as a lone name, beside any fuller formula.
- A lone word is a formula only where it cannot be prose: as the whole answer, in code, in mathematics, in a block,
  after a label with a colon, or where the vocabulary knows it. Words joined by words ("rain and wind") likewise.
- Amid prose, names that the vocabulary does not know disqualify a span; in a block, on a line of its own or after a
  label they do not, and are for the caller to report.
- What the words around it negate, quantify, or connect with something else, is a fragment, not the formula; and what
  they set apart from the answer ("instead of", "unlike") is none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import groupby, islice
from typing import Generic, Literal, NamedTuple, TypeVar

from pytest_autoeval.languages import english
from pytest_autoeval.languages.answers import Passage, is_contrasted, passages
from pytest_autoeval.languages.base import Formula, Reading

#: Characters of an answer; prose around a formula may be longer than any formula.
MAX_ANSWER = 100_000
#: Places of an answer that are tried, from its end.
_MOST_PASSAGES = 2_000
#: Places where no word of the same line can change what a formula means.
_APART = ("whole", "block", "label", "line")

F = TypeVar("F", bound=Formula)
#: known: the vocabulary has them all; strange: it lacks one; none: there are none; free: there is no vocabulary.
Names = Literal["known", "strange", "none", "free"]


class FoundFormula(NamedTuple, Generic[F]):
    """A formula in an answer, and where it stands."""

    formula: F
    passage: Passage


class Notation(ABC, Generic[F]):
    """What must be known of a language to find its formulas amid English."""

    @abstractmethod
    def attempt(self, text: str) -> tuple[F | None, str]:
        """The formula that a text is, in whatever notation, or why it is none."""

    @abstractmethod
    def continues(self, text: str, line: str) -> bool:
        """Whether a line goes on with the formula begun in the text before it."""

    @abstractmethod
    def runs(self, passage: Passage) -> Iterator[Passage]:
        """The formulas amid the words of a line, last first."""

    @abstractmethod
    def is_symbolic(self, text: str) -> bool:
        """Whether a text has something that English has not."""

    @abstractmethod
    def is_fragment(self, formula: F, passage: Passage) -> bool:
        """Whether what stands around a formula makes it a part of something that means more."""

    @abstractmethod
    def is_followed_up(self, after: str) -> bool:
        """Whether what stands behind a formula puts it under a condition or connects it."""

    @abstractmethod
    def names(self, formula: F) -> Names:
        """What the vocabulary says of the names of a formula."""

    @abstractmethod
    def is_slight(self, found: FoundFormula[F]) -> bool:
        """Whether a formula says so little that it counts only where no other one stands."""

    @abstractmethod
    def is_part(self, part: F, formula: F) -> bool:
        """Whether a formula is a part of another."""

    def is_plausible(self, found: FoundFormula[F]) -> bool:
        """Whether nothing speaks against a formula that the language alone knows; called before all else is weighed."""
        _ = found
        return True

    def is_remark(self, found: FoundFormula[F]) -> bool:
        """Whether a formula gives way to any that is neither slight nor a remark, and counts among its like."""
        _ = found
        return False

    def is_variant(self, found: FoundFormula[F]) -> bool:
        """Whether the label of a formula says that it is another one than the answer, which gives way to any other."""
        _ = found
        return False

    def is_mention(self, found: FoundFormula[F], other: FoundFormula[F]) -> bool:
        """Whether a formula merely mentions a part of one that stands before it."""
        return found.passage.place not in ("line", "label") and self.is_part(found.formula, other.formula)

    def is_basic(self, formula: F) -> bool:
        """An atom or a negated one, which an "and" or "or" beside it may connect with another."""
        return not any(child.children() for child in formula.children()) and len(formula.children()) < 2


def chosen(answer: str, notation: Notation[F]) -> FoundFormula[F] | None:
    """The last formula that is not a mention of a part of another."""
    last: FoundFormula[F] | None = None
    for other in _all_found(answer, notation):
        if last is None or _is_mention(last, other, notation):
            last = other
    return last


def nothing(problem: str) -> Reading:
    """The reading of an answer without a formula."""
    return Reading(None, compliant=False, recovered=False, text="", problem=problem)


def unreadable(text: str) -> str:
    """Why a stripped answer is not even looked at, or an empty text."""
    if not text:
        return "the answer is empty"
    if len(text) > MAX_ANSWER:
        return f"the answer has {len(text):,} characters; at most {MAX_ANSWER:,} are read"
    return ""


def is_announced(passage: Passage) -> bool:
    """Whether a colon stands before a passage."""
    return passage.before.rstrip(" \t*_`$\"'“").endswith((":", "："))


def _all_found(answer: str, notation: Notation[F]) -> Iterator[FoundFormula[F]]:
    """The formulas of an answer, last first; of a line with a fragment amid its words only what stands apart."""
    for _, group in groupby(_with_line_numbers(answer, notation), key=lambda numbered: numbered[0]):
        found: list[FoundFormula[F]] = []
        is_spoilt = False
        for _, passage in group:
            if passage.place == "prose" and any(passage.before.count(mark) % 2 for mark in "`$"):
                continue  # a piece of what stands in code or mathematics, which is a passage itself
            formula, _ = notation.attempt(passage.text)
            if formula is None:
                is_spoilt |= passage.place == "prose"  # a formula gone wrong
            elif _is_beside_the_point(passage):
                continue
            elif passage.place in _APART or not notation.is_fragment(formula, passage):
                if _is_meant(formula, passage, notation):
                    found.append(FoundFormula(formula, passage))
            elif not (notation.is_basic(formula) and english.is_explained(passage.before, passage.after)):
                is_spoilt = True
        yield from (one for one in found if one.passage.place in _APART or not is_spoilt)


def _with_line_numbers(answer: str, notation: Notation[F]) -> Iterator[tuple[int, Passage]]:
    """The passages, those of one line under one number."""
    number = 0
    above = None
    for passage in islice(passages(answer, notation.continues), _MOST_PASSAGES):
        if passage.place in ("whole", "block") or (passage.place == "line" and passage.before != above):
            number += 1
            above = passage.before if passage.place == "line" else None
        for part in notation.runs(passage) if passage.place == "prose" else [passage]:
            yield number, part


def _is_meant(formula: F, passage: Passage, notation: Notation[F]) -> bool:
    """Whether a text that can be read as a formula is meant as one, by its place and its names."""
    text, place = passage.text, passage.place
    if not notation.is_plausible(FoundFormula(formula, passage)):
        return False
    if place in ("whole", "block"):
        return not english.is_alternatives(text)
    names = notation.names(formula)
    is_likely = names == "known" or notation.is_symbolic(text)
    explicit = is_announced(passage)
    if place == "label":
        hindered = english.is_conditional(f"{passage.before} {text[:4]}")
        return not notation.is_followed_up(passage.after) and (explicit or (is_likely and not hindered))
    if place == "line":
        is_more = names in ("known", "free") or not notation.is_slight(FoundFormula(formula, passage))
        return explicit or (is_likely and is_more)
    return names != "strange" and (is_likely or (names == "free" and place in ("code", "math")))


def _is_beside_the_point(passage: Passage) -> bool:
    if passage.place == "line" and not is_announced(passage):  # the line above says nothing about this one
        return False
    return is_contrasted(passage.before, passage.after) or english.is_defined(passage.before)


def _is_mention(found: FoundFormula[F], other: FoundFormula[F], notation: Notation[F]) -> bool:
    """Whether a formula merely mentions a part of one that stands before it, or explains a name."""
    if found.formula == other.formula:
        return False
    place = found.passage.place
    if notation.is_variant(found):
        return not notation.is_variant(other) and not notation.is_slight(other)
    if place in ("whole", "block") or (place == "label" and is_announced(found.passage)):
        return False
    if notation.is_slight(found):
        return not notation.is_slight(other) or other.passage.place in ("block", "label")
    if notation.is_remark(found) and not notation.is_remark(other) and not notation.is_slight(other):
        return True
    return notation.is_mention(found, other)
