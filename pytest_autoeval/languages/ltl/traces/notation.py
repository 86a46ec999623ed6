"""Traces written and read: the canonical text, Python, and what models make of either.

``x1 & !x2; !x1 & x2; cycle{x1 & x2}`` is the canonical text (``trace_text.py``). Of an answer the *last trace that
stands by itself* counts, and if that one is broken the answer is unreadable: no earlier one is taken in its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from pytest_autoeval.languages.answers import is_contrasted, passages
from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.ltl.traces.kinds import Kind, is_of_other_kind
from pytest_autoeval.languages.ltl.traces.lasso import Lasso, to_text
from pytest_autoeval.languages.ltl.traces.listings import is_listing, is_listing_line, listing_outline
from pytest_autoeval.languages.ltl.traces.literals import is_code, is_program, literal_outline
from pytest_autoeval.languages.ltl.traces.policies import DEFAULT_POLICY, LoopPolicy, UnreadableTraceError
from pytest_autoeval.languages.ltl.traces.spellings import outline, without_introduction
from pytest_autoeval.languages.ltl.traces.text import MAX_LENGTH, parse_trace, to_python
from pytest_autoeval.languages.wrappings import unpacked

__all__ = ["DEFAULT_POLICY", "LoopPolicy", "TraceReading", "parse_trace", "read_trace", "to_python", "to_text"]

#: Three full stops at the end of a line are no punctuation here.
_ELLIPSIS = re.compile(r"\.{3,}")
_TAG = re.compile(r"</?(?:trace|lasso)>", re.IGNORECASE)
#: What follows a trace on its line without being a part of it: a comment, or words in brackets or behind a dash.
_REMARK = re.compile(r"(?<=[})])[ \t]+(?:[(#–—]|//|--)(?P<words>[^\n;{}&]*)$")
_BULLET = re.compile(r"^[ \t]*[-*•][ \t]+(?=\S)", re.MULTILINE)
#: Places of an answer that are tried, from its end.
_MOST_PASSAGES = 1_000
#: Characters at the end of a text by which it is told whether its trace is over.
_NEARBY = 2_000
#: Characters at the beginning of a text by which it is told whether it is code.
_OPENING = 200
_TRUTH_WORDS = frozenset({"not", "and", "true", "false"})
_APART = ("whole", "block", "label", "line")
_LOOP = re.compile(
    r"\b(?:cycle|loop)\b\s*[{(\[:=]|\^\s*\{?\s*(?:ω|\\?omega|∞|\\infty)|ω|loop\s+(?:starts|begins)\s+here",
    re.IGNORECASE,
)
#: Words of traces and formulas. Other ones in a row, or beside the brackets of a loop, are prose.
_KNOWN_WORDS = (
    "(?:not|and|or|xor|true|false|is|loop|cycle|starts|begins|here|prefix|stem|state|step|position|time|omega|[A-Za-z])"
)
_WORD = rf"(?!{_KNOWN_WORDS}\b)[A-Za-z'’]+"
_PROSE = re.compile(
    rf"(?<![\w\\]){_WORD}[,.]?[ \t]+{_WORD}\b"
    rf"|[}})][ \t]+{_WORD}[^\S\n]*$"
    rf"|(?<![\w\\]){_WORD}[ \t]+(?:cycle|loop)\s*[{{(\[]",
    re.IGNORECASE | re.MULTILINE,
)
_SIGN = re.compile(r"[&!;={}\[\]¬∧~]|\.\.\.|…|\b(?:cycle|loop|not)\b")
_UNFINISHED = re.compile(r"(?:[;,&{(\[]|->|→)\s*$")
#: Operators and connectives that formulas have and traces have not.
_FORMULA = re.compile(r"\b[GFXURWYZOHST]\b|<->|<>|\||∨|↔")
_HEADING = re.compile(r"\W{0,4}[A-Za-z][\w \t]*:")
_PART_OF_TRACE = re.compile(
    r"\W{0,4}(?:(?:loop|cycle|prefix|stem)\b|(?:state|step|position|time)\b[ \t]*\d|[stq]_?\d+\b)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class TraceReading:
    """What was found in an answer.

    ``compliant``: the whole answer, as it came, is a trace in the notation that was asked for. ``recovered``: a trace
    was found, but only inside fences, prose or another notation. ``text`` is the part of the answer that was used;
    ``problem`` says why ``lasso`` is None, or is empty. ``policy`` says what closed the loop, None where the text did.
    """

    lasso: Lasso | None
    compliant: bool
    recovered: bool
    text: str
    problem: str = ""
    policy: LoopPolicy | None = None


def read_trace(
    answer: str,
    atoms: Sequence[str],
    policy: LoopPolicy | None = DEFAULT_POLICY,
    *,
    notation: Literal["text", "python"] = "text",
    wanted: Kind | None = None,
) -> TraceReading:
    """The trace in an answer, over the given atoms; never raises for what a model wrote.

    ``policy`` closes a trace that breaks off with an ellipsis; None takes only a trace with an explicit loop. A trace
    that just ends is malformed either way. ``notation`` is the one that was asked for, ``wanted`` the kind: an answer
    that also shows a trace of the other kind, and says so, is read without that one.
    """
    text = answer.strip()
    if not text:
        return _nothing("the answer is empty")
    if len(text) > MAX_LENGTH:
        return _nothing(f"the answer has {len(text):,} characters; at most {MAX_LENGTH:,} are read")
    reader = _Reader(atoms, policy, wanted)
    strict = reader.strict(text, notation)
    if strict is not None:
        return TraceReading(strict, compliant=True, recovered=False, text=text)
    return reader.searched(_ELLIPSIS.sub("…", _TAG.sub("\n", unpacked(text))).strip())


def _nothing(problem: str) -> TraceReading:
    return TraceReading(None, compliant=False, recovered=False, text="", problem=problem)


def _unmentioned(readings: Sequence[TraceReading], others: Sequence[TraceReading]) -> TraceReading | None:
    """The first of some readings that is no part of another one, nor one of the others."""
    passed_over = [other.lasso for other in others]
    for reading in readings:
        is_part = any(reading.text != one.text and reading.text in one.text for one in readings)
        if not is_part and reading.lasso not in passed_over:
            return reading
    return None


@dataclass(frozen=True, slots=True)
class _Reader:
    atoms: Sequence[str]
    policy: LoopPolicy | None
    wanted: Kind | None

    def strict(self, text: str, notation: str) -> Lasso | None:
        """The trace that a whole answer is in the notation that was asked for."""
        try:
            if notation == "text":
                return parse_trace(text, self.atoms)
            found, is_shown_form = literal_outline(text, self.atoms)
            return found.trace(self.atoms, None)[0] if is_shown_form else None
        except (FormulaSyntaxError, UnreadableTraceError):
            return None

    def searched(self, answer: str) -> TraceReading:
        """The last trace that stands by itself, or else the last one amid words that is no part of another."""
        mentioned: list[TraceReading] = []
        others: list[TraceReading] = []
        problem = ""
        for part in islice(passages(answer, self._continues), _MOST_PASSAGES):
            if part.place == "prose" or (part.place != "block" and is_contrasted(part.before, part.after)):
                continue
            text = self._without_remark(part.text)
            try:
                lasso, policy = self._trace(text)
            except UnreadableTraceError as error:
                problem = problem or (str(error) if self._is_of_trace(text) else "")
                if is_program(text) or (part.place in {"label", "line"} and self._is_attempt(text)):
                    return _nothing(str(error))
                continue
            reading = TraceReading(lasso, compliant=False, recovered=True, text=text, policy=policy)
            if is_of_other_kind(part, self.wanted):
                others.append(reading)
            elif part.place in _APART and reading.lasso not in [other.lasso for other in others]:
                return reading
            else:
                mentioned.append(reading)
        problem = f"no trace was found: {problem}" if problem else "no trace was found"
        return _unmentioned(mentioned, others) or next(iter(others), _nothing(problem))

    def _without_remark(self, text: str) -> str:
        remark = _REMARK.search(text)
        if remark is None or is_contrasted("", remark[0]) or _LOOP.search(remark[0]):
            return text
        words = re.findall(r"[A-Za-z]{3,}", self._without_atoms(remark["words"]))
        return text[: remark.start()] if any(word.lower() not in _TRUTH_WORDS for word in words) else text

    def _trace(self, text: str) -> tuple[Lasso, LoopPolicy | None]:
        text = _BULLET.sub("", text)
        if is_listing(text):
            return listing_outline(text, self.atoms).trace(self.atoms, self.policy)
        if not is_code(text):
            return outline(text, self.atoms).trace(self.atoms, self.policy)
        try:
            return literal_outline(text, self.atoms)[0].trace(self.atoms, self.policy)
        except UnreadableTraceError as error:
            try:
                return outline(text, self.atoms).trace(self.atoms, self.policy)
            except UnreadableTraceError:
                raise error from None

    def _is_attempt(self, text: str) -> bool:
        """Whether a text that is no trace was meant as one: it has a loop and no prose, or several states."""
        if self._is_prose(text):
            return False
        if _LOOP.search(text) or is_code(text) or is_listing(text):
            return True
        try:
            return len(outline(text, self.atoms).states) > 1
        except UnreadableTraceError:
            return False

    def _continues(self, text: str, line: str) -> bool:
        """Whether a line goes on with the trace that the lines before it began."""
        if is_code(text[:_OPENING]) and sum(map(text.count, "([{")) > sum(map(text.count, ")]}")):
            return True
        last = text.rpartition("\n")[2]
        if is_listing_line(line):
            return is_listing_line(last) or last.lstrip().startswith("--")
        if not self._is_of_trace(line) or _is_over(text[-_NEARBY:]):
            return False
        return self._is_of_trace(without_introduction(last, self.atoms)) or (
            _UNFINISHED.search(last) is not None and not self._is_prose(last)
        )

    def _is_of_trace(self, line: str) -> bool:
        """Whether a line by itself looks like states of a trace."""
        if self._is_prose(line) or _FORMULA.search(self._without_atoms(line)):
            return False
        if (
            _HEADING.match(line)
            and not _PART_OF_TRACE.match(line)
            and self._without_atoms(line).strip() == line.strip()
        ):
            return False
        return _SIGN.search(line) is not None or self._without_atoms(line) != line

    def _is_prose(self, text: str) -> bool:
        return _PROSE.search(self._without_atoms(text)) is not None

    def _without_atoms(self, text: str) -> str:
        names = "|".join(map(re.escape, sorted(self.atoms, key=len, reverse=True)))
        return re.sub(rf"\b(?:{names})\b", "0", text) if names else text


def _is_over(text: str) -> bool:
    """Whether a text has come to the end of a trace."""
    return text.rstrip(" ;.`*").endswith(("}", ")", "]", "ω", "omega")) and _LOOP.search(text) is not None
