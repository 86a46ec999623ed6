"""What a plan says of the verdict of a run, against slow simulations that judge made pairs as real runs are judged."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose, prod, sqrt

import pytest
from support.result_rows import row, suites_of

from pytest_autoeval.judging.baseline import judge_comparison
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.item_groups import Paired, item_of
from pytest_autoeval.judging.pairing import Comparison
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.run_judgement import judge_run
from pytest_autoeval.statistics.drops import BoundedTest
from pytest_autoeval.statistics.paired import paired_test
from pytest_autoeval.statistics.planned_pairs import (
    ASSUMED_CHURN,
    alike,
    assumed_churn,
    measured_churn,
    planned_pairs,
    repeats_effect,
    together,
)
from pytest_autoeval.statistics.run_plan import (
    Chances,
    PlannedThreshold,
    RunPlan,
    SuitePlan,
    threshold_chances,
    threshold_factor,
)

Trials = tuple[int, int]


@dataclass(frozen=True)
class World:
    """Suites of one kind. A share of the formulas passes by chance at ``rate``, the others always pass or always fail,
    so that ``churn`` of the answers change from run to run. If ``shared``, all suites have the same answers.
    """

    suites: int
    formulas: int
    rate: float = 0.9
    churn: float = 0.1
    repeats: tuple[int, int] = (1, 1)
    drop: float | None = 0.05
    suite_drop: float | None = None
    shared: bool = False

    @property
    def rules(self) -> Rules:
        return Rules(drop=self.drop, suite_drop=self.suite_drop)

    @property
    def plan(self) -> RunPlan:
        pairs = planned_pairs(
            self.formulas, self.rate, self.churn, repeats=self.repeats, added=1 / self.suites
        )
        shapes = (
            {tuple((suite, 1) for suite in range(self.suites)): self.formulas}
            if self.shared
            else None
        )
        return RunPlan(
            suites=[SuitePlan(rate=self.rate, pairs=pairs)] * self.suites,
            level=self.rules.level(1, self.suites),
            suite_level=self.rules.suite_level(self.suites),
            drop=self.drop,
            suite_drop=self.suite_drop,
            shapes=shapes,
        )

    def draw(self, chance: random.Random, fall: float) -> list[tuple[Trials, Trials]]:
        """The trials of a suite before and after, whose rate falls by ``fall``: formulas then fail always."""
        noisy = self.churn / (2 * self.rate * (1 - self.rate))
        formulas = []
        for _ in range(self.formulas):
            rate = self.rate if chance.random() < noisy else float(chance.random() < self.rate)
            after = 0.0 if chance.random() < fall / self.rate else rate
            numbers = zip(self.repeats, (rate, after), strict=True)
            before, now = (
                (sum(chance.random() < one for _ in range(number)), number)
                for number, one in numbers
            )
            formulas.append((before, now))
        return formulas

    def verdict(self, chance: random.Random, falls: Sequence[float]) -> str:
        """The verdict on one made run, by the tests of real runs."""
        if self.shared:
            suites = [self.draw(chance, falls[0])] * self.suites
        else:
            suites = [self.draw(chance, fall) for fall in falls]
        rules, tests = self.rules, [BoundedTest(test, test) for test in map(paired_test, suites)]
        numbers = [*range(self.formulas)] * self.suites if self.shared else None
        pairs = [pair for suite in suites for pair in suite]
        whole = paired_test(pairs, rules.confidence, numbers)
        total = BoundedTest(whole, whole)
        if total.fell(rules.level(1, self.suites)) or any(
            test.fell(rules.suite_level(self.suites)) for test in tests
        ):
            return "red"
        excluded = self.drop is None or total.excludes(self.drop)
        if self.suite_drop is not None:
            excluded = excluded and all(test.excludes(self.suite_drop) for test in tests)
        return "green" if excluded else "inconclusive"


def nearly(planned: float, found: float, runs: int) -> bool:
    """Whether a share of made runs agrees with a plan: within four standard errors, and 2 points for the model."""
    return abs(planned - found) <= 0.02 + 4 * sqrt(max(planned * (1 - planned), 0.005) / runs)


CELLS = {
    "one suite": World(1, 200),
    "one small suite": World(1, 45, drop=0.1),
    "five suites": World(5, 100, drop=0.04),
    "suites alone": World(4, 120, drop=None, suite_drop=0.1),
    "both drops": World(3, 100, drop=0.04, suite_drop=0.12),
    "many small suites": World(10, 20, drop=0.08),
    "little churn": World(3, 100, rate=0.97, churn=0.02, drop=0.03),
    "repeats": World(3, 40, repeats=(3, 3), drop=0.05),
    "more repeats before": World(2, 80, repeats=(5, 1), drop=0.06),
    "shared formulas": World(4, 100, shared=True, drop=0.08),
}


@pytest.mark.parametrize("fall", ["none", "the drop", "one suite"])
@pytest.mark.parametrize("cell", CELLS)
def test_made_runs_have_the_verdicts_of_the_plan(cell: str, fall: str) -> None:
    world, runs, chance = CELLS[cell], 120, random.Random(f"{cell} {fall}")
    falls = [0.0] * world.suites
    if fall == "the drop":
        falls = [world.drop or world.suite_drop or 0.0] * world.suites
    elif fall == "one suite" and not world.shared:
        falls[0] = 0.2
    found = Counter(world.verdict(chance, falls) for _ in range(runs))
    chances = world.plan.chances(falls)
    for verdict, planned in zip(("green", "inconclusive", "red"), chances, strict=True):
        assert nearly(planned, found[verdict] / runs, runs), (verdict, planned, found)


def test_the_verdicts_are_those_of_the_gates_of_a_run() -> None:
    """Results of two suites, judged by :func:`judge_run` as those of a real run."""
    world, runs, chance = World(2, 60, drop=0.08), 80, random.Random(7)
    names = ("t.py::test_a", "t.py::test_b")
    outcomes = {
        (name, passed): [
            row("equivalent" if passed else "different", formula=f"{name}{n}", suite=name)
            for n in range(60)
        ]
        for name in names
        for passed in (0, 1)
    }
    found: Counter[str] = Counter()
    for _ in range(runs):
        gates = []
        for name in names:
            drawn = enumerate(world.draw(chance, 0.04))
            rows = [
                (outcomes[name, before][n], outcomes[name, after][n])
                for n, ((before, _), (after, _)) in drawn
            ]
            pairs = [Paired(item_of(now), [now], [then]) for then, now in rows]
            (there,), (here,) = (suites_of(side) for side in zip(*rows, strict=True))
            compared = Comparison(now=here, before=there, pairs=pairs)
            gates.append(judge_comparison(compared, world.rules, extent=Extent(), suites=2))
        (whole,) = judge_run(gates, world.rules, suites=2)
        found[whole.verdict] += 1
    for verdict, planned in zip(
        ("passed", "inconclusive", "failed"), world.plan.chances(0.04), strict=True
    ):
        assert nearly(planned, found[verdict] / runs, runs), (verdict, planned, found)


def test_equal_plans_have_equal_numbers_and_shares_add_up() -> None:
    plan = CELLS["five suites"].plan
    chances = plan.chances()
    assert chances == CELLS["five suites"].plan.chances()
    assert isclose(sum(chances), 1.0)


@pytest.mark.parametrize(
    "cell", ["one suite", "five suites", "suites alone", "both drops", "shared formulas"]
)
def test_so_many_formulas_decide_and_clearly_fewer_do_not(cell: str) -> None:
    plan = CELLS[cell].plan
    factor = plan.factor_needed()
    assert factor is not None
    assert factor > 1.0
    assert plan.times(factor).decides()
    assert not plan.times(0.85 * factor).decides()
    assert plan.times(1.1 * factor).factor_needed() == 1.0


def test_a_drop_that_cannot_occur_is_never_decided() -> None:
    assert World(2, 30, rate=0.1, churn=0.05, drop=0.5).plan.factor_needed() is None


def test_a_run_that_is_not_complete_is_never_green() -> None:
    world = World(1, 2000)
    whole = world.plan
    assert whole.chances().green > 0.9
    part = RunPlan(suites=whole.suites, drop=0.05, complete=False)
    assert part.chances().green == 0.0


@pytest.mark.parametrize("interval", [False, True])
@pytest.mark.parametrize("suites", [1, 2, 30])
def test_the_shares_of_thresholds_are_those_of_independent_suites(
    suites: int, interval: bool
) -> None:
    gate = PlannedThreshold(threshold=0.9, samples=60, interval=interval)
    passes, fails = gate.plan.chances(0.95)
    chances = threshold_chances([gate] * suites, above=True)
    assert isclose(chances.green, passes**suites)
    assert isclose(chances.red, 1 - (1 - fails) ** suites)
    # The same by simulation, in a run whose rates are those.
    run = RunPlan(suites=[SuitePlan(rate=0.95, gate=gate)] * suites)
    assert all(abs(one - other) < 0.05 for one, other in zip(run.chances(), chances, strict=True))


def test_today_s_example_is_red_in_18_percent_and_with_30_suites_in_90() -> None:
    """The suites of the how-to: 45 and 24 samples, threshold 90 %, a model at 95 %."""
    gates = [
        PlannedThreshold(threshold=0.9, samples=45),
        PlannedThreshold(threshold=0.9, samples=24),
    ]
    assert threshold_chances(gates, above=True).red == pytest.approx(0.18, abs=0.01)
    many = [PlannedThreshold(threshold=0.9, samples=45)] * 30
    assert threshold_chances(many, above=True).red == pytest.approx(0.90, abs=0.01)


def test_at_high_thresholds_the_model_above_is_halfway_to_all() -> None:
    gate = PlannedThreshold(threshold=0.98, samples=100)
    assert [gate.above, gate.below] == pytest.approx([0.99, 0.93])
    assert PlannedThreshold(threshold=0.04, samples=100).below == pytest.approx(0.02)


@pytest.mark.parametrize("interval", [False, True])
def test_so_many_samples_are_right_about_models_near_the_thresholds(interval: bool) -> None:
    gates = [PlannedThreshold(threshold=0.9, samples=30, interval=interval)] * 4
    factor = threshold_factor(gates)
    assert factor is not None

    def right(times: float) -> bool:
        larger = [PlannedThreshold(threshold=0.9, samples=round(30 * times), interval=interval)] * 4
        high, low = (threshold_chances(larger, above=above) for above in (True, False))
        return min(high.green, low.red) >= 0.8

    assert right(1.05 * factor)
    assert not right(0.9 * factor)
    assert threshold_factor([PlannedThreshold(threshold=0.9, samples=5000)]) == 1.0
    assert threshold_factor([PlannedThreshold(threshold=0.0, samples=50)]) is None


def test_a_threshold_is_judged_on_the_rate_of_the_baseline_and_what_changes() -> None:
    """Of 100 formulas the baseline passed 95: a run without churn passes as many."""
    gate = PlannedThreshold(threshold=0.95, samples=100)
    still = planned_pairs(100, 0.95, 0.0, added=0.0)
    kept = RunPlan(suites=[SuitePlan(rate=0.95, pairs=still, gate=gate)])
    assert kept.chances() == Chances(1.0, 0.0, 0.0)
    assert kept.chances(0.04).red > 0.95


def test_churn_is_measured_by_repeats_alone() -> None:
    assert measured_churn([(1, 1), (0, 1)]) is None
    assert measured_churn([(1, 2), (2, 2), (1, 1)]) == pytest.approx(0.5)
    chance = random.Random(3)
    formulas = [
        (sum(chance.random() < rate for _ in range(4)), 4) for rate in [0.5, 0.9, 1.0, 1.0] * 500
    ]
    true = 2 * (0.25 + 0.09) / 4
    assert measured_churn(formulas) == pytest.approx(true, abs=0.02)


def test_assumed_churn_is_not_more_than_that_of_independent_answers() -> None:
    assert assumed_churn(0.9) == ASSUMED_CHURN
    assert assumed_churn(0.99) == pytest.approx(2 * 0.99 * 0.01)
    assert assumed_churn(1.0) == 0.0


def test_repeats_show_as_much_as_their_churn_says() -> None:
    assert repeats_effect(0.9, 0.18, 5) == pytest.approx(1.0)  # independent
    assert repeats_effect(0.9, 0.0, 5) == pytest.approx(5.0)  # copies
    assert repeats_effect(1.0, 0.0, 5) == 5.0
    assert alike(0.9, 0.5) == 0.0
    copies, apart = (planned_pairs(50, 0.9, churn, repeats=(4, 4)) for churn in (0.0, 0.18))
    assert [copies.step, apart.step] == pytest.approx([1.0, 0.25])
    assert planned_pairs(50, 0.9, 0.18, repeats=(4, 1)).step == 1.0


@pytest.mark.parametrize("repeats", [(1, 1), (3, 3), (5, 1)])
def test_planned_pairs_are_those_that_a_comparison_finds(repeats: tuple[int, int]) -> None:
    """Of many formulas the paired test finds the churn and the step that were planned."""
    world = World(1, 4000, repeats=repeats)
    found = paired_test(world.draw(random.Random(5), 0.0))
    planned = planned_pairs(4000, 0.9, 0.1, repeats=repeats)
    assert found.step == pytest.approx(planned.step, rel=0.1)
    assert found.churn == pytest.approx(planned.churn, rel=0.15)
    assert found.independent == pytest.approx(planned.independent, rel=0.1)


def test_suites_together_have_the_pairs_of_all() -> None:
    suites = [planned_pairs(40, 0.8, 0.1, added=0.4), planned_pairs(60, 0.9, 0.05, added=0.6)]
    both = together(suites)
    assert both.pairs == 100
    assert both.before == pytest.approx(0.86)
    assert both.churn == pytest.approx((40 * 0.1 + 60 * 0.05 + 1) / 101)
    assert together(suites, 2.0).independent == pytest.approx(50)
    assert prod([both.step, both.effect]) == 1.0
