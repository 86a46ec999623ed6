"""The summary at the end of a run, as lines of text: the verdict first, then the numbers, then what went wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.counterexample_text import counterexample_lines
from pytest_autoeval.reporting.gates import Gate
from pytest_autoeval.reporting.grid import grids
from pytest_autoeval.reporting.line import Line
from pytest_autoeval.reporting.numbers import count, tally
from pytest_autoeval.reporting.suite_summary import Calls, SuiteSummary, suite_summaries
from pytest_autoeval.reporting.suite_table import calls_text, suite_table, verdict_mark
from pytest_autoeval.reporting.text import one_line, shorten_start, to_ascii, wrap

__all__ = ["Counterexample", "Line", "SuiteSummary", "render", "suite_summaries"]

NARROWEST = 80
#: Kinds of failure that a suite shows a counterexample of, unless the summary is verbose.
_KINDS = 3


def render(
    summaries: Sequence[SuiteSummary],
    counterexamples: Iterable[Counterexample] = (),
    *,
    verbosity: int = 0,
    width: int = NARROWEST,
    unicode: bool = True,
) -> list[Line]:
    """The lines of the summary.

    ``verbosity`` is pytest's: below 0 only the gates, above 0 rates by size, calls, whole texts and every kind of
    failure. ``width`` is in columns; less than 80 counts as 80. Without ``unicode`` every line is ASCII.
    """
    lines = list(_lines(summaries, list(counterexamples), verbosity, max(width, NARROWEST), unicode=unicode))
    return [Line((line.text if unicode else to_ascii(line.text)).rstrip(), line.style) for line in lines]


def _lines(
    summaries: Sequence[SuiteSummary],
    counterexamples: Sequence[Counterexample],
    verbosity: int,
    width: int,
    *,
    unicode: bool,
) -> Iterator[Line]:
    gates = [summary.gate for summary in summaries if summary.gate is not None]
    yield from _headline(gates)
    yield from _gate_lines(gates, width, everything=verbosity < 0)
    if verbosity < 0 or not summaries:
        return
    verbose = verbosity > 0
    if gates:
        yield Line("")
    yield from suite_table(summaries, verbose=verbose, width=width, unicode=unicode)
    yield from grids(summaries, width)
    if len(summaries) > 1 or not verbose:
        yield Line(f"  {calls_text(Calls.sum(summary.calls for summary in summaries))}", "dim")
    yield from _counterexamples(summaries, counterexamples, verbose=verbose, width=width)


def _headline(gates: Sequence[Gate]) -> Iterator[Line]:
    """The verdict on the whole run."""
    broken = [gate for gate in gates if gate.interrupted]
    judged = [gate for gate in gates if not gate.interrupted and (gate.threshold is not None or not gate.passes)]
    failed = [gate for gate in judged if not gate.passes]
    free = len(gates) - len(judged) - len(broken)
    if broken:
        ran, planned = sum(gate.samples for gate in gates), [gate.planned for gate in gates]
        known = [number for number in planned if number is not None]
        whole = f"{ran} of {count(sum(known), 'sample')}" if len(known) == len(planned) else count(ran, "sample")
        yield Line(f"interrupted: {whole} ran; {count(len(broken), 'gate')} could not be judged", "warn")
    without = f"; {count(free, 'suite')} without a threshold" if free and judged else ""
    if failed:
        some_failed = "the gate failed" if len(judged) == 1 else f"{len(failed)} of {len(judged)} gates failed"
        yield Line(f"{some_failed}{without}", "bad")
    elif judged:
        all_passed = "the gate passed" if len(judged) == 1 else f"all {len(judged)} gates passed"
        yield Line(f"{all_passed}{without}", "good")
    elif free:
        yield Line("no threshold was given: the pass rates are reported, not judged", "dim")


def _gate_lines(gates: Sequence[Gate], width: int, *, everything: bool) -> Iterator[Line]:
    """Failed gates with their reasons, then, if everything is asked for, the others."""
    for gate in sorted(gates, key=lambda gate: gate.passes or gate.interrupted):
        if everything or not (gate.passes or gate.interrupted):
            mark, style = verdict_mark(gate)
            yield Line(f"{mark} {shorten_start(one_line(gate.name), width - 2)}", style)
            yield from (Line(f"    {line}", style) for line in wrap(gate.reason, width - 4))


def _counterexamples(
    summaries: Sequence[SuiteSummary], counterexamples: Sequence[Counterexample], *, verbose: bool, width: int
) -> Iterator[Line]:
    """For each suite and model, and each kind of failure, the commonest first, the smallest counterexample."""
    grouped: dict[tuple[str, str], dict[str, Counterexample]] = defaultdict(dict)
    for example in sorted(counterexamples, key=lambda one: (one.shown["operators"] or 0, len(one.shown["formula"]))):
        suite, model, outcome = example.key
        grouped[suite, model].setdefault(outcome, example)
    if grouped:
        yield Line("")
        yield Line("smallest counterexamples", "title")
    for summary in summaries:
        found = grouped.get((summary.suite, summary.model), {})
        ordered = sorted(found, key=lambda outcome: (-summary.outcomes.get(outcome, 0), found[outcome].row["code"]))
        if ordered:
            yield Line("")
            yield Line(shorten_start(one_line(summary.name), width), "title")
        for outcome in ordered if verbose else ordered[:_KINDS]:
            times = summary.outcomes.get(outcome, 1)
            yield from counterexample_lines(found[outcome], times, verbose=verbose, width=width)
        if (hidden := ordered[_KINDS:]) and not verbose:
            kinds = tally({outcome: summary.outcomes.get(outcome, 1) for outcome in hidden})
            more = wrap(one_line(f"more kinds of failure, which -v shows: {kinds}"), width - 2)
            yield from (Line(f"  {line}", "dim") for line in more)
