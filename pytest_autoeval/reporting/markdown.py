"""A run as Markdown for the summary of a job or a comment on a pull request: the verdict first, then why."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.benchmark import FORMS, Benchmark, benchmark, cell_text
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.judging.baseline_gate import BaselineGate
from pytest_autoeval.reporting.judging.gates import Gate
from pytest_autoeval.reporting.judging.slices import Slice
from pytest_autoeval.reporting.judging.suite_judgement import AnyGate
from pytest_autoeval.reporting.judging.verdict import WORST_FIRST, mark
from pytest_autoeval.reporting.kept import kept_lines
from pytest_autoeval.reporting.markdown_text import block, code, prose, table_row
from pytest_autoeval.reporting.terminal.comparison_table import compared
from pytest_autoeval.reporting.terminal.counterexample_text import counterexample_lines
from pytest_autoeval.reporting.text import count, p_text, rate_text, signed_points, tally, threshold_text

#: GitHub takes 1 MiB in the summary of a step; a little stays free for what stands there already.
LIMIT = 1_000_000
#: The verdict, with a line for each section that has no room, takes at most so much.
SHORTEST = 4_000
#: Bytes that the line takes which says how much of a section is left out.
_NOTE = 200
_KINDS = 3
_WIDTH = 104
_INDENT = 4
_FORMULAS = 3


@dataclass(frozen=True, slots=True)
class _Section:
    """A part of the text: of its ``pieces``, each a ``thing``, the last ones can go; ``start`` goes with the first."""

    start: str
    pieces: list[str]
    thing: str
    between: str = "\n"


def markdown(analysis: Analysis, *, title: str = "pytest-autoeval", limit: int = LIMIT) -> str:
    """The run as GitHub's Markdown, at most ``limit`` bytes (from 4,000) long in UTF-8.

    Where it would be longer, counterexamples are left out first, and a line says how many. Nothing that a model wrote
    is Markdown in it, nor HTML, a link, a mention, or a sign that cannot be seen. Raises :class:`ValueError` for a
    smaller limit.
    """
    if limit < SHORTEST:
        raise ValueError(f"the limit must be {SHORTEST} bytes or more: {limit}")
    headline = f"## {mark(analysis.verdict)[0]} {prose(title[:200])}: {prose(analysis.headline)}\n"
    return headline + "".join(_fitted(list(_sections(analysis)), limit - len(headline.encode())))


def _sections(analysis: Analysis) -> Iterator[_Section]:
    yield from _gates(analysis.gates)
    yield from _comparisons(analysis)
    yield from _benchmark(benchmark(analysis.rows))
    yield from _slices(analysis.slices)
    if kept := kept_lines(analysis.kept, verbose=True, width=_WIDTH):
        title, *lines = (line.text for line in kept if line.text)
        yield _Section(f"### {prose(title[:1].upper() + title[1:])}\n\n", [block(lines)], "list")
    yield from _blame(analysis)
    if analysis.notes:
        yield _Section("### Notes\n\n", [f"- {prose(note)}" for note in analysis.notes], "note")
    yield from _counterexamples(analysis)


def _fitted(sections: Sequence[_Section], room: int) -> Iterator[str]:
    """The sections, each with as many of its pieces as there is room for: the first ones come first."""
    for number, section in enumerate(sections):
        pieces = [piece + section.between for piece in section.pieces]
        used = accumulate((len(piece.encode()) for piece in pieces), initial=len(section.start.encode()) + 1)
        # Each section that is yet to come may have to say that it was cut.
        fits = bisect_right(list(used)[1:], room - _NOTE * (len(sections) - number))
        text = f"\n{section.start}{''.join(pieces[:fits])}" if fits else ""
        if missing := len(pieces) - fits:
            text += f"\n*{count(missing, section.thing)} left out: the text has no room.*\n"
        room -= len(text.encode())
        yield text


def _gates(gates: Sequence[Gate]) -> Iterator[_Section]:
    if not gates:
        return
    ordered = sorted(gates, key=lambda gate: WORST_FIRST.index(gate.verdict))
    headings = ("verdict", "suite", "model", "samples", "pass rate (95 %)", "threshold")
    rows = [
        table_row(
            [
                _verdict(gate),
                code(gate.suite),
                code(gate.model),
                f"{gate.samples:,}",
                rate_text(gate.rate) if gate.rate.total else "–",
                "–" if gate.threshold is None else threshold_text(gate.threshold),
            ]
        )
        for gate in ordered
    ]
    yield _Section(_table_head(headings, numbers=3), rows, "suite")
    if why := [_why(gate) for gate in ordered if gate.verdict not in ("passed", "reported")]:
        yield _Section("### Why\n\n", why, "reason")


def _comparisons(analysis: Analysis) -> Iterator[_Section]:
    if not analysis.comparisons:
        return
    ordered = sorted(analysis.comparisons, key=lambda gate: WORST_FIRST.index(gate.verdict))
    name = f" {code(analysis.baseline_name)}" if analysis.baseline_name else ""
    numbers = ("pairs", "won", "lost", "difference in points (95 %)", "p", "adjusted p")
    rows = [table_row([_verdict(gate), code(gate.suite), code(gate.model), *compared(gate, "–")]) for gate in ordered]
    head = _table_head(("verdict", "suite", "model", *numbers), numbers=6)
    yield _Section(f"### Compared with the baseline{name}\n\n{head}", rows, "comparison")
    if remarks := [line for gate in ordered for line in _remarks(gate)]:
        yield _Section("", remarks, "remark")


def _remarks(gate: BaselineGate) -> Iterator[str]:
    if gate.drop is not None or gate.test is None:
        yield _why(gate)
    for flag in gate.flags:
        yield f"- {code(gate.name)}: {prose(flag)}"
    for where, formulas in (("only in this run", gate.only_here), ("only in the baseline", gate.only_there)):
        if formulas:
            some = ", ".join(map(code, formulas[:_FORMULAS]))
            more = ", …" if len(formulas) > _FORMULAS else ""
            yield f"- {code(gate.name)}: {count(len(formulas), 'formula')} {where}, not compared: {some}{more}"


def _benchmark(table: Benchmark | None) -> Iterator[_Section]:
    if table is None:
        return
    headings = ["task", "data set", *(f"{code(column.model)} {FORMS[column.form]}" for column in table.columns)]
    rows = []
    for line in table.lines:
        cells = [cell_text(table.cells.get((line, column))) for column in table.columns]
        rows.append(table_row([prose(line.task), code(line.data_set), *cells]))
    head = _table_head(headings, numbers=len(table.columns))
    yield _Section(f"### Scores by form\n\n{head}", rows, "task")


def _slices(slices: Sequence[Slice]) -> Iterator[_Section]:
    for kind, heading in (("level", "Worse than on other formulas of their size"), ("baseline", "Worse than before")):
        if found := [_slice(one) for one in slices if one.kind == kind]:
            yield _Section(f"### {heading}\n\n", found, "sort of formula")


def _slice(one: Slice) -> str:
    beside = ("the others", one.outside) if one.outside is not None else ("before", one.before)
    compared = f", {beside[0]} {rate_text(beside[1])}" if beside[1] is not None else ""
    numbers = f"{rate_text(one.inside)}{compared}; {signed_points(one.difference)} points, p {p_text(one.p_value)}"
    return f"- {code(f'{one.suite}[{one.model}]')}: {prose(one.name)}: {numbers}"


def _blame(analysis: Analysis) -> Iterator[_Section]:
    halves: list[str] = []
    for summary in analysis.summaries:
        if summary.blame:
            total = sum(summary.blame.values())
            halves.append(f"- {code(summary.name)}: {prose(tally(summary.blame))} of {count(total, 'failure')}")
    if halves:
        yield _Section("### Which half lost the meaning\n\n", halves, "suite")


def _counterexamples(analysis: Analysis) -> Iterator[_Section]:
    """For each suite and model the smallest of its commonest kinds of failure; the first of each before the second."""
    smallest = [found for _, found in analysis.smallest()]
    ranked = [found[rank] for rank in range(_KINDS) for found in smallest if rank < len(found)]
    if ranked:
        yield _Section("### Smallest counterexamples\n\n", [_example(*one) for one in ranked], "counterexample")


def _example(example: Counterexample, samples: int) -> str:
    suite, model, outcome = example.key
    lines = counterexample_lines(example, samples, verbose=False, width=_WIDTH)
    fields = [line.text[_INDENT:] for number, line in enumerate(lines) if number]
    return f"{code(f'{suite}[{model}]')}: {prose(outcome)}, {count(samples, 'sample')}\n\n{block(fields)}\n"


def _verdict(gate: AnyGate) -> str:
    return f"{mark(gate.verdict)[0]} {gate.verdict}"


def _why(gate: AnyGate) -> str:
    return f"- {mark(gate.verdict)[0]} {code(gate.name)}: {prose(gate.reason)}"


def _table_head(headings: Sequence[str], *, numbers: int) -> str:
    """The heading of a table whose last columns hold numbers."""
    lines = ["---"] * (len(headings) - numbers) + ["---:"] * numbers
    return f"{table_row(headings)}\n{table_row(lines)}\n"
