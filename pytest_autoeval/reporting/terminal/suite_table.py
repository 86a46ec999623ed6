"""The numbers of every suite and model as a table: a line that names it, and under it a line of cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_autoeval.reporting.judging.verdict import mark
from pytest_autoeval.reporting.spreads import spread_lines
from pytest_autoeval.reporting.suite_summary import Calls, SizeSummary, SuiteSummary
from pytest_autoeval.reporting.terminal.curve import curve
from pytest_autoeval.reporting.text import (
    Line,
    aligned,
    count,
    one_line,
    percent,
    rate_text,
    shorten,
    shorten_start,
    tally,
    wrap,
)

_HEADINGS = ("samples", "pass rate (95 %)", "compliant", "leaked", "undecided", "errors")
_BY_SIZE = "by size"
_INDENT = "      "
_NARROWEST_CURVE = 12
_WIDEST_CURVE = 40
#: The halves of a round trip, as the place where its meaning was lost.
_HALVES = {"description": "in the description", "reading": "in the reading", "undecided": "undecided"}


def suite_table(summaries: Sequence[SuiteSummary], *, verbose: bool, width: int, unicode: bool) -> Iterator[Line]:
    """The table; verbose adds the outcomes, the calls and the rates by size of each suite."""
    cells = [_cells(summary) for summary in summaries]
    columns = [max(map(len, column)) for column in zip(_HEADINGS, *cells, strict=True)]
    gap = 2 if width - sum(columns) - 2 * len(columns) - 2 >= _NARROWEST_CURVE else 1
    room = min(_WIDEST_CURVE, width - sum(columns) - gap * len(columns) - 2)
    names = {summary.size_name for summary in summaries if summary.by_size}
    heading = f"by {names.pop()}" if len(names) == 1 else _BY_SIZE
    heading = heading if len(heading) <= room else _BY_SIZE
    yield Line(_row(_HEADINGS, columns, gap, heading), "dim")
    for summary, row in zip(summaries, cells, strict=True):
        rates = {size: part.rate for size, part in summary.by_size.items()}
        sign, style = mark("reported" if summary.gate is None else summary.gate.verdict)
        yield Line(f"{sign} {shorten_start(one_line(summary.name), width - 2)}", style)
        yield Line(_row(row, columns, gap, curve(rates, room, unicode=unicode)))
        yield from _notes(summary, verbose=verbose, width=width)
        if verbose:
            yield from _details(summary)


def calls_text(calls: Calls) -> str:
    """What was asked of models: ``80 calls, 100.0 % replayed, 16,800 tokens in, 1,120 out, $0.42``."""
    parts = [count(calls.number, "call")]
    if calls.number:
        parts.append(f"{percent(calls.replayed / calls.number)} % replayed")
    if calls.prompt_tokens is not None:
        parts.append(f"{calls.prompt_tokens:,} tokens in")
    if calls.completion_tokens is not None:
        parts.append(f"{calls.completion_tokens:,} out")
    if calls.cost is not None:
        parts.append(f"${calls.cost:.2f}" if calls.cost >= 0.01 or not calls.cost else "less than $0.01")
    return ", ".join(parts)


def _cells(summary: SuiteSummary) -> tuple[str, ...]:
    whole = summary.whole
    return (
        f"{summary.samples:,}",
        rate_text(whole.rate) if whole.rate.total else "–",
        _share(whole),
        str(summary.leaked),
        str(whole.rate.undecided),
        str(sum(summary.errors.values())),
    )


def _share(part: SizeSummary) -> str:
    return f"{percent(part.compliant / part.answers)} %" if part.answers else "–"


def _row(cells: Sequence[str], columns: Sequence[int], gap: int, last: str) -> str:
    aligned = [cell.rjust(column) for cell, column in zip(cells, columns, strict=True)]
    return ("  " + (" " * gap).join([*aligned, last])).rstrip()


def _notes(summary: SuiteSummary, *, verbose: bool, width: int) -> Iterator[Line]:
    for text in summary.figures:
        yield from (Line(f"{_INDENT}{line}") for line in wrap(one_line(text), width - len(_INDENT)))
    # With one trial a formula there are no repeats, and the batches are shown only to a reader who asks for all.
    batches = summary.batches if verbose or summary.repeats is not None else None
    for text in (*spread_lines(summary.repeats, batches), *_blame(summary)):
        yield from (Line(f"{_INDENT}{line}") for line in wrap(text, width - len(_INDENT)))
    if summary.gate is not None and summary.gate.stopped_early is not None:
        stopped = summary.gate.stopped_early
        saved = f", which saved {one_line(stopped.saved)}" if stopped.saved else ""
        text = f"stopped early after {stopped.ran:,} of {count(stopped.planned, 'sample')}{saved}"
        yield from (Line(f"{_INDENT}{line}", "dim") for line in wrap(text, width - len(_INDENT)))
    if summary.trivial:
        yield Line(f"{_INDENT}among these: {one_line(tally(summary.trivial))}", "dim")
    if summary.gate is not None and summary.gate.interrupted:
        yield Line(f"{_INDENT}interrupted: {summary.gate.progress}", "warn")
    errors = sorted(summary.errors.items(), key=lambda entry: (-entry[1], entry[0]))
    for number, (message, times) in enumerate(errors):
        if number and not verbose:
            yield Line(f"{_INDENT}and {count(len(errors) - 1, 'other message')}; -v shows them", "dim")
            return
        text = f"{_INDENT}{count(times, 'error')}: {one_line(message)}"
        yield Line(text if verbose else shorten(text, width), "warn")


def _blame(summary: SuiteSummary) -> Iterator[str]:
    """Where the meaning was lost in the failures that were looked into."""
    if summary.blame:
        parts = [f"{summary.blame[half]:,} {words}" for half, words in _HALVES.items() if summary.blame.get(half)]
        yield f"where the meaning was lost: {', '.join(parts)}"


def _details(summary: SuiteSummary) -> Iterator[Line]:
    if summary.outcomes:
        yield Line(f"{_INDENT}outcomes: {one_line(tally(summary.outcomes))}", "dim")
    yield Line(f"{_INDENT}{calls_text(summary.calls)}", "dim")
    rows = [
        (str(size), str(part.rate.total), rate_text(part.rate) if part.rate.total else "–", _share(part))
        for size, part in summary.by_size.items()
    ]
    table = aligned([(summary.size_name, "samples", "pass rate (95 %)", "compliant"), *rows], left=0)
    yield from (Line(f"{_INDENT}{line}", "dim") for line in (table if rows else ()))
