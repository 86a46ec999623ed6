"""What a report says of one suite: verdicts, figures, the curve over the size, and its counterexamples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import structs

from pytest_autoeval.built_in import PLUGINS, shipped
from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.gate_verdicts import STANDS, STATES
from pytest_autoeval.judging.gates import Gate
from pytest_autoeval.judging.suite_judgement import AnyGate
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.figure_sentences import given_drop, given_rate, joined, number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.own_outcomes import outcome_among
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Cell,
    Column,
    Figures,
    Level,
    Note,
    Row,
    Section,
    SuiteName,
    Table,
    Tone,
    Verdict,
)
from pytest_autoeval.report.counterexample import Counterexample
from pytest_autoeval.report.sections import tasks
from pytest_autoeval.report.sections.asked_values import asked
from pytest_autoeval.report.sections.counterexamples import counterexamples
from pytest_autoeval.report.sections.model_verdicts import paired_figures
from pytest_autoeval.report.sections.rate_figures import rate_figure
from pytest_autoeval.report.sections.run_overview import spending
from pytest_autoeval.report.sections.suite_matrix import idle_suites
from pytest_autoeval.report.suite_summary import SizeSummary, SuiteSummary
from pytest_autoeval.statistics.ratios import ratio

#: Up to so many suites are shown by default also if they passed; of more suites, so many that need attention.
_FEW, _REMARKS = 3, 4


def suites(analysis: Analysis) -> Iterator[Section]:
    """A section for each suite and model, the worst first."""
    idle = {summary.judgement.key for summary in idle_suites(analysis)}
    is_short_run = len(analysis.summaries) - len(idle) <= _FEW
    remarks = 0
    for summary, examples in analysis.worst_first():
        key = summary.judgement.key
        # The matrix shows every suite already. A section of its own by default is for those that need a look.
        level: Level = "verbose"
        brief = False
        if key not in idle and not summary.judgement.passes:
            level = "quiet"
        elif key not in idle and is_short_run:
            level = "default"
        elif key not in idle and remarks < _REMARKS and needs_attention(summary):
            level, brief = "default", True
            remarks += 1
        # Among many suites, most sections are hidden: nothing is fitted for them.
        whole = analysis.details or level != "verbose"
        section = suite_section(
            summary, examples, level=level, whole=whole, details=analysis.details
        )
        if brief:
            section = structs.replace(section, blocks=tuple(map(_briefly, section.blocks)))
        yield section


def _briefly(block: AnyBlock) -> AnyBlock:
    """A block of a suite that passed, among many: by default only what needs attention is shown."""
    is_warning = isinstance(block, Note) and block.tone in {"warning", "error"}
    # Figures have a level of their own: those that show nothing unusual are for -v already.
    if is_warning or isinstance(block, Figures):
        return block
    return structs.replace(block, level="verbose")


def suite_section(
    summary: SuiteSummary,
    examples: Sequence[tuple[Counterexample, int]] = (),
    *,
    level: Level = "default",
    whole: bool = True,
    details: bool = True,
) -> Section:
    """The section of a suite. ``examples`` are ranked, each with its number of samples.

    If ``whole`` is False, nothing is fitted or sought in many samples, and a process that only runs suites need not
    load the code for it. Without ``details`` plugins say nothing that only -v and files would show.
    """
    gate = summary.gate
    # From what decided to what explains it. The counterexamples are the longest, so they come last.
    blocks = [
        *verdicts(summary),
        *_errors(summary),
        *_main_figures(summary),
        *blocks_of_plugins(summary, "figures of the task", whole=whole, details=details),
        *tasks.blocks_of(summary),
        *blocks_of_plugins(summary, "comparison", whole=whole, details=details),
        *_comparison(summary.judgement.comparison),
        *_details(summary),
        *counterexamples(examples),
    ]
    return Section(
        name="suite",
        title=gate.name,
        blocks=tuple(blocks),
        level=level,
        suite=SuiteName(gate.number, gate.name, gate.model),
        state=STATES[summary.judgement.verdict],
    )


def blocks_of_plugins(
    summary: SuiteSummary,
    before: Literal["figures of the task", "comparison"],
    *,
    whole: bool = True,
    details: bool = True,
) -> Iterator[AnyBlock]:
    """What shipped plugins say of a suite at one place of its section."""
    for plugin_blocks in (blocks for plugin in PLUGINS for blocks in plugin.blocks):
        if plugin_blocks.before != before or (plugin_blocks.only_in_reports and not whole):
            continue
        if details or not plugin_blocks.are_details(summary):
            yield from shipped("suite blocks", plugin_blocks.name)(summary)


def needs_attention(summary: SuiteSummary) -> bool:
    """Whether a suite that passed has something that a reader should see by default."""
    figures = [figure for figure in _attention(summary) if figure.value]
    end = summary.suite.end
    if end is not None and end.without_figures:
        return True
    if figures or summary.empty_sizes or summary.gate.few_samples:
        return True
    # The blocks of the other plugins are not made, which may take long, only to see that nothing is wrong.
    for plugin_blocks in (blocks for plugin in PLUGINS for blocks in plugin.blocks):
        if not plugin_blocks.attention:
            continue
        added_blocks = shipped("suite blocks", plugin_blocks.name)(summary)
        if any(block.level != "verbose" for block in added_blocks):
            return True
    return False


def verdicts(summary: SuiteSummary) -> Iterator[AnyBlock]:
    """The verdict of each gate. Those that do not pass are always shown, without figures that stand beside them.

    The first one stands beside the sign of the suite. So it has the reason of that sign.
    """
    reasons = [(gate, _reason(gate)) for gate in summary.judgement.worst_first]
    explained = [(gate, text) for gate, text in reasons if text is not None]
    for gate, text in explained:
        level: Level = _level_of_pass(gate) if gate.verdict in STANDS else "quiet"
        # A single verdict needs no name.
        kind = gate.kind if len(explained) > 1 else ""
        yield Verdict(STATES[gate.verdict], text.text, text.values, what=kind, level=level)


def _level_of_pass(gate: AnyGate) -> Level:
    """A pass says more than its sign if it is one against a baseline, or of a suite that did not run whole."""
    says_more = isinstance(gate, BaselineGate) and gate.test is not None
    if isinstance(gate, Gate):
        says_more = bool(gate.part) or gate.stopped_early is not None
    return "default" if says_more else "verbose"


def _reason(gate: AnyGate) -> Sentence | None:
    """Why a gate decides as it does; None if there was nothing to decide."""
    if isinstance(gate, Gate):
        # A pass with few samples has a warning of its own.
        return gate.decision if gate.passes else joined([gate.decision, gate.few_samples])
    if not isinstance(gate, BaselineGate):
        return gate.explanation
    if gate.test is None or gate.conclusion is None:
        return gate.conclusion
    return sentence(
        "against the baseline ({pairs}, {won} won, {lost} lost): {conclusion}",
        pairs=number(gate.test.pairs, "pair"),
        won=number(gate.test.won, name="won"),
        lost=number(gate.test.lost, name="lost"),
        conclusion=gate.conclusion,
    )


def _main_figures(summary: SuiteSummary) -> Iterator[AnyBlock]:
    """What needs attention; with -v also the pass rate, which the matrix shows, and the counts."""
    gate = summary.gate
    lucky = _may_be_luck(summary)
    # What is as it should be is among the figures for -v.
    striking = [figure for figure in _attention(summary) if figure.value]
    if not _is_all_compliant(summary):
        striking.insert(0, _compliant(summary.whole))
    if lucky:
        striking += _chance(summary)
    if striking:
        yield Figures(tuple(striking), level="default")
    if lucky:
        yield _note(Sentence("one constant answer may pass as often as the model"), tone="warning")
    if summary.empty_sizes:
        figures = (number(size, name="size") for size in summary.empty_sizes)
        sizes = joined((sentence("{size}", size=figure) for figure in figures), ", ")
        yield _note(sentence("nothing of size {sizes}", sizes=sizes), tone="warning")
    if gate.few_samples is not None and gate.passes:
        yield _note(gate.few_samples, tone="warning")
    yield Figures(tuple(_further_figures(summary)), level="verbose")


def _further_figures(summary: SuiteSummary) -> Iterator[Figure]:
    """The figures for -v: the counts, and those that show nothing unusual."""
    gate = summary.gate
    yield rate_figure(gate.rate)
    yield number(gate.samples, name="samples")
    yield number(gate.passed, name="passed")
    yield number(gate.samples - gate.passed - gate.undecided - gate.errors, name="failed")
    yield from (figure for figure in _attention(summary) if not figure.value)
    # A suite with errors does not pass: its reason counts them, and so does the table of their messages.
    yield number(gate.errors, name="errors")
    if _is_all_compliant(summary):
        yield _compliant(summary.whole)
    if summary.whole.returned:
        yield _parsed(summary.whole)
    yield from _recovered(summary)
    if gate.planned is not None:
        yield number(gate.planned, name="planned")
    if gate.threshold is not None:
        yield given_rate("threshold", gate.threshold)
    if not _may_be_luck(summary):
        yield from _chance(summary)
    for added in summary.judgement.added:
        yield from added.figures


def _may_be_luck(summary: SuiteSummary) -> bool:
    """Whether one constant answer may pass as often as the model did."""
    chance_level = summary.chance_level or 0.0
    return summary.luck_matters and summary.whole.rate.interval().low <= chance_level


def _is_all_compliant(summary: SuiteSummary) -> bool:
    """Whether every answer is compliant. Without any answer, there is nothing to complain of."""
    return _compliant(summary.whole).value in {None, 1.0}


def _attention(summary: SuiteSummary) -> Iterator[Figure]:
    """Counts that need attention if they are not zero, even if the suite passed."""
    copied = summary.outcomes.get(Outcome.COPIED, 0)
    yield number(copied, name="copied")
    # A description that fails as a copy is marked as leaked too, and is counted once.
    yield number(summary.leaked - copied, name="leaked")
    yield number(summary.gate.undecided, name="undecided")


def _compliant(size_summary: SizeSummary) -> Figure:
    answers = size_summary.answers
    return Figure("compliant", ratio(size_summary.compliant, answers), "rate", n=answers)


def _parsed(size_summary: SizeSummary) -> Figure:
    """What the AutoEval paper calls syntactic compliance (its question A1)."""
    returned = size_summary.returned
    return Figure("parsed", ratio(size_summary.parsed, returned), "rate", n=returned)


def _recovered(summary: SuiteSummary) -> Iterator[Figure]:
    """How many answers had their formula inside fences, prose or another notation, if some had."""
    recovered = sum(bool(sample.recovered) for sample in summary.samples)
    answers = summary.whole.answers
    if recovered:
        yield Figure("recovered", ratio(recovered, answers), "rate", n=answers)


def _chance(summary: SuiteSummary) -> list[Figure]:
    level = summary.chance_level
    return [] if level is None else [Figure("chance level", level, "rate")]


def _errors(summary: SuiteSummary) -> Iterator[AnyBlock]:
    if summary.errors:
        rows: list[Row] = []
        for message, times in summary.errors.items():
            # The first message is the most frequent one (`kinds_of`).
            level: Level = "verbose" if rows else "quiet"
            rows.append(Row((times, message), level=level))
        columns = Column("errors", "count"), Column("message", "text")
        yield Table(columns=columns, rows=tuple(rows), thing="message", level="default")


def _comparison(gate: BaselineGate | None) -> Iterator[AnyBlock]:
    """The figures of the comparison, for programs that read one suite alone. How the runs differ stands once, above."""
    figures = () if gate is None else tuple(_compared(gate))
    if figures:
        yield Figures(figures, title="against the baseline", level="verbose")


def _compared(gate: BaselineGate) -> Iterator[Figure]:
    test = gate.test
    if test is not None:
        yield from paired_figures(test, gate.confidence)
        yield Figure("p", gate.p_value, "p")
        yield Figure("p, corrected", gate.p_corrected, "p")
        yield Figure("before", test.before, "rate", n=test.pairs)
        yield Figure("after", test.after, "rate", n=test.pairs)
    if gate.rules.suite_drop is not None:
        yield given_drop(gate.rules.suite_drop, "allowed drop")
    if gate.shown_detectable is not None:
        yield given_drop(gate.shown_detectable, "smallest drop that shows")
    if gate.needed is not None:
        yield number(gate.needed, name="pairs for a decision")


def _details(summary: SuiteSummary) -> Iterator[AnyBlock]:
    """Tables of all outcomes and sizes, the calls, and what was asked."""
    end = summary.suite.end
    if end is not None and end.rows_left_out:
        # The run lists them: suites share their files.
        count_of_rows = number(len(end.rows_left_out), name="rows of data left out")
        yield Figures((count_of_rows,), level="verbose")
    if summary.outcomes:
        declared = summary.suite.asked.outcomes
        outcomes = (outcome_among(name, declared) for name in summary.outcomes)
        rows = []
        for outcome in outcomes:
            times = summary.outcomes[outcome.name]
            rows.append(Row((outcome.name, outcome.code, str(outcome.kind), times)))
        # The most frequent first. Then by code: the order in which they first occurred would differ between runs.
        rows.sort(key=lambda row: (-summary.outcomes[str(row.cells[0])], row.cells[1]))
        yield Table(
            title="outcomes",
            columns=(
                Column("outcome", "text"),
                Column("code", "text"),
                Column("kind", "text"),
                Column("samples", "count"),
            ),
            rows=tuple(rows),
            thing="outcome",
            level="verbose",
        )
    if summary.by_size:
        yield _by_size(summary)
    if summary.trivial:
        figures = [number(times, name=kind) for kind, times in sorted(summary.trivial.items())]
        yield Figures(tuple(figures), title="trivial formulas", level="verbose")
    yield from spending(summary.spent, verbose=True)
    yield from asked(summary.suite)


def _by_size(summary: SuiteSummary) -> Table:
    """The rates at every size; of round trips also the share of answers that were parsed."""
    has_returned = summary.whole.returned > 0
    columns = [
        Column(summary.size_name, "count"),
        Column("samples", "count"),
        Column("pass rate", "rate"),
        Column("compliant", "rate"),
        *([Column("parsed", "rate")] if has_returned else []),
    ]
    rows = []
    for size, size_summary in summary.by_size.items():
        rate = size_summary.rate
        cells: list[Cell] = [size, rate.total, rate_figure(rate), _compliant(size_summary)]
        if has_returned:
            cells.append(_parsed(size_summary))
        rows.append(Row(tuple(cells)))
    return Table(
        title="by size", columns=tuple(columns), rows=tuple(rows), thing="size", level="verbose"
    )


def _note(text: Sentence, *, tone: Tone = "remark", level: Level = "default") -> Note:
    return Note(text.text, text.values, tone=tone, level=level)
