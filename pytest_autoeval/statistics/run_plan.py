"""The verdict of a planned run: how often it will be green, inconclusive and red.

Runs are simulated as they are judged: one test over all pairs, one in each suite, the intervals that exclude a drop,
and the thresholds. Everything is drawn at once, with a fixed seed, so that equal plans have equal numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import ceil, prod
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct, structs

from pytest_autoeval.statistics.pass_rate import excludes_drop
from pytest_autoeval.statistics.planned_pairs import PlannedPairs, together
from pytest_autoeval.statistics.power import (
    ThresholdPlan,
    changing,
    pairs_needed,
    power_to_find,
    threshold_plan,
)

if TYPE_CHECKING:
    import numpy as np

    Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]

#: Simulated runs: a share of 80 % then has a standard error of 0.9 points, and one of 3 % of 0.4 points.
RUNS = 2000
#: The share of runs that "enough samples" means.
POWER = 0.8
#: What the simulation may miss by chance: about one standard error. Without it, the number that each test needs by
#: itself, which the report says too, would be rejected in half of all plans.
_NOISE = 0.01
_SEED = 45
#: By how much the number of samples grows in the search, and how often at most.
_GROWTH, _MOST_STEPS = 1.04, 60

#: How many pairs of a cluster lie in each suite: ``((0, 1), (3, 1))`` is a formula that the suites 0 and 3 share.
Shape = tuple[tuple[int, int], ...]


def _size(shape: Shape) -> int:
    """The number of pairs of a cluster of this shape, over all suites."""
    return sum(pairs for _, pairs in shape)


class Chances(NamedTuple):
    """The shares of runs with each verdict."""

    green: float
    inconclusive: float
    red: float


class PlannedThreshold(Struct, frozen=True, kw_only=True):
    """A gate at a threshold, with the number of independent samples that show as much as those of the suite."""

    threshold: float
    samples: int
    interval: bool = False
    confidence: float = 0.95

    @property
    def plan(self) -> ThresholdPlan:
        return threshold_plan(
            max(1, self.samples), self.threshold, interval=self.interval, confidence=self.confidence
        )

    @property
    def above(self) -> float:
        """A rate 5 points above, or halfway to 100 %."""
        return min(self.threshold + 0.05, (1 + self.threshold) / 2)

    @property
    def below(self) -> float:
        """A rate 5 points below, or halfway to 0 %."""
        return max(self.threshold - 0.05, self.threshold / 2)


class SuitePlan(Struct, frozen=True, kw_only=True):
    """A suite of a plan: its true ``rate``, its ``pairs`` with the baseline and its threshold, where it has them."""

    rate: float
    pairs: PlannedPairs | None = None
    gate: PlannedThreshold | None = None


class RunPlan(Struct, frozen=True, kw_only=True, dict=True):
    """The suites of one model, and how they are judged.

    ``shapes`` counts the clusters of each shape; they change as a whole. Without it no suites share formulas. ``level``
    and ``suite_level`` are those of the tests over all pairs and in each suite, ``confidence`` that of the intervals.
    ``drop`` must be excluded over all pairs, ``suite_drop`` in each suite; without either no falls are judged. Not
    ``complete``: a suite cannot be compared, so that the run cannot pass.
    """

    suites: Sequence[SuitePlan]
    level: float = 0.025
    suite_level: float = 0.025
    confidence: float = 0.95
    drop: float | None = None
    suite_drop: float | None = None
    shapes: Mapping[Shape, int] | None = None
    complete: bool = True

    @cached_property
    def compared(self) -> list[PlannedPairs]:
        """The pairs of each suite that has some."""
        return [suite.pairs for suite in self.suites if suite.pairs is not None]

    @cached_property
    def all_pairs(self) -> PlannedPairs | None:
        """The pairs of all suites as those of one test."""
        return together(self.compared, self.effect) if self.compared else None

    @property
    def effect(self) -> float:
        """The number of pairs that show as much as one independent pair, if clusters change as a whole."""
        pairs = squares = 0
        for shape, number in self._shapes.items():
            size = _size(shape)
            pairs += size * number
            squares += size * size * number
        return squares / pairs if pairs else 1.0

    @cached_property
    def _shapes(self) -> Mapping[Shape, int]:
        if self.shapes is not None:
            return self.shapes
        pairs_of = {index: suite.pairs for index, suite in enumerate(self.suites)}
        return {
            ((index, 1),): pairs.pairs for index, pairs in pairs_of.items() if pairs is not None
        }

    def chances(self, drops: Sequence[float] | float = 0.0) -> Chances:
        """The shares of verdicts if the rate of each suite falls by its own of ``drops``, or all by one drop."""
        import numpy as np

        if isinstance(drops, float):
            drops = [drops] * len(self.suites)
        # A rate cannot fall below 0.
        falls = [min(drop, suite.rate) for drop, suite in zip(drops, self.suites, strict=True)]
        random = np.random.default_rng(_SEED)
        red = np.zeros(RUNS, dtype=bool)
        green = np.full(RUNS, self.complete)
        changes = np.zeros((RUNS, len(self.suites)))
        if self.compared:
            drawn = self._draw(falls, random)
            changes = (drawn.won - drawn.lost) / np.maximum(drawn.pairs, 1)
            if self.drop is not None or self.suite_drop is not None:
                red |= self._fell(drawn)
                green &= self._excluded(drawn)
        for index, suite in enumerate(self.suites):
            gate = suite.gate
            if gate is None:
                continue
            # The pairs keep the rate of the baseline but for what changes; other samples are drawn anew.
            paired = 0
            if suite.pairs is not None:
                paired = min(gate.samples, round(suite.pairs.independent))
            passed = np.rint((suite.rate + changes[:, index]) * paired)
            new_rate = suite.rate - falls[index]
            passed += random.binomial(gate.samples - paired, new_rate, RUNS)
            red |= passed <= gate.plan.fails_to
            green &= passed >= gate.plan.passes_from
        # A run that fails somewhere fails, whatever else passes.
        green &= ~red
        share_green = float(green.mean())
        share_red = float(red.mean())
        inconclusive = max(0.0, 1 - (share_green + share_red))
        return Chances(share_green, inconclusive, share_red)

    def chances_of_one(self, drop: float) -> Chances:
        """The shares of verdicts if one suite alone falls: that in which it is hardest to find."""
        drops = [0.0] * len(self.suites)
        drops[self.hardest] = drop
        return self.chances(drops)

    def _draw(self, falls: Sequence[float], random: np.random.Generator) -> _Drawn:
        """The won and lost pairs of each suite in each simulated run."""
        import numpy as np

        shapes = [*self._shapes.items()]
        # (shapes, suites): how many pairs of a cluster of each shape lie in each suite.
        within = np.zeros((len(shapes), len(self.suites)))
        # The number of independent clusters of each shape, and in each run how many of them are won and lost.
        units = np.zeros(len(shapes), dtype=int)
        won = np.zeros((RUNS, len(shapes)))
        lost = np.zeros((RUNS, len(shapes)))
        for row, (shape, number) in enumerate(shapes):
            for index, pairs in shape:
                within[row, index] = pairs
            gain, loss, step = self._chances_of(shape, falls)
            changing_share = gain + loss
            share_lost = loss / changing_share if changing_share else 0.0
            units[row] = round(number / step)
            changed = random.binomial(units[row], min(1.0, changing_share), RUNS)
            lost[:, row] = random.binomial(changed, share_lost)
            won[:, row] = changed - lost[:, row]
        return _Drawn(
            won=won @ within,
            lost=lost @ within,
            pairs=units @ within,
            effects=_effects(units, within),
            total=_Total.of(won, lost, units, within),
        )

    def _chances_of(self, shape: Shape, falls: Sequence[float]) -> tuple[float, float, float]:
        """The chances that a cluster of this shape is won and lost, and its step: the means of those of its pairs."""
        size = _size(shape)
        gain = loss = step = 0.0
        for index, pairs in shape:
            planned = self.suites[index].pairs
            assert planned is not None
            chance_won, chance_lost = changing(falls[index], planned)
            gain += chance_won * pairs / size
            loss += chance_lost * pairs / size
            step += planned.step * pairs / size
        return gain, loss, step

    def _fell(self, drawn: _Drawn) -> np.ndarray:
        """Whether the pass rate fell over all pairs, or in a suite by itself."""
        total = drawn.total
        values_over_all = _p_values(total.won / total.effect, total.lost / total.effect)
        values_alone = _p_values(drawn.won / drawn.effects, drawn.lost / drawn.effects)
        fell_alone = (values_alone < self.suite_level).any(axis=1)
        fell: np.ndarray = (values_over_all < self.level) | fell_alone
        return fell

    def _excluded(self, drawn: _Drawn) -> np.ndarray:
        """Whether the drops in question are excluded."""
        import numpy as np

        excluded = np.ones(RUNS, dtype=bool)
        if self.drop is not None:
            total = drawn.total
            excluded &= self._excludes(self.drop, total.won, total.lost, total.pairs, total.effect)
        if self.suite_drop is not None:
            compared = [index for index, suite in enumerate(self.suites) if suite.pairs is not None]
            won = drawn.won[:, compared]
            lost = drawn.lost[:, compared]
            alone = self._excludes(
                self.suite_drop, won, lost, drawn.pairs[compared], drawn.effects[compared]
            )
            excluded &= alone.all(axis=1)
        return excluded

    def _excludes(
        self, drop: float, won: np.ndarray, lost: np.ndarray, pairs: Any, effect: Any
    ) -> np.ndarray:
        """Whether the score interval of each run (and suite) excludes a drop, from effective numbers of pairs."""
        z = NormalDist().inv_cdf(0.5 + self.confidence / 2)
        excludes: np.ndarray = excludes_drop(drop, won / effect, lost / effect, pairs / effect, z)
        return excludes

    @property
    def hardest(self) -> int:
        """The suite in which a drop is found least often."""
        drop = self.suite_drop or self.drop or 0.1

        def chance(index: int) -> float:
            pairs = self.suites[index].pairs
            # More than any chance: a suite without pairs is not compared.
            if pairs is None:
                return 2.0
            return power_to_find(min(drop, pairs.before), pairs, alpha=self.suite_level)

        return min(range(len(self.suites)), key=chance)

    def times(self, factor: float) -> RunPlan:
        """The same comparison with ``factor`` times as many formulas in each suite, without thresholds."""
        suites = []
        for suite in self.suites:
            pairs = suite.pairs
            if pairs is not None:
                pairs = structs.replace(pairs, pairs=ceil(pairs.pairs * factor))
            suites.append(structs.replace(suite, gate=None, pairs=pairs))
        shapes = {shape: ceil(number * factor) for shape, number in self._shapes.items()}
        return structs.replace(self, suites=suites, shapes=shapes, complete=True)

    def decides(self) -> bool:
        """Whether the run is green in 80 % of runs if nothing changed, and red in 80 % if the drop occurred.

        ``drop`` is a drop of all suites, ``suite_drop`` one of a single suite: that in which it is hardest to find.
        """
        least = POWER - _NOISE
        if self.chances().green < least:
            return False
        if self.drop is not None and self.chances(self.drop).red < least:
            return False
        if self.suite_drop is None:
            return True
        return self.chances_of_one(self.suite_drop).red >= least

    def factor_needed(self) -> float | None:
        """How many times as many formulas decide (:meth:`decides`): 1 if there are enough, None if none would.

        The search begins at the number that each test needs by itself.
        """
        drop_in_question = max(self.drop or 0.0, self.suite_drop or 0.0)
        if self.all_pairs is None or self.all_pairs.before < drop_in_question:
            return None
        if self.times(1.0).decides():
            return 1.0
        least = 1.0
        if self.drop is not None:
            needed = pairs_needed(
                self.drop, self.all_pairs, alpha=self.level, confidence=self.confidence
            )
            least = max(least, needed / self.all_pairs.pairs)
        if self.suite_drop is not None:
            pairs = self.suites[self.hardest].pairs
            assert pairs is not None
            needed = pairs_needed(
                self.suite_drop, pairs, alpha=self.suite_level, confidence=self.confidence
            )
            least = max(least, needed / pairs.pairs)
        factor = least
        for _ in range(_MOST_STEPS):
            if self.times(factor).decides():
                return factor
            factor *= _GROWTH
        return None


class _Total(NamedTuple):
    """The won, lost and all pairs of all suites, with the number of pairs that show as much as one."""

    won: np.ndarray
    lost: np.ndarray
    pairs: float
    effect: float

    @classmethod
    def of(cls, won: np.ndarray, lost: np.ndarray, units: np.ndarray, within: np.ndarray) -> _Total:
        sizes = within.sum(axis=1)
        pairs = float(units @ sizes)
        squares = float(units @ (sizes * sizes))
        effect = squares / max(1.0, pairs)
        return cls(won @ sizes, lost @ sizes, pairs, effect)


class _Drawn(NamedTuple):
    """The won, lost and all pairs of each suite, in numbers of pairs with one trial each."""

    won: Matrix
    lost: Matrix
    pairs: np.ndarray
    effects: np.ndarray
    total: _Total


def _effects(units: np.ndarray, within: np.ndarray) -> np.ndarray:
    """For each suite the number of pairs that show as much as one; 1 without pairs."""
    import numpy as np

    pairs = units @ within
    squares = units @ (within * within)
    sizes = squares / np.maximum(1.0, pairs)
    effects: np.ndarray = np.maximum(1.0, sizes)
    return effects


def _p_values(won: np.ndarray, lost: np.ndarray) -> np.ndarray:
    """McNemar's exact p-values, one-sided; between integers, the incomplete beta function continues them."""
    import numpy as np
    from scipy.special import betainc

    tails = betainc(np.maximum(lost, 1e-9), won + 1, 0.5)
    values: np.ndarray = np.where(lost > 0, tails, 1.0)
    return values


