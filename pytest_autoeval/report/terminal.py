"""The summary at the end of a run, as lines of text: verdict, matrix, what did not pass, and the next steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.gates import MARKS, STANDS, worst
from pytest_autoeval.judging.items import Comparable, side_by_side
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.record.names import in_id, suite_name
from pytest_autoeval.report.agreement_text import agreement_lines
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.benchmark import benchmark, benchmark_lines
from pytest_autoeval.report.matrix_lines import suite_matrix
from pytest_autoeval.report.model_comparison import difference_text
from pytest_autoeval.report.readers import matrix_lines, reader_matrices
from pytest_autoeval.report.spending import calls_text
from pytest_autoeval.report.suite_lines import Screen, asked_figures, attention, suite_lines
from pytest_autoeval.report.suite_summary import SuiteSummary
from pytest_autoeval.text import (
    Line,
    aligned,
    bounds_text,
    confidence_percent,
    count,
    harmless,
    one_line,
    p_text,
    shorten,
    shorten_apart,
    shorten_start,
    signed_points,
    wrapped,
)
from pytest_autoeval.text import width as columns

NARROWEST = 80
#: Up to so many suites and models have a block each, also if they passed.
_FEW = 3
#: Of how many other suites a remark is shown, and how many comparisons that passed, by default.
_REMARKS, _COMPARISONS = 4, 8
#: The columns that are left for the name of a suite beside its comparison, at least.
_NAME = 30


def render(analysis: Analysis, *, verbosity: int = 0, width: int = NARROWEST, unicode: bool = True) -> list[Line]:
    """The lines of the summary.

    ``verbosity`` is pytest's: below 0 only the matrix and the reasons, above 0 a block for every suite with rates by
    size, calls, whole texts and every kind of failure. ``width`` is in columns; less than 80 counts as 80. Without
    ``unicode`` every line is ASCII.
    """
    from pytest_autoeval.report.document import document
    from pytest_autoeval.report.renderers.terminal import lines

    return lines(document(analysis), verbosity=verbosity, width=width, unicode=unicode)


def _lines(analysis: Analysis, screen: Screen) -> Iterator[Line]:
    verbosity, width, _ = screen
    verbose, summaries = screen.verbose, analysis.summaries
    yield from analysis.headline_lines()
    if analysis.server and verbosity >= 0:
        yield Line(f"server: {one_line(analysis.server)}", "dim")
    idle = [] if verbose else _idle(analysis)
    if summaries:
        yield from suite_matrix(analysis.matrix, {summary.gate.number for summary in idle}, width)
    if summaries and verbosity >= 0:
        yield from wrapped(calls_text(analysis.spent), width, 2, style="dim")
        for missing in () if analysis.model_comparison is None else analysis.model_comparison.notes:
            yield from wrapped(str(missing), width, 2, style="dim")
        yield from _grids(summaries, width)
        yield from matrix_lines(reader_matrices(analysis.suites), width)
        if verbose:
            yield from benchmark_lines(benchmark(analysis.samples), width)
            yield from _differences(analysis, width)
        yield from agreement_lines(analysis.sentences, verbose=verbose, width=width)
        yield from _comparisons(analysis, verbose=verbose, width=width)
    yield from _blocks(analysis, idle, screen)
    if verbosity < 0:
        return
    if analysis.notes:
        yield Line("")
    for text in analysis.notes:
        yield from wrapped(f"note: {text}", width, style="dim")
    yield from _next_steps(analysis)


def _idle(analysis: Analysis) -> list[SuiteSummary]:
    """The summaries of suites that were interrupted before any answer, and whose errors another block shows.

    They are so for all models that ask the same.
    """
    by_number = {summary.gate.number: summary for summary in analysis.summaries}
    rows = [[by_number[cell.number] for cell in row.cells if cell is not None] for row in analysis.matrix.rows]
    started = [row for row in rows if any(one.judgement.verdict != "interrupted" or one.gate.rate.total for one in row)]
    shown = {message for row in started for one in row for message in one.errors}
    idle = [row for row in rows if row not in started and all(one.errors.keys() <= shown for one in row)]
    return [summary for row in idle for summary in row]


def _blocks(analysis: Analysis, idle: Sequence[SuiteSummary], screen: Screen) -> Iterator[Line]:
    """A block for each suite and model that did not pass; with few suites, for all. Of the others what stands out."""
    examples = {summary.judgement.key: some for summary, some in analysis.smallest()}
    shown = [summary for summary in analysis.summaries if summary not in idle]
    every = screen.verbose or (screen.verbosity == 0 and len(shown) <= _FEW)
    blocks = [one for one in shown if every or not one.judgement.passes]
    for summary in blocks:
        some = examples.get(summary.judgement.key, [])
        yield from suite_lines(analysis, summary, some, screen)
    others = [summary for summary in shown if summary not in blocks]
    if not others or screen.verbosity < 0:
        return
    said = [(one, "; ".join((*attention(one), *asked_figures(one, verbose=False)))) for one in others]
    said = [(summary, text) for summary, text in said if text]
    if said:
        yield Line("")
    for summary, text in said[:_REMARKS]:
        yield Line(
            shorten(f"  {analysis.name(summary.gate.suite, summary.gate.model)}: {one_line(text)}", screen.width)
        )
    if len(said) > _REMARKS:
        yield Line(f"  and remarks on {count(len(said) - _REMARKS, 'other suite')}; -v shows them", "dim")
    yield Line("  -v shows the figures and failures of every suite", "dim")


def _differences(analysis: Analysis, width: int) -> Iterator[Line]:
    """For each suite the differences of each pair of models."""
    compared = () if analysis.model_comparison is None else analysis.model_comparison.suites
    for suite in compared:
        if suite.differences:
            yield from (Line(""), Line(f"models on {shorten_start(one_line(suite.suite), width - 10)}", "title"))
        for pair in suite.differences:
            text = f"{pair.first} − {pair.second}: {difference_text(pair)}"
            yield from wrapped(text, width, 2)


def _next_steps(analysis: Analysis) -> Iterator[Line]:
    """Commands to paste after a failure: one that shows why, and one that reproduces the smallest counterexample.

    The same command again explains no suite without any answer: its error stands above.
    """
    failed_suites = [summary for summary in analysis.summaries if summary.judgement.verdict == "failed"]
    failed = {summary.judgement.key for summary in failed_suites}
    answered = any(summary.whole.rate.total for summary in failed_suites)
    commands = [
        example.command
        for summary, examples in analysis.smallest()
        for example, _ in examples
        if summary.judgement.key in failed and example.command
    ]
    steps = {**(analysis.page_steps if answered else {}), "reproduce": next(iter(commands), "")}
    if any(steps.values()):
        yield from (Line(""), Line("next steps", "title"))
    for name, command in steps.items():
        if command:
            yield Line(f"  {name + ':':10}  {harmless(command)}")


def _grids(summaries: Sequence[SuiteSummary], width: int) -> Iterator[Line]:
    """The pass rates of suites and models with several variants: interfaces as rows, promptings as columns."""
    rate_of = {summary.suite: summary.whole.rate for summary in summaries}
    groups = side_by_side(rate_of, _asked_in_variants, _variant)
    several = [group for group in groups if len(group) > 1]
    if several:
        yield from (Line(""), Line("pass rates by interface and prompting", "title"))
    for group in several:
        rates = {_variant(suite): rate_of[suite] for suite in group}
        asked = group[0].asked
        name = suite_name(asked.function, in_id(asked.model), asked.parameters)
        yield Line(f"  {shorten_start(one_line(name), width - 2)}")
        interfaces, promptings = (sorted({variant[part] for variant in rates}) for part in range(2))
        table = [["", *promptings]]
        for interface in interfaces:
            cells = [rates.get((interface, prompting)) for prompting in promptings]
            table.append([interface, *(f"{bounds_text(rate)} %" if rate and rate.total else "–" for rate in cells)])
        yield from (Line(f"    {line}") for line in aligned(table))


def _asked_in_variants(suite: SuiteRecord) -> tuple[Comparable, tuple[str, ...]]:
    """What the variants of a suite have in common."""
    return Comparable.of(suite)._replace(interface="", prompting=""), suite.asked.prompts


def _variant(suite: SuiteRecord) -> tuple[str, str]:
    return suite.asked.interface or "", suite.asked.prompting


def _comparisons(analysis: Analysis, *, verbose: bool, width: int) -> Iterator[Line]:
    """A line for each comparison with the baseline; of many, those without a significant loss are counted."""
    listed = [
        (gate, worst(one.verdict for one in (gate, judgement.agreement_fall) if one is not None))
        for judgement in analysis.judgements
        if (gate := judgement.comparison) is not None
    ]
    if not listed:
        return
    yield Line("")
    name = one_line(analysis.baseline_name) or "the baseline"
    yield Line(shorten(f"compared with {name} (difference in points)", width), "title")
    shown = listed
    if len(listed) > _COMPARISONS and not verbose:
        shown = [entry for entry in listed if entry[1] not in STANDS or entry[0].worse or entry[0].test is None]
    confidence = confidence_percent(listed[0][0].confidence)
    heads = ("pairs", "won", "lost", f"points ({confidence})", "p", "p, corrected")
    table = [heads, *(tuple(compared(gate, "–")) for gate, _ in shown)]
    heading, *rows = aligned(table if verbose else [(cells[3], cells[5]) for cells in table], left=0)
    room = max(_NAME, width - 4 - max(map(columns, (heading, *rows))))
    names = shorten_apart([analysis.name(gate.suite, gate.model) for gate, _ in shown], room)
    longest = max(map(columns, names), default=0)
    if shown:
        yield Line(f"  {'':{longest}}  {heading}", "dim")
    for name, (_, verdict), row in zip(names, shown, rows, strict=True):
        sign, style = MARKS[verdict]
        yield Line(f"{sign} {name}{'':{longest - columns(name)}}  {row}", style)
    remarks = [*_remarks([gate for gate, _ in listed])]
    whole = {judgement.key: judgement.verdict for judgement in analysis.judgements}
    if any(verdict not in {"reported", whole[gate.compared.here.number]} for gate, verdict in shown):
        remarks.append("here a sign is that of the baseline's gate alone")
    for remark in remarks:
        yield from wrapped(remark, width, 2, style="dim")
    if hidden := len(listed) - len(shown):
        yield Line(f"  and {count(hidden, 'suite')} not significantly worse; -v shows them", "dim")


def _remarks(gates: Sequence[BaselineGate]) -> Iterator[str]:
    """What a reader of the table may miss."""
    if all(one.drop is one.agreement_drop is None for one in (gate.rules for gate in gates)):
        yield "compared, but not judged: --autoeval-fail-on=drop:5% fails a suite for a drop of 5 points"
    if corrected := next((gate.corrected for gate in gates), None):
        yield f"the intervals are {corrected}, like the last p"


def compared(gate: BaselineGate, unknown: str = "") -> list[str]:
    """Pairs, won, lost, difference with its interval, p-value and corrected p-value as texts."""
    test = gate.test
    if test is None:
        return [unknown] * 6
    interval = f"{signed_points(test.interval.low)} to {signed_points(test.interval.high)}"
    counts = [f"{number:,}" for number in (test.pairs, test.won, test.lost)]
    return [*counts, f"{signed_points(test.difference)} ({interval})", p_text(test.p_value), p_text(gate.p_corrected)]
