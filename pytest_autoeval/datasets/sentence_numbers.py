"""The number that an author wrote before a sentence, such as ``R-12:``: recognised where it is surely a number.

A number that stays in a sentence is sent to the model with it. A word that is taken for a number is missing in the
sentence. So only forms that are not the beginning of a sentence count, and a note names what only looks like a number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pytest_autoeval.lazy_pattern import lazy_pattern

#: ``A-7``, ``REQ-3.1``, ``SRS_BRK_008``: a letter and a digit must be in it.
_NAME = r"[A-Za-z][A-Za-z_-]{0,20}\d+(?:[._-]\d+)*[a-z]?"
#: ``REQ 10``, in capitals: "Step 2" begins a sentence.
_SPACED = r"[A-Z]{2,10} \d+(?:\.\d+)*[a-z]?"
#: ``3.4.1``. Two numbers may be a time or a decimal number, as in "3.5 seconds after …".
_CHAPTER = r"\d+(?:\.\d+){2,}"
_NUMBER = rf"{_NAME}|{_SPACED}|{_CHAPTER}"
#: A number that a sign sets off from its sentence: "R2 is closed" speaks of R2, and "Note: ..." is a note.
_SET_OFF = lazy_pattern(
    rf"(?:\[(?P<square>{_NUMBER})\]:?|\((?P<round>{_NUMBER})\):?|(?P<colon>{_NUMBER}):)\s+(?=\S)"
)
#: A dash sets a number off, unless a second one makes of both a remark: "R2 – the second relay – is closed".
_WITH_DASH = lazy_pattern(rf"(?P<number>{_NUMBER})\s+[-–—]\s+(?=\S)(?!.*\s[-–—]\s)")
_ANY_NUMBER = lazy_pattern(_NUMBER)
#: The end of a number that only a new sentence can follow: "A-4. The door is closed".
_WITH_POINT = lazy_pattern(rf"(?P<number>{_NUMBER})[.)]\s+(?=\S)")
#: A number before a sentence, without any sign between them.
_BARE = lazy_pattern(rf"(?P<number>{_NUMBER})\s+(?=\S)")
#: What stands in bold or code, with the sign that may end it.
_MARKED = lazy_pattern(rf"(?P<number>{_NUMBER})[:.]?")
#: What looks like a number to a reader, although it was not taken for one. One of a list may be a date: "1. Mai".
_LOOKS_LIKE = lazy_pattern(
    rf"[\[(]?(?P<number>{_NUMBER}|\d+(?:\.\d+)*(?=[.):\]]\s))(?=[\s:.)\]–—-]|$)[:.)\]]*\s*"
)
#: So many numbers of one shape are numbers of sentences, and no things that one sentence speaks of.
_SEVERAL = 2
#: Words that go on a sentence: "R1 SHALL be closed", "[R1] and [R2] are never both on".
_KEYWORDS = frozenset(
    {"SHALL", "MUST", "SHOULD", "MAY", "WILL", "CAN", "IS", "ARE", "HAS", "AND", "OR", "NOT"}
)
#: Those of them that begin a sentence in capitals, as names: "[R1] CAN messages are signed", "[R2] NOT gates invert".
_NAMES = frozenset({"CAN", "NOT"})


class ReadSentence(NamedTuple):
    """A sentence of a file; ``marked`` is the text in bold, code or a link at its beginning, or empty."""

    text: str
    marked: str = ""


class NumberedSentence(NamedTuple):
    """The number of a sentence, empty without one, and its text without it.

    ``doubtful`` is what looks like a number, and stays in the text.
    """

    number: str
    text: str
    doubtful: str = ""


def with_numbers(sentences: Iterable[ReadSentence]) -> list[NumberedSentence]:
    """The sentences of one file without their numbers."""
    listed = list(sentences)
    shapes = _shapes_of_numbers(listed)
    return [_with_number(sentence, shapes) for sentence in listed]


def is_number(text: str) -> bool:
    """Whether a text is the number of a sentence and nothing else."""
    return re.fullmatch(_NUMBER, text) is not None


def notes_on_numbers(places: Sequence[str], numbered: Sequence[NumberedSentence]) -> Iterator[str]:
    """A line for each kind of number that stays in sentences: the first place of it, and how many there are.

    ``places`` are the files and lines of the sentences.
    """
    by_shape: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for place, sentence in zip(places, numbered, strict=True):
        if sentence.doubtful:
            by_shape[_shape(sentence.doubtful)].append((place, sentence.doubtful))
    for doubtful in by_shape.values():
        place, text = doubtful[0]
        more = f", as in {len(doubtful) - 1} more" if len(doubtful) > 1 else ""
        advice = "a number such as “R-1: …” is recognised"
        if is_number(text):
            advice = f"write “{text}: …” if it is one"
        yield f"{place}: {text!r} looks like a number, but stays in the sentence{more}; {advice}"


def _with_number(sentence: ReadSentence, shapes: frozenset[str]) -> NumberedSentence:
    text, marked = sentence
    match = _SET_OFF.match(text)
    if match and not _goes_on(match, text):
        return NumberedSentence(_number_in(match), text[match.end() :])
    match = _WITH_DASH.match(text)
    if match and not _is_sign(match["number"], text[match.end() :]):
        return NumberedSentence(match["number"], text[match.end() :])
    match = _WITH_POINT.match(text)
    if match and _begins_sentence(text[match.end() :]):
        return NumberedSentence(match["number"], text[match.end() :])
    after_mark = _after_mark(text, marked)
    if after_mark and _begins_sentence(after_mark):
        return NumberedSentence(marked.rstrip(":."), after_mark)
    match = _BARE.match(text)
    if match and _shape(match["number"]) in shapes and _may_begin_sentence(text[match.end() :]):
        return NumberedSentence(match["number"], text[match.end() :])
    return NumberedSentence("", text, _doubtful(text, is_marked=bool(after_mark)))


def _number_in(set_off: re.Match[str]) -> str:
    return set_off[set_off.lastgroup or 0]


def _goes_on(set_off: re.Match[str], text: str) -> bool:
    """Whether a sentence goes on behind a name in brackets, which then is a part of it."""
    behind = text[set_off.end() :]
    # "Not more than one door is open" is a sentence of its own.
    if set_off.lastgroup == "colon" or _begins_sentence(behind):
        return False
    word = _first_word(behind)
    return word.upper() in _KEYWORDS and word not in _NAMES


def _is_sign(number: str, behind: str) -> bool:
    """Whether the dash behind a number is a sign of its own: "R2 – R5 are closed", "T1 - 5 is more than T2".

    "REQ-1" and "3.4.1" are no quantities. Behind these it is one only between two of a kind: "V-101 – V-105".
    """
    following = _ANY_NUMBER.match(behind)
    if number.isalnum():
        return following is not None or behind[:1].isdecimal()
    return following is not None and _shape(following[0]) == _shape(number)


def _shapes_of_numbers(sentences: Iterable[ReadSentence]) -> frozenset[str]:
    """The shapes of the numbers that several sentences begin with, where a sentence surely begins behind them.

    A number that is set off has shown already what the numbers of the file look like.
    """
    numbers: dict[str, set[str]] = defaultdict(set)
    for sentence in sentences:
        set_off = _SET_OFF.match(sentence.text)
        if set_off and not _goes_on(set_off, sentence.text):
            number = _number_in(set_off)
            numbers[_shape(number)].add(number)
        match = _BARE.match(sentence.text)
        if match and _begins_sentence(sentence.text[match.end() :]):
            numbers[_shape(match["number"])].add(match["number"])
    return frozenset(shape for shape, of_shape in numbers.items() if len(of_shape) >= _SEVERAL)


def _shape(number: str) -> str:
    """What the numbers of one file share: their letters, and 0 for each group of digits."""
    return re.sub(r"[a-z]$", "", re.sub(r"\d+", "0", number))


def _after_mark(text: str, marked: str) -> str:
    """The text behind a number in bold or code; empty if there is none."""
    if not marked or not _MARKED.fullmatch(marked):
        return ""
    return text.removeprefix(marked).lstrip(" :.–—-")


def _begins_sentence(text: str) -> bool:
    """Whether a text surely is the beginning of a sentence: a word with one capital letter, as in "The" or "A"."""
    word = _first_word(text)
    return word[:1].isupper() and (len(word) == 1 or not word.isupper())


def _may_begin_sentence(text: str) -> bool:
    """Whether a text may be a whole sentence: its first word is not one that goes on another sentence."""
    word = _first_word(text)
    return word[:1].isupper() and word not in _KEYWORDS


def _first_word(text: str) -> str:
    # A sentence may begin with a quotation mark or a parenthesis.
    return text.split(maxsplit=1)[0].lstrip("“”„\"'‘«([").rstrip(".,;:")


def _doubtful(text: str, *, is_marked: bool) -> str:
    """What looks like a number at the beginning of a sentence; empty if nothing does."""
    match = _LOOKS_LIKE.match(text)
    if match is None:
        return ""
    number, rest = match["number"], text[match.end() :]
    # "R2 is closed" speaks of R2. In "A-7 is closed", or in bold, it may be either.
    is_plain_word = number.isalnum() and not number.isdecimal() and not is_marked
    return "" if is_plain_word and rest[:1].islower() else number
