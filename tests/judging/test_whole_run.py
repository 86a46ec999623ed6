"""The verdict on a whole run: is the model worse than in the baseline, over all suites together?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from support.analyses import analyse, baseline_of, empty_suite
from support.result_rows import row

from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.item_groups import cluster_keys
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.whole_run import WholeRun
from pytest_autoeval.record.lines import Sample, SuiteEnd, SuiteRecord
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.record.task_parts import Given
from pytest_autoeval.report import analysis as analyses
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.statistics.clusters import cluster_numbers

DROP = Rules(drop=0.05)
SUITE_DROP = Rules(suite_drop=0.05)
BOTH = Rules(drop=0.05, suite_drop=0.2)
_OUTCOMES = {"1": "equivalent", "0": "different", "?": "undecided", "!": "error"}


def suite(
    name: str, passed: str, model: str = "m", formulas: str = "", repeats: int = 1, **asked: Any
) -> list[Sample]:
    """The samples of a suite, one for each sign: ``1`` passed, ``0`` failed, ``?`` undecided, ``!`` error.

    Suites with the same ``formulas`` ask about the same ones; by default each has its own. With ``repeats`` so many
    signs in turn are of one formula.
    """
    return [
        row(
            _OUTCOMES[sign],
            suite=f"t.py::{name}",
            model=model,
            index=number // repeats,
            repeat=number % repeats,
            formula=f"{formulas or name}{number // repeats}",
            **asked,
        )
        for number, sign in enumerate(passed)
    ]


def changed(lost: int, pairs: int, won: int = 0) -> tuple[str, str]:
    """The signs of this run and of the baseline: so many formulas were lost, so many won, and the others pass."""
    tied = pairs - lost - won
    return "0" * lost + "1" * (won + tied), "1" * lost + "0" * won + "1" * tied


def many(lost: Sequence[int], pairs: int, **more: Any) -> tuple[list[Sample], list[Sample]]:
    """This run and the baseline: for each number a suite of ``pairs`` formulas that lost so many."""
    after, before = [], []
    for number, of_suite in enumerate(lost):
        here, there = changed(of_suite, pairs)
        after += suite(f"test_{number:02}", here, **more)
        before += suite(f"test_{number:02}", there, **more)
    return after, before


def judged(
    after: Iterable[Sample], before: Iterable[Sample], rules: Rules = DROP, **options: Any
) -> Analysis:
    return analyse(after, rules, baseline=baseline_of(before), **options)


def only(analysis: Analysis) -> WholeRun:
    (run,) = analysis.whole_runs
    return run


def verdicts(analysis: Analysis) -> list[str]:
    """The verdicts on the suites, in the order of their names."""
    return [
        judgement.verdict
        for judgement in sorted(analysis.judgements, key=lambda one: one.gate.name)
    ]


# Green, red, and neither


@pytest.mark.parametrize(
    ("rules", "of_suites"), [(DROP, "with the run"), (Rules(suite_drop=0.1), "passed")]
)
def test_an_unchanged_run_passes(rules: Rules, of_suites: str) -> None:
    analysis = judged(*many([0] * 3, 100), rules)
    assert (analysis.verdict, analysis.exit_code) == ("passed", 0)
    assert only(analysis).verdict == "passed"
    assert verdicts(analysis) == [of_suites] * 3


def test_a_small_fall_in_every_suite_fails_the_run_and_no_suite() -> None:
    analysis = judged(*many([4] * 10, 100))
    run = only(analysis)
    assert (analysis.verdict, analysis.exit_code, run.verdict) == ("failed", 1, "failed")
    assert (run.fell, run.by_themselves, run.fell_over_all_suites) == (True, [], True)
    assert verdicts(analysis) == ["with the run"] * 10
    assert run.bounds is not None
    assert run.bounds.p_value == 0.5**40


def test_a_suite_that_falls_by_itself_fails_the_run_although_the_others_rose() -> None:
    after, before = many([0] * 4, 100)
    fallen, was = changed(15, 60)
    risen, low = changed(0, 100, won=20)
    after += suite("test_bad", fallen) + suite("test_good", risen)
    before += suite("test_bad", was) + suite("test_good", low)
    analysis = judged(after, before)
    run = only(analysis)
    assert (analysis.verdict, run.verdict, run.fell, run.fell_over_all_suites) == (
        "failed",
        "failed",
        False,
        False,
    )
    assert [gate.suite for gate in run.by_themselves] == ["t.py::test_bad"]
    assert verdicts(analysis) == [*["with the run"] * 4, "failed", "with the run"]


def test_the_suites_that_fell_stand_in_the_order_of_what_they_lost() -> None:
    run = only(judged(*many([12, 0, 30, 20], 60)))
    assert run.fell
    assert [gate.suite[-2:] for gate in run.by_themselves] == ["02", "03", "00"]


def test_a_significant_fall_fails_also_if_it_is_smaller_than_the_drop_in_question() -> None:
    run = only(judged(*many([1] * 20, 200)))
    assert run.verdict == "failed"
    assert run.bounds is not None
    assert run.bounds.excludes(0.05)
    assert "by less than 5 points" in run.reason


@pytest.mark.parametrize("rules", [DROP, SUITE_DROP, BOTH])
def test_few_pairs_are_inconclusive(rules: Rules) -> None:
    analysis = judged(*many([0] * 3, 10), rules)
    assert (analysis.verdict, analysis.exit_code, only(analysis).verdict) == (
        "inconclusive",
        10,
        "inconclusive",
    )


def test_without_a_drop_to_fail_on_nothing_is_judged() -> None:
    analysis = judged(*many([20] * 3, 60), Rules())
    assert (analysis.verdict, analysis.exit_code, only(analysis).verdict) == (
        "reported",
        0,
        "reported",
    )


def test_without_a_baseline_there_is_no_verdict_over_pairs() -> None:
    assert analyse(suite("test_a", "1" * 9), Rules()).whole_runs == []


def test_a_threshold_fails_a_suite_of_a_run_that_did_not_fall() -> None:
    after = suite("test_a", "1" * 100 + "0" * 100) + suite("test_b", "1" * 200)
    analysis = judged(after, after, structs.replace(DROP, threshold=0.9))
    assert (analysis.verdict, only(analysis).verdict) == ("failed", "passed")
    assert verdicts(analysis) == ["failed", "passed"]


# The drop in each suite


@pytest.mark.parametrize(
    ("lost", "pairs", "rules", "verdict"),
    [
        ([0, 0, 0], 100, SUITE_DROP, "passed"),
        ([0, 2, 0], 100, SUITE_DROP, "inconclusive"),  # one suite is open
        ([0, 2, 0], 100, DROP, "passed"),  # together it is excluded
        ([0, 2, 0], 100, BOTH, "passed"),
        ([0, 0, 0], 18, BOTH, "inconclusive"),  # 54 pairs do not exclude five points
        ([0, 0, 9], 100, SUITE_DROP, "failed"),
        ([4] * 10, 100, SUITE_DROP, "failed"),  # the run as a whole fails with either rule
    ],
)
def test_the_drop_of_each_suite(lost: list[int], pairs: int, rules: Rules, verdict: str) -> None:
    analysis = judged(*many(lost, pairs), rules)
    assert (analysis.verdict, only(analysis).verdict) == (verdict, verdict)


def test_one_open_suite_keeps_the_run_open_although_the_drop_over_all_pairs_is_excluded() -> None:
    after, before = many([0] * 4, 100)
    after, before = after + suite("test_short", "1" * 10), before + suite("test_short", "1" * 10)
    assert judged(after, before, DROP).verdict == "passed"
    both = judged(after, before, BOTH)
    assert both.verdict == "inconclusive"
    assert verdicts(both) == [*["passed"] * 4, "inconclusive"]


# Not all of the run is there


def test_an_interrupted_suite_interrupts_the_run() -> None:
    after, before = many([0] * 3, 100)
    analysis = judged(after, before, extents={("t.py::test_01", "m"): Extent(planned=200)})
    assert (analysis.verdict, analysis.exit_code, only(analysis).verdict) == (
        "interrupted",
        2,
        "interrupted",
    )


def test_an_interrupted_run_that_fell_over_all_suites_is_not_judged() -> None:
    """The suites that ran may be those that fell."""
    after, before = many([4] * 10, 100)
    run = only(judged(after, before, extents={("t.py::test_never", "m"): Extent(interrupted=True)}))
    assert (run.verdict, run.fell, run.judged) == ("interrupted", True, False)


def test_a_suite_that_fell_by_itself_fails_an_interrupted_run() -> None:
    """So it is after ``-x``: the other suites never started."""
    after, before = many([20], 60)
    never = {(f"t.py::test_{number}", "m"): Extent(interrupted=True) for number in range(3)}
    analysis = judged(after, before, extents=never, suites=4)
    assert (analysis.verdict, analysis.exit_code, only(analysis).verdict) == ("failed", 1, "failed")


def test_a_file_that_could_not_be_collected_interrupts_the_run() -> None:
    analysis = structs.replace(judged(*many([0] * 3, 100)), not_collected=("test_c.py",))
    assert (analysis.verdict, only(analysis).verdict) == ("interrupted", "interrupted")


LIMIT = "--autoeval-max-calls=10 is used up"


@pytest.mark.parametrize("lost", [0, 4])
def test_a_budget_that_ran_out_leaves_the_run_open(lost: int) -> None:
    after, before = many([lost] * 10, 100)
    analysis = judged(
        after, before, extents={("t.py::test_01", "m"): Extent(planned=200, spent=LIMIT)}
    )
    assert (analysis.verdict, analysis.exit_code, only(analysis).verdict) == (
        "inconclusive",
        10,
        "inconclusive",
    )


@pytest.mark.parametrize("lost", [0, 4])
def test_so_does_one_that_left_a_suite_without_samples(lost: int) -> None:
    after, before = many([lost] * 10, 100)
    extents = {("t.py::test_late", "m"): Extent(planned=100, spent=LIMIT)}
    analysis = judged(after, [*before, *suite("test_late", "1" * 100)], extents=extents)
    assert (analysis.verdict, only(analysis).verdict) == ("inconclusive", "inconclusive")
    assert [gate.suite for gate in only(analysis).doubtful] == ["t.py::test_late"]


def test_a_budget_that_ran_out_in_a_new_suite_says_nothing_of_the_others() -> None:
    after, before = many([0] * 3, 100)
    extents = {("t.py::test_new", "m"): Extent(planned=100, spent=LIMIT)}
    analysis = judged(after, before, extents=extents)
    assert (analysis.verdict, only(analysis).verdict) == ("inconclusive", "passed")


def test_a_suite_that_was_stopped_early_leaves_the_run_open() -> None:
    after, before = many([0] * 3, 100)
    stopped = Stopped(verdict="passed", ran=100, planned=400)
    extents = {("t.py::test_01", "m"): Extent(planned=400, stopped_early=stopped)}
    assert only(judged(after, before, extents=extents)).verdict == "inconclusive"


@pytest.mark.parametrize("rules", [DROP, SUITE_DROP, Rules(drop=0.05, agreement_drop=0.1)])
def test_a_part_of_a_run_is_not_judged_nor_are_its_suites(rules: Rules) -> None:
    after, before = many([30] * 3, 60)
    extents = {(f"t.py::test_{number:02}", "m"): Extent(part="1/3") for number in range(3)}
    analysis = judged(after, before, rules, extents=extents)
    assert (analysis.verdict, analysis.exit_code, only(analysis).verdict) == (
        "reported",
        0,
        "reported",
    )
    assert verdicts(analysis) == ["reported"] * 3
    assert "`report` judges all parts together" in only(analysis).reason


# Suites without a partner


@pytest.mark.parametrize("rules", [DROP, Rules(suite_drop=0.1)])
def test_a_new_suite_is_named_and_does_not_block_a_pass(rules: Rules) -> None:
    after, before = many([0] * 3, 100)
    analysis = judged([*after, *suite("test_new", "0" * 100)], before, rules)
    run = only(analysis)
    assert (analysis.verdict, run.verdict) == ("passed", "passed")
    assert [gate.suite for gate in run.new] == ["t.py::test_new"]
    assert "test_new" in run.reason
    assert "the baseline does not have this suite" in run.new[0].reason


def test_a_suite_that_is_gone_is_named_and_does_not_block_a_pass() -> None:
    after, before = many([0] * 3, 100)
    analysis = judged(after, [*before, *suite("test_gone", "1" * 100)])
    assert (analysis.verdict, only(analysis).verdict) == ("passed", "passed")
    assert any("test_gone" in str(note) for note in analysis.notes)


def test_if_all_suites_are_new_nothing_is_decided() -> None:
    analysis = judged(many([0] * 3, 100)[0], suite("test_other", "1"))
    assert (analysis.verdict, only(analysis).verdict) == ("inconclusive", "inconclusive")


@pytest.mark.parametrize(("lost", "verdict"), [(0, "inconclusive"), (4, "failed")])
def test_a_suite_that_treated_copies_otherwise_makes_a_run_at_best_inconclusive(
    lost: int, verdict: str
) -> None:
    after, before = many([lost] * 10, 100)
    here = suite("test_other", "1" * 100, copies="fail", leaked=False)
    there = suite("test_other", "1" * 100, copies="count", leaked=False)
    run = only(judged(after + here, before + there))
    assert [gate.suite for gate in run.refused] == ["t.py::test_other"]
    assert (run.verdict, run.new) == (verdict, [])


def test_a_suite_that_was_prompted_otherwise_is_not_a_new_one() -> None:
    samples = suite("test_a", "1" * 300)
    here, there = (
        variant(samples, 1, prompting="few-shot"),
        variant(samples, 1, prompting="zero-shot"),
    )
    run = only(analyses.analyse([here], DROP, baseline=Baseline([there])))
    assert (run.verdict, run.new, len(run.refused)) == ("inconclusive", [], 1)


def test_a_suite_with_other_formulas_makes_a_run_at_best_inconclusive() -> None:
    after, before = many([0] * 3, 100)
    here, there = suite("test_x", "1" * 50, formulas="a"), suite("test_x", "1" * 50, formulas="b")
    run = only(judged(after + here, before + there))
    assert (run.verdict, [gate.suite for gate in run.refused]) == ("inconclusive", ["t.py::test_x"])


# Errors


def with_errors(*, here: int, there: int, lost: int = 0, pairs: int = 400) -> WholeRun:
    """The verdict on two suites, where the answers to the last formulas of one are missing in one of the runs."""
    after, before = changed(lost, pairs)
    after = after[: pairs - here] + "!" * here
    before = before[: pairs - there] + "!" * there
    return only(
        judged(
            suite("test_a", after) + suite("test_b", "1" * 50),
            suite("test_a", before) + suite("test_b", "1" * 50),
        )
    )


@pytest.mark.parametrize(
    ("here", "there", "lost", "verdict"),
    [
        (0, 0, 0, "passed"),
        (6, 0, 0, "passed"),  # at worst six were lost
        (40, 0, 0, "inconclusive"),  # at worst forty: no run passes by losing samples
        (0, 40, 0, "passed"),  # the run passes all of them: it cannot be worse
        (6, 6, 0, "passed"),
        (40, 40, 0, "inconclusive"),  # both runs lost them, and nobody knows
        (0, 0, 12, "failed"),
        (12, 0, 12, "failed"),  # at best these twelve were kept: a fall that was seen remains
        # At best the baseline failed these forty, so that no fall is sure; five points are ruled out.
        (
            0,
            40,
            12,
            "passed",
        ),
    ],
)
def test_errors_count_at_worst_as_lost_and_at_best_as_kept(
    here: int, there: int, lost: int, verdict: str
) -> None:
    run = with_errors(here=here, there=there, lost=lost)
    assert run.verdict == verdict
    assert run.test is not None
    assert run.test.pairs == 450 - max(here, there), (
        "the figures that are shown are those of the answers"
    )


def test_a_run_with_errors_fails_whatever_the_pairs_say() -> None:
    after, before = many([0] * 3, 100)
    assert (
        judged(
            [*after, *suite("test_x", "1" * 99 + "!")], [*before, *suite("test_x", "1" * 100)]
        ).verdict
        == "failed"
    )


def test_errors_of_the_new_run_do_not_make_a_fall() -> None:
    run = only(judged(suite("test_a", "!" * 30 + "1" * 30), suite("test_a", "1" * 60)))
    assert (run.fell, run.verdict) == (False, "inconclusive")


@pytest.mark.parametrize(
    ("after", "before"), [("!" * 60, "1" * 60), ("1" * 60, "!" * 60), ("!" * 60, "!" * 60)]
)
def test_a_suite_without_answers_makes_the_run_at_best_inconclusive(
    after: str, before: str
) -> None:
    ours, theirs = many([0] * 3, 100)
    run = only(judged(ours + suite("test_x", after), theirs + suite("test_x", before)))
    assert (run.verdict, [gate.suite for gate in run.refused]) == ("inconclusive", ["t.py::test_x"])
    assert run.refused[0].reason.startswith("not compared: no sample")


def test_repeats_of_which_some_ended_in_errors_are_bounded_too() -> None:
    """Each formula was asked twice in both runs; of 60 formulas one answer is missing."""
    here, there = (
        suite("test_a", "1!" * 60 + "11" * 40, repeats=2),
        suite("test_a", "11" * 100, repeats=2),
    )
    run = only(judged(here, there))
    assert run.bounds is not None
    assert run.test is not None
    assert run.bounds.worst.difference == pytest.approx(-0.3)
    assert run.bounds.best.difference == 0.0
    assert (run.test.difference, run.verdict) == (0.0, "inconclusive")


# Undecided samples


@pytest.mark.parametrize(
    ("after", "before", "verdict"),
    [
        # At worst these had passed before too.
        (
            "1" * 380 + "1" * 20,
            "1" * 380 + "?" * 20,
            "passed",
        ),
        # They may have passed: a fall of five points.
        (
            "1" * 380 + "0" * 20,
            "1" * 380 + "?" * 20,
            "inconclusive",
        ),
        # They may be wrong: no slow machine makes the run red.
        (
            "1" * 380 + "?" * 20,
            "1" * 400,
            "inconclusive",
        ),
        ("1" * 396 + "?" * 4, "1" * 400, "passed"),
        # Whatever these four mean, twelve were lost.
        (
            "0" * 12 + "1" * 384 + "?" * 4,
            "1" * 400,
            "failed",
        ),
    ],
)
def test_undecided_samples_count_at_worst_as_lost_and_at_best_as_kept(
    after: str, before: str, verdict: str
) -> None:
    others = suite("test_b", "1" * 50)
    run = only(judged(suite("test_a", after) + others, suite("test_a", before) + others))
    assert run.verdict == verdict


def test_the_same_answer_that_is_undecided_in_both_runs_has_not_changed() -> None:
    signs = "1" * 300 + "?" * 100
    same = only(judged(suite("test_a", signs), suite("test_a", signs)))
    assert same.verdict == "passed"
    assert same.bounds is not None
    assert same.bounds.worst == same.bounds.best
    other = only(judged(suite("test_a", signs, translation="q"), suite("test_a", signs)))
    assert other.verdict == "inconclusive"
    assert "100 undecided samples" in other.reason or "200 undecided samples" in other.reason


def test_undecided_samples_without_a_formula_in_the_answer_are_not_the_same_answer() -> None:
    signs = "1" * 300 + "?" * 100
    run = only(
        judged(suite("test_a", signs, translation=None), suite("test_a", signs, translation=None))
    )
    assert (run.verdict, "200 undecided samples" in run.reason) == ("inconclusive", True)


def test_what_the_body_of_a_test_left_undecided_is_not_known_by_the_formula() -> None:
    signs = "1" * 300 + "?" * 100
    given_up: dict[str, Any] = {"verdict_method": None}
    assert (
        only(judged(suite("test_a", signs, **given_up), suite("test_a", signs, **given_up))).verdict
        != "passed"
    )
    of_a_task = {**given_up, "task": "open_translation"}
    assert (
        only(
            judged(suite("test_a", signs, **of_a_task), suite("test_a", signs, **of_a_task))
        ).verdict
        == "passed"
    )


def test_the_same_answer_with_another_share_of_the_repeats_may_hide_a_drop() -> None:
    # One answer of one repeat before, one of two after: if it is right, half of each formula was lost.
    here = suite("test_a", "?0" * 100, repeats=2)
    run = only(judged(here, suite("test_a", "?" * 100)))
    assert run.bounds is not None
    assert run.bounds.worst.difference == pytest.approx(-0.5)
    assert run.bounds.best.difference == 0.0
    assert (run.verdict, "200 undecided samples" in run.reason) == ("inconclusive", True)


# Several models, one suite


def test_each_model_is_judged_for_itself() -> None:
    (worse, was), (same, as_before) = many([4] * 10, 100, model="a"), many([0] * 10, 100, model="b")
    analysis = judged(worse + same, was + as_before)
    assert {run.model: run.verdict for run in analysis.whole_runs} == {"a": "failed", "b": "passed"}
    assert analysis.verdict == "failed"


def test_a_model_whose_suites_all_ran_is_judged_although_another_one_was_interrupted() -> None:
    (one, before), (other, too) = many([0] * 3, 100, model="a"), many([0] * 3, 100, model="b")
    extents = {("t.py::test_01", "b"): Extent(planned=200)}
    analysis = judged(one + other, before + too, extents=extents)
    assert {run.model: run.verdict for run in analysis.whole_runs} == {
        "a": "passed",
        "b": "interrupted",
    }
    assert analysis.verdict == "interrupted"


def test_a_model_that_never_started_counts_for_the_level_of_the_others() -> None:
    after, before = many([0] * 3, 100, model="a")
    never = {("t.py::test_00", "b"): Extent(interrupted=True)}
    (run,) = judged(after, before, extents=never, suites=4).whole_runs
    assert run.level == pytest.approx(0.05 / 2 / 2)


def test_models_with_unequal_numbers_of_suites() -> None:
    (one, before), (other, too) = many([0], 100, model="a"), many([4] * 10, 100, model="b")
    analysis = judged(one + other, before + too)
    assert {run.model: (len(run.gates), run.verdict) for run in analysis.whole_runs} == {
        "a": (1, "passed"),
        "b": (10, "failed"),
    }
    assert all(run.level == pytest.approx(0.05 / 2 / 2) for run in analysis.whole_runs)
    assert all(gate.level == pytest.approx(0.05 / 2 / 11) for gate in analysis.comparisons)


@pytest.mark.parametrize(("lost", "verdict"), [(4, "inconclusive"), (5, "failed")])
@pytest.mark.parametrize("rules", [DROP, SUITE_DROP])
def test_a_run_of_one_suite_has_one_test_at_the_whole_level(
    rules: Rules, lost: int, verdict: str
) -> None:
    analysis = judged(*many([lost], 40), rules)  # p = 0.0625 and 0.031
    assert (analysis.verdict, only(analysis).verdict) == (verdict, verdict)
    assert len(only(analysis).by_themselves) == (verdict == "failed"), "one test, and one answer"


def test_a_run_of_one_suite_with_two_gates_shares_the_level() -> None:
    run = only(judged(*many([5], 40), Rules(drop=0.05, agreement_drop=0.1)))
    assert (run.level, run.fell, run.verdict) == (0.025, False, "inconclusive")


@given(
    st.integers(1, 5),
    st.integers(1, 40),
    st.floats(0.001, 0.2),
    st.sampled_from([None, 0.1]),
    st.sampled_from([None, 0.1]),
)
def test_all_tests_of_a_run_share_its_level(
    models: int, suites: int, alpha: float, drop: float | None, agreement: float | None
) -> None:
    rules = Rules(alpha=alpha, drop=drop, agreement_drop=agreement)
    suites = max(models, suites)
    of_suites = suites * rules.suite_level(suites) * ((drop is not None) + (agreement is not None))
    # In a run of one suite, the test of the run is that of the suite.
    of_runs = models * rules.level(models, suites) if drop is not None and suites > 1 else 0.0
    assert of_suites + of_runs <= alpha * (1 + 1e-9)
    if drop is not None or agreement is not None:
        assert of_suites + of_runs == pytest.approx(alpha)
    if suites == 1:
        assert rules.level(models, suites) == rules.suite_level(suites)


# Clusters


@pytest.mark.parametrize(("formulas", "verdict"), [("", "failed"), ("p", "inconclusive")])
def test_formulas_that_suites_share_count_once(formulas: str, verdict: str) -> None:
    """Five formulas were lost in four suites: twenty pairs, or five that change together (p = 0.031)."""
    after = [
        one
        for name in "abcd"
        for one in suite(f"test_{name}", "0" * 5 + "1" * 55, formulas=formulas)
    ]
    before = [one for name in "abcd" for one in suite(f"test_{name}", "1" * 60, formulas=formulas)]
    run = only(judged(after, before))
    assert run.bounds is not None
    assert run.bounds.p_value == (0.5**5 if formulas else 0.5**20)
    assert run.verdict == verdict


def variant(samples: Sequence[Sample], number: int, **asked: Any) -> SuiteRecord:
    """The samples as a variant of the suite ``test_a``, which differs in what was ``asked``."""
    record = empty_suite(f"t.py::test_a[{number}]", "m", number)
    record.asked = structs.replace(record.asked, function="t.py::test_a", **asked)
    record.samples = [structs.replace(sample, suite=record) for sample in samples]
    return record


def test_so_do_those_of_variants_of_one_suite() -> None:
    lost, kept = suite("test_a", "0" * 5 + "1" * 55), suite("test_a", "1" * 60)
    interfaces = [*enumerate(("chat", "complete"), 1)]
    here = [variant(lost, number, interface=interface) for number, interface in interfaces]
    there = [variant(kept, number, interface=interface) for number, interface in interfaces]
    run = only(analyses.analyse(here, DROP, baseline=Baseline(there)))
    assert len(run.gates) == 2
    assert run.bounds is not None
    assert (run.bounds.worst.pairs, run.bounds.p_value) == (120, 0.5**5)


def of_document(sample: Sample, document: str, source: str = "") -> Sample:
    given = structs.replace(sample.part_or_empty(Given), cluster=document)
    asked = structs.replace(sample.suite.asked, source=source or sample.suite.asked.source)
    moved = SuiteRecord(asked, sample.suite.run)
    return structs.replace(sample, parts=sample.parts.with_part(given), suite=moved)


def in_documents(
    samples: Sequence[Sample], sources: Sequence[str] = ("file",)
) -> list[SuiteRecord]:
    """Suites of ten rows a document, one suite for each source."""
    suites = []
    for number, source in enumerate(sources, 1):
        record = empty_suite(f"t.py::test_{number}", "m", number)
        record.asked = structs.replace(record.asked, source=source)
        for place, sample in enumerate(samples):
            own = of_document(
                structs.replace(sample, formula=f"{number} {sample.formula}"), str(place // 10)
            )
            record.samples.append(structs.replace(own, suite=record))
        suites.append(record)
    return suites


@pytest.mark.parametrize(
    ("sources", "clusters_lost"),
    [(["file"], 3), (["file", "file"], 3), (["file", "other"], 6)],
)
def test_rows_of_one_document_count_once_and_only_within_one_file(
    sources: list[str], clusters_lost: int
) -> None:
    lost, kept = suite("test_x", "0" * 30 + "1" * 270), suite("test_x", "1" * 300)
    here, there = in_documents(lost, sources), in_documents(kept, sources)
    run = only(analyses.analyse(here, DROP, baseline=Baseline(there)))
    assert run.bounds is not None
    assert run.bounds.p_value == 0.5**clusters_lost


def test_rows_of_one_document_widen_the_interval_of_the_pass_rate() -> None:
    (record,) = in_documents(suite("test_x", ("1" * 10 + "0" * 10) * 15))
    (gate,) = analyses.analyse([record], Rules()).gates
    (alone,) = analyse(suite("test_x", ("1" * 10 + "0" * 10) * 15), Rules()).gates
    assert alone.design_effect == 1.0
    assert gate.design_effect == pytest.approx(10, rel=0.1)
    assert gate.shown[1] < alone.shown[1] < alone.shown[2] < gate.shown[2]


keys = st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=3), max_size=12)


@given(keys)
def test_clusters_are_what_shared_keys_connect(keys: list[list[int]]) -> None:
    found = cluster_numbers(keys)
    groups = [{number} for number in range(len(keys))]
    for number in range(len(keys)):
        for other in range(number):
            if set(keys[number]) & set(keys[other]):
                joined = next(group for group in groups if number in group) | next(
                    g for g in groups if other in g
                )
                groups = [group for group in groups if not group & joined] + [joined]
    for group in groups:
        assert {found[number] for number in group} == {min(group)}


def test_a_sample_is_in_a_cluster_with_its_formula_and_its_sentence() -> None:
    sentence = Given(sentence="It rains.", text="abc")
    (plain,) = suite("test_a", "1", formulas="p")
    of_sentence = structs.replace(plain, parts=plain.parts.with_part(sentence))
    without_formula = structs.replace(of_sentence, formula="")
    assert [*cluster_keys(plain)] == ["p0"]
    assert [*cluster_keys(of_sentence)] == ["p0", "It rains.", "abc"]
    assert [*cluster_keys(without_formula)] == ["It rains.", "abc"]
    assert len(cluster_keys(structs.replace(plain, formula=""))) == 1


# Other tasks, and the list of suites that fell


def test_suites_of_other_tasks_count_like_all_others() -> None:
    after, before = many([0] * 3, 100)
    judge_after = suite("test_judge", "0" * 40 + "1" * 360, task="judge", expected=True, value=True)
    judge_before = suite("test_judge", "1" * 400, task="judge", expected=True, value=True)
    run = only(judged(after + judge_after, before + judge_before))
    assert run.test is not None
    assert (run.test.pairs, run.test.lost, run.verdict) == (700, 40, "failed")


def test_suites_are_listed_as_fallen_at_a_rate_and_that_is_no_gate() -> None:
    """Three suites of eight lost six formulas (p = 0.016): none fell by itself, and three of them are listed."""
    after, before = many([6, 6, 7, 0, 0, 0, 0, 0], 60)
    risen, low = changed(0, 300, won=40)
    run = only(judged(after + suite("test_x", risen), before + suite("test_x", low)))
    assert run.by_themselves == []
    assert [gate.suite[-2:] for gate in run.fallen] == ["02", "00", "01"]
    assert run.verdict == "passed"


def test_doubtful_suites_are_not_listed_as_fallen() -> None:
    after, before = many([9, 9, 0, 0], 60)
    stopped = Stopped(verdict="failed", ran=60, planned=400)
    extents = {("t.py::test_00", "m"): Extent(planned=400, stopped_early=stopped)}
    assert [gate.suite[-2:] for gate in only(judged(after, before, extents=extents)).fallen] == [
        "01"
    ]


@given(
    lost=st.lists(st.integers(0, 25), min_size=1, max_size=4),
    won=st.integers(0, 8),
    rules=st.sampled_from((DROP, SUITE_DROP, BOTH)),
)
def test_no_interval_contradicts_a_verdict_on_a_fall_without_a_word(
    lost: list[int], won: int, rules: Rules
) -> None:
    after, before = [], []
    for number, of_suite in enumerate(lost):
        here, there = changed(of_suite, 40, won)
        after += suite(f"test_{number}", here)
        before += suite(f"test_{number}", there)
    whole = only(judged(after, before, rules))
    assert whole.test is not None
    seems_to_fall = round(100 * whole.test.interval.high, 1) < 0
    assert ("a fall is decided by " in whole.reason) == (whole.fell != seems_to_fall)
    for gate in whole.gates:
        assert gate.test is not None
        seems_to_fall = round(100 * gate.test.interval.high, 1) < 0
        assert ("a fall is decided by " in gate.reason) == (gate.fell != seems_to_fall)


def test_a_fall_on_one_side_beside_an_interval_that_touches_0_says_what_decides() -> None:
    whole = only(judged(*many([5], 45)))
    assert whole.verdict == "failed"
    assert whole.test is not None
    assert whole.test.interval.high == 0.0
    assert (
        "p 0.031; a fall is decided by p (one-sided, below 0.050), not by the interval"
        in whole.reason
    )


def partly_asked(asked: int, lost: int, rules: Rules = DROP) -> WholeRun:
    """A run of 200 formulas against a baseline that was cut off after some, of which so many were lost."""
    here, there = changed(lost, asked)
    after = suite("test_a", here + "1" * (200 - asked))
    records = baseline_of(suite("test_a", there)).suites
    for record in records:
        record.end = SuiteEnd(
            suite=record.number, verdict="interrupted", ended="interrupted", why=""
        )
    return only(analyse(after, rules, baseline=Baseline(records)))


@pytest.mark.parametrize("rules", [Rules(drop=0.2), Rules(suite_drop=0.2)], ids=["run", "suite"])
def test_formulas_that_a_cut_off_baseline_did_not_ask_block_green(rules: Rules) -> None:
    whole = partly_asked(asked=150, lost=0, rules=rules)
    assert whole.verdict == "inconclusive"
    assert whole.reason.startswith("the baseline is of a run that was cut off; ")
    assert "the baseline was cut off before it asked 50 formulas of this run" in whole.reason
    assert "not ruled out" not in whole.reason


def test_a_fall_on_what_a_cut_off_baseline_did_ask_is_a_fall() -> None:
    assert partly_asked(asked=150, lost=60).verdict == "failed"


def test_a_baseline_that_was_cut_off_after_all_formulas_may_be_green() -> None:
    assert partly_asked(asked=200, lost=0, rules=Rules(drop=0.2)).verdict == "passed"
