"""What a report says of the run as a whole: the verdict, its figures, its notes, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from msgspec import structs

from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.gates import NO_MODEL
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.calls import Calls, total
from pytest_autoeval.record.figure_sentences import number
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Column,
    Command,
    Figures,
    Note,
    Row,
    Section,
    Table,
    Verdict,
)
from pytest_autoeval.report.sections.model_verdicts import run_figures
from pytest_autoeval.statistics.ratios import ratio

#: How many rows of data that were left out a screen shows without -v.
_SHOWN_ROWS = 5
#: How many calls no model answered, since a recording or an equal call of the run did.
_ABOUT_REPLAY = frozenset({"replayed", "repeated"})


def verdict(analysis: Analysis) -> Iterator[Section]:
    """The verdict on the run, and its figures."""
    headlines = [Verdict(state, text.text, text.values) for state, text in analysis.headlines()]
    blocks: list[AnyBlock] = [*headlines] or [Verdict("no gate", "no sample ran")]
    if analysis.default_model:
        blocks.append(Note(NO_MODEL, tone="warning"))
    if analysis.server:
        blocks.append(Note("server: {server}", {"server": analysis.server}, level="default"))
    if analysis.summaries:
        blocks.append(Figures(tuple(_figures(analysis)), level="verbose"))
    blocks += filter(None, map(run_figures, analysis.whole_runs))
    yield Section(name="verdict", blocks=tuple(blocks), level="quiet")


def calls(analysis: Analysis) -> Iterator[Section]:
    """The calls to models, and what they cost."""
    if analysis.summaries:
        yield Section(name="calls", blocks=tuple(_calls_of_run(analysis)))


def _calls_of_run(analysis: Analysis) -> Iterator[AnyBlock]:
    """Somebody who named no model tries the plugin: recordings and equal calls of a program are for -v."""
    for block in spending(analysis.spent, saved=analysis.saved_calls):
        if analysis.default_model and isinstance(block, Figures) and block.level == "default":
            remarks = [figure for figure in block.figures if figure.name in _ABOUT_REPLAY]
            figures = [figure for figure in block.figures if figure.name not in _ABOUT_REPLAY]
            yield structs.replace(block, figures=tuple(figures))
            yield Figures(tuple(remarks), level="verbose")
        else:
            yield block


def _figures(analysis: Analysis) -> Iterator[Figure]:
    kinds = Counter(sample.kind for sample in analysis.samples)
    yield number(kinds.total(), name="samples")
    yield number(kinds[OutcomeKind.PASS], name="passed")
    yield number(kinds[OutcomeKind.MODEL_FAILURE], name="failed")
    yield number(kinds[OutcomeKind.UNDECIDED], name="undecided")
    yield number(kinds[OutcomeKind.ERROR], name="errors")


def spending(
    spent: Mapping[str, Calls], *, saved: int = 0, verbose: bool = False
) -> Iterator[AnyBlock]:
    """The calls, and for -v a table of them by purpose, unless all were for samples. A suite shows them if verbose.

    ``saved`` calls were not made, because suites stopped early.
    """
    together = total(spent.values())
    figures = [*_calls(together)]
    if saved:
        figures.append(number(saved, name="calls saved"))
    # A server that refuses all calls answered none. Only answered ones count, so 0 would read as none made.
    is_remark = verbose or not together.number
    yield Figures(tuple(figures), level="verbose" if is_remark else "default")
    # The table would repeat the figures above it.
    if spent.keys() <= {"samples"}:
        return
    names: set[str] = set()
    figures_by_purpose = {}
    for purpose, purpose_calls in spent.items():
        figures_of_purpose = {figure.name: figure for figure in _calls(purpose_calls)}
        figures_by_purpose[purpose] = figures_of_purpose
        names.update(figures_of_purpose)
    heads = [figure for figure in _calls(together) if figure.name in names]
    rows = []
    for purpose, figures_of_purpose in figures_by_purpose.items():
        cells = [figures_of_purpose.get(head.name) for head in heads]
        rows.append(Row((purpose, *cells)))
    yield Table(
        title="calls by purpose",
        columns=(Column("purpose", "text"), *(Column(head.name, head.unit) for head in heads)),
        rows=tuple(rows),
        thing="purpose",
        level="verbose",
    )


def _calls(spent: Calls) -> Iterator[Figure]:
    """The figures of calls. A recording answered replayed calls, an equal earlier call of the run repeated ones."""
    yield number(spent.number, name="calls")
    # The share of no calls is undefined.
    if spent.number:
        yield Figure("replayed", ratio(spent.replayed, spent.number), "rate")
    if spent.repeated:
        yield Figure("repeated", ratio(spent.repeated, spent.number), "rate")
    tokens = {
        "tokens in": spent.prompt_tokens,
        "tokens out": spent.completion_tokens,
        "reasoning tokens": spent.reasoning_tokens,
    }
    # Servers that do not report tokens leave them unknown; most models do not reason, so 0 of these says nothing.
    for name, sum_of in tokens.items():
        if sum_of is not None and (sum_of or name != "reasoning tokens"):
            yield number(sum_of, name=name)
    if spent.cost is not None:
        yield Figure("cost", spent.cost, "usd")


def rows_left_out(analysis: Analysis) -> Iterator[Section]:
    """The rows of data that no sample was made of: a rate over fewer rows than the file has must say so everywhere."""
    rows = [
        Row((row,), level="quiet" if position < _SHOWN_ROWS else "verbose")
        for position, row in enumerate(analysis.rows_left_out)
    ]
    if rows:
        table = Table(
            title=f"rows of data that were left out: {len(rows):,}",
            columns=(Column("row", "text"),),
            rows=tuple(rows),
            thing="row",
        )
        yield Section(name="data", blocks=(table,), level="quiet")


def notes(analysis: Analysis) -> Iterator[Section]:
    """The notes about the run. A reader without them may trust its figures too much, so no screen leaves them out."""
    texts = [
        # A text from elsewhere may have braces: as a value of a sentence it names no places.
        note if isinstance(note, Sentence) else Sentence("{note}", {"note": note})
        for note in analysis.notes
    ]
    blocks = tuple(Note(text.text, text.values, tone="warning", level="default") for text in texts)
    yield Section(name="notes", title="notes", blocks=blocks)


def next_steps(analysis: Analysis) -> Iterator[Section]:
    """Commands to paste after a failure: one that shows why, and one that reproduces the smallest counterexample.

    The same command again explains no suite without any answer: its error stands above. If no suite failed but the
    whole run did, the suites that fell most come first.
    """
    entries = analysis.worst_first()
    failed = [entry for entry in entries if entry[0].judgement.verdict == "failed"]
    if not failed:
        lost = {}
        for gate in _gates_of_falls(analysis):
            if gate.test is not None:
                lost[gate.number] = gate.test.difference
        # The whole run fell without any suite that failed alone.
        failed = sorted(
            (entry for entry in entries if entry[0].gate.number in lost),
            key=lambda entry: lost[entry[0].gate.number],
        )
    # The page shows answers, so it explains nothing where there are none.
    answered = any(summary.whole.rate.total for summary, _ in failed)
    commands = [
        example.command for _, examples in failed for example, _ in examples if example.command
    ]
    steps = {**(analysis.page_steps if answered else {}), "reproduce": next(iter(commands), "")}
    blocks = tuple(
        Command(purpose, command, level="default") for purpose, command in steps.items() if command
    )
    yield Section(name="next steps", title="next steps", blocks=blocks)


def _gates_of_falls(analysis: Analysis) -> Iterator[BaselineGate]:
    """The suites of the models whose whole run fell."""
    for run in analysis.whole_runs:
        if run.fell_over_all_suites:
            yield from run.gates
