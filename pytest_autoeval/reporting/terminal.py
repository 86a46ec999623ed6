"""The summary at the end of a run, as lines of text: the verdict, then the numbers, then the failures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.reporting.agreement_text import agreement_lines
from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.benchmark import benchmark, benchmark_lines
from pytest_autoeval.reporting.counterexample import counterexample_lines, kept_lines
from pytest_autoeval.reporting.horizons import curves_of, horizon_lines, horizon_name, horizon_text
from pytest_autoeval.reporting.items import SuiteKey, grouped
from pytest_autoeval.reporting.judging.baseline import BaselineGate
from pytest_autoeval.reporting.judging.gates import MARKS, WORST_FIRST, worst
from pytest_autoeval.reporting.judging.suites import SuiteJudgement
from pytest_autoeval.reporting.model_comparison import model_comparison_lines
from pytest_autoeval.reporting.names import named, plain_suite
from pytest_autoeval.reporting.readers import matrix_lines, reader_matrices, survival_line
from pytest_autoeval.reporting.spending import calls_text
from pytest_autoeval.reporting.suite_summary import SizeSummary, SuiteSummary, spread_lines
from pytest_autoeval.reporting.text import (
    Line,
    Style,
    aligned,
    bounds_text,
    count,
    one_line,
    p_text,
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
from pytest_autoeval.reporting.text import width as columns
from pytest_autoeval.statistics import PassRate

NARROWEST = 80
#: How many kinds of failure with a counterexample, and how many slices, a suite shows by default.
_KINDS = _SLICES = 3
_WIDEST_CURVE = 40
_NOT_PASSED = frozenset({"failed", "interrupted", "inconclusive"})
#: The half of a round trip in which the meaning was lost.
_HALVES = {"description": "in the description", "reading": "in the reading", "undecided": "undecided"}
_COMPARISON = ("pairs", "won", "lost", "difference in points (95 %)", "p", "adj. p", "detectable")
#: How many formulas of only one run are listed, by default and verbose.
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
    verbose, summaries = verbosity > 0, analysis.summaries
    yield from analysis.headline_lines()
    if analysis.server and verbosity >= 0:
        yield Line(f"server: {one_line(analysis.server)}", "dim")
    if summaries:
        yield from _suite_table(analysis, verbosity, width, unicode=unicode)
    if verbosity < 0:
        return
    if summaries:
        yield from _grids(summaries, width)
        yield from matrix_lines(reader_matrices(analysis.rows), width)
        yield from benchmark_lines(benchmark(analysis.rows), width) if verbose else ()
        if len(summaries) > 1 or not verbose:
            yield Line(f"  {calls_text(analysis.spent)}", "dim")
        yield from model_comparison_lines(analysis.model_comparison, verbose=verbose, width=width)
        yield from agreement_lines(analysis.sentences, verbose=verbose, width=width)
        yield from _comparisons(analysis, verbose=verbose, width=width)
        yield from slice_lines(analysis, verbose=verbose, width=width)
        yield from _counterexamples(analysis, verbose=verbose, width=width)
    yield from kept_lines(analysis.kept, verbose=verbose, width=width)
    if analysis.notes:
        yield Line("")
    for note in analysis.notes:
        yield from _wrapped(f"note: {one_line(note)}", width, indent=0, style="dim")


def _wrapped(text: str, width: int, *, indent: int = 4, style: Style = "plain") -> Iterator[Line]:
    yield from (Line(f"{'':{indent}}{line}", style) for line in wrap(text, width - indent))


def _suite_table(analysis: Analysis, verbosity: int, width: int, *, unicode: bool) -> Iterator[Line]:
    """A line for each suite and model, the worst first; below it why it failed, and figures of its samples."""
    summaries = sorted(analysis.summaries, key=lambda summary: WORST_FIRST.index(summary.judgement.verdict))
    # Suites that were interrupted before their first answer, and whose errors are shown below another suite.
    broken = [summary for summary in summaries if summary.judgement.verdict == "interrupted"]
    told = {message for summary in summaries if summary not in broken for message in summary.errors}
    idle = [
        summary
        for summary in broken
        if not summary.gate.rate.total and summary.errors.keys() <= told and verbosity <= 0
    ]
    summaries = [summary for summary in summaries if summary not in idle]
    cells = [(summary.gate.rate_text, f"{summary.gate.samples:,}") for summary in summaries]
    heading, *numbers = aligned([("pass rate (95 %)", "n"), *cells], left=0, gap=1)
    most = width - len(f"    {heading}")
    names = [shorten_start(analysis.name(*summary.judgement.key), width - 2) for summary in summaries]
    title = shorten(f"model {one_line(analysis.model)}" if analysis.model else "suite", most)
    room = min(most, max(map(columns, (title, *names))))
    yield Line(f"  {title}{'':{room - columns(title)}}  {heading}", "dim")
    for summary, name, row in zip(summaries, names, numbers, strict=True):
        sign, style = MARKS[summary.judgement.verdict]
        if (space := room - columns(name)) >= 0:
            yield Line(f"{sign} {name}{'':{space}}  {row}", style)
        else:
            yield from (Line(f"{sign} {name}", style), Line(f"{'':{room}}    {row}", style))
        yield from _reasons(summary.judgement, everything=verbosity < 0, width=width)
        if verbosity >= 0:
            yield from _remarks(summary, verbose=verbosity > 0, width=width, unicode=unicode)
    if idle:
        sign, style = MARKS["interrupted"]
        some = "1 suite was" if len(idle) == 1 else f"{len(idle)} suites were"
        yield Line(f"{sign} {some} not run: interrupted", style)


def _reasons(judgement: SuiteJudgement, *, everything: bool, width: int) -> Iterator[Line]:
    """Why gates do not pass; those against the baseline only with ``everything``."""
    gate = judgement.gate
    for judged in judgement.gates if everything else (gate, judgement.horizon, judgement.agreement):
        if judged is not None and judged.verdict in _NOT_PASSED:
            against = "against the baseline: " if judged.kind == "baseline" else ""
            yield from _wrapped(f"{against}{judged.reason}", width, style=MARKS[judged.verdict][1])
    ends = [] if gate.stopped_early is None else [gate.stopped_early.text]
    for text in [*ends, gate.reason] if gate.part and gate.passes else ends:
        yield from _wrapped(one_line(text), width, style="dim")


def _remarks(summary: SuiteSummary, *, verbose: bool, width: int, unicode: bool) -> Iterator[Line]:
    """Figures of a suite's samples; if all passed, only what needs attention."""
    flawless = summary.whole.rate.lower == 1.0 and not summary.errors
    detailed = verbose or summary.verdict in _NOT_PASSED
    if facts := "; ".join(_facts(summary, detailed=verbose or not flawless, unicode=unicode)):
        yield from _wrapped(facts, width)
    adaptive = summary.gate.adaptive is not None
    for text in _findings(summary, detailed=detailed or adaptive, verbose=verbose, flawless=flawless):
        yield from _wrapped(text, width)
    if summary.trivial and detailed:
        yield from _wrapped(f"trivial formulas: {one_line(tally(summary.trivial))}", width, style="dim")
    errors = list(summary.errors.items())
    for message, times in errors if verbose else errors[:1]:
        text = f"    {count(times, 'error')}: {one_line(message)}"
        yield Line(text if verbose else shorten(text, width), "warn")
    if len(errors) > 1 and not verbose:
        yield Line(f"    and {count(len(errors) - 1, 'other kind')} of error; -v shows them", "dim")
    if verbose:
        yield from _details(summary)


