"""A counterexample as a block of lines: what went round, what came back, where they differ, how to see it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.text import Line, count, harmless, one_line, shorten, wrap

_LABEL = 11
_INDENT = 4
#: How many lines a text may take in a summary that is not verbose.
_TEXT_LINES = 4
_WITNESS_LINES = 10


def counterexample_lines(example: Counterexample, samples: int, *, verbose: bool, width: int) -> Iterator[Line]:
    """The block. ``samples`` ended in the same way; verbose shows texts whole, as they are broken into lines.

    The command stands on one line however long it is, so that it can be copied.
    """
    row, room = example.shown, max(20, width - _INDENT - _LABEL - 2)
    kind = one_line(f"{example.row.outcome} ({example.row.code})")
    yield Line(f"  {kind}, {count(samples, 'sample')}", "bad")
    for label, text in (*_question(row), *_answer(row)):
        yield from _field(label, _broken(text, room, verbose=verbose))
    if isinstance(row.answered, list) and row.facts.get("candidates"):
        yield from _field("candidates", [shorten(one_line(line), room) for line in _ranked(row)])
    if row.witness_text:
        yield from _field("witness", _witness(row.witness_text, room, verbose=verbose))
    if note := history(example):
        yield from _field("shrunk", wrap(note, room))
    yield from _field("reproduce", [harmless(example.command)])


def _question(row: Row) -> Iterator[tuple[str, str]]:
    if row.sentence is not None:
        yield "sentence", row.sentence
    if row.facts.get("propositions"):
        yield _propositions(row), _mapping(row.facts["propositions"])
    if row.facts.get("premises"):
        yield "premises", _numbered(row.facts["premises_formulas" if row.form == "formulas" else "premises"])
        yield "conclusion", row.facts["conclusion"]
    yield "formula", row.formula
    if row.other is not None:
        yield "other", row.other
    if row.trace is not None and row.trace != row.answer:
        yield "trace", row.trace
    if row.expected is not None:
        yield "expected", _offered(row, row.expected)


def _answer(row: Row) -> Iterator[tuple[str, str]]:
    if row.facts.get("candidates") and row.answered is not None:
        yield "answered", _offered(row, row.answered)
        return
    if isinstance(row.answered, bool) and len((row.answer or "").split()) > 1:
        yield "answered", _plain(row.answered)
    if row.description is not None:
        yield "description", row.description
    if row.translation is not None:
        yield "translation", row.translation
    elif row.answer is not None:
        yield "answer", row.answer
    if row.facts.get("alignment"):
        pairs = ", ".join(f"{theirs} = {ours}" for theirs, ours in row.facts["alignment"])
        yield "aligned", f"{pairs} (by {row.facts.get('alignment_basis') or 'nothing'})"
    # A witness says more than the message that repeats it; what was expected and answered says it all.
    otherwise = row.outcome == "wrong answer" and isinstance(row.answered, bool)
    if row.error and not row.witness_text and not otherwise:
        yield "reason", row.error


def _propositions(row: Row) -> str:
    """What the propositions of a sentence are: given, or to be found, or ours beside those of the model."""
    if row.figures == "extraction":
        return "expected"
    return "ours" if "alignment" in row.facts else "given"


def _mapping(pairs: Sequence[Sequence[str]]) -> str:
    return ", ".join(f'"{phrase}": {name}' for phrase, name in pairs)


def _ranked(row: Row) -> Iterator[str]:
    """The candidates of a ranking by their numbers, each with what it is."""
    kinds = row.facts.get("kinds") or []
    for number, text in enumerate(_candidates(row), 1):
        kind = f"{kinds[number - 1]}: " if number <= len(kinds) else ""
        yield f"{number}. {kind}{text}"


def _candidates(row: Row) -> Sequence[str]:
    """The candidates in the form in which they were shown."""
    return row.facts.get("candidates" if row.form == "formulas" else "candidates_english") or ()


def _numbered(texts: Sequence[str]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))


def _offered(row: Row, answer: Any) -> str:
    """An answer in words: the candidate of a number, the numbers of an order, first those that belong together."""
    candidates = _candidates(row)
    if isinstance(answer, int) and not isinstance(answer, bool) and 1 <= answer <= len(candidates):
        return f"{answer}. {candidates[answer - 1]}"
    if isinstance(answer, list):
        ends = [", ".join(map(str, part)) for part in answer if isinstance(part, list)]
        return f"{ends[0]} first, {ends[-1]} last" if ends else ", ".join(map(str, answer))
    return _plain(answer)


def _plain(answer: object) -> str:
    return {True: "yes", False: "no"}.get(answer, str(answer)) if isinstance(answer, bool) else str(answer)


def history(example: Counterexample) -> str:
    """What shrinking did to the example, in a line; empty where it did nothing."""
    parts = []
    if example.shrunk_row is not None:
        before, after = example.row.operators, example.shrunk_row.operators
        sizes = f"from size {before} to {after}" if before != after else "to a simpler one of its size"
        parts.append(f"{sizes} in {count(example.round_trips_spent, 'round trip')}")
    elif example.round_trips_spent:
        parts.append(f"nothing smaller was found in {count(example.round_trips_spent, 'round trip')}")
    if example.confirmed:
        parts.append(f"confirmed {one_line(example.confirmed)}")
    if example.minimal:
        parts.append("no smaller neighbour fails")
    return "; ".join(parts)


def _field(label: str, lines: list[str]) -> Iterator[Line]:
    for number, text in enumerate(lines or [""]):
        yield Line(f"{'':{_INDENT}}{label if number == 0 else '':<{_LABEL}}  {text}".rstrip())


def _broken(text: str, room: int, *, verbose: bool) -> list[str]:
    if not text.strip():
        return ["(empty)"]
    if not verbose:
        # What the lines cannot hold need not be made harmless: a model may answer a megabyte.
        start = " ".join(text.split())[: _TEXT_LINES * (room + 1) + 1]
        return wrap(one_line(start), room, _TEXT_LINES)
    return [line for source in text.strip().split("\n") for line in wrap(one_line(source), room)]


def _witness(text: str, room: int, *, verbose: bool) -> list[str]:
    """A witness of one line is wrapped; one of several is a table, whose spaces matter."""
    lines = [harmless(line.expandtabs()) for line in text.strip("\n").split("\n")]
    if len(lines) == 1:
        return wrap(lines[0], room)
    if verbose:
        return lines
    shown = [shorten(line, room) for line in lines[:_WITNESS_LINES]]
    more = len(lines) - len(shown)
    return [*shown, f"… {count(more, 'more line')}; -v shows all"] if more else shown
