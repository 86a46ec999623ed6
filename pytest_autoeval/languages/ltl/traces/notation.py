"""The trace in a model's answer, in whatever notation.

A trace is read from the same places as a formula. The rank of a place decides between different traces: first the whole
answer and what the answer calls its final one; then fences, labels and lines of their own; then marked spans. Two
different traces of one rank, or a broken one as the last, make an answer unreadable: none is taken in its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Literal

from pytest_autoeval.languages.answers import Passage, passages
from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.ltl.traces.lasso import MAX_LENGTH, Lasso, parse_trace
from pytest_autoeval.languages.ltl.traces.literals import is_code, literal_outline
from pytest_autoeval.languages.ltl.traces.spellings import (
    DEFAULT_POLICY,
    LoopPolicy,
    UnreadableTraceError,
    outline,
    tokens,
)
from pytest_autoeval.languages.wrappings import unpacked

_FINAL, _APART, _SPAN = range(3)
#: The rank of each place of an answer; prose has none.
_RANKS = {
    "whole": _FINAL,
    "block": _APART,
    "label": _APART,
    "line": _APART,
    "code": _SPAN,
    "math": _SPAN,
    "bold": _SPAN,
}
#: ``Final answer:`` before a trace, on its line or the one above.
_IS_FINAL = re.compile(r"\b(?:final|answer)\b[\w ]{0,20}[*_`]{0,3}(?::|\bis\b)[\s*_`]{0,5}$", re.IGNORECASE)
#: ``Trace:``, ``A satisfying trace = `` before the trace itself.
_INTRODUCTION = re.compile(
    r"[\w \t*-]{0,60}\b(?P<word>trace|lasso|run|path|answer)\b[*_]{0,3}\s?(?::=|[:=])", re.IGNORECASE
)
_LOOP = re.compile(r"\b(?:cycle|loop)\b ?[{(\[:]|ω")
#: Kinds of pieces that tell a trace, and those beside which another word makes prose.
_OF_TRACES = frozenset({"loop", "section", "mark", "heading", "forever", "ellipsis"})
_WORDS = frozenset({"name", "loop", "section", "open", "close", "truth"})
#: Places of an answer that are tried, from its end.
_MOST_PASSAGES = 1_000
#: Characters at the end of a text, or of what stands before one, that say whether it goes on, or is final.
_NEARBY = 2_000


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
) -> TraceReading:
    """The trace in an answer, over the given atoms; never raises for what a model wrote.

    ``policy`` closes a trace that breaks off with an ellipsis; None takes only a trace with an explicit loop. A trace
    that just ends is malformed either way. ``notation`` is the one that was asked for.
    """
    text = answer.strip()
    if not text:
        return _nothing("the answer is empty")
    if len(text) > MAX_LENGTH:
        return _nothing(f"the answer has {len(text):,} characters; at most {MAX_LENGTH:,} are read")
    if strict := _strict(text, atoms, notation):
        return TraceReading(strict, compliant=True, recovered=False, text=text)
    return _searched(text, atoms, policy)


def _nothing(problem: str) -> TraceReading:
    return TraceReading(None, compliant=False, recovered=False, text="", problem=problem)


def _strict(text: str, atoms: Sequence[str], notation: str) -> Lasso | None:
    """The trace that a whole answer is in the notation that was asked for."""
    try:
        if notation == "text":
            return parse_trace(text, atoms)
        found, is_shown_form = literal_outline(text, atoms)
        return found.trace(atoms, None)[0] if is_shown_form else None
    except (FormulaSyntaxError, UnreadableTraceError):
        return None


def _searched(answer: str, atoms: Sequence[str], policy: LoopPolicy | None) -> TraceReading:
    """The one trace of the first rank that has any."""
    # A full stop at the end of a text is punctuation, but three are an ellipsis.
    text = re.sub(r"\.{3,}", "…", unpacked(answer))
    found: dict[int, list[TraceReading]] = {rank: [] for rank in (_FINAL, _APART, _SPAN)}
    problem = ""
    for part in islice(passages(text, lambda before, line: _continues(before, line, atoms)), _MOST_PASSAGES):
        rank = _rank(part)
        if rank is None:
            continue
        try:
            lasso, used = _read(part.text, atoms, policy)
        except UnreadableTraceError as error:
            if _is_attempt(part.text, atoms):
                problem = problem or str(error)
                if part.place in ("block", "label", "line") and not any(found.values()):
                    return _nothing(problem if is_code(part.text) else str(error))
            continue
        found[rank].append(TraceReading(lasso, compliant=False, recovered=True, text=part.text, policy=used))
        if part.place == "whole":
            break
    readings = next(filter(None, found.values()), [])
    if len({reading.lasso for reading in readings}) > 1:
        return _nothing("the answer has different traces, and does not call one of them final")
    return readings[0] if readings else _nothing(": ".join(filter(None, ("no trace was found", problem))))


def _rank(part: Passage) -> int | None:
    rank = _RANKS.get(part.place)
    return _FINAL if rank == _APART and _IS_FINAL.search(part.before[-_NEARBY:]) else rank


def _read(text: str, atoms: Sequence[str], policy: LoopPolicy | None) -> tuple[Lasso, LoopPolicy | None]:
    if is_code(text):
        return literal_outline(text, atoms)[0].trace(atoms, policy)
    return outline(_without_introduction(text, atoms), atoms).trace(atoms, policy)


def _without_introduction(text: str, atoms: Sequence[str]) -> str:
    """The text behind the words that introduce a trace: ``run = 1`` introduces none where ``run`` is an atom."""
    introduction = _INTRODUCTION.match(text)
    return text if introduction is None or introduction["word"] in atoms else text[introduction.end() :]


def _continues(text: str, line: str, atoms: Sequence[str]) -> bool:
    """Whether a line goes on with the trace that the lines before it began."""
    nearby = text[-_NEARBY:]
    if sum(map(nearby.count, "([{")) > sum(map(nearby.count, ")]}")):
        return True
    is_new = _without_introduction(line, atoms) != line
    return not is_new and _is_piece(line, atoms) and ("\n" in nearby or _is_piece(text, atoms))


def _is_attempt(text: str, atoms: Sequence[str]) -> bool:
    """Whether a text that is no trace was meant as one."""
    text = _without_introduction(text, atoms)
    first = re.match(r"[\s!~¬({\[]*(\w+)", text)
    begins = first is not None and first[1].lower() in {"cycle", "loop", *map(str.lower, atoms)}
    return is_code(text) or _is_piece(text, atoms) or (begins and _LOOP.search(text) is not None)


def _is_piece(text: str, atoms: Sequence[str]) -> bool:
    """Whether a text has states of a trace, or what stands between them, and no prose: no word beside another one."""
    try:
        pieces = tokens(_without_introduction(text, atoms), atoms)
    except UnreadableTraceError:
        return False
    is_strange = [piece.kind == "name" and piece.text not in atoms for piece in pieces]
    for at, (one, other) in enumerate(pairwise(pieces)):
        if (is_strange[at] or is_strange[at + 1]) and {one.kind, other.kind} <= _WORDS:
            return False
    return any(piece.kind in _OF_TRACES or piece.text in atoms for piece in pieces)
