"""The horizon of a suite: what is fitted, how it is shown, and what its gate says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from support.documented_summary import check
from support.result_rows import changed, row

from pytest_autoeval.reporting.analysis import Analysis, analyse
from pytest_autoeval.reporting.horizons import PassedBySize, asked_horizons, curves_of, horizon_lines, horizon_text
from pytest_autoeval.reporting.items import by_item
from pytest_autoeval.reporting.judging.agreement_gates import judge_horizon
from pytest_autoeval.reporting.judging.baseline import Baseline
from pytest_autoeval.reporting.judging.gates import Extent, Gate, Rules, StoppedEarly
from pytest_autoeval.reporting.judging.suites import SuiteJudgement, judge_suite
from pytest_autoeval.reporting.junit import properties
from pytest_autoeval.reporting.markdown import markdown
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.row_check import wrong_value
from pytest_autoeval.reporting.summary_json import suites_data, summary_text
from pytest_autoeval.reporting.terminal import render
from pytest_autoeval.statistics.horizon import Curve, Horizon

ASKED = {"0.9": 4, "0.5": 6}


def run(
    failed: Callable[[int, int], bool], *, sizes: Sequence[int] = range(13), each: int = 20, **more: Any
) -> list[Row]:
    """Formulas of each size; of those of a size, by their number, some fail."""
    return [
        row(
            "different" if failed(size, number) else "equivalent",
            operators=size,
            index=number,
            formula=f"p{size}_{number}",
            measures={"operators": size, "depth": size // 2, "quantifiers": 1},
            **more,
        )
        for size in sizes
        for number in range(each)
    ]


def harder(size: int, number: int) -> bool:
    """All but a few pass up to size 4; half pass at 8; at 12 nearly none."""
    return number < 20 * max(0.0, min(1.0, (size - 4) / 8))


def judged(rows: list[Row], rules: Rules | None = None, **more: Any) -> SuiteJudgement:
    return judge_suite(rows, rules or Rules(), **more)


def text_of(rows: list[Row], **more: Any) -> str:
    return "\n".join(line.text for line in render(analyse(rows, Rules()), **more))


def horizon(value: float | None, low: float | None, high: float | None, bound: Any = "") -> Horizon:
    return Horizon(0.9, value, low, high, bound, 1.0, 40.0)


INSIDE, WIDE, OPEN = horizon(14.24, 12.6, 16.1), horizon(14.24, 6.0, 22.0), horizon(14.24, None, None)
ABOVE, BARELY = horizon(None, 40.0, None, "above"), horizon(None, 30.2, None, "above")
BELOW, NEARLY = horizon(None, None, 1.0, "below"), horizon(None, None, 3.1, "below")


@pytest.mark.parametrize(
    ("shown", "unit", "text"),
    [
        (INSIDE, "operators", "14.2 operators (12.6–16.1)"),
        (INSIDE, "", "14.2 (12.6–16.1)"),
        (OPEN, "temporal_depth", "temporal depth not known"),
        (OPEN, "operators", "not known"),
        (ABOVE, "operators", "> 40 operators"),
        (BARELY, "depth", "depth > 40 (30.2–…)"),
        (BELOW, "operators", "< 1 operators"),
        (NEARLY, "", "< 1 (…–3.1)"),
    ],
)
def test_a_horizon_is_shown_with_what_is_known_of_it(shown: Horizon, unit: str, text: str) -> None:
    assert horizon_text(shown, unit) == text


def test_the_noise_of_a_sum_does_not_set_the_last_digit() -> None:
    assert horizon_text(horizon(1.6, 0.7499999999999999, 2.75)) == horizon_text(horizon(1.6, 0.75, 2.75))


def test_a_number_shows_on_which_side_of_another_it_lies() -> None:
    assert horizon_text(horizon(9.98, 9.0, 10.02), "operators", beside=10) == "9.98 operators (9.0–10.0)"


@pytest.mark.parametrize(
    ("found", "asked", "by_point", "by_interval"),
    [
        (INSIDE, 10, "passed", "passed"),
        (INSIDE, 14, "passed", "inconclusive"),
        (INSIDE, 15, "failed", "inconclusive"),
        (INSIDE, 17, "failed", "failed"),
        (OPEN, 2, "inconclusive", "inconclusive"),
        (ABOVE, 10, "passed", "passed"),
        (ABOVE, 40, "passed", "passed"),
        (ABOVE, 41, "inconclusive", "inconclusive"),
        (BARELY, 10, "passed", "passed"),
        (BARELY, 35, "passed", "inconclusive"),
        (BELOW, 1, "failed", "failed"),
        (BELOW, 0, "inconclusive", "inconclusive"),
        (NEARLY, 2, "failed", "inconclusive"),
        (NEARLY, 4, "failed", "failed"),
    ],
)
def test_the_rule_point_judges_the_horizon_and_the_rule_interval_its_interval(
    found: Horizon, asked: float, by_point: str, by_interval: str
) -> None:
    curve = Curve("logistic", "linear", 0.5, 0.0, 400, (found,), ())
    for rule, verdict in (("point", by_point), ("interval", by_interval)):
        gate = Gate(suite="s", model="m", samples=400, passed=300, rule=rule)  # type: ignore[arg-type]
        answer = judge_horizon(gate, {0.9: asked}, curve, "operators")
        assert answer.verdict == verdict, answer.reason
        assert re.search(rf"required {asked}|at least {asked} is required", answer.reason)


def test_what_would_decide_is_named_roughly() -> None:
    gate = Gate(suite="s", model="m", samples=400, passed=300, rule="interval")
    reasons = {}
    for asked in (10.24, 50):
        curve = Curve("logistic", "linear", 0.5, 0.0, 400, (WIDE,), ())
        reasons[asked] = judge_horizon(gate, {0.9: asked}, curve, "operators").reason
    # The interval reaches 8.24 below, and has to reach 4 at most: (8.24 / 4)² times as many formulas.
    assert reasons[10.24].endswith("lies within the interval; about 1,698 formulas would decide")
    assert "below the required 50" in reasons[50]
    beyond = Curve("logistic", "linear", 0.5, 0.0, 400, (BARELY,), ())
    assert "only sizes from 1 to 40 were drawn" in judge_horizon(gate, {0.9: 50}, beyond, "operators").reason


def test_the_gate_stands_beside_that_of_the_threshold() -> None:
    rows = run(harder, horizon_gate=ASKED, threshold=0.5)
    judgement = judged(rows)
    assert (judgement.gate.verdict, judgement.verdict) == ("passed", "passed")
    strict = [changed(one, horizon_gate={"0.5": 11}) for one in rows]
    judgement = judged(strict)
    assert (judgement.gate.verdict, judgement.verdict, judgement.passes) == ("passed", "failed", False)
    (reason,) = judgement.reasons
    assert reason.startswith("horizon 50 %: 7.7 ")
    assert reason.endswith("is below the required 11")
    analysis = analyse(strict, Rules())
    assert analysis.headline == "the suite failed"
    table, _, why = markdown(analysis).partition("### Why")
    assert "| threshold | horizon 50 % (95 %) |" in table
    assert "| 50 % | 7.7 (7." in table
    assert "| ✗ | `suites" in table
    shown = "\n".join(line.text for line in render(analysis))
    assert re.search(r"\n✗ suites/test_propositional.py::test_round_trip\n    horizon 50 %: 7.7 .*is below", shown)
    assert "horizon 50 %: 7.7 " in why


def test_where_no_curve_can_be_fitted_nothing_passes() -> None:
    judgement = judged(run(lambda *_: False, sizes=[1, 2], each=30, horizon_gate={"0.9": 0}))
    assert judgement.verdict == "inconclusive"
    assert judgement.reasons == ["no horizon can be fitted: that needs at least 20 formulas of at least three sizes"]


def test_undecided_samples_do_not_count_as_passed() -> None:
    rows = run(harder)
    undecided = [changed(one, outcome="undecided", code="AE106") if not one.passed else one for one in rows]
    assert judged(rows).curve == judged(undecided).curve


@pytest.mark.parametrize(
    ("rows", "extent", "verdict", "reason"),
    [
        (run(harder), Extent(planned=300), "interrupted", "interrupted"),
        (run(harder), Extent(planned=300, spent="the budget is spent"), "inconclusive", "interrupted"),
        (run(harder), Extent(part="2/5"), "reported", "part 2/5; `report` judges all parts together"),
        (
            run(harder),
            Extent(stopped_early=StoppedEarly(verdict="passed", ran=260, planned=400)),
            "inconclusive",
            "stopped early",
        ),
        ([*run(harder)[1:], row("error", operators=12, error="gone")], Extent(), "failed", "ended in an error"),
    ],
)
def test_what_did_not_run_whole_has_no_verdict(rows: list[Row], extent: Extent, verdict: str, reason: str) -> None:
    gate = judged([changed(one, horizon_gate={"0.5": 1}) for one in rows], extent=extent).horizon
    assert gate is not None
    assert gate.verdict == verdict
    assert reason in gate.reason


def test_of_files_that_were_put_together_the_strictest_counts() -> None:
    rows = [row(horizon_gate={"0.9": 4}), row(horizon_gate={"0.9": 6, "0.5": 8}), row()]
    assert asked_horizons(rows) == {0.5: 8, 0.9: 6}


def test_keys_of_a_gate_are_levels() -> None:
    good = row(horizon_gate={"0.9": 4, "0.5": 2.5}).to_json()
    assert not wrong_value(json.loads(json.dumps(good)))
    for key in ("ninety", "0", "1", "nan"):
        assert "not a level" in wrong_value(json.loads(json.dumps(good | {"horizon_gate": {key: 4}})))
    assert "horizon_gate is" in wrong_value(json.loads(json.dumps(good | {"horizon_gate": {"0.9": "4"}})))


def test_a_row_of_an_impossible_adaptive_design_is_refused() -> None:
    design = {"sizes": [0, 3], "most": 80, "calls": None, "precision": 0.1, "levels": [0.5]}
    assert wrong_value(json.loads(json.dumps(row(adaptive=design).to_json()))) == ""
    impossible: list[dict[str, Any]]
    impossible = [{"sizes": []}, {"sizes": [-1, 3]}, {"levels": []}, {"levels": [1]}, {"precision": 0}]
    for change in impossible:
        assert "adaptive lacks" in wrong_value(json.loads(json.dumps(row().to_json() | {"adaptive": design | change})))


def test_a_level_that_only_the_gate_asks_about_is_reported_too() -> None:
    judgement = judged(run(harder, horizon_gate={"0.95": 2}))
    assert judgement.curve is not None
    assert [one.level for one in judgement.curve.horizons] == [0.5, 0.8, 0.9, 0.95]


def test_other_measures_that_a_suite_varies_have_curves() -> None:
    rows = run(harder)
    assert list(curves_of(rows, "operators")) == ["operators", "depth"]
    lines = text_of(rows, verbosity=1, width=100)
    assert "horizon 50 % of other measures: depth 3." in lines


def test_the_horizon_is_a_column_and_a_gated_or_verbose_one_has_a_line() -> None:
    rows = run(lambda *_: False)
    assert re.search(r"pass rate \(95 %\) +n  horizon 50 %\n.* > 12\n", text_of(rows))
    assert "horizon 50 %:" not in text_of(rows)
    assert "horizon 50 %: > 12 operators" in text_of(rows, verbosity=1)
    assert "horizon 50 %: > 12 operators, 90 %: > 12" in text_of([changed(one, horizon_gate=ASKED) for one in rows])
    assert re.search(r"260  7\.7 \(\d", text_of(run(harder)))


def test_properties_and_json_have_the_horizon() -> None:
    rows = run(harder, horizon_gate=ASKED)
    found = dict(properties(judged(rows), []))
    assert 7.0 < float(found["autoeval.horizon_50_low"]) < float(found["autoeval.horizon_50"]) < 8.5
    assert found["autoeval.horizon_verdict"] == "passed"
    found = dict(properties(judged(run(lambda *_: False)), []))
    assert "autoeval.horizon_50" not in found
    assert found["autoeval.horizon_50_bound"] == "above 12"
    analysis = analyse(rows, Rules())
    check(json.loads(summary_text(analysis, 0)))
    (suite,) = suites_data(analysis)
    assert suite["horizon"] == suite["curves"][0]["horizon"]
    assert [one["measure"] for one in suite["curves"]] == ["operators", "depth"]
    assert suite["horizon_gate"]["asked"] == {"0.5": 6, "0.9": 4}
    assert Analysis().every_gate == []


def weaker(size: int, number: int) -> bool:
    """As `harder`, three sizes earlier."""
    return harder(size + 3, number)


def fallen(now: list[Row], before: list[Row], **more: Any) -> SuiteJudgement:
    return judged(now, Rules(horizon=0.1), baseline=Baseline(before), **more)


def test_a_horizon_that_fell_fails_and_one_that_did_not_passes() -> None:
    judgement = fallen(run(weaker), run(harder))
    assert judgement.verdict == "failed"
    assert judgement.comparison is not None
    assert judgement.comparison.verdict == "reported", "no drop of the pass rate was asked about"
    assert judgement.reasons[0].startswith(
        "horizon against the baseline: significantly lower, and the fall may be 10 % or more, so the suite fails; "
        "horizon 50 %: before 7.7 operators (7."
    )
    assert fallen(run(harder), run(harder)).verdict == "passed"
    analysis = analyse(run(weaker), Rules(horizon=0.1), baseline=Baseline(run(harder)))
    check(json.loads(summary_text(analysis, 1)))
    (suite,) = suites_data(analysis)
    found = suite["comparison"]["horizon"]
    assert (found["verdict"], found["drop"]) == ("failed", 0.1)
    assert found["low"] < found["change"] < found["high"] < 0
    assert any(line.text.startswith("    horizon against the baseline: ") for line in render(analysis))
    assert dict(properties(judgement, []))["autoeval.horizon_drop_verdict"] == "failed"


@pytest.mark.parametrize(
    ("now", "before", "extent", "verdict", "reason"),
    [
        (run(harder), run(harder, sizes=[20, 21, 22]), Extent(), "inconclusive", "no formula in common"),
        (run(harder, each=1), run(harder, each=1), Extent(), "inconclusive", "needs at least 20 formulas"),
        (run(harder), run(harder), Extent(planned=300), "interrupted", "so that the suite cannot pass"),
        (run(harder), run(harder), Extent(planned=300, spent="the budget is spent"), "inconclusive", "budget ran out"),
    ],
)
def test_what_cannot_be_compared_does_not_pass(
    now: list[Row], before: list[Row], extent: Extent, verdict: str, reason: str
) -> None:
    fall = fallen(now, before, extent=extent).fall
    assert fall is not None
    assert fall.verdict == verdict
    assert reason in fall.reason


def guessed(size: int, number: int) -> bool:
    """Nearly all pass up to size 4; from 8 on half do, as by tossing a coin."""
    return number < (1 if size <= 4 else 4 if size <= 7 else 10)


def test_the_chance_in_the_rows_makes_the_horizon_lie_half_way_to_guesses() -> None:
    plain, asked = judged(run(guessed)).curve, judged(run(guessed, chance=0.5)).curve
    assert plain is not None
    assert asked is not None
    assert (plain.chance, asked.chance) == (0.0, 0.5)
    half = asked.horizon(0.5)
    assert half.value is not None
    assert 4 < half.value < 9
    assert half.rate == pytest.approx(0.73, abs=0.05)
    rows = run(guessed, chance=0.5)
    assert "horizon 50 % above guessing: " in text_of(rows)
    assert re.search(
        r"[\d.]+ % of easy formulas fail, [\d.]+ % pass by guessing",
        "".join(horizon_lines(asked, "", asked=(), verbose=True)),
    )
    data = json.loads(summary_text(analyse(rows, Rules()), exit_code=0))
    check(data)
    suite = data["suites"][0]
    assert suite["curves"][0]["guess"] == pytest.approx(0.5, abs=0.05)
    assert suite["horizon"]["50"]["rate"] == half.rate


@pytest.mark.parametrize("fails", [lambda size, number: number % 2 == size % 2, lambda *_: True], ids=["half", "all"])
def test_the_horizon_of_who_only_guesses_is_not_known_and_meets_no_gate(fails: Callable[[int, int], bool]) -> None:
    rows = run(fails, chance=0.5, horizon_gate={"0.5": 4})
    assert "horizon 50 % above guessing: not known" in text_of(rows)
    verdicts = [judged(rows, Rules(gate=rule)).verdict for rule in ("point", "interval")]
    assert verdicts == ["failed", "inconclusive"]


def test_a_curve_that_does_not_fall_has_no_horizon_on_any_surface() -> None:
    """Measured 75, 25, 25, 25 and 100 % by size: the curve is flat, and its crossing of 50 % shows nothing."""
    rows = run(lambda size, number: number < (1, 3, 3, 3, 0)[size], sizes=range(5), each=4, horizon_gate={"0.5": 2})
    analysis = analyse(rows, Rules())
    (judgement,) = analysis.judgements
    assert judgement.curve is not None
    assert judgement.curve.horizon(0.5).value is not None
    assert (judgement.verdict, judgement.reasons[-1]) == (
        "inconclusive",
        "horizon 50 %: not known, so the required 2 cannot be judged; more formulas are needed",
    )
    assert re.search(r" not known\n", text_of(rows))
    assert "horizon not known: it may lie at any size" in text_of(rows)
    assert " not known |" in markdown(analysis)
    (suite,) = suites_data(analysis)
    assert (suite["horizon"]["50"]["value"], suite["horizon"]["50"]["bound"]) == (None, "not known")
    found = dict(properties(judgement, []))
    assert ("autoeval.horizon_50" in found, found["autoeval.horizon_50_bound"]) == (False, "not known")


def test_formulas_with_several_numbers_of_candidates_have_their_mean_chance() -> None:
    rows = [changed(one, chance=0.2 if one.index % 2 else 0.25) for one in run(harder)]
    assert PassedBySize.of(by_item(rows)).chance == pytest.approx(0.225)


@pytest.mark.parametrize("chance", [-0.1, 1, 1.5])
def test_a_chance_that_is_none_is_refused_in_a_file(chance: float) -> None:
    assert f"chance is {chance}" in wrong_value(run(harder)[0].to_json() | {"chance": chance})


def test_markdown_says_which_horizons_are_above_guessing() -> None:
    assert " above guessing |" in markdown(analyse(run(guessed, chance=0.5), Rules()))
    assert "above guessing" not in markdown(analyse(run(harder), Rules()))
