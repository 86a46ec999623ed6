"""The summary at the end of a run, as lines of text: the verdict first, then the numbers, then what went wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from pytest_autoeval.reporting.analysis import Analysis, AnyGate
from pytest_autoeval.reporting.benchmark import benchmark, benchmark_lines
from pytest_autoeval.reporting.counterexample import counterexample_lines, kept_lines
from pytest_autoeval.reporting.horizons import curves_of, horizon_lines, horizon_text
from pytest_autoeval.reporting.items import grouped, plain_suite
from pytest_autoeval.reporting.judging.baseline import BaselineGate
from pytest_autoeval.reporting.judging.gates import MARKS, WORST_FIRST
from pytest_autoeval.reporting.judging.slices import Slice
from pytest_autoeval.reporting.readers import matrix_lines, reader_matrices, survival_line
from pytest_autoeval.reporting.standing import standing_lines
from pytest_autoeval.reporting.suite_summary import Calls, SizeSummary, SuiteSummary, spread_lines
from pytest_autoeval.reporting.text import (
    Line,
    Style,
    aligned,
    bounds_text,
    count,
    one_line,
    p_text,
    percent,
    points,
    rate_text,
    ratio,
    share,
    shorten,
    shorten_start,
    signed_points,
    tally,
    to_ascii,
    wrap,
)
from pytest_autoeval.statistics import PassRate

NARROWEST = 80
#: Kinds of failure that a suite shows a counterexample of, and slices that it shows, unless the summary is verbose.
_KINDS = _SLICES = 3
_HEADINGS = ("samples", "pass rate (95 %)", "compliant", "leaked", "undecided", "errors")
_NARROWEST_CURVE, _WIDEST_CURVE = 12, 40
#: The halves of a round trip, as the place where its meaning was lost.
_HALVES = {"description": "in the description", "reading": "in the reading", "undecided": "undecided"}
_COMPARISON = ("pairs", "won", "lost", "difference in points (95 %)", "p", "adj. p", "detectable")
#: How many formulas of one run alone are named, unless the summary is verbose, and where it is.
_FEW, _MANY = 3, 20
_FORMULA = 60


def render(analysis: Analysis, *, verbosity: int = 0, width: int = NARROWEST, unicode: bool = True) -> list[Line]:
    """The lines of the summary.

    ``verbosity`` is pytest's: below 0 only the gates, above 0 rates by size, calls, whole texts and every kind of
    failure. ``width`` is in columns; less than 80 counts as 80. Without ``unicode`` every line is ASCII.
    """
    lines = list(_lines(analysis, verbosity, max(width, NARROWEST), unicode=unicode))
    return [Line((line.text if unicode else to_ascii(line.text)).rstrip(), line.style) for line in lines]


def _lines(analysis: Analysis, verbosity: int, width: int, *, unicode: bool) -> Iterator[Line]:
    yield from analysis.headline_lines()
    yield from _gate_lines(analysis.every_gate, width, everything=verbosity < 0)
    if verbosity < 0:
        return
    verbose, summaries = verbosity > 0, analysis.summaries
    if summaries:
        yield from [Line("")] if analysis.gates else ()
        yield from _suite_table(summaries, verbose=verbose, width=width, unicode=unicode)
        yield from _grids(summaries, width)
        yield from matrix_lines(reader_matrices(analysis.rows), width)
        yield from benchmark_lines(benchmark(analysis.rows), width)
        if len(summaries) > 1 or not verbose:
            yield Line(f"  {_calls_text(Calls.of(call for row in analysis.rows for call in row.calls))}", "dim")
        yield from standing_lines(analysis.standing, verbose=verbose, width=width)
        yield from _comparisons(analysis.comparisons, analysis.baseline_name, verbose=verbose, width=width)
        yield from slice_lines(analysis.slices, verbose=verbose, width=width)
        yield from _counterexamples(analysis, verbose=verbose, width=width)
    yield from kept_lines(analysis.kept, verbose=verbose, width=width)
    if analysis.notes:
        yield Line("")
    for note in analysis.notes:
        yield from _wrapped(f"note: {one_line(note)}", width, indent=0, style="dim")


def _wrapped(text: str, width: int, *, indent: int = 6, style: Style = "plain") -> Iterator[Line]:
    yield from (Line(f"{'':{indent}}{line}", style) for line in wrap(text, width - indent))


def _gate_lines(gates: Sequence[AnyGate], width: int, *, everything: bool) -> Iterator[Line]:
    """Gates that failed or are inconclusive with their reasons, then, if everything is asked for, the others."""
    for gate in sorted(gates, key=lambda gate: WORST_FIRST.index(gate.verdict)):
        if everything or gate.verdict in ("failed", "inconclusive"):
            sign, style = MARKS[gate.verdict]
            against = " against the baseline" if gate.kind == "baseline" else ""
            yield Line(f"{sign} {shorten_start(one_line(gate.name), width - 2 - len(against))}{against}", style)
            yield from _wrapped(gate.reason, width, indent=4, style=style)


def _suite_table(summaries: Sequence[SuiteSummary], *, verbose: bool, width: int, unicode: bool) -> Iterator[Line]:
    """The numbers of each suite and model under its name; verbose adds its outcomes, calls and rates by size."""
    cells = [_HEADINGS, *map(_cells, summaries)]
    for gap in (2, 1):
        heading, *rows = aligned(cells, left=0, gap=gap)
        room = min(_WIDEST_CURVE, width - len(heading) - gap - 2)
        if room >= _NARROWEST_CURVE:
            break
    names = {summary.size_name for summary in summaries if summary.by_size}
    by = f"by {names.pop()}" if len(names) == 1 else "by size"
    yield Line(f"  {heading}{'':{gap}}{by if len(by) <= room else 'by size'}", "dim")
    for summary, row in zip(summaries, rows, strict=True):
        sign, style = MARKS[summary.verdict]
        default = " (no model was named)" if summary.gate is not None and summary.gate.default_model else ""
        yield Line(f"{sign} {shorten_start(one_line(summary.name), width - 2 - len(default))}{default}", style)
        rates = {size: part.rate for size, part in summary.by_size.items()}
        yield Line(f"  {row}{'':{gap}}{curve(rates, room, unicode=unicode)}")
        yield from _remarks(summary, verbose=verbose, width=width)
        if verbose:
            yield from _details(summary)


def _cells(summary: SuiteSummary) -> tuple[str, ...]:
    rate, gate = summary.whole.rate, summary.gate
    measured = gate.rate_text if gate is not None else rate_text(rate) if rate.total else "–"
    counts = (str(number) for number in (summary.leaked, rate.undecided, sum(summary.errors.values())))
    return f"{summary.samples:,}", measured, _compliant(summary.whole), *counts


def _compliant(part: SizeSummary) -> str:
    return share(ratio(part.compliant, part.answers))


def _remarks(summary: SuiteSummary, *, verbose: bool, width: int) -> Iterator[Line]:
    for text in _findings(summary, verbose=verbose):
        yield from _wrapped(text, width)
    gate = summary.gate
    if gate is not None:
        ends = [] if gate.stopped_early is None else [gate.stopped_early.text]
        for text in [*ends, gate.reason] if gate.part and gate.passes else ends:
            yield from _wrapped(one_line(text), width, style="dim")
    if summary.trivial:
        yield Line(f"      among these: {one_line(tally(summary.trivial))}", "dim")
    if gate is not None and gate.interrupted:
        yield Line(f"      {'budget spent' if gate.spent else 'interrupted'}: {gate.progress}", "warn")
    errors = list(summary.errors.items())
    for message, times in errors if verbose else errors[:1]:
        text = f"      {count(times, 'error')}: {one_line(message)}"
        yield Line(text if verbose else shorten(text, width), "warn")
    if len(errors) > 1 and not verbose:
        yield Line(f"      and {count(len(errors) - 1, 'other kind')} of error; -v shows them", "dim")


def _findings(summary: SuiteSummary, *, verbose: bool) -> Iterator[str]:
    # With one trial a formula there are no repeats, and the batches are shown only to a reader who asks for all.
    batches = summary.batches if verbose or summary.repeats is not None else None
    yield from map(one_line, summary.figures)
    yield from _horizons(summary, verbose=verbose)
    yield from spread_lines(summary.repeats, batches)
    if summary.blame:
        parts = [f"{summary.blame[half]:,} {words}" for half, words in _HALVES.items() if summary.blame.get(half)]
        yield f"where the meaning was lost: {', '.join(parts)}"
    if summary.hops:
        yield survival_line(summary.hops, verbose=verbose)


def _horizons(summary: SuiteSummary, *, verbose: bool) -> Iterator[str]:
    """Up to which size the model carries. Where everything passed, the curve beside the figures shows that."""
    if not (verbose or summary.asked or summary.whole.rate.lower < 1.0):
        return
    yield from horizon_lines(summary.curve, summary.size_name, asked=summary.asked, verbose=verbose)
    curves = curves_of(summary.rows, summary.size_name).items() if verbose else []
    if others := [horizon_text(one.horizon(0.5), name) for name, one in curves if name != summary.size_name]:
        yield f"horizon 50 % of other measures: {', '.join(others)}"


def _details(summary: SuiteSummary) -> Iterator[Line]:
    lines = [f"outcomes: {one_line(tally(summary.outcomes))}"] if summary.outcomes else []
    lines.append(_calls_text(summary.calls))
    if summary.by_size:
        table = [(summary.size_name, "samples", "pass rate (95 %)", "compliant")]
        for size, part in summary.by_size.items():
            rate = rate_text(part.rate) if part.rate.total else "–"
            table.append((str(size), str(part.rate.total), rate, _compliant(part)))
        lines += aligned(table, left=0)
    yield from (Line(f"      {line}", "dim") for line in lines)


def _calls_text(calls: Calls) -> str:
    """What was asked of models: ``80 calls, 100.0 % replayed, 16,800 tokens in, 1,120 out (900 reasoning), $0.42``."""
    parts = [count(calls.number, "call")]
    if calls.number:
        parts.append(f"{percent(calls.replayed / calls.number)} % replayed")
    if calls.prompt_tokens is not None:
        parts.append(f"{calls.prompt_tokens:,} tokens in")
    if calls.completion_tokens is not None:
        thoughts = f" ({calls.reasoning_tokens:,} reasoning)" if calls.reasoning_tokens else ""
        parts.append(f"{calls.completion_tokens:,} out{thoughts}")
    if calls.cost is not None:
        parts.append(f"${calls.cost:.2f}" if calls.cost >= 0.01 or not calls.cost else "less than $0.01")
    return ", ".join(parts)


def curve(by_size: Mapping[int, PassRate], columns: int, *, unicode: bool) -> str:
    """A curve of accuracy, the smallest size before it and the largest after it, in at most ``columns`` columns.

    A character stands for a size, or for neighbouring sizes. The scale is absolute: the lowest block is 0 %, and the
    full block (in ASCII the asterisk, after the tenths) means that every sample passed. Undecided samples count as not
    passed. Empty where there is no size.
    """
    if not by_size:
        return ""
    sizes = sorted(by_size)
    number = min(len(sizes), max(2, columns - len(f"{sizes[0]}  {sizes[-1]}")))
    levels = "▁▂▃▄▅▆▇█" if unicode else "0123456789*"
    drawn = ""
    for low, high in pairwise(at * len(sizes) // number for at in range(number + 1)):
        rates = [by_size[size] for size in sizes[low:high]]
        passed, total = sum(rate.passed for rate in rates), sum(rate.total for rate in rates)
        # In integers, so that no rounding decides a level; only a rate of 1 reaches the highest.
        drawn += levels[passed * (len(levels) - 1) // total] if total else " "
    return f"{sizes[0]} {drawn} {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]} {drawn}"


def _grids(summaries: Sequence[SuiteSummary], width: int) -> Iterator[Line]:
    """The pass rates of suites and models with several variants: interfaces down, promptings across."""
    found: dict[str, dict[tuple[str, str], PassRate]] = defaultdict(dict)
    for summary in summaries:
        if summary.gate is not None and summary.gate.adaptive is not None:
            continue  # its rate is over sizes that its answers chose
        suite = plain_suite(summary.suite, summary.interface, summary.prompting)
        found[f"{suite}[{summary.model}]"][summary.interface, summary.prompting] = summary.whole.rate
    several = {name: rates for name, rates in found.items() if len(rates) > 1}
    if several:
        yield from (Line(""), Line("pass rates by interface and prompting", "title"))
    for name, rates in several.items():
        yield Line(f"  {shorten_start(one_line(name), width - 2)}")
        interfaces, promptings = (sorted({variant[part] for variant in rates}) for part in range(2))
        table = [["", *promptings]]
        for interface in interfaces:
            cells = [rates.get((interface, prompting)) for prompting in promptings]
            table.append([interface, *(f"{bounds_text(rate)} %" if rate and rate.total else "–" for rate in cells)])
        yield from (Line(f"    {line}") for line in aligned(table))


def _comparisons(comparisons: Sequence[BaselineGate], baseline: str, *, verbose: bool, width: int) -> Iterator[Line]:
    """The comparisons with a baseline: of each suite its name, the numbers, what decided, and what else differs."""
    if not comparisons:
        return
    detectable = ("–" if one.shown_detectable is None else points(one.shown_detectable) for one in comparisons)
    cells = [[*compared(one), shown] for one, shown in zip(comparisons, detectable, strict=True)]
    heading, *rows = aligned([_COMPARISON, *cells], left=0)
    yield Line("")
    yield Line(shorten(f"compared with {one_line(baseline) or 'the baseline'}", width), "title")
    yield Line(f"  {heading}", "dim")
    for one, row in zip(comparisons, rows, strict=True):
        sign, style = MARKS[one.verdict]
        yield Line(f"{sign} {shorten_start(one_line(one.name), width - 2)}", style)
        if one.test is not None:
            yield Line(f"  {row}")
        texts = [one.conclusion, *one.flags]
        for formulas, whose in ((one.compared.only_here, "this run"), (one.compared.only_there, "the baseline")):
            if formulas:
                some = (shorten(one_line(formula), _FORMULA) for formula in formulas[: _MANY if verbose else _FEW])
                texts.append(f"only in {whose}: {count(len(formulas), 'formula')}, such as {', '.join(some)}")
        for text in texts:
            yield from _wrapped(text, width, style="dim")


def compared(one: BaselineGate, unknown: str = "") -> list[str]:
    """Pairs, won, lost, difference with its interval, p-value and corrected p-value as texts."""
    test = one.test
    if test is None:
        return [unknown] * 6
    interval = f"{signed_points(test.interval.low)} to {signed_points(test.interval.high)}"
    counts = [f"{number:,}" for number in (test.pairs, test.won, test.lost)]
    return [*counts, f"{signed_points(test.difference)} ({interval})", p_text(test.p_value), p_text(one.p_corrected)]


def slice_lines(slices: Sequence[Slice], *, verbose: bool, width: int) -> Iterator[Line]:
    """The slices of each suite and model, the surest first; verbose shows all."""
    if slices:
        yield from (Line(""), Line("formulas that are worse than others, or than they were", "title"))
    for name, some in sorted(grouped(slices, lambda one: f"{one.suite}[{one.model}]").items()):
        yield Line(f"  {shorten_start(one_line(name), width - 2)}")
        for one in some if verbose else some[:_SLICES]:
            first, *more = wrap(one_line(one.text), width - 6)
            yield from (Line(f"    {line}") for line in (first, *(f"  {line}" for line in more)))
        if len(some) > _SLICES and not verbose:
            yield Line(f"    and {count(len(some) - _SLICES, 'other')}; -v shows them", "dim")


def _counterexamples(analysis: Analysis, *, verbose: bool, width: int) -> Iterator[Line]:
    """For each suite and model, and each kind of failure, the commonest first, the smallest counterexample."""
    smallest = analysis.smallest()
    if smallest:
        yield from (Line(""), Line("smallest counterexamples", "title"))
    for summary, found in smallest:
        yield from (Line(""), Line(shorten_start(one_line(summary.name), width), "title"))
        for example, times in found if verbose else found[:_KINDS]:
            yield from counterexample_lines(example, times, verbose=verbose, width=width)
        if (hidden := found[_KINDS:]) and not verbose:
            kinds = one_line(tally({example.row.outcome: times for example, times in hidden}))
            yield from _wrapped(f"more kinds of failure, which -v shows: {kinds}", width, indent=2, style="dim")
