"""Operators and names of other notations that are not read: what each is, and what to write instead.

They are looked for only in a text that cannot be read, and only where the parser stopped.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError
from pytest_autoeval.lazy_pattern import lazy_pattern

_INFINITE = "traces are infinite here"
#: Words that answers may use, and the operators to write.
_WORDS: Final = {
    **dict.fromkeys(("always", "globally"), "G"),
    **dict.fromkeys(("eventually", "finally", "eventually!"), "F"),
    **dict.fromkeys(("next", "next!"), "X"),
    **dict.fromkeys(("not",), "!"),
    **dict.fromkeys(("and",), "&"),
    **dict.fromkeys(("or",), "|"),
    **dict.fromkeys(("until", "until!"), "U"),
    **dict.fromkeys(("release", "releases"), "R"),
    **dict.fromkeys(("implies",), "->"),
    **dict.fromkeys(("iff",), "<->"),
    "once": "O",
    "historically": "H",
    **dict.fromkeys(("yesterday", "previously"), "Y"),
    "since": "S",
}
#: Operators of PSL, and their meaning on infinite traces.
_PSL: Final = {
    "never": "G !a",
    "before": "!b W (a & !b)",
    "before!": "!b U (a & !b)",
    "before_": "!b W a",
    "before!_": "!b U a",
    "until_": "a W (a & b)",
    "until!_": "a U (a & b)",
    "next_event": "!b W (b & a)",
    "next_event!": "!b U (b & a)",
    **dict.fromkeys(("next_a", "next_a!"), "X a & X X a"),
    **dict.fromkeys(("next_e", "next_e!"), "X a | X X a"),
    "abort": "a formula without abort",
}
_MEANINGS: Final = {
    "X": "next",
    "F": "eventually",
    "G": "always",
    "U": "until",
    "R": "release",
    "W": "weak-until",
    "V": "release",
    "Y": "yesterday",
    "Z": "weak-yesterday",
    "O": "once",
    "H": "historically",
    "S": "since",
    "T": "triggered",
}


def _word(match: re.Match[str]) -> str:
    word = match["word"]
    written = _WORDS[word.lower()]
    if word.endswith("!"):
        return (
            f"{word!r} is PSL's strong operator, and PSL is read only in answers: write {written!r}"
        )
    return f"words such as {word!r} are read only in answers: write {written!r}"


def _psl(match: re.Match[str]) -> str:
    return f"{match['psl']!r} is an operator of PSL that is not read: write {_PSL[match['psl']]!r}"


def _letter(match: re.Match[str]) -> str:
    letter = match["letter"]
    name = _MEANINGS[letter].replace("-", " ")
    return f"{letter!r} is the operator {name}, and no proposition: write another name, such as {letter.lower()!r}"


def _bound(match: re.Match[str]) -> str:
    return f"{match[0].strip()!r} has a bound of time, which is not read: write next operators, as in 'a | X a | X X a'"


def _quantified(match: re.Match[str]) -> str:
    quantifier, letter = match["quantifier"], match["path"]
    instead = f"write {letter!r}" if letter else "leave it out"
    return f"{quantifier!r} is a path quantifier of CTL, and this is the logic of linear time: {instead}"


def _arguments(match: re.Match[str]) -> str:
    name = match["name"]
    joined = "_".join((name, *re.findall(r"\w+", match["arguments"])))
    return f"{name!r} has arguments, but a proposition has none: write one name, such as {joined!r}"


def _hyphens(match: re.Match[str]) -> str:
    return f"a name has no hyphens: write {match['hyphens'].replace('-', '_')!r}"


def _compared(match: re.Match[str]) -> str:
    return f"{match['comparison']!r} compares numbers, which is not read: write a proposition for the comparison"


_OPERATOR = r"(?:[XFGURWVYZOHST]|next(?:_[ae])?!?|eventually!?|always|until!?)"
_LETTERS = "".join(_MEANINGS)
#: What is looked for, and the message. The first that stands where the parser stopped is reported.
_FOREIGN: Final = tuple(
    (lazy_pattern(pattern), message)
    for pattern, message in (
        (
            r"(?:X|next)\s*\[\s*!\s*\]",
            f"'X[!]' is the strong next of finite traces, and {_INFINITE}: write 'X'",
        ),
        (
            rf"\b{_OPERATOR}(?:\s*_?\s*\{{?\s*(?:[\[(]\s*\d[^\])]*[\])]|(?:\\leq?|\\geq?|<=?|>=?|≤|≥)\s*\d+)|\^\s*\{{?\d+)",
            _bound,
        ),
        (r"(?<![\w.])(?P<quantifier>[AE])\s*(?:(?P<path>[XFG])(?!\w)|\[)\s*\S?", _quantified),
        (
            rf"(?<![\w.])(?P<psl>{'|'.join(sorted(map(re.escape, _PSL), key=len, reverse=True))})(?![\w!])\s*\S?",
            _psl,
        ),
        (
            rf"(?<![\w.])(?i:(?P<word>{'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))}))(?!\w)\s*\S",
            _word,
        ),
        (
            r"(?<![\w.])M(?!\w)",
            "'M' is Spot's strong release, which is not read: for 'a M b' write 'b U (a & b)'",
        ),
        (r"(?<![\w.])(?P<letter>[XFGYZOH])\s*(?:[)&|\]]|->|<->|[URWVST]\b)", _letter),
        (rf"(?<![\w.])(?P<letter>[{_LETTERS}])(?!\w)", _letter),
        (
            rf"(?<![\w.])(?![{_LETTERS}]+\s?\()(?P<name>[A-Za-z_]\w*)\s?\((?P<arguments>[\w\s,.]*)\)",
            _arguments,
        ),
        (r"(?<![\w.])(?P<hyphens>[A-Za-z_]\w*(?:-\w+)+)", _hyphens),
        (
            r"\[\s*\w+\s*(?:<-|↢)",
            "'[x <- …]' is an update of TSL, which is not read: write a proposition for it",
        ),
        (r"\[-\]|\(-\)", "operators of the past are written 'Y', 'Z', 'O', 'H', 'S' and 'T' here"),
        (r"(?P<comparison>[<>]=?|≤|≥)\s*[\w-]", _compared),
        (r"(?<!\w)1(?!\w)", "'1' is no formula here: write 'true'"),
        (r"(?<!\w)0(?!\w)", "'0' is no formula here: write 'false'"),
    )
)
#: Characters before the place of an error that are searched.
_BEFORE = 200


def explained(error: FormulaSyntaxError) -> FormulaSyntaxError:
    """The error, with a message about the foreign notation that stands in its place, if there is any."""
    # Other problems already name what is wrong. A text that is too long is not searched again.
    if isinstance(error, LimitError) or not error.problem.startswith(("unexpected", "'^'")):
        return error
    text, offset = error.text, error.offset
    start = max(0, offset - _BEFORE)
    for pattern, message in _FOREIGN:
        for match in pattern.finditer(text, start, offset + _BEFORE):
            # Elsewhere in the text, it may have been read well: only the place of the error needs a reason.
            if match.start() <= offset < match.end():
                problem = message if isinstance(message, str) else message(match)
                return FormulaSyntaxError(problem, text, match.start())
    return error