def _facts(summary: SuiteSummary, *, detailed: bool, unicode: bool) -> Iterator[str]:
    if detailed and summary.whole.rate.total:
        rates = {size: part.rate for size, part in summary.by_size.items()}
        yield f"by {summary.size_name}: {curve(rates, _WIDEST_CURVE, unicode=unicode)}"
    if detailed and summary.whole.compliant < summary.whole.answers:
        yield f"compliant {_compliant(summary.whole)}"
    copied = summary.outcomes.get(Outcome.COPIED, 0)
    marked = {
        "copied": copied,
        "leaked": summary.leaked - copied,
        "undecided": summary.whole.rate.undecided,
        "asked again": summary.asked_again,
    }
    for what, number in marked.items():
        if number:
            yield f"{what} {number:,}"
    if summary.empty_sizes:
        yield f"nothing of size {', '.join(map(str, summary.empty_sizes))}"
    if summary.shown_chance_level:
        yield f"chance level {summary.shown_chance_level}"


def _compliant(part: SizeSummary) -> str:
    return share(ratio(part.compliant, part.answers))


def _findings(summary: SuiteSummary, *, detailed: bool, verbose: bool, flawless: bool) -> Iterator[str]:
    # With one trial for each formula there are no repeats, and only verbose shows the batches.
    batches = summary.batches if verbose or summary.repeats is not None else None
    yield from map(one_line, summary.figures if detailed else ())
    judgement = summary.judgement
    asked = () if summary.verdict in _NOT_PASSED else judgement.asked  # else the reason shows them
    if verbose or judgement.asked or not flawless:
        yield from horizon_lines(judgement.curve, summary.size_name, asked=asked, verbose=verbose)
        curves = curves_of(summary.rows, summary.size_name).items() if verbose else []
        if others := {name: one.horizon(0.5) for name, one in curves if name != summary.size_name}:
            texts = ", ".join(horizon_text(other, name) for name, other in others.items())
            yield f"{horizon_name(next(iter(others.values())))} of other measures: {texts}"
    yield from spread_lines(summary.repeats, batches)
    if summary.blame:
        parts = [f"{summary.blame[half]:,} {words}" for half, words in _HALVES.items() if summary.blame.get(half)]
        yield f"where the meaning was lost: {', '.join(parts)}"
    if summary.hops:
        yield survival_line(summary.hops, verbose=verbose)


