"""The trace in a model's answer, in whatever notation.

A trace is read from the same places as a formula: see :mod:`pytest_autoeval.languages.reading`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from pytest_autoeval.languages.answers import UnreadableError, labels, plain
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
from pytest_autoeval.languages.reading import Search

#: ``Trace:``, ``A satisfying trace = `` before the trace itself.
_INTRODUCTION = re.compile(
    r"[\w \t*-]{0,60}\b(?P<word>trace|lasso|run|path|answer)\b[*_]{0,3}\s?(?::=|[:=])", re.IGNORECASE
)
_LOOP = re.compile(r"\b(?:cycle|loop)\b ?[{(\[:]|ω")
#: Kinds of pieces that tell a trace, and those beside which another word makes prose.
_OF_TRACES = frozenset({"loop", "section", "mark", "heading", "forever", "ellipsis"})
_WORDS = frozenset({"name", "loop", "section", "open", "close", "truth"})
#: What labels a trace, beside what labels an answer.
_LABELS = labels(r"answers?|traces?|lasso|run|path", "follows|final|below|here")


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
    text = plain(re.sub(r"\.{3,}", "…", answer))
    search = Search(
        lambda part: _read(part, atoms, policy), lambda *_: True, lambda part: _is_attempt(part, atoms), _LABELS
    )
    try:
        (lasso, used), source = search.chosen(text)
    except UnreadableError as error:
        return _nothing(str(error).replace("formula", "trace"))
    return TraceReading(lasso, compliant=False, recovered=True, text=source, policy=used)


def _read(text: str, atoms: Sequence[str], policy: LoopPolicy | None) -> tuple[Lasso, LoopPolicy | None]:
    if is_code(text):
        return literal_outline(text, atoms)[0].trace(atoms, policy)
    return outline(_without_introduction(text, atoms), atoms).trace(atoms, policy)


def _without_introduction(text: str, atoms: Sequence[str]) -> str:
    """The text behind the words that introduce a trace: ``run = 1`` introduces none where ``run`` is an atom."""
    introduction = _INTRODUCTION.match(text)
    return text if introduction is None or introduction["word"] in atoms else text[introduction.end() :]


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
