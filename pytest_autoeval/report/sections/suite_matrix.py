"""The table of suites and models, the matrix, with its legend."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct, structs

from pytest_autoeval.judging.gate_verdicts import INCONCLUSIVE, MEANINGS, State
from pytest_autoeval.judging.item_groups import SuiteKey
from pytest_autoeval.option_names import option_name
from pytest_autoeval.record.figure_sentences import (
    given_rate,
    joined,
    listed,
    number,
    sentence,
)
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Cell,
    Column,
    Level,
    Note,
    Row,
    Section,
    Table,
    Tone,
)
from pytest_autoeval.report.matrix import Cell as MatrixCell
from pytest_autoeval.report.matrix import Matrix, MatrixRow
from pytest_autoeval.report.matrix_measures import measures
from pytest_autoeval.report.sections.rate_figures import rate_figure
from pytest_autoeval.report.suite_summary import SuiteSummary

WORSE = "significantly worse than another model (corrected for all pairs and suites)"
_RATE = Column("pass rate", "rate")
_SAMPLES = Column("n", "count")
#: Without room for all columns, the last one is left out first.
_THRESHOLD = Column("threshold", "rate", optional=True)
#: How many close suites, or suites with errors, are named.
_MOST_NAMES = 4
#: Why suites are not in the mean.
_WHY_LEFT_OUT = "incomplete, not answered by all models, or of samples that depended on the answers"


def matrix(analysis: Analysis) -> Iterator[Section]:
    """Suites down, models across. A single model has columns of its own for its samples and thresholds."""
    suites_and_models = analysis.matrix
    if not suites_and_models.rows:
        return
    idle = {summary.gate.number for summary in idle_suites(analysis)}
    measured = {summary.gate.number: _Measured.of(summary) for summary in analysis.summaries}
    yield Section(
        name="suites",
        blocks=(
            _table(analysis, measured, idle),
            *_legend(analysis, measured, idle),
        ),
        level="quiet",
    )


def idle_suites(analysis: Analysis) -> list[SuiteSummary]:
    """The suites that were interrupted before any answer, and whose errors another suite shows.

    A suite is idle only if it is so for every model: the matrix hides whole rows.
    """
    by_number = {summary.gate.number: summary for summary in analysis.summaries}
    not_started = []
    messages_shown: set[str] = set()
    for row in analysis.matrix.rows:
        summaries = [by_number[cell.number] for cell in row.cells if cell is not None]
        if not any(map(_has_started, summaries)):
            not_started.append(summaries)
            continue
        for summary in summaries:
            messages_shown.update(summary.errors)
    idle: list[SuiteSummary] = []
    for summaries in not_started:
        # An error that no other suite shows is the only trace of its cause: such a suite is not hidden.
        if all(summary.errors.keys() <= messages_shown for summary in summaries):
            idle += summaries
    return idle


def _has_started(summary: SuiteSummary) -> bool:
    return summary.judgement.verdict != "interrupted" or summary.gate.rate.total > 0


def _table(
    analysis: Analysis, measured: Mapping[SuiteKey, _Measured], idle: Collection[SuiteKey]
) -> Table:
    matrix = analysis.matrix
    has_one_model = len(matrix.models) == 1
    # A test that asks no model stands under no name of one, unless an option gave this name.
    named_models = {
        summary.gate.model
        for summary in analysis.summaries
        if summary.gate.default_model or not summary.suite.asked.default_model
    }
    heads = _columns_of_model(measured.values(), alone=has_one_model)

    def row(entry: MatrixRow) -> Row:
        cells: list[Cell] = [entry.suite]
        states: list[State | None] = [None]
        positions_of_stars = []
        for cell in entry.cells:
            # A model without this suite has empty cells.
            if cell is None:
                cells += [None] * len(heads)
                states += [None] * len(heads)
                continue
            if cell.worse_than:
                positions_of_stars.append(len(cells))
            cells += [measured[cell.number].cell(head) for head in heads]
            # The state of a suite stands at the first of its model's cells.
            states += [cell.state, *[None] * (len(heads) - 1)]
        level: Level = "verbose" if _is_idle(entry, idle) else "quiet"
        # With one model, the state of the row is that of its only cell.
        states_of_cells = () if has_one_model else tuple(states)
        return Row(tuple(cells), entry.state, states_of_cells, tuple(positions_of_stars), level)

    return Table(
        columns=(
            Column("suite"),
            *(
                structs.replace(head, group=model if model in named_models else "")
                for model in matrix.models
                for head in heads
            ),
        ),
        rows=(*map(row, matrix.rows), *_means(matrix, len(heads))),
        thing="suite",
        mark=WORSE if any(cell.worse_than for cell in _cells(matrix)) else "",
    )


class _Measured(Struct, frozen=True):
    """What the matrix shows of a suite of one model. ``answered`` samples have a verdict: the rate is one of them."""

    rate: Figure
    answered: int
    threshold: float | None
    measures: Mapping[str, Figure]

    @classmethod
    def of(cls, summary: SuiteSummary) -> _Measured:
        gate = summary.gate
        values = {measure.column.name: measure.of(summary.items) for measure in measures()}
        known_values = {name: figure for name, figure in values.items() if figure is not None}
        return cls(rate_figure(gate.rate), gate.rate.total, gate.threshold, known_values)

    def cell(self, column: Column) -> Cell:
        """The cell in a column of the matrix."""
        if column == _RATE:
            # 0 of 0 samples is no rate.
            return self.rate if self.rate.n else None
        if column == _SAMPLES:
            # Without samples that ended in errors: 2 of 2 must not look like 45 of 45.
            return self.answered
        if column == _THRESHOLD:
            return None if self.threshold is None else given_rate("threshold", self.threshold)
        return self.measures.get(column.name)


def _columns_of_model(suites: Collection[_Measured], *, alone: bool) -> list[Column]:
    """The columns that each model has: its rates and what was measured. One model ``alone`` has room for more."""
    columns = [_RATE]
    if alone:
        columns.append(_SAMPLES)
    for measure in measures():
        name = measure.column.name
        counted = {suite.measures[name].measure for suite in suites if name in suite.measures}
        # If suites count different things, such as operators and depth, the heading cannot name one of them.
        if counted:
            common = counted.pop() if len(counted) == 1 else ""
            columns.append(structs.replace(measure.column, measure=common))
    if alone and any(suite.threshold is not None for suite in suites):
        columns.append(_THRESHOLD)
    return columns


def _is_idle(row: MatrixRow, idle: Collection[SuiteKey]) -> bool:
    return all(cell is None or cell.number in idle for cell in row.cells)


def _cells(matrix: Matrix) -> list[MatrixCell]:
    return [cell for row in matrix.rows for cell in row.cells if cell is not None]


def _means(matrix: Matrix, columns: int) -> Iterator[Row]:
    """A row with the mean of each model over the suites that count, if there is one.

    ``columns`` is the number of columns of each model. Only its first has a mean.
    """
    all_suites = matrix.all_suites
    if all_suites is None or not all_suites.means:
        return
    cells: list[Cell] = ["mean"]
    for mean in all_suites.means:
        figure = Figure(
            "mean pass rate",
            mean.mean,
            "rate",
            low=mean.low,
            high=mean.high,
            n=len(all_suites.suites),
        )
        cells += [figure, *[None] * (columns - 1)]
    yield Row(tuple(cells), total=True)


def _legend(
    analysis: Analysis, measured: Mapping[SuiteKey, _Measured], idle: Collection[SuiteKey]
) -> Iterator[AnyBlock]:
    """What did not run, what the mean leaves out, and what the words and figures of the table mean."""
    matrix = analysis.matrix
    all_suites = matrix.all_suites
    hidden = sum(_is_idle(row, idle) for row in matrix.rows)
    if hidden:
        verb = "was" if hidden == 1 else "were"
        not_run = sentence(f"{{suites}} {verb} not run", suites=number(hidden, "suite"))
        yield _note(not_run, tone="warning", level="quiet")
    yield from _stopped_early(analysis)
    # A single model has a column with the samples that its rates are of.
    if len(matrix.models) > 1:
        yield from _partly_answered(analysis)
    yield from _close(analysis)
    if all_suites is not None and all_suites.means and all_suites.left_out:
        left_out = sentence(
            f"the mean leaves out {{suites}} ({{names}}): {_WHY_LEFT_OUT}",
            suites=number(len(all_suites.left_out), "suite"),
            names=listed(all_suites.left_out),
        )
        yield _note(left_out, tone="warning", level="quiet")
    states = {cell.state for cell in _cells(matrix)}
    # Without any gate, nothing is said of gates.
    if states != {"no gate"}:
        yield from _meanings(states)
    for measure in measures():
        # Below a table without its column, a legend would explain nothing.
        if any(measure.column.name in suite.measures for suite in measured.values()):
            yield from measure.legend(analysis.summaries)


def _meanings(states: Collection[State]) -> Iterator[Note]:
    """What the states in the table mean."""
    for state, meaning in MEANINGS.items():
        if state not in states:
            continue
        # pytest has no such exit code, so a reader cannot know it.
        code = " (exit code {code} if no test failed)" if state == "inconclusive" else ""
        text = f"{state}: {meaning}{code}"
        explained = sentence(text, code=number(INCONCLUSIVE, name="exit code"))
        yield structs.replace(_note(explained), state=state)


def _stopped_early(analysis: Analysis) -> Iterator[Note]:
    """The suites that planned looks ended, and what that saved. Their rates are of the samples that ran."""
    stopped = [
        gate
        for gate in analysis.gates
        if gate.stopped_early is not None and gate.stopped_early.look
    ]
    if not stopped:
        return
    text = "{suites} stopped early at a planned look: {names}"
    if analysis.saved_calls:
        text = "{suites} stopped early at a planned look, which saved {calls}: {names}"
    yield _note(
        sentence(
            text,
            suites=number(len(stopped), "suite"),
            calls=number(analysis.saved_calls, "call", name="calls saved"),
            names=listed([gate.name for gate in stopped]),
        ),
        level="quiet",
    )


def _partly_answered(analysis: Analysis) -> Iterator[Note]:
    """The suites whose rate is one of few samples, because the others ended in errors."""
    parts = []
    for gate in analysis.gates:
        if gate.errors and gate.rate.total:
            answered = number(gate.rate.total, name="answered")
            samples = number(gate.samples, name="samples")
            text = "{suite} ({answered} of {samples})"
            parts.append(sentence(text, suite=gate.name, answered=answered, samples=samples))
    if not parts:
        return
    more = len(parts) - _MOST_NAMES
    if more > 0:
        parts = [
            *parts[:_MOST_NAMES],
            sentence("{more} more", more=number(more, name="more suites")),
        ]
    text = "rates without the samples that ended in errors: {suites}"
    yield _note(sentence(text, suites=joined(parts, ", ")), tone="warning", level="quiet")


def _close(analysis: Analysis) -> Iterator[Note]:
    """The suites whose rate decides although the interval has the threshold in it, all in one line."""
    # A suite of few samples says so itself.
    close = [gate for gate in analysis.gates if gate.is_close and gate.few_samples is None]
    if not close:
        return
    text = "close, since the interval contains the threshold: {suites}; {option} judges by the interval"
    has_one_model = len({gate.model for gate in analysis.gates}) == 1
    names_with_sides = []
    for gate in close:
        name = gate.suite if has_one_model else gate.name
        # Not "passes": another gate, such as that of a baseline, may fail the suite.
        side = "above" if gate.passes else "below"
        names_with_sides.append(f"{name} ({side})")
    option = f"{option_name('gate')}=interval"
    yield _note(sentence(text, suites=listed(names_with_sides, _MOST_NAMES), option=option))


def _note(text: Sentence, tone: Tone = "remark", level: Level = "default") -> Note:
    return Note(text.text, text.values, tone=tone, level=level)
