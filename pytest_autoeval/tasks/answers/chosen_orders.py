"""The order into which an answer puts the numbers of a list.

Strict: an order is written with one sign throughout ("2, 5, 1", "2 > 5 > 1", "2 then 5 then 1"), or as a list, a number
a line. One that mixes signs may mean that some are equal, and is no order; neither are "2 = 5 > 1" and "(2, 5), 1". One
that is said to begin with the least similar is not the order that was asked for, and is not turned round.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from pytest_autoeval.tasks.answers.chosen_numbers import HYPOTHETICAL, NO_NUMBER, SEVERAL, Chosen, agreed
from pytest_autoeval.tasks.answers.final_answers import TAKEN_BACK, Contradiction, FinalAnswer, final_answers, plain
from pytest_autoeval.tasks.answers.option_numbers import OPTION, exactly, number_of, number_of_json, stripped

Order = Chosen[tuple[int, ...]]

#: A remark on one of the numbers that has no number in it.
_ASIDE: Final = re.compile(r" ?\([^()\d]{0,200}\)")
_LAST: Final = r"(?:and then|and finally|and|then|finally)"
_SEPARATOR: Final = re.compile(
    rf" ?(?:[,;>≻→|]|->|=>)(?: ?{_LAST}\b)? ?| (?:[–—-]|{_LAST}|followed by) |(?<=\S) (?=\S)"
)
_BRACKETS: Final = re.compile(r"\[([^][]*[,>;][^][]*)\]|\(([^()]*[,>;][^()]*)\)")
#: What a list of several may begin with, or a remark on it.
_LIST_OF: Final = re.compile(r"(?:the )?(?:candidates|options|numbers|formulas|sentences):? ")
_REMARK: Final = re.compile(r" ?[.(;–—]| - |,? (?:because|since|as|which|where)\b")
_RESERVE: Final = re.compile(r"[\s,.;(–—-]*(?:or|alternatively|but|unless|if)\b")
#: An order that begins at the wrong end.
_REVERSED: Final = re.compile(
    r"\b(?:least|worst|lowest|furthest)\b(?:(?!\b(?:last|most|best)\b)[^.\n]){0,40}"
    r"\b(?:first\b(?! [a-z])|to (?:the )?(?:most|best|highest|closest|nearest|same|equivalent)\b)"
    r"|\b(?:start\w* (?:with|from)|from) the (?:least|worst|lowest|opposite)\b"
    r"|\b(?:ascending|increasing) (?:order|similarity)\b|\breversed? order\b"
)
_ITEM: Final = re.compile(r"(?P<rank>\d{1,3})[.):] ?(?=\S)")
_ORDER_IS: Final = re.compile(
    r"(?:^|\b(?:my|the|so|therefore|thus|hence|final) )(?:(?:resulting|final|overall|complete|correct|best) )*"
    r"(?:ranking|order(?:ing)?|answer)(?: from [^:.\d]{1,60}| ?\([^():\d]{1,100}\))?(?: is:?|:|$) ?"
)


def read_order(answer: str, count: int) -> Order:
    """The numbers from 1 to ``count`` in the order in which an answer puts them."""
    chosen = agreed(final_answers(answer), _order)
    if chosen.value is None:
        return chosen
    if not all(1 <= number <= count for number in chosen.value):
        return Chosen(None, "out of range")
    return chosen if sorted(chosen.value) == [*range(1, count + 1)] else Chosen(None, "not a permutation")


def _order(answer: FinalAnswer) -> Order | None:
    match answer.value:
        case str(text):
            lines = answer.lines if answer.standing == "bare" else ()
            is_reversed = any(map(_REVERSED.search, (f"{answer.label} {text}", *lines)))
            return NO_NUMBER if is_reversed else _in_text(answer, text)
        case [_, *_] as values:
            return _of_numbers([number_of_json(value) for value in values])
        case Contradiction():
            return SEVERAL
        case value:
            return _of_numbers([number_of_json(value)])


def _in_text(answer: FinalAnswer, text: str) -> Order | None:
    if answer.standing == "said":
        return _said(text, answer.lines)
    if answer.standing == "bare":
        return _bare((*answer.lines, text))
    return _of_lines((*plain(text).splitlines(), *answer.lines)) or NO_NUMBER


def _of_numbers(numbers: Sequence[int | None]) -> Order:
    known = tuple(number for number in numbers if number is not None)
    return Chosen(known) if len(known) == len(numbers) else NO_NUMBER


def _said(sentence: str, lines: Sequence[str]) -> Order | None:
    """What a sentence says to be the order; None where it says no such thing."""
    found = _ORDER_IS.search(sentence)
    if found is None or HYPOTHETICAL.search(sentence, 0, found.start()):
        return NO_NUMBER if TAKEN_BACK.search(sentence) else None
    return _of_lines((sentence[found.end() :], *lines), least=2)


def _bare(lines: Sequence[str]) -> Order | None:
    """The order that the last lines or the last line are, where no other line is another."""
    if _sequence(lines[-1], least=2) is None:
        starts = (start for start in range(len(lines) - 1) if len(_listed(lines[start:])) == len(lines) - start)
        start = next(starts, None)
        return None if start is None else Chosen(_listed(lines[start:]))
    orders = {order for line in lines if (order := _sequence(line, least=2)) is not None}
    return SEVERAL if len(orders) > 1 else orders.pop()


def _of_lines(lines: Sequence[str], *, least: int = 1) -> Order | None:
    """The order on the first line that says anything, or in the list that begins there."""
    said = [line.strip() for line in lines if line.strip()]
    if not said:
        return None
    listed = _listed(said)
    return Chosen(listed) if len(listed) > 1 else _sequence(said[0], least=least)


def _listed(lines: Sequence[str]) -> tuple[int, ...]:
    """The numbers of the options that the first lines name, one each, behind "1.", "2.", … or with nothing before."""
    ranked: list[int | None] = []
    for rank, line in enumerate(lines, 1):
        item = _ITEM.match(line)
        found = OPTION.match(line, item.end()) if item and int(item["rank"]) == rank else None
        if found is None or not re.match(r"$| ?[–—:(.-]", line[found.end() :]):
            break
        ranked.append(number_of(found))
    alone = [*takewhile(lambda number: number is not None, map(exactly, lines))]
    return _of_numbers(max(ranked, alone, key=len)).value or ()


def _sequence(text: str, *, least: int) -> Order | None:
    """The order on one line, if it has at least so many numbers and no other ones."""
    if (found := _BRACKETS.match(text)) and not _SEPARATOR.match(text, found.end()):
        text = (found[1] or found[2]) + text[found.end() :]
    numbers: list[int | None] = []
    separators: list[str] = []
    opening = _LIST_OF.match(text)
    place = opening.end() if opening else 0
    while option := OPTION.match(text, place):
        numbers.append(number_of(option))
        aside = _ASIDE.match(text, option.end())
        place = aside.end() if aside else option.end()
        separator = _SEPARATOR.match(text, place)
        if separator is None or not OPTION.match(text, separator.end()):
            break
        separators.append(" ".join(separator[0].split()))
        place = separator.end()
    rest = text[place:]
    is_remark = _REMARK.match(rest) and not (_RESERVE.match(rest) or TAKEN_BACK.search(rest))
    may_have_numbers = least == 1 and len(numbers) > 2
    is_all = not stripped(rest) or (is_remark and (may_have_numbers or not OPTION.search(rest)))
    if len(numbers) < least or not is_all or not _is_uniform(separators):
        return None
    return _of_numbers(numbers)


def _is_uniform(separators: Sequence[str]) -> bool:
    """Whether one sign separates all; a last "and" or "then" is usual in lists with commas."""
    *first, last = separators or [""]
    if first and set(first) == {","}:
        return last.removeprefix(",").strip() in ("", "and", "then", "finally", "and then", "and finally")
    return len(set(separators)) <= 1 and last != "and"
