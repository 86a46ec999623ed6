"""The section about a baseline: which runs differ, how surely, and in what else."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from support.analyses import analyse, baseline_of
from support.result_rows import changed, row, suites_of
from support.sections import column, only, plain, tables, texts
from support.sentence_rows import sentence_row

from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample, SuiteEnd, SuiteRecord
from pytest_autoeval.report import analysis as analyses
from pytest_autoeval.report.blocks import Section
from pytest_autoeval.report.rates import rate
from pytest_autoeval.report.sections.baseline_comparison import comparison


def run(passed: int, total: int = 60, suite: str = "t.py::test_a", **changes: Any) -> list[Sample]:
    return [
        row(
            "equivalent" if n < passed else "different",
            index=n,
            formula=f"p{n}",
            suite=suite,
            model="m",
            **changes,
        )
        for n in range(total)
    ]


def compared(here: list[Sample], there: list[Sample], drop: float | None = 0.05) -> Section:
    rules = Rules(drop=drop)
    return only(
        comparison(analyse(here, rules, baseline=baseline_of(there), baseline_name="nightly.jsonl"))
    )


def test_without_a_baseline_there_is_no_section() -> None:
    assert not list(comparison(analyse(run(10), Rules())))


def test_each_suite_has_a_row_with_the_paired_difference() -> None:
    section = compared(run(30), run(60))
    table = tables(section)[""]
    (cells,) = [line.cells for line in table.rows]
    difference = cells[1]
    assert isinstance(difference, Figure)
    assert (difference.value, difference.unit, difference.n) == (-0.5, "points", 60)
    assert difference.low is not None
    assert difference.high is not None
    assert difference.low < -0.5 < difference.high < 0
    names = ("suite", "pairs", "won", "lost")
    assert [column(table, name)[0] for name in names] == ["t.py::test_a[m]", 60, 0, 30]
    assert table.rows[0].state == "failed"


def test_of_many_suites_those_that_stand_and_are_not_worse_are_shown_with_v_alone() -> None:
    suites = [f"t.py::test_{number}" for number in range(10)]
    here = [sample for suite in suites[1:] for sample in run(60, suite=suite)] + run(
        20, suite=suites[0]
    )
    there = [sample for suite in suites for sample in run(60, suite=suite)]
    table = tables(compared(here, there, drop=None))[""]
    shown = [line.cells[0] for line in table.rows if line.level == "default"]
    assert shown == ["t.py::test_0[m]"]
    assert len(table.rows) == 10


def test_several_suites_share_the_level_and_a_remark_says_so() -> None:
    here = [*run(60), *run(60, suite="t.py::test_b")]
    section = compared(here, here)
    assert "each interval is one of 95 %; p is corrected for 2 suites and the run" in texts(section)
    assert not [text for text in texts(compared(run(60), run(60))) if "corrected" in text]


def test_without_a_drop_nothing_is_judged_and_a_remark_names_the_option() -> None:
    shown = texts(compared(run(60), run(60), drop=None))
    assert (
        "compared, but not judged: --autoeval-fail-on=drop:5% fails a run for such a drop in points"
        in shown
    )


def test_a_suite_that_cannot_be_compared_says_why() -> None:
    section = compared([*run(60), *run(60, suite="t.py::test_new")], run(60), drop=None)
    assert (
        "t.py::test_new[m]: not compared: the baseline does not have this suite (renamed?)"
        in texts(section)
    )
    table = tables(section)[""]
    assert [cell is None for cell in column(table, "difference")] == [False, True]


def test_what_the_runs_asked_otherwise_is_said_once_for_all_suites() -> None:
    names = ("t.py::test_a", "t.py::test_b")
    here = [sample for name in names for sample in run(60, suite=name, vocabulary="verbose")]
    there = [sample for name in names for sample in run(60, suite=name)]
    flags = [text for text in texts(compared(here, there)) if "vocabulary differs" in text]
    assert flags == ["the vocabulary differs: verbose (baseline: synthetic)"]
    one = [*here[:60], *there[60:]]
    flags = [text for text in texts(compared(one, there)) if "vocabulary differs" in text]
    assert flags == ["t.py::test_a[m]: the vocabulary differs: verbose (baseline: synthetic)"]


def test_formulas_of_one_run_alone_are_counted_and_listed() -> None:
    section = compared(run(62, total=62), run(61, total=61)[3:])
    assert "not compared: 4 formulas only in this run, 0 formulas only in the baseline" in texts(
        section
    )
    listed = tables(section)["formulas in only one of the runs"]
    assert column(listed, "formula") == ["p0", "p1", "p2", "p61"]
    assert set(column(listed, "only in")) == {"this run"}


def test_the_agreement_of_answers_is_compared_too() -> None:
    def answers(second: str) -> list[Sample]:
        return [
            sentence_row(text, language="propositional", item=f"r{item}", index=item, repeat=at)
            for item in range(40)
            for at, text in enumerate(["p", second])
        ]

    analysis = analyse(answers("q"), Rules(agreement_drop=0.2), baseline=baseline_of(answers("p")))
    table = tables(only(comparison(analysis)))["answers in the largest class of their sentence"]
    assert column(table, "sentences") == [40]
    assert [plain(cell) for cell in column(table, "difference")] == [-0.5]
    assert table.rows[0].state == "failed"


def judged(right: int, total: int = 40) -> list[Sample]:
    """Answers to yes-or-no questions, of which some are right."""
    return [
        row(
            "correct" if n < right else "wrong answer",
            task="judge",
            index=n,
            formula=f"p{n}",
            expected=True,
            answered=n < right,
        )
        for n in range(total)
    ]


def test_figures_of_the_task_are_compared_where_both_have_an_interval() -> None:
    table = tables(compared(judged(10), judged(39)))["figures of both runs"]
    assert column(table, "figure") == ["accuracy"]
    assert [plain(cell) for cell in (*column(table, "this run"), *column(table, "baseline"))] == [
        10 / 40,
        39 / 40,
    ]
    assert table.rows[0].marked == (2,)
    assert table.rows[0].level == "default"
    unchanged = tables(compared(judged(38), judged(39)))["figures of both runs"]
    assert not unchanged.rows[0].marked
    assert unchanged.rows[0].level == "verbose"


def with_figures(suites: list[SuiteRecord], *figures: Figure) -> list[SuiteRecord]:
    for suite in suites:
        suite.end = SuiteEnd(suite=suite.number, figures=figures)
    return suites


@pytest.mark.parametrize(
    ("before", "listed"),
    [
        (rate("polite", 50, 60), True),
        (Figure("polite", 0.8, "rate"), False),
        (replace(rate("polite", 50, 60), unit="number"), False),
        (rate("other", 50, 60), False),
    ],
)
def test_figures_of_the_user_are_compared_by_name_and_unit(before: Figure, listed: bool) -> None:
    here = with_figures(suites_of(run(60)), rate("polite", 20, 60))
    fresh = [changed(sample, seed=1) for sample in run(60)]
    there = with_figures(suites_of(fresh), before)
    analysis = analyses.analyse(here, Rules(), baseline=Baseline(there))
    assert ("figures of both runs" in tables(only(comparison(analysis)))) == listed
    for suite in here:
        suite.end = None


def test_the_name_of_the_baseline_is_a_value() -> None:
    assert "the baseline is nightly.jsonl" in texts(compared(run(60), run(60)))
