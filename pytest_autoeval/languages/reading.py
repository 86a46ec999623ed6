"""Reads the formula in a model's answer, in any language: in the strict notation, else in one of several places.

:mod:`pytest_autoeval.languages.answers` lists the places. The first rank with a formula counts. Two different formulas
of one rank, or a different one after the one that counts, give no answer, unless one is labelled final. A formula
between the words of a sentence is not searched for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.answers import (
    FORMULA_LABELS,
    MAX_REPLY,
    PLACES,
    Passage,
    Place,
    UnreadableError,
    is_taken_back,
    passages,
)
from pytest_autoeval.languages.base import Formula, Reading
from pytest_autoeval.languages.marks import bare, undecorated
from pytest_autoeval.languages.plain_replies import plain
from pytest_autoeval.lazy_pattern import LazyPattern, lazy_pattern

F = TypeVar("F", bound=Formula)
T = TypeVar("T")

#: The largest number of places that are tried, and of lines of one place.
_MOST_PASSAGES, _MOST_LINES = 2_000, 500
#: "φ = …": the name of a formula, not an equation.
_NAMED = lazy_pattern(
    r"(?P<name>[φϕψΦΨ]|\\(?:var)?[pP][hs]i\b|[Pp][hs]i\b|(?:LTL |FOL )?[Ff]ormula|LTLSPEC(?= ))(?:_?\{?\d+\}?)?"
    r"\s{0,9}(?::=|[≔≜]|=(?![>=])|:|(?<=LTLSPEC))\s{0,9}(?=\S)"
)
#: An "or" between words; in ``.*or`` the letters are symbols of an expression.
_CHOICE = lazy_pattern(r"\sor\b|\bor\s", re.IGNORECASE)
#: A line with nothing but "and" or "or", perhaps emphasised.
_JUNCTION = lazy_pattern(
    r"^[ \t>#(–—-]*+(?P<mark>[*_]{0,3})(?:and|or)[,:;.…]?(?P=mark)[ \t,:;.…)–—-]*+$",
    re.IGNORECASE | re.MULTILINE,
)


class Notation(Protocol[F]):
    """What the reader needs to know of a language."""

    def strict(self, text: str) -> F:
        """The formula of a text in the strict notation; raises :class:`FormulaSyntaxError`."""
        ...

    def lenient(self, text: str) -> F:
        """The formula of a text in any known notation; raises :class:`FormulaSyntaxError`."""
        ...

    def is_meant(self, formula: F, text: str, place: Place | None) -> bool:
        """Whether a text that can be read as a formula is meant as one in this place; None is the whole answer."""
        ...

    def is_symbolic(self, text: str) -> bool:
        """Whether a text has a sign that English does not have: if it cannot be read, it is a broken formula."""
        ...


def read_formula(
    reply: str,
    notation: Notation[F],
    names: frozenset[str] = frozenset(),
    *,
    end_signs: str = "",
    is_plain: Callable[[str], bool] = lambda _text: False,
) -> Reading:
    """The formula in a reply; ``names`` are those of the vocabulary.

    ``end_signs`` are the marks and the punctuation that may be signs of a formula: they are not removed from its ends.
    ``is_plain`` says of a text whether the lenient notation surely reads it as the strict one does, so that one parse
    is enough.

    The reading is compliant if the whole reply is a formula of the strict notation with that meaning. If the lenient
    notation reads such a text differently (a name of the vocabulary in another spelling, the word ``not``, a quantifier
    that must reach further), its formula is taken, and the reading is recovered.
    """

    failed: dict[str, str] = {}

    def attempt(text: str) -> F:
        if text in failed:  # a reply of one line is a place, too
            raise AutoevalError(failed[text])
        named = _NAMED.match(text)
        content = text
        if named is not None and named["name"] not in names:
            content = bare(text[named.end() :], end_signs)
        try:
            return notation.lenient(content)
        except AutoevalError as error:
            failed[text] = str(error)
            raise

    text = reply.strip()
    if not text:
        return nothing("the answer is empty")
    if len(text) > MAX_REPLY:
        return nothing(f"the answer has {len(text):,} characters; at most {MAX_REPLY:,} are read")
    # The strict notation decides whether the reply is compliant, the lenient one what it means.
    strict, _ = _attempted(notation.strict, text)
    # Most answers of good models end here, and a parse is the longest part of reading.
    if strict is not None and is_plain(text) and not _NAMED.match(text):
        return Reading(strict, compliant=True, recovered=False, text=text)
    lenient_formula, problem = _attempted(attempt, text)
    if strict is not None and notation.is_meant(strict, text, None):
        compliant = lenient_formula is None or lenient_formula == strict
        formula = strict if lenient_formula is None else lenient_formula
        return Reading(formula, compliant, recovered=not compliant, text=text)
    try:
        search = Search(attempt, notation.is_meant, notation.is_symbolic, end_signs=end_signs)
        formula, source = search.chosen(plain(text), problem)
    except UnreadableError as error:
        return nothing(str(error))
    return Reading(formula, compliant=False, recovered=True, text=source)


def nothing(problem: str) -> Reading:
    """The reading of an answer without a formula."""
    return Reading(None, compliant=False, recovered=False, text="", problem=problem)


def _attempted(read: Callable[[str], T], text: str) -> tuple[T | None, str]:
    try:
        return read(text), ""
    except AutoevalError as error:
        return None, str(error)
    except RecursionError:  # in the parser of a language of the user's own
        return None, "nested too deeply"


class Search(Struct, Generic[T], frozen=True):
    """The search of a plain reply for a formula, or for something else in the places of formulas.

    ``attempt`` reads a text, and raises :class:`~pytest_autoeval.errors.AutoevalError` for one that it cannot read.
    ``is_meant`` and ``is_symbolic`` are those of :class:`Notation`, ``labels`` is a pattern of
    :mod:`pytest_autoeval.languages.answers`, ``end_signs`` is that of :func:`~pytest_autoeval.languages.marks.bare`.
    """

    attempt: Callable[[str], T]
    is_meant: Callable[[T, str, Place | None], bool]
    is_symbolic: Callable[[str], bool]
    labels: LazyPattern[str] = FORMULA_LABELS
    end_signs: str = ""

    def chosen(self, text: str, problem: str = "") -> tuple[T, str]:
        """The value of a whole text, or of the first rank of its places that has one, with the text that was read.

        Raises :class:`UnreadableError` if no place has any, with the ``problem`` of the whole answer, if given.
        """
        whole_text = bare(undecorated(text), self.end_signs)
        value, why = _attempted(self.attempt, whole_text)
        is_joined = "\n" in text and _JUNCTION.search(text)
        if value is not None and not is_joined and self.is_meant(value, whole_text, None):
            return value, whole_text
        pieces = [*islice(passages(text, self.labels, self.end_signs), _MOST_PASSAGES)]
        for place in PLACES:
            candidates = self._candidates(pieces, place)
            if candidates:
                # Of several equal values the last one counts: its passage says what follows it.
                value, source, passage = candidates[-1]
                rivals = [candidate for candidate, _, _ in candidates]
                rivals += self._later_values(pieces, passage)
                if any(rival != value for rival in rivals):
                    raise UnreadableError(
                        "the answer gives several formulas, and calls none of them final"
                    )
                if is_taken_back(text, passage):
                    raise UnreadableError("the answer withdraws its formula")
                return value, source
        raise UnreadableError(f"no formula was found: {problem or why}")

    def _candidates(self, pieces: Sequence[Passage], place: Place) -> list[tuple[T, str, Passage]]:
        """The values in the passages of one place, with their texts. A broken one raises :class:`UnreadableError`."""
        readings = [
            (value, source, passage)
            for passage in pieces
            if passage.place == place
            for value, source in self._values(passage)
        ]
        candidates = []
        for value, source, passage in readings:
            if value is None:
                raise UnreadableError(f"a formula of the answer cannot be read: {source}")
            candidates.append((value, source, passage))
        return candidates

    def _later_values(self, pieces: Sequence[Passage], chosen: Passage) -> list[T]:
        """The values on lines and in blocks after the chosen passage. After a final one, they do not matter."""
        if chosen.place == "final":
            return []
        values: list[T] = []
        for passage in pieces:
            if passage.line > chosen.line and passage.place in ("block", "line"):
                values += [value for value, _ in self._values(passage) if value is not None]
        return values

    def _values(self, passage: Passage) -> list[tuple[T | None, str]]:
        """The values of a passage, with their texts: of all of it, else of its lines; None with the reason if it is
        broken.
        """
        text, place = passage.text, passage.place
        # A span between signs may be a part of a larger formula.
        if place == "span" and self.is_symbolic(passage.rest):
            return []
        value, problem = _attempted(self.attempt, text)
        is_symbolic = self.is_symbolic(text)
        if value is not None and is_symbolic and _CHOICE.search(text) and "\n" not in text:
            value, problem = None, "it is unclear whether 'or' is a connective or offers a choice"
        if value is not None and passage.is_ambiguous:
            unclear = (
                "it is unclear whether its last sign ends the sentence; write the formula alone"
            )
            return [(None, unclear)]
        if value is not None and not _JUNCTION.search(text):
            return [(value, text)] if self.is_meant(value, text, place) else []
        lines = [bare(line, self.end_signs) for line in text.split("\n")]
        if 1 < len(lines) <= _MOST_LINES:
            return [*self._alone(lines, place, problem)]
        # In these places a text with signs was meant as a formula, so that it counts as a broken one.
        is_broken = is_symbolic and place in ("final", "label", "block")
        return [(None, problem)] if is_broken else []

    def _alone(
        self, lines: list[str], place: Place, problem: str
    ) -> Iterator[tuple[T | None, str]]:
        """The lines that are formulas by themselves; None with the problem if one may continue on another line."""
        values = [_attempted(self.attempt, line)[0] for line in lines]
        is_wrong = [
            value is None and self.is_symbolic(line)
            for value, line in zip(values, lines, strict=True)
        ]
        place_of_line: Place = "line" if place == "block" else place
        for index, (value, line) in enumerate(zip(values, lines, strict=True)):
            if value is None or not self.is_meant(value, line, place_of_line):
                continue
            # Beside a line that is wrong alone, this one may be a piece of a longer formula.
            is_beside_wrong = any(is_wrong[max(index - 1, 0) : index + 2])
            yield (None, problem) if is_beside_wrong else (value, line)
