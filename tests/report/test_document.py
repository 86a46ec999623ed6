"""The document of a judged run: what must hold of it whatever the run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import pytest
from msgspec import structs
from support.analyses import analyse
from support.runs import FAIL, KSAT, PASS, REGEX, RUNS, STUDENT, suite

from pytest_autoeval.judging import item_groups
from pytest_autoeval.judging.gate_verdicts import STANDS, STATES, STATES_WORST_FIRST
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.figures import Figure, Sentence, Unit, filled
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report import document as made
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Command,
    Counterexample,
    Curve,
    Document,
    Figures,
    Note,
    Section,
    Table,
    Verdict,
)
from pytest_autoeval.report.document import document

ALL = pytest.mark.parametrize("kind", RUNS)
_PLACE = re.compile(r"\{\w+\}")
#: The least and the largest number of each unit.
RANGES = {
    "rate": (0, 1),
    "p": (0, 1),
    "points": (-1, 1),
    "count": (0, None),
    "usd": (0, None),
    "seconds": (0, None),
}


@cache
def analysis_of(kind: str) -> Analysis:
    """The analysis of a run, which takes a second for the larger ones."""
    return RUNS[kind]()


@cache
def document_of(kind: str) -> Document:
    return document(analysis_of(kind))


def blocks_of(source: Document | Section) -> Iterator[AnyBlock]:
    for section in source.sections if isinstance(source, Document) else [source]:
        yield from section.blocks


def sentences_of(block: AnyBlock) -> Iterator[Sentence]:
    if isinstance(block, Verdict | Note):
        yield Sentence(block.text, block.values)
    if isinstance(block, Counterexample):
        yield Sentence(block.history, block.values)


def figures_of(block: AnyBlock) -> Iterator[Figure]:
    """The figures of a block: its own, those in its sentences, the cells of tables and the points of curves."""
    for text in sentences_of(block):
        yield from (value for value in text.values.values() if isinstance(value, Figure))
    match block:
        case Figures():
            yield from block.figures
        case Table():
            yield from cells_of(block)
        case Curve():
            points = [
                point for series in block.series for point in (*series.points, *series.fitted)
            ]
            yield from (
                Figure("", point.value, block.unit, low=point.low, high=point.high)
                for point in points
            )


def cells_of(table: Table) -> Iterator[Figure]:
    for line in table.rows:
        for column, cell in zip(table.columns, line.cells, strict=True):
            if isinstance(cell, Figure):
                yield cell
            elif isinstance(cell, int | float):
                assert column.unit not in {"name", "formula", "text"}
                yield Figure(column.name, cell, cast("Unit", column.unit))


def suites_of(judged: Document) -> list[Section]:
    return [section for section in judged.sections if section.suite is not None]


@ALL
def test_every_number_lies_in_the_range_of_its_unit(kind: str) -> None:
    for block in blocks_of(document_of(kind)):
        for figure in figures_of(block):
            numbers = [figure.low, figure.value, figure.upper, figure.high]
            if figure.bound:  # the interval may lie beyond the sizes
                numbers = [figure.value]
            known = [number for number in numbers if number is not None]
            assert known == sorted(known) or figure.unit in {"p", "count"}, figure
            least, largest = RANGES.get(figure.unit, (None, None))
            assert least is None or all(number >= least for number in known), figure
            assert largest is None or all(number <= largest for number in known), figure


@ALL
def test_a_sentence_has_its_numbers_as_values(kind: str) -> None:
    for block in blocks_of(document_of(kind)):
        for text in sentences_of(block):
            own = _PLACE.sub("", text.text)
            assert not re.search(r"\d", own), own
            assert set(_PLACE.findall(text.text)) == {f"{{{name}}}" for name in text.values}


@ALL
def test_foreign_texts_are_values_and_never_templates(kind: str) -> None:
    for block in blocks_of(document_of(kind)):
        for text in sentences_of(block):
            assert not set("\x1b\u202e\r\n") & set(text.text)
            assert filled(text.text, text.values) == str(text)


@ALL
def test_a_row_has_a_cell_for_each_column(kind: str) -> None:
    for block in blocks_of(document_of(kind)):
        if isinstance(block, Table):
            for line in block.rows:
                assert len(line.cells) == len(block.columns)
                assert len(line.states) in {0, len(block.columns)}
                assert all(0 < place < len(block.columns) for place in line.marked)
            assert block.mark or not any(line.marked for line in block.rows)


@ALL
def test_figures_of_a_block_have_different_names(kind: str) -> None:
    for block in blocks_of(document_of(kind)):
        if isinstance(block, Figures):
            names = Counter(figure.name for figure in block.figures)
            assert max(names.values(), default=1) == 1, names


def loses_meaning(section: Section) -> bool:
    """Whether a counterexample of the section came back with another meaning."""
    return any(
        isinstance(block, Counterexample) and block.loses_meaning for block in section.blocks
    )


@ALL
def test_each_suite_stands_once_the_worst_first_under_its_id(kind: str) -> None:
    analysis = analysis_of(kind)
    sections = suites_of(document_of(kind))
    by_number = {judgement.gate.number: judgement for judgement in analysis.judgements}
    assert sorted(section.suite.number for section in sections if section.suite) == sorted(
        by_number
    )
    for section in sections:
        assert section.suite is not None
        judgement = by_number[section.suite.number]
        assert section.title == judgement.gate.name
        assert section.state == STATES[judgement.verdict]
    places = [
        (STATES_WORST_FIRST.index(section.state or "no gate"), not loses_meaning(section))
        for section in sections
    ]
    assert places == sorted(places)
    rows = [row.state for row in analysis.matrix.rows]
    assert rows == sorted(rows, key=STATES_WORST_FIRST.index)


@ALL
def test_sections_stand_in_the_order_of_every_screen(kind: str) -> None:
    names = [section.name for section in document_of(kind).sections]
    order = (*made.names_in_order(), "notes", "next steps")
    assert names == sorted(names, key=order.index)
    assert names[0] == "verdict"


def test_a_section_of_a_users_own_stands_before_the_notes() -> None:
    sections = [Section(name=name) for name in ("next steps", "mine", "notes", "suite", "verdict")]
    assert [section.name for section in made.in_order(sections)] == [
        "verdict",
        "suite",
        "mine",
        "notes",
        "next steps",
    ]


@ALL
def test_quiet_shows_what_did_not_pass_and_nothing_else_of_a_suite(kind: str) -> None:
    analysis = analysis_of(kind)
    by_number = {judgement.gate.number: judgement for judgement in analysis.judgements}
    for section in suites_of(document_of(kind)):
        assert section.suite is not None
        judgement = by_number[section.suite.number]
        for block in section.blocks:
            assert isinstance(block, Verdict) or block.level != "quiet"
        shown = section.level == "quiet"
        assert shown == (not judgement.passes) or section.level == "verbose"
        verdicts = [block for block in section.blocks if isinstance(block, Verdict)]
        reasons = [block.what or "threshold" for block in verdicts if block.level == "quiet"]
        assert reasons == [gate.kind for gate in judgement.gates if gate.verdict not in STANDS]


@ALL
def test_the_most_frequent_kind_of_failure_comes_first(kind: str) -> None:
    for section in suites_of(document_of(kind)):
        shown = [block for block in section.blocks if isinstance(block, Counterexample)]
        ranks = [(-example.samples, not example.loses_meaning) for example in shown]
        assert ranks == sorted(ranks)
        assert [example.level for example in shown] == ["default", *["verbose"] * len(shown)][
            : len(shown)
        ]


def test_the_most_frequent_failure_is_what_is_reproduced() -> None:
    judged = document_of("with_failures")
    failed = suites_of(judged)[0]
    first, *others = [block for block in failed.blocks if isinstance(block, Counterexample)]
    assert (first.outcome, first.samples, first.loses_meaning) == ("unparseable", 9, False)
    assert [(other.outcome, other.samples) for other in others] == [("copied", 5), (FAIL, 3)]
    steps = [block for block in judged.sections[-1].blocks if isinstance(block, Command)]
    assert [(step.purpose, step.command) for step in steps] == [("reproduce", first.command)]
    lost = others[-1]
    assert filled(lost.history, lost.values) == (
        "nothing smaller was found in 9 round trips; fails 2 of 2 times; no smaller variant fails"
    )
    assert lost.values["tries"] == Figure("asked again", 2, "count")


def figure(section: Section, name: str) -> Figure:
    (found,) = (
        figure
        for block in section.blocks
        if isinstance(block, Figures)
        for figure in block.figures
        if figure.name == name
    )
    return found


def test_the_figures_of_a_suite_are_numbers_under_one_name() -> None:
    section = suites_of(document_of("with_failures"))[0]
    rate = figure(section, "pass rate")
    assert (rate.value, rate.upper, rate.n) == (40 / 58, 41 / 58, 58)
    counts = {
        name: figure(section, name).value
        for name in ("samples", "passed", "failed", "undecided", "errors")
    }
    assert counts == {"samples": 58, "passed": 40, "failed": 17, "undecided": 1, "errors": 0}
    assert (figure(section, "copied").value, figure(section, "leaked").value) == (5, 53)
    assert figure(section, "threshold").value == 0.9


def test_the_rate_in_a_reason_is_that_of_the_gate() -> None:
    analysis = RUNS["with_failures"]()
    gate = analysis.gates[0]
    values = gate.explanation.values
    interval = values["interval"]
    rate = values["rate"]
    assert isinstance(rate, Figure)
    assert isinstance(interval, Figure)
    assert (rate.value, rate.upper) == (gate.rate.lower, gate.rate.upper)
    assert (rate.value, interval.low, interval.high) == gate.shown


def test_models_stand_across_and_a_worse_one_is_marked() -> None:
    (matrix,) = (
        section for section in document_of("five_models").sections if section.name == "suites"
    )
    table = matrix.blocks[0]
    assert isinstance(table, Table)
    groups = list(dict.fromkeys(column.group for column in table.columns[1:]))
    assert sorted(groups) == [f"lab/model-{place}" for place in range(5)]
    assert [row.cells[0] for row in table.rows] == [KSAT, REGEX, "mean"]
    assert [row.total for row in table.rows] == [False, False, True]
    worst = next(
        place for place, column in enumerate(table.columns) if column.group == "lab/model-4"
    )
    assert all(worst in row.marked for row in table.rows[:2])
    assert all(row.states[worst] == "failed" for row in table.rows[:2])


def test_of_many_suites_that_passed_few_are_shown_and_only_what_needs_attention() -> None:
    shown = [
        section for section in suites_of(document_of("many_suites")) if section.level != "verbose"
    ]
    assert len(shown) == 4
    for section in shown:
        blocks = [block for block in section.blocks if block.level != "verbose"]
        assert all(isinstance(block, Figures | Note) for block in blocks)
        assert any("few" in str(block) or "only {samples}" in str(block) for block in blocks)


def test_suites_that_never_started_are_one_note() -> None:
    judged = document_of("interrupted")
    (matrix,) = (section for section in judged.sections if section.name == "suites")
    table, note, *_ = matrix.blocks
    assert isinstance(table, Table)
    assert isinstance(note, Note)
    assert [row.cells[0] for row in table.rows if row.level == "verbose"] == [
        KSAT.replace("ksat", "first_order").replace("round_trip", "english_names[all]")
    ]
    assert filled(note.text, note.values) == "1 suite was not run"
    assert [section.level for section in suites_of(judged)] == ["verbose", "quiet", "default"]


def test_the_purposes_of_calls_are_a_table_of_figures() -> None:
    (calls,) = (
        section for section in document_of("costs_of_syntax").sections if section.name == "calls"
    )
    (table,) = (block for block in calls.blocks if isinstance(block, Table))
    names = [column.name for column in table.columns]
    assert names == [
        "purpose",
        "calls",
        "replayed",
        "tokens in",
        "tokens out",
        "reasoning tokens",
        "cost",
    ]
    assert [row.cells[0] for row in table.rows] == ["samples", "blame"]


def test_what_syntax_costs_is_a_difference_with_an_interval() -> None:
    (notes,) = (
        section for section in document_of("costs_of_syntax").sections if section.name == "notes"
    )
    (note,) = notes.blocks
    assert isinstance(note, Note)
    assert note.values["difference"] == Figure("difference", 0.4, "points", n=20)
    assert filled(note.text, note.values).endswith(
        "50.0 % free, 90.0 % constrained, 20 formulas; unparseable 10 and 0"
    )


def test_a_suite_without_samples_has_a_section_with_the_reason() -> None:
    empty = Extent(nothing="no formula has 99 operators")
    judged = document(analyse([], Rules(threshold=0.5), extents={(KSAT, STUDENT): empty}))
    (section,) = suites_of(judged)
    (verdict,) = (block for block in section.blocks if isinstance(block, Verdict))
    text = "no formula has 99 operators; the threshold 50 % is not met"
    assert (verdict.state, filled(verdict.text, verdict.values)) == ("failed", text)


def test_the_exit_code_is_that_of_the_run_if_it_is_given() -> None:
    analysis = RUNS["with_failures"]()
    assert (document(analysis).exit_code, document(analysis, exit_code=5).exit_code) == (1, 5)


def test_the_document_reads_samples_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run may have 100,000 samples: what needs all of them is counted once, with the summary of each suite."""
    analysis = analyse(suite([PASS] * 300 + [FAIL] * 50), Rules(threshold=0.9))
    counted: list[Any] = []
    item_of = item_groups.item_of

    def counting(sample: Sample) -> item_groups.Item:
        counted.append(sample)
        return item_of(sample)

    monkeypatch.setattr(item_groups, "item_of", counting)
    document(analysis)
    assert len(counted) <= len(analysis.samples)  # for the slices


def test_text_and_values_of_a_verdict_survive_as_data() -> None:
    judged = document_of("hostile")
    for section in judged.sections:
        for block in section.blocks:
            assert structs.replace(block, level=block.level) == block
