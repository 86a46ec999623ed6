"""The comparison with a baseline: pass rates, agreement and figures of both runs, and how the runs differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.gate_verdicts import STANDS, STATES, GateVerdict, worst
from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.judging.run_judgement import FALSE_DISCOVERIES
from pytest_autoeval.judging.suite_judgement import SuiteJudgement
from pytest_autoeval.judging.whole_run import WholeRun
from pytest_autoeval.option_names import option_name
from pytest_autoeval.record.figure_sentences import confidence, number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import AnyBlock, Column, Level, Note, Row, Section, Table
from pytest_autoeval.report.sections.values import about, note
from pytest_autoeval.report.suite_figures import figures_of
from pytest_autoeval.statistics.paired import PairedTest

#: Of more comparisons, those that passed and are not significantly worse are shown with -v alone.
_MOST_ROWS = 8
#: How many kinds of difference between the runs are shown without -v, and how many formulas of each suite are listed.
_MOST_FLAGS, _MOST_FORMULAS = 3, 20
_FALLEN = (
    f"listed as fallen: on average at most {FALSE_DISCOVERIES:.0%} of such a list is wrong (Benjamini and Hochberg)"
).replace("%", " %")


def comparison(analysis: Analysis) -> Iterator[Section]:
    """The section about the baseline; none without one. The numbers of a test stand in the section of its suite too."""
    compared = [judgement for judgement in analysis.judgements if judgement.comparison is not None]
    if not compared:
        return
    gates = [judgement.comparison for judgement in compared if judgement.comparison is not None]
    blocks: list[AnyBlock] = []
    if analysis.baseline_name:
        blocks.append(
            note(
                sentence("the baseline is {baseline}", baseline=analysis.baseline_name),
                level="default",
            )
        )
    blocks += _of_another_run(analysis)
    blocks.append(_pass_rates(compared, analysis.whole_runs))
    blocks += _remarks(compared, gates)
    blocks += _refused(analysis, gates)
    blocks += _added(compared)
    blocks += _figures(gates)
    blocks += _differences(gates)
    blocks += _only_in_one(gates)
    yield Section(
        name="comparison",
        title="compared with the baseline (differences in points)",
        blocks=tuple(blocks),
    )


def _of_another_run(analysis: Analysis) -> Iterator[Note]:
    """That the baseline is of another model or seed, or was cut off, if no verdict on the run has said so above."""
    if analysis.rules.judges_falls:
        return
    statements = {str(run.of_another_run): run.of_another_run for run in analysis.whole_runs}
    for statement in statements.values():
        if statement is not None:
            yield note(statement, "warning")


def _pass_rates(compared: Sequence[SuiteJudgement], runs: Sequence[WholeRun]) -> Table:
    """The suites that are listed as fallen come first, those with the largest drop before others.

    Of a model with one suite, its verdict says it.
    """
    fallen = {gate.number for run in runs if len(run.gates) > 1 for gate in run.fallen}
    rows, rows_of_fallen = [], []
    for judgement in compared:
        gate = judgement.comparison
        assert gate is not None
        verdict = _against_baseline(judgement)
        is_fallen = gate.number in fallen
        calm = verdict in STANDS and not gate.fell and not is_fallen and gate.test is not None
        hidden = calm and len(compared) > _MOST_ROWS
        level: Level = "verbose" if hidden else "default"
        # The star stands at the difference.
        marked = (1,) if is_fallen else ()
        row = Row(_cells(gate), state=STATES[verdict], marked=marked, level=level)
        if is_fallen:
            rows_of_fallen.append((0.0 if gate.test is None else gate.test.difference, row))
        else:
            rows.append(row)
    # The largest drop is the smallest difference.
    rows_of_fallen.sort(key=lambda entry: entry[0])
    return Table(
        thing="comparison",
        columns=(
            Column("suite", "name"),
            Column("difference", "points"),
            Column("p, corrected", "p"),
            Column("pairs", "count", optional=True),
            Column("won", "count", optional=True),
            Column("lost", "count", optional=True),
            Column("p", "p", optional=True),
        ),
        rows=(*(row for _, row in rows_of_fallen), *rows),
        mark=_FALLEN if rows_of_fallen else "",
        level="default",
    )


def _cells(gate: BaselineGate) -> tuple[Figure | str | float | None, ...]:
    test = gate.test
    if test is None:
        return gate.name, None, None, None, None, None, None
    counts = test.pairs, test.won, test.lost
    return gate.name, _difference(test, gate), gate.p_corrected, *counts, gate.p_value


def _difference(test: PairedTest, gate: BaselineGate) -> Figure:
    ends, level = test.interval, gate.confidence
    return Figure(
        "difference", test.difference, "points", ends.low, ends.high, n=test.pairs, confidence=level
    )


def _remarks(compared: Sequence[SuiteJudgement], gates: Sequence[BaselineGate]) -> Iterator[Note]:
    """What a reader of the table may miss."""
    has_rule = any(
        gate.rules.judges_falls or gate.rules.agreement_drop is not None for gate in gates
    )
    if not has_rule:
        text = "compared, but not judged: {option} fails a run for such a drop in points"
        yield note(sentence(text, option=f"{option_name('fail-on')}=drop:5%"))
    tested = next((gate for gate in gates if gate.test is not None), None)
    if tested is not None and tested.corrected is not None:
        text = "each interval is one of {confidence}; p is {corrected}"
        percentage = confidence(tested.confidence)
        yield note(sentence(text, confidence=percentage, corrected=tested.corrected))
    # Of a single suite, the verdict on the run says it.
    if len(gates) > 1 and any(gate.decided_by is not None for gate in gates):
        text = (
            "a fall of a suite is decided by p (one-sided), not by the interval, which is two-sided"
        )
        yield note(Sentence(text))
    # Elsewhere in the report, the sign of a suite is that of all its gates.
    for judgement in compared:
        if _against_baseline(judgement) not in {"reported", judgement.verdict}:
            yield note(Sentence("here a sign is that of the baseline's gate alone"))
            break


def _refused(analysis: Analysis, gates: Sequence[BaselineGate]) -> Iterator[Note]:
    """Why suites are not compared, each reason once. A dash in the table would not say it."""
    headlines = [str(text) for _, text in analysis.headlines()]
    # A suite that does not stand says it in its own section.
    refused = [gate for gate in gates if gate.bounds is None and gate.verdict in STANDS]
    by_reason = grouped(refused, lambda gate: str(gate.compared.obstacle))
    for reason, gates_of_reason in by_reason.items():
        # The verdict on the run names the suites that are new, and says a reason that all suites share.
        is_named_as_new = gates_of_reason[0].rules.judges_falls and all(
            gate.compared.is_new for gate in gates_of_reason
        )
        if is_named_as_new or any(reason in headline for headline in headlines):
            continue
        remark = sentence("not compared: {why}", why=gates_of_reason[0].compared.obstacle)
        yield note(_of_suites([gate.name for gate in gates_of_reason], remark), "warning")


def _against_baseline(judgement: SuiteJudgement) -> GateVerdict:
    """The verdict of the gates against the baseline alone."""
    verdicts = [gate.verdict for gate in judgement.added if gate.compares]
    if judgement.comparison is not None:
        verdicts.append(judgement.comparison.verdict)
    return worst(verdicts)


def _added(compared: Sequence[SuiteJudgement]) -> Iterator[Table]:
    """A table for each added gate that compares with the baseline."""
    entries = []
    for judgement in compared:
        comparing = [gate for gate in judgement.added if gate.compares and gate.test is not None]
        entries += [(judgement, gate) for gate in comparing]
    # A gate counts its own things: items of different kinds do not stand in one column.
    by_kind = grouped(entries, lambda entry: (entry[1].title, entry[1].items))
    for (title, items), entries_of_kind in by_kind.items():
        rows = []
        for judgement, gate in entries_of_kind:
            assert judgement.comparison is not None
            assert gate.test is not None
            test = gate.test
            difference = _difference(test, judgement.comparison)
            cells = (
                gate.name,
                difference,
                test.p_value,
                test.pairs,
                test.before,
                test.after,
                gate.drop,
            )
            rows.append(Row(cells, state=STATES[gate.verdict]))
        yield Table(
            title=title,
            thing="comparison",
            columns=(
                Column("suite", "name"),
                Column("difference", "points"),
                Column("p", "p"),
                Column(items, "count", optional=True),
                Column("before", "rate", optional=True),
                Column("after", "rate", optional=True),
                Column("allowed drop", "points", optional=True),
            ),
            rows=tuple(rows),
            level="default",
        )


def _figures(gates: Sequence[BaselineGate]) -> Iterator[Table]:
    """The figures with intervals that both runs have; those that changed clearly come first."""
    rows = []
    for gate in gates:
        earlier_suite = gate.compared.before
        if earlier_suite is None:
            continue
        earlier_figures = [figure for figure in figures_of(earlier_suite) if figure.low is not None]
        before = {figure.name: figure for figure in earlier_figures}
        for figure in figures_of(gate.compared.now):
            earlier_figure = before.get(figure.name)
            # Without an interval nothing tells a change from noise.
            if earlier_figure is None or earlier_figure.unit != figure.unit or figure.low is None:
                continue
            apart = _apart(figure, earlier_figure)
            level: Level = "default" if apart else "verbose"
            cells = (gate.name, figure.name, figure, earlier_figure)
            # The star stands at the figure of this run.
            rows.append(Row(cells, marked=(2,) if apart else (), level=level))
    # The sort is stable: the order of the suites stays within both groups.
    rows.sort(key=lambda row: not row.marked)
    if rows:
        any_changed = bool(rows[0].marked)
        mark = "the intervals of both runs have no value in common" if any_changed else ""
        yield Table(
            title="figures of both runs",
            thing="figure",
            columns=(
                Column("suite", "name"),
                Column("figure", "name"),
                Column("this run", "number"),
                Column("baseline", "number"),
            ),
            rows=tuple(rows),
            mark=mark,
            level="default" if any_changed else "verbose",
        )


def _apart(figure: Figure, earlier: Figure) -> bool:
    """Whether two intervals have no value in common."""
    ends = figure.low, figure.high, earlier.low, earlier.high
    if any(end is None for end in ends):
        return False
    return bool(figure.low > earlier.high or figure.high < earlier.low)  # type: ignore[operator]


def _differences(gates: Sequence[BaselineGate]) -> Iterator[Note]:
    """How the runs differ, each difference once, those of most suites first."""
    flags = [(flag, gate.name) for gate in gates for flag in gate.flags]
    entries_by_flag = grouped(flags, lambda entry: str(entry[0]))
    # A difference that all suites share, such as another release, should not be hidden by those of single suites.
    ordered = sorted(entries_by_flag.values(), key=len, reverse=True)
    for rank, entries in enumerate(ordered):
        names = [name for _, name in entries]
        flag = entries[0][0]
        remark = flag if len(names) == len(gates) else _of_suites(names, flag)
        yield note(remark, level="default" if rank < _MOST_FLAGS else "verbose")


def _of_suites(names: Sequence[str], statement: Sentence) -> Sentence:
    """A sentence about one suite by its name, or about several by their number."""
    if len(names) == 1:
        return about(names[0], statement)
    return sentence("{suites}: {said}", suites=number(len(names), "suite"), said=statement)


def _only_in_one(gates: Sequence[BaselineGate]) -> Iterator[AnyBlock]:
    """Formulas that only one of the runs has, which are not compared."""
    rows = []
    totals = {"this run": 0, "the baseline": 0}
    for gate in gates:
        for run, formulas in (
            ("this run", gate.compared.only_now),
            ("the baseline", gate.compared.only_before),
        ):
            # The note counts all formulas; the table lists some of each suite.
            totals[run] += len(formulas)
            rows += [Row((gate.name, run, formula)) for formula in formulas[:_MOST_FORMULAS]]
    if not rows:
        return
    only_now, only_before = (
        number(total, "formula", name=f"only in {run}") for run, total in totals.items()
    )
    text = "not compared: {here} only in this run, {there} only in the baseline"
    yield note(sentence(text, here=only_now, there=only_before))
    yield Table(
        title="formulas in only one of the runs",
        thing="formula",
        columns=(Column("suite", "name"), Column("only in", "text"), Column("formula", "formula")),
        rows=tuple(rows),
        level="verbose",
    )
