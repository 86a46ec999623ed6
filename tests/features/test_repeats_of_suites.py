"""What is said of repeats and batches, and how repeats count in rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from support.analyses import analyse
from support.result_rows import row, suites_of
from support.screens import texts

from pytest_autoeval.features.repeats import over_batches, repeats_of
from pytest_autoeval.judging.items import by_item
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suites import judge_suite
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.suite_summary import SuiteSummary, summarise

OUTCOMES = {"1": "equivalent", "0": "different", "?": "undecided", "!": "error"}


def run(formulas: Mapping[str, str] | Sequence[str], size: int = 2) -> list[Sample]:
    """A row for each trial of each formula: ``1`` passes, ``0`` fails, ``?`` is undecided, ``!`` ends in an error."""
    trials = formulas if isinstance(formulas, Mapping) else {f"p{n}": summed_up for n, summed_up in enumerate(formulas)}
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
    assert not any("pass@" in line or "batches" in line for line in texts(analyse(run(["1", "0"]), Rules())))
