"""What is said of repeats and batches, and how repeats count in rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import stdev

import pytest
from support.analyses import analyse
from support.result_rows import changed, row, suites_of
from support.screens import texts

from pytest_autoeval.features.repeats import (
    batches_by_size,
    blocks_of_repeats,
    compliance_by_size,
    over_batches,
    repeats_by_size,
    repeats_of,
)
from pytest_autoeval.judging.item_groups import by_item
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suite_judgement import judge_suite
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.blocks import Curve
from pytest_autoeval.report.suite_summary import SuiteSummary, summarise

OUTCOMES = {"1": "equivalent", "0": "different", "?": "undecided", "!": "error"}


def run(formulas: Mapping[str, str] | Sequence[str], size: int = 2) -> list[Sample]:
    """A row for each trial of each formula: ``1`` passes, ``0`` fails, ``?`` is undecided, ``!`` ends in an error."""
    trials = (
        formulas
        if isinstance(formulas, Mapping)
        else {f"p{n}": summed_up for n, summed_up in enumerate(formulas)}
    )
    return [
        row(OUTCOMES[sign], formula=formula, index=index, repeat=repeat, operators=size)
        for index, (formula, summed_up) in enumerate(trials.items())
        for repeat, sign in enumerate(summed_up)
    ]


def summary(rows: Sequence[Sample]) -> SuiteSummary:
    (suite,) = suites_of(rows)
    return summarise(suite, judge_suite(suite, Rules()))


def test_any_and_all_of_several_trials_and_their_spread() -> None:
    repeats = repeats_of(by_item(run(["111", "110", "000", "100"])))
    assert repeats is not None
    assert (repeats.number, repeats.formulas) == (3, 4)
    assert repeats.any_passes == 3 / 4
    assert repeats.all_pass == 1 / 4
    # The spread is that of all first, all second and all third trials.
    assert repeats.over_repeats.count == 3
    assert repeats.over_repeats.mean == pytest.approx(0.5)
    assert repeats.over_repeats.deviation == pytest.approx(0.25)


def test_formulas_that_lack_a_trial_are_left_out_of_any_and_all() -> None:
    repeats = repeats_of(by_item(run(["11", "1!", "00"])))
    assert repeats is not None
    assert (repeats.number, repeats.formulas, repeats.any_passes) == (2, 2, 0.5)


def test_batches_are_tenths_of_each_size() -> None:
    rows = run(["1"] * 15 + ["0"] * 5, size=1) + run(["1"] * 10, size=3)
    batches = over_batches(by_item(rows))
    assert batches is not None
    # Of each batch two formulas are of size 1 and one of size 3: seven and a half batches of size 1 pass.
    rates = [3 / 3] * 7 + [2 / 3] + [1 / 3] * 2
    assert batches.count == 10
    assert batches.mean == pytest.approx(sum(rates) / 10)


#: Sizes 1 and 3 with three trials of each formula, and size 5 whose second and third trials ended in errors.
THREE_SIZES = [*run(["111", "110", "100", "000"], 1), *run(["1??", "000"], 3), *run(["1!!"], 5)]


def test_repeats_have_a_spread_at_every_size_with_several_rates() -> None:
    spreads = repeats_by_size(by_item(THREE_SIZES))
    assert list(spreads) == [1, 3]
    assert spreads[1].deviation == pytest.approx(stdev([3 / 4, 2 / 4, 1 / 4]))
    # Undecided trials did not pass.
    assert spreads[3].deviation == pytest.approx(stdev([1 / 2, 0.0, 0.0]))
    assert {spread.count for spread in spreads.values()} == {3}


def test_so_has_syntactic_compliance() -> None:
    rows = [changed(one, compliant=one.repeat == 0 or one.index == 0) for one in THREE_SIZES]
    spreads = compliance_by_size(by_item(rows))
    assert spreads[1].deviation == pytest.approx(stdev([1.0, 1 / 4, 1 / 4]))
    assert spreads[3].deviation == pytest.approx(stdev([1.0, 1 / 2, 1 / 2]))
    tasks = [changed(one, compliant=None) for one in THREE_SIZES]
    assert not compliance_by_size(by_item(tasks))


def test_batches_have_a_spread_at_every_size_with_ten_formulas() -> None:
    rows = [
        *run(["1"] * 15 + ["0"] * 5, 1),
        *run(["1", "0"] * 4 + ["1"], 2),
        *run(["1"] * 7 + ["0"] * 3, 3),
    ]
    spreads = batches_by_size(by_item(rows))
    assert list(spreads) == [1, 3]
    assert spreads[1].deviation == pytest.approx(stdev([1.0] * 7 + [0.5] + [0.0] * 2))
    assert spreads[3].deviation == pytest.approx(stdev([1.0] * 7 + [0.0] * 3))


def test_the_deviations_by_size_are_one_curve() -> None:
    (curve,) = [
        block for block in blocks_of_repeats(summary(THREE_SIZES)) if isinstance(block, Curve)
    ]
    assert (curve.title, curve.over, curve.unit, curve.level) == (
        *("standard deviation by size", "operators"),
        *("rate", "verbose"),
    )
    assert [series.name for series in curve.series] == ["pass rate over repeats"]
    assert [(point.x, point.n) for point in curve.series[0].points] == [(1, 3), (3, 3)]
    assert curve.series[0].points[0].value == pytest.approx(0.25)


@pytest.mark.parametrize("rows", [run(["11", "00"], 1) + run(["11"], 3), run(["10", "11"], 1)])
def test_equal_rates_and_a_single_size_have_no_curve(rows: Sequence[Sample]) -> None:
    assert not [block for block in blocks_of_repeats(summary(rows)) if isinstance(block, Curve)]


def test_a_formula_that_is_asked_again_tells_less_than_another() -> None:
    again, others = run(["11111", "00000"] * 8), run(["1", "0"] * 40)
    repeated, fresh = summary(again).whole.rate, summary(others).whole.rate
    assert (repeated.lower, repeated.total) == (fresh.lower, fresh.total)
    assert repeated.interval().low < fresh.interval().low
    assert repeated.interval().high > fresh.interval().high
    once = summary(run(["1", "0"] * 8)).whole.rate.interval()
    assert repeated.interval().low == pytest.approx(once.low)


def test_a_suite_shows_its_spread_in_two_lines() -> None:
    shown = texts(analyse(run(["111", "110", "000", "100"] * 3), Rules()))
    assert "    pass@3 75.0 % of 12; pass^3 25.0 % of 12; pass rate over repeats 50.0 % ±" in shown
    assert "    pass rate over batches 50.0 % ± 38.5 of 10" in shown
    assert not any(
        "pass@" in line or "batches" in line for line in texts(analyse(run(["1", "0"]), Rules()))
    )
