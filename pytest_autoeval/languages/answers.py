"""Finds the answer in a model's reply. A prompt asks for one form, and only forms are read, not free English.

Thoughts, HTML and JSON around an answer are removed first (:mod:`~pytest_autoeval.languages.plain_replies`). Then the
answer may stand, in this order,

- after a label with *final*: ``Final answer: …``, a box, a tag ``<answer>``, the value of a JSON object;
- after another label: ``Answer: …``, ``The formula is …``;
- in a fence or in display mathematics;
- on a line of its own;
- in a marked span between words: code, mathematics, bold.

:func:`passages` finds these places, and :func:`final_answer` reads answers that are not formulas. Both are linear in
the length of the reply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice, zip_longest
from typing import Final, Literal, TypeVar

from msgspec import Struct

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.marks import (
    LONGEST_LINE,
    SPAN,
    bare,
    content,
    undecorated,
    unpunctuated,
)
from pytest_autoeval.languages.plain_replies import plain
from pytest_autoeval.lazy_pattern import LazyPattern, lazy_pattern

#: Characters of a reply that are read; no requested form is longer.
MAX_REPLY: Final = 100_000

Place = Literal["final", "label", "block", "line", "span"]
#: All places, in the order of their rank.
PLACES: Final[tuple[Place, ...]] = ("final", "label", "block", "line", "span")

T = TypeVar("T")
#: A command of LaTeX around text, with the text.
_LATEX_TEXT = lazy_pattern(r"\\(?:text(?:bf|tt|rm|it)?|math(?:rm|bf|tt))\s{0,9}\{([^{}]*)\}")
#: A character between the words of a label: it ends no sentence, no line and no mark.
_GAP: Final = r"[^.!?:=\n`$\"“”]"
#: Words before the noun of a label; and the nouns of labels of any answer, and of a formula.
_QUALIFIERS: Final = r"(?:(?:my|the|final|correct|complete)\s++)*+"
_NOUNS: Final = r"answers?|verdict|choice|ranking|order(?:ing)?"
_FORMULA_NOUNS: Final = (
    r"answers?|formulas?|formali[sz]ation|translation|expression|regexp?|pattern|result|output|solution|representation"
    r"|conclusion|ltl|fol|logic|notation|syntax|form|version|statement|rule"
)
#: Words directly before a colon that introduce a formula.
_LEAD_INS: Final = (
    r"becomes?|below|final|follows|get|have|hence|here|is|obtain|so|therefore|thus|write"
)


class Passage(Struct, frozen=True):
    """A piece of a reply that may be its answer, without the marks around it.

    ``text`` has several lines for a block or a paragraph. ``rest`` holds the words of the line around a span, and
    ``line`` is the number of the first line. ``is_ambiguous`` is true if the text ends in a period that may be a sign
    of the answer, or the end of the sentence around it.
    """

    text: str
    place: Place
    line: int
    rest: str = ""
    is_ambiguous: bool = False


class UnreadableError(AutoevalError):
    """A reply has no final answer that can be read; the message gives the reason."""


def final_answer(reply: str, read: Callable[[str], T | None]) -> T:
    """The final answer of a reply: the labelled one, else the last line, as ``read`` understands it.

    ``read`` takes a bare text, and returns None for one that does not follow the form. Raises :class:`UnreadableError`
    if the answer does not follow the form, if two final answers contradict each other, or if the text after the answer
    withdraws it.
    """
    if len(reply) > MAX_REPLY:
        raise UnreadableError(
            f"the answer has {len(reply):,} characters; at most {MAX_REPLY:,} are read"
        )
    text = plain(reply)
    labelled = [*passages(text, answer_labels())]
    # A label with "final" outranks every other label, wherever it stands.
    answers = [passage for passage in labelled if passage.place == "final"]
    answers = answers or [passage for passage in labelled if passage.place == "label"]
    if not answers:
        lines = [line for line in text.splitlines() if line.strip() and not _FENCE.match(line)]
        if not lines:
            raise UnreadableError("the answer is empty")
        last_line = bare(undecorated(lines[-1]))
        # Nothing follows the last line: a line number beyond the end leaves nothing to withdraw it.
        answers = [Passage(last_line, "line", line=len(text))]
    texts = [_LATEX_TEXT.sub(r"\1", answer.text + answer.rest) for answer in answers]
    values = [read(text_of_answer) for text_of_answer in texts]
    value = values[-1]
    if value is None:
        raise UnreadableError(
            f"the answer does not have the form that was asked for: {answers[-1].text[:100]!r}"
        )
    if any(answer_value != value for answer_value in values):
        raise UnreadableError("the answer gives two final answers that differ")
    if is_taken_back(text, answers[-1]):
        raise UnreadableError("the answer withdraws its final answer")
    return value


def _bracketed(noun: str) -> str:
    """A pattern of a label in brackets. After ``]`` a space, colon or mark follows: ``[answer]*`` is an expression."""
    inside = rf"\s?{_QUALIFIERS}{noun}\s?"
    return rf"(?:\[{{1,2}}{inside}\]{{1,2}}(?=[\s:：*_]|$)|[【〔〖]{inside}[】〕〗])[*_]*+[:：]?"


def labels(nouns: str, lead_ins: str) -> LazyPattern[str]:
    """A pattern of the labels of an answer at the start of a line or sentence: ``Answer:``, ``The formula is``.

    A label in brackets needs no colon: ``[Answer]``, ``【Final formula】``.
    """
    return lazy_pattern(
        rf"(?:^|(?<=[.!?] ))[*_(]*+(?:{_bracketed(rf'(?:{nouns})')}|(?P<lead>{_GAP}{{0,80}}?)"
        rf"(?:\b(?:{nouns})\b(?:{_GAP}{{0,60}}?)\s{{0,9}}+(?::=|[:：=](?![=>]))"
        rf"|\b(?:{nouns})\b(?: (?:to|for|in|of|as|here){_GAP}{{0,50}}?)? is\b(?! (?:not|that)\b)[ :]*"
        rf"|\b(?:{lead_ins})\s*+[*_]*+[:：]))[*_\"'”)]*+",
        re.IGNORECASE,
    )


@cache
def answer_labels() -> LazyPattern[str]:
    """The labels of the answer to a question; compiled when the first question is asked."""
    return labels(_NOUNS, "final")


#: The labels of a formula.
FORMULA_LABELS: Final = labels(_FORMULA_NOUNS, _LEAD_INS)
#: A heading that labels the text below it.
_HEADING = lazy_pattern(
    rf"[*_#\s]*+{_QUALIFIERS}(?:answer|formula|translation|solution)[*_\s]*+", re.IGNORECASE
)
#: The end of a label that begins a sentence: the sentence ends with a period.
_IS = lazy_pattern(r"\bis\b[\s:：*_\"'”)]*+$", re.IGNORECASE)
_FINAL = lazy_pattern(r"\bfinal(?:ly)?\b", re.IGNORECASE)
#: Words before a label that announce something else than the answer.
_OTHER = lazy_pattern(
    r"\b(?:incorrect|wrong|mistake|original|given|first|second|other|example|instead|not|never|or|and|until|always|previous|draft|initial"
    r"|alternative(?:ly)?|equivalent(?:ly)?|similar|negat\w+|satisf\w+|violat\w+|simplified|if|unless|when|whether"
    r"|each|every|step)\b",
    re.IGNORECASE,
)
_FENCE = lazy_pattern(r"[ \t]*+(?P<mark>`{3,}+|~{3,}+)[^\n`]*+$")
#: The largest number of spans of one line that are tried. Each is parsed, so a line of many spans would be slow.
_MOST_SPANS = 50
#: Punctuation or a remark after a marked answer, followed by words.
_BEHIND_SPAN = lazy_pattern(
    r"[*_]{0,3}(?:[.,;:](?!\s*(?:or|and|but|if|unless|until|rather|instead|not)\b)|\s+[(—–-])",
    re.IGNORECASE,
)
_GLUED = lazy_pattern(r"\w")
#: Words that withdraw an earlier answer.
_TAKEN_BACK = lazy_pattern(
    r"\b(?:wait|hold on|scratch that|oops|on second thoughts?|on reflection|correction|i was wrong|my mistake"
    r"|i made an? (?:mistake|error))\b|(?:^|[.!;:—–-]\s*)(?:actually|sorry|edit)\b",
    re.IGNORECASE | re.MULTILINE,
)


def passages(text: str, label: LazyPattern[str], end_signs: str = "") -> Iterator[Passage]:
    """The pieces of a :func:`plain` reply that may be its answer, in order.

    A label with nothing after it labels the block or paragraph below it. For ``end_signs`` see :func:`bare`.
    """
    pending: Place | None = None
    for number, is_block, lines in _sections(text):
        if is_block:
            inside = [
                passage
                for line_number, line in enumerate(lines, number)
                for passage in _labelled_in(line, label, line_number, end_signs)
                if passage.text
            ]
            content_of_block = bare("\n".join(lines), end_signs, is_code=True)
            block = Passage(content_of_block, pending or "block", number)
            yield from inside or [block]
            pending = None
            continue
        paragraph: list[str] = []
        for line_number, line in enumerate([*lines, ""], number):
            labelled = [*_labelled_in(line, label, line_number, end_signs)]
            if line.strip() and not labelled:
                paragraph.append(undecorated(line))
                continue
            # An empty line or a line with a label ends the paragraph before it.
            if paragraph:
                start = line_number - len(paragraph)
                yield Passage(bare("\n".join(paragraph), end_signs), pending or "line", start)
                pending = None
                for number_of_line, words in enumerate(paragraph, start):
                    yield from _spans(words, number_of_line, end_signs)
                paragraph = []
            yield from (passage for passage in labelled if passage.text)
            if labelled:
                pending = None if labelled[-1].text else labelled[-1].place


def is_taken_back(text: str, passage: Passage) -> bool:
    """Whether the text after a passage in a plain reply says that it was a mistake."""
    next_line = passage.line + passage.text.count("\n") + 1
    following = [passage.rest, *text.split("\n")[next_line:]]
    return _TAKEN_BACK.search("\n".join(following)) is not None


def _sections(text: str) -> Iterator[tuple[int, bool, list[str]]]:
    """Text and fences in order, each with the number of its first line; an open fence extends to the end."""
    lines = text.split("\n")
    start = index = 0
    while index < len(lines):
        opening = _FENCE.match(lines[index])
        if opening is None:
            index += 1
            continue
        yield start, False, lines[start:index]
        mark = opening["mark"]
        start = index = index + 1
        while index < len(lines) and not lines[index].strip().startswith(mark):
            index += 1
        yield start, True, lines[start:index]
        start = index = index + 1
    yield start, False, lines[start:]


def _labelled_in(
    line: str, label: LazyPattern[str], number: int, end_signs: str
) -> Iterator[Passage]:
    """The texts after the labels of a line; empty after a label at the end of the line."""
    if len(line) > LONGEST_LINE:
        return
    line = undecorated(line)
    if _HEADING.fullmatch(line):
        yield Passage("", "final" if _FINAL.search(line) else "label", number)
        return
    matches = [match for match in label.finditer(line) if not _OTHER.search(match[0])]
    # The text after a label ends at the next label of the line.
    for match, following in zip_longest(matches, matches[1:]):
        end = following.start() if following else None
        text = line[match.end() : end].strip()
        is_bold_to_the_end = match[0].startswith("**") and "**" not in match[0][2:]
        if is_bold_to_the_end:  # label and answer are one bold span
            text = text.removesuffix("**")
        place: Place = "final" if _FINAL.search(match[0]) else "label"
        opening = SPAN.match(text)
        if opening and _BEHIND_SPAN.match(text, opening.end()):
            yield Passage(
                bare(content(opening), end_signs, is_code=True),
                place,
                number,
                rest=text[opening.end() :],
            )
        else:
            answer = bare(text, end_signs)
            is_ambiguous = bool(_IS.search(match[0])) and answer != unpunctuated(answer)
            yield Passage(answer, place, number, is_ambiguous=is_ambiguous)


def _spans(line: str, number: int, end_signs: str) -> Iterator[Passage]:
    if len(line) > LONGEST_LINE:
        return
    words = SPAN.sub(" ", line)
    if not _OTHER.search(words):
        for match in islice(SPAN.finditer(line), _MOST_SPANS):
            before = line[match.start() - 1 : match.start()]
            after = line[match.end() : match.end() + 1]
            if not _GLUED.search(before + after):
                answer = bare(content(match), end_signs, is_code=True)
                yield Passage(answer, "span", number, rest=words)