def _details(summary: SuiteSummary) -> Iterator[Line]:
    lines = [f"outcomes: {one_line(tally(summary.outcomes))}"] if summary.outcomes else []
    lines.append(calls_text(summary.spent))
    if summary.by_size:
        table = [(summary.size_name, "samples", "pass rate (95 %)", "compliant")]
        for size, part in summary.by_size.items():
            rate = rate_text(part.rate) if part.rate.total else "–"
            table.append((str(size), str(part.rate.total), rate, _compliant(part)))
        lines += aligned(table, left=0)
    yield from (Line(f"    {line}", "dim") for line in lines)


def curve(by_size: Mapping[int, PassRate], columns: int, *, unicode: bool) -> str:
    """A curve of accuracy in at most ``columns`` columns, between the smallest and the largest size.

    A character stands for one or several sizes: the lowest block is 0 %, the full one (``*``) 100 %.
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
    """The pass rates of suites and models with several variants: interfaces as rows, promptings as columns."""
    by_variant: dict[SuiteKey, dict[tuple[str, str], PassRate]] = defaultdict(dict)
    for summary in summaries:
        if summary.gate.adaptive is not None:
            continue  # its rate is over sizes that its answers chose
        suite = plain_suite(summary.gate.suite, summary.interface, summary.prompting)
        by_variant[suite, summary.gate.model][summary.interface, summary.prompting] = summary.whole.rate
    several = {key: rates for key, rates in by_variant.items() if len(rates) > 1}
    if several:
        yield from (Line(""), Line("pass rates by interface and prompting", "title"))
    for key, rates in several.items():
        yield Line(f"  {shorten_start(one_line(named(*key)), width - 2)}")
        interfaces, promptings = (sorted({variant[part] for variant in rates}) for part in range(2))
        table = [["", *promptings]]
        for interface in interfaces:
            cells = [rates.get((interface, prompting)) for prompting in promptings]
            table.append([interface, *(f"{bounds_text(rate)} %" if rate and rate.total else "–" for rate in cells)])
        yield from (Line(f"    {line}") for line in aligned(table))


def _comparisons(analysis: Analysis, *, verbose: bool, width: int) -> Iterator[Line]:
    comparisons = analysis.comparisons
    if not comparisons:
        return
    falls = [
        [fall for fall in (judgement.fall, judgement.agreement_fall) if fall is not None]
        for judgement in analysis.judgements
        if judgement.comparison is not None
    ]
    detectable = (
        "–" if comparison.shown_detectable is None else points(comparison.shown_detectable)
        for comparison in comparisons
    )
    cells = [[*compared(gate), shown] for gate, shown in zip(comparisons, detectable, strict=True)]
    heading, *rows = aligned([_COMPARISON, *cells], left=0)
    yield Line("")
    yield Line(shorten(f"compared with {one_line(analysis.baseline_name) or 'the baseline'}", width), "title")
    yield Line(f"  {heading}", "dim")
    for comparison, fallen, row in zip(comparisons, falls, rows, strict=True):
        sign, style = MARKS[worst(gate.verdict for gate in (comparison, *fallen))]
        yield Line(f"{sign} {shorten_start(analysis.name(comparison.suite, comparison.model), width - 2)}", style)
        if comparison.test is not None:
            yield Line(f"  {row}")
        texts = [comparison.conclusion, *(fall.reason for fall in fallen), *comparison.flags]
        for formulas, whose in (
            (comparison.compared.only_here, "this run"),
            (comparison.compared.only_there, "the baseline"),
        ):
            if formulas:
                some = (shorten(one_line(formula), _FORMULA) for formula in formulas[: _MANY if verbose else _FEW])
                texts.append(f"only in {whose}: {count(len(formulas), 'formula')}, such as {', '.join(some)}")
        for text in texts:
            yield from _wrapped(text, width, style="dim")


def compared(gate: BaselineGate, unknown: str = "") -> list[str]:
    """Pairs, won, lost, difference with its interval, p-value and corrected p-value as texts."""
    test = gate.test
    if test is None:
        return [unknown] * 6
    interval = f"{signed_points(test.interval.low)} to {signed_points(test.interval.high)}"
    counts = [f"{number:,}" for number in (test.pairs, test.won, test.lost)]
    return [*counts, f"{signed_points(test.difference)} ({interval})", p_text(test.p_value), p_text(gate.p_corrected)]


def slice_lines(analysis: Analysis, *, verbose: bool, width: int) -> Iterator[Line]:
    """The slices of each suite and model, the smallest p-value first; verbose shows all."""
    slices = analysis.slices
    if slices:
        yield from (Line(""), Line("kinds of formulas that fail more often", "title"))
    for key, some in sorted(grouped(slices, lambda part: (part.suite, part.model)).items()):
        yield Line(f"  {shorten_start(analysis.name(*key), width - 2)}")
        for worse in some if verbose else some[:_SLICES]:
            first, *more = wrap(one_line(worse.text), width - 6)
            yield from (Line(f"    {line}") for line in (first, *(f"  {line}" for line in more)))
        if len(some) > _SLICES and not verbose:
            yield Line(f"    and {count(len(some) - _SLICES, 'other')}; -v shows them", "dim")


def _counterexamples(analysis: Analysis, *, verbose: bool, width: int) -> Iterator[Line]:
    """For each suite and model, and each kind of failure, the most frequent first, the smallest counterexample."""
    smallest = analysis.smallest()
    if smallest:
        yield from (Line(""), Line("smallest counterexamples", "title"))
    for summary, examples in smallest:
        yield from (Line(""), Line(shorten_start(analysis.name(*summary.judgement.key), width), "title"))
        for example, times in examples if verbose else examples[:_KINDS]:
            yield from counterexample_lines(example, times, verbose=verbose, width=width)
        if (hidden := examples[_KINDS:]) and not verbose:
            kinds = one_line(tally({example.row.outcome: times for example, times in hidden}))
            yield from _wrapped(f"more kinds of failure, which -v shows: {kinds}", width, indent=2, style="dim")
