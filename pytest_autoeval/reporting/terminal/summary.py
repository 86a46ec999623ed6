"""The summary at the end of a run, as lines of text: the verdict first, then the numbers, then what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.judging.headline import headline
from pytest_autoeval.reporting.judging.suite_judgement import AnyGate
from pytest_autoeval.reporting.judging.verdict import GateVerdict, mark
from pytest_autoeval.reporting.suite_summary import Calls
from pytest_autoeval.reporting.terminal.comparison_table import comparison_lines
from pytest_autoeval.reporting.terminal.counterexample_text import counterexample_lines
from pytest_autoeval.reporting.terminal.grid import grids
from pytest_autoeval.reporting.terminal.slice_lines import slice_lines
from pytest_autoeval.reporting.terminal.suite_table import calls_text, suite_table
from pytest_autoeval.reporting.text import Line, one_line, shorten_start, tally, to_ascii, wrap

NARROWEST = 80
#: Kinds of failure that a suite shows a counterexample of, unless the summary is verbose.
_KINDS = 3


def render(analysis: Analysis, *, verbosity: int = 0, width: int = NARROWEST, unicode: bool = True) -> list[Line]:
    """The lines of the summary.

    ``verbosity`` is pytest's: below 0 only the gates, above 0 rates by size, calls, whole texts and every kind of
    failure. ``width`` is in columns; less than 80 counts as 80. Without ``unicode`` every line is ASCII.
    """
    lines = list(_lines(analysis, verbosity, max(width, NARROWEST), unicode=unicode))
    return [Line((line.text if unicode else to_ascii(line.text)).rstrip(), line.style) for line in lines]


def _lines(analysis: Analysis, verbosity: int, width: int, *, unicode: bool) -> Iterator[Line]:
    yield from headline(analysis.gates, analysis.comparisons)
    yield from _gate_lines(analysis.every_gate, width, everything=verbosity < 0)
    if verbosity < 0:
        return
    verbose = verbosity > 0
    if analysis.summaries:
        yield from _findings(analysis, verbose=verbose, width=width, unicode=unicode)
    if analysis.kept:
        from pytest_autoeval.reporting.kept import kept_lines

        yield from kept_lines(analysis.kept, verbose=verbose, width=width)
    yield from _notes(analysis.notes, width)


def _findings(analysis: Analysis, *, verbose: bool, width: int, unicode: bool) -> Iterator[Line]:
    """What the samples came to, suite by suite."""
    summaries = analysis.summaries
    if analysis.gates:
        yield Line("")
    yield from suite_table(summaries, verbose=verbose, width=width, unicode=unicode)
    yield from grids(summaries, width)
    if any(row.benchmark for row in analysis.rows):
        from pytest_autoeval.reporting.benchmark import benchmark
        from pytest_autoeval.reporting.terminal.benchmark_table import benchmark_lines

        yield from benchmark_lines(benchmark(analysis.rows), width)
    if len(summaries) > 1 or not verbose:
        yield Line(f"  {calls_text(Calls.sum(summary.calls for summary in summaries))}", "dim")
    yield from comparison_lines(analysis.comparisons, analysis.baseline_name, verbose=verbose, width=width)
    yield from slice_lines(analysis.slices, verbose=verbose, width=width)
    yield from _counterexamples(analysis, verbose=verbose, width=width)


def _gate_lines(gates: Sequence[AnyGate], width: int, *, everything: bool) -> Iterator[Line]:
    """Gates that failed or are inconclusive with their reasons, then, if everything is asked for, the others."""
    order: tuple[GateVerdict, ...] = ("failed", "inconclusive", "interrupted", "passed", "reported")
    for gate in sorted(gates, key=lambda gate: order.index(gate.verdict)):
        if everything or gate.verdict in ("failed", "inconclusive"):
            sign, style = mark(gate.verdict)
            against = " against the baseline" if gate.kind == "baseline" else ""
            yield Line(f"{sign} {shorten_start(one_line(gate.name), width - 2 - len(against))}{against}", style)
            yield from (Line(f"    {line}", style) for line in wrap(gate.reason, width - 4))


def _notes(notes: Sequence[str], width: int) -> Iterator[Line]:
    if notes:
        yield Line("")
    for note in notes:
        yield from (Line(line, "dim") for line in wrap(f"note: {one_line(note)}", width))


def _counterexamples(analysis: Analysis, *, verbose: bool, width: int) -> Iterator[Line]:
    """For each suite and model, and each kind of failure, the commonest first, the smallest counterexample."""
    smallest = analysis.smallest()
    if smallest:
        yield Line("")
        yield Line("smallest counterexamples", "title")
    for summary, found in smallest:
        yield Line("")
        yield Line(shorten_start(one_line(summary.name), width), "title")
        for example, times in found if verbose else found[:_KINDS]:
            yield from counterexample_lines(example, times, verbose=verbose, width=width)
        if (hidden := found[_KINDS:]) and not verbose:
            kinds = tally({example.row.outcome: times for example, times in hidden})
            more = wrap(one_line(f"more kinds of failure, which -v shows: {kinds}"), width - 2)
            yield from (Line(f"  {line}", "dim") for line in more)