def threshold_chances(gates: Sequence[PlannedThreshold], *, above: bool) -> Chances:
    """The shares of verdicts over all gates of a model whose rates are 5 points above, or below, the thresholds."""
    chances = []
    for gate in gates:
        rate = gate.above if above else gate.below
        chances.append(gate.plan.chances(rate))
    # The verdicts count as independent. All suites must pass, and one failure is enough.
    green = prod(passes for passes, _ in chances)
    red = 1 - prod(1 - fails for _, fails in chances)
    inconclusive = max(0.0, 1 - green - red)
    return Chances(green, inconclusive, red)


def threshold_factor(gates: Sequence[PlannedThreshold]) -> float | None:
    """How many times as many samples make a model 5 points above green, and one 5 points below red, in 80 % of runs.

    1 if there are enough; None if no number does, or more than a thousand times as many.
    """

    def decide(factor: float) -> bool:
        larger = [structs.replace(gate, samples=ceil(gate.samples * factor)) for gate in gates]
        if threshold_chances(larger, above=True).green < POWER:
            return False
        return threshold_chances(larger, above=False).red >= POWER

    low, high = 0.0, 1.0
    while not decide(high):
        if high > 1000:
            return None
        low, high = high, 2 * high
    if low == 0.0:
        return 1.0
    # A bisection of the logarithm, to one percent.
    while high / low > 1.01:
        middle = (low * high) ** 0.5
        if decide(middle):
            high = middle
        else:
            low = middle
    return high
