"""The number of an option that an answer chooses.

Strict: what is not said is not guessed. An answer that repeats an option and gives no number has none; of two final
answers that differ, none counts; "option 2 or 3" and "3 is wrong" choose nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar

from pytest_autoeval.tasks.answers.final_answers import TAKEN_BACK, Contradiction, FinalAnswer, final_answers, plain
from pytest_autoeval.tasks.answers.option_numbers import (
    OPTION,
    exactly,
    number_of,
    number_of_json,
    numbers_in,
    stripped,
)

Problem = Literal["", "no number", "out of range", "several numbers", "not a permutation"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Chosen(Generic[T]):
    """What was read; ``problem`` says why ``value`` is None, or is empty."""

    value: T | None
    problem: Problem = ""


NO_NUMBER: Final[Chosen[Any]] = Chosen(None, "no number")
SEVERAL: Final[Chosen[Any]] = Chosen(None, "several numbers")


def read_number(answer: str, options: Sequence[str]) -> Chosen[int]:
    """The number of the option that an answer chooses, from 1.

    ``options`` are their texts: an answer may repeat them, and one that gives a number and the text of another option
    gives ``several numbers``.
    """
    texts = tuple(stripped(plain(option)) for option in options)
    chosen = agreed(final_answers(answer), lambda final: _number(final, texts))
    if chosen.value is not None and not 1 <= chosen.value <= len(options):
        return Chosen(None, "out of range")
    return chosen


def agreed(answers: Iterable[FinalAnswer], read: Callable[[FinalAnswer], Chosen[T] | None]) -> Chosen[T]:
    """What the answers give of which :func:`read` makes anything; ``several numbers`` where they differ.

    Words behind a label that others follow are none, as long as they deny nothing.
    """
    found = [(answer, chosen) for answer in answers if (chosen := read(answer)) is not None]
    while len(found) > 1 and found[0][1] == NO_NUMBER and not _denies(found[0][0]):
        del found[0]
    distinct = {chosen for _, chosen in found} or {NO_NUMBER}
    if len(distinct) == 1:
        return distinct.pop()
    return NO_NUMBER if NO_NUMBER in distinct else SEVERAL


def _denies(answer: FinalAnswer) -> bool:
    is_called_so = answer.standing in ("final", "labelled")
    return is_called_so and re.search(r"\b(?:no|not|none|neither)\b", str(answer.value)) is not None


def _number(answer: FinalAnswer, texts: Sequence[str]) -> Chosen[int] | None:
    match answer.value:
        case str(text) if answer.standing == "said":
            return _said(text, texts)
        case str(text) if answer.standing == "bare":
            return _bare(text, answer.lines, texts)
        case str(text):
            return _behind_label(plain(text), texts)
        case [_, _, *_] | Contradiction():
            return SEVERAL
        case [value] | value:
            return _chosen(number_of_json(value))


def _chosen(number: int | None) -> Chosen[int]:
    return NO_NUMBER if number is None else Chosen(number)


# --- behind a label ---

_NOUN: Final = r"(?:option|candidate|sentence|statement|formula|choice|number|answer|translation|match|one|fit)"
_BEST: Final = r"(?:correct|right|best|closest|nearest|most similar|best[- ]matching)"
#: What may stand between a label and the option.
_OPENING: Final = re.compile(
    r"(?:(?:it is|it's|is|clearly|definitely|both|either|i(?: would|'d)? (?:choose|pick|select)"
    rf"|the {_BEST}(?: {_NOUN})? is)[:,]? )*"
)
#: What may follow the option: an end, a remark, a reason, that it is the right one.
_REMARK: Final = re.compile(
    rf" ?(?:$|[.,;:!()\[\]\"'–—-]|(?:because|since|as|which)\b|is (?:clearly |therefore |thus |the )*{_BEST}\b"
    r"|(?:matches|says|means|expresses|captures)\b)"
)
_REASON: Final = re.compile(r"\b(?:because|since)\b")
_RESERVE: Final = re.compile(
    r"[\s,;(–—-]*(?:or|and|nor|unless|if|but|maybe|perhaps|provided|assuming|not|no|none)\b|.*\?"
)
#: Another option, and that it is not the one.
_NOT_THE_OTHER: Final = re.compile(
    rf"(?<![ ,;(–—-])[ ,;(–—-]+(?:(?:and |but )?not|rather than|instead of) {OPTION.pattern}(?! ?(?:,|or|and)\b)\)?"
)
#: Says that the numbers are others than those of the options.
_OTHER_COUNT: Final = re.compile(r"\b(?:0|zero)[- ](?:based|index(?:ed)?)\b|\b(?:from|at) (?:0|zero)\b")


def _behind_label(text: str, texts: Sequence[str]) -> Chosen[int]:
    opening = _OPENING.match(text)
    found = OPTION.match(text, opening.end() if opening else 0)
    if found is None or (number := number_of(found)) is None:
        return NO_NUMBER
    rest = re.sub(rf"^ (?:out )?of {len(texts)}\b", "", text[found.end() :])
    if (repeated := stripped(rest)) in texts:
        return Chosen(number) if texts[number - 1 : number] == (repeated,) else SEVERAL
    rest = _NOT_THE_OTHER.sub("", rest)
    if {*numbers_in(_REASON.split(rest)[0])} - {number, None}:
        return SEVERAL
    if not _REMARK.match(rest) or any(sign.search(rest) for sign in (TAKEN_BACK, _OTHER_COUNT)) or _RESERVE.match(rest):
        return NO_NUMBER
    return Chosen(number)


# --- in a sentence ---

#: Words before a choice that make it none.
HYPOTHETICAL: Final = re.compile(
    r"\b(?:if|unless|might|may|could|would|\w+'d|thought|suppose|assum\w+|not|never|nor|neither|either|whether|wrong"
    r"|opposite|incorrect|almost|nearly|first glance|seems?|initially|\w+n't)\b"
)
_CHOOSING: Final = re.compile(
    r"(?:^|\b(?:the|my|so|hence) )(?:answer|choice|pick|selection)(?: is:?|:) "
    r"|^(?:conclusion|result|solution|output|final): "
    rf"|(?:^|\b(?:the|my) ){_BEST}(?: {_NOUN})?(?: in meaning)?(?: is:?|:) "
    r"|\b(?:i|we)(?: would| will|'d|'ll| am| are|'m|'re)? (?:choos|pick|select|go|opt)(?:e|ing)?(?: with| for)? "
)
_IS_BEST: Final = re.compile(
    rf" is (?:clearly |therefore |thus |hence |indeed )*(?:the )?(?:{_BEST}|answer)(?: {_NOUN})?(?: in meaning)?"
    r"(?: (?:to|for) the (?:given |reference |original )?sentence)?(?:[.!,;:]|$| (?:because|since|as)\b)"
    r"| (?:best|most closely|most accurately) (?:matches|captures|represents|expresses|conveys|means|says|reflects)\b"
)
#: What may stand before an option that is all that a sentence says.
_SO: Final = re.compile(r"(?:(?:so|therefore|thus|hence|[=-]>|[→⇒])[,:]? ?)?(?:(?:it is|it's) )?")
_CLAUSE: Final = re.compile(r"\b(?:but|however)\b|;")
_RESTRICTED: Final = re.compile(r"\b(?:but|however|except|though|although|yet|than|so far)\b|\?$")


def _said(sentence: str, texts: Sequence[str]) -> Chosen[int] | None:
    """What a sentence says to be chosen; None where it chooses nothing, no number where it takes back what was said."""
    taken_back = TAKEN_BACK.search(sentence)
    start = taken_back.end() if taken_back else 0
    so = _SO.match(sentence, start)
    if so and so[0] and (number := exactly(sentence[so.end() :])) is not None:
        return Chosen(number)
    clauses = [start, *(turn.end() for turn in _CLAUSE.finditer(sentence, start))]
    for choosing in _CHOOSING.finditer(sentence, start):
        clause = clauses[bisect_right(clauses, choosing.start()) - 1]
        rest = sentence[choosing.end() :]
        if OPTION.match(rest) and not HYPOTHETICAL.search(sentence, clause, choosing.start()):
            return _behind_label(rest, texts)
    for found in OPTION.finditer(sentence, start):
        is_best = _IS_BEST.match(sentence, found.end())
        if is_best and not HYPOTHETICAL.search(sentence, start, found.start()):
            return None if _RESTRICTED.search(sentence, is_best.end()) else _chosen(number_of(found))
    return NO_NUMBER if taken_back else None


# --- alone ---


def _bare(line: str, before: Sequence[str], texts: Sequence[str]) -> Chosen[int] | None:
    """The number of a line that says no more; where it is all there is, it may repeat the option or give a reason."""
    if before:
        first = exactly(before[0]) if before[0].isdecimal() else None
        alone = [number for other in (*before, line) if (number := exactly(other)) is not None]
        if exactly(line) is None:
            return None if first is None else Chosen(first)
        return Chosen(alone[-1]) if len(set(alone)) == 1 else SEVERAL
    found = OPTION.match(line)
    if found is None:
        return None
    rest = line[found.end() :]
    gives_reason = re.match(r",? (?:because|since|as)\b|[:,]? ?[(–—-]", rest)
    if not stripped(rest) or stripped(rest) in texts or gives_reason:
        return _behind_label(line, texts)
    is_list = re.fullmatch(r"(?:[ ,;/&]|and|or|both)+", OPTION.sub("", rest))
    return SEVERAL if is_list and set(numbers_in(rest)) - {number_of(found)} else None
