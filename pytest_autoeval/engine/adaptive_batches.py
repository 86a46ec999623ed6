"""An adaptive suite: its samples are chosen in batches, by the outcomes of earlier samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from pytest_autoeval.engine.bodies import TrialResult
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.sources import no_samples_error
from pytest_autoeval.engine.suite import Suite
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.outcomes import OutcomeKind, outcome_named
from pytest_autoeval.reporting.judging.adaptive_result import AdaptiveDesign
from pytest_autoeval.statistics.horizon import FEWEST_FORMULAS, FEWEST_SIZES

if TYPE_CHECKING:
    from pytest_autoeval.statistics.size_chooser import SizeChooser

#: How many formulas of a size are drawn at first. The number doubles each time they are used up.
_FIRST_DRAW = 16
#: The rounds of an adaptive suite that asks in batches, about, since each takes hours.
_ROUNDS = 4
#: The calls for one sample before any sample has ended: a round trip, and a question about its failure.
_USUAL_CALLS = 3


def adaptive_batches(suite: Suite, settings: Settings) -> AdaptiveBatches | None:
    """The batches of a suite; None without `--autoeval-adaptive`, and for a suite with too few samples."""
    if settings.adaptive is None:
        return None
    if suite.samples is None:
        fixed = sum(len(suite.source.samples(size, None, settings.seed)) for size in suite.sizes)
    else:
        fixed = suite.samples * len(suite.sizes)
    design = AdaptiveDesign(
        sizes=suite.sizes,
        calls=settings.adaptive or None,
        most=settings.adaptive or fixed,
        precision=settings.precision,
        levels=tuple(sorted(suite.horizon)) or (0.5,),
    )
    large_enough = len(design.sizes) >= FEWEST_SIZES and design.most >= FEWEST_FORMULAS
    return AdaptiveBatches(suite, settings, design) if large_enough else None


class AdaptiveBatches:
    """Chooses the samples of a suite, one batch after another.

    The k-th sample of a size is the one that a fixed design would ask as its k-th. The choice depends on the seed and
    on the outcomes, and not on the order in which samples end.
    """

    def __init__(self, suite: Suite, settings: Settings, design: AdaptiveDesign) -> None:
        self.design = design
        self._suite, self._settings = suite, settings
        self._chooser = self._chooser_at(0.0)
        self._drawn: dict[int, list[Sample]] = {}
        self._used: Counter[int] = Counter()
        self._calls, self._calls_a_sample = 0, _USUAL_CALLS

    def _chooser_at(self, chance: float) -> SizeChooser:
        from pytest_autoeval.statistics.size_chooser import SizeChooser

        design = self.design
        return SizeChooser(design.sizes, precision=design.precision, levels=design.levels, chance=chance)

    def first(self) -> list[Sample]:
        """The samples of the first batch. Raises what `draw` raises if there is none."""
        if not (batch := self._next()):
            raise no_samples_error(self._suite, self._settings)
        return batch

    def next_after(self, results: Sequence[TrialResult]) -> list[Sample]:
        """The samples of the next batch; empty when the suite is complete.

        Samples that ended in an error are not counted: they say nothing about the model.
        """
        calls = [len(result.trial.calls) for result in results]
        self._calls_a_sample = max(*calls, self._calls_a_sample if self._calls else 1, 1)
        self._calls += sum(calls)
        chances = [result.trial.notes["chance"] for result in results if "chance" in result.trial.notes]
        if chances and not self._chooser.chance:  # the first batch, which does not depend on it
            self._chooser = self._chooser_at(fmean(chances))
        kinds = [(result.sample.operators, outcome_named(result.outcome).kind) for result in results]
        self._chooser.add((size, kind == OutcomeKind.PASS) for size, kind in kinds if kind != OutcomeKind.ERROR)
        return self._next()

    def _next(self) -> list[Sample]:
        if self._chooser.done:
            return []
        room = self.design.most - self._used.total()
        if self.design.calls is not None:
            room = min(room, (self.design.calls - self._calls) // self._calls_a_sample)
        rounds = None if self._settings.batch is None else self.design.most // _ROUNDS
        wanted = min(room, max(self._chooser.batch, rounds or 0))
        batch: list[Sample] = []
        while len(batch) < wanted and (sizes := self._chooser.next(wanted - len(batch))):
            for size in sizes:
                if (sample := self._sample(size)) is None:
                    self._chooser.leave_out(size)
                else:
                    batch.append(sample)
        return batch

    def _sample(self, size: int) -> Sample | None:
        at, known = self._used[size], self._drawn.get(size, [])
        if at == len(known):
            known = self._suite.source.samples(size, max(_FIRST_DRAW, 2 * at), self._settings.seed)
            self._drawn[size] = known
        if at >= len(known):
            return None
        self._used[size] += 1
        return known[at]
