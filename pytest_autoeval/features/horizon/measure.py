"""The horizon as a measure of a suite, its name, and its figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from pytest_autoeval.features.horizon.fit import LEVELS
from pytest_autoeval.features.horizon.passed_by_size import PassedBySize
from pytest_autoeval.judging.item_groups import Item, size_name
from pytest_autoeval.judging.stopped_sentences import missing_answers
from pytest_autoeval.record.figure_sentences import listed, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.blocks import Column, Note
from pytest_autoeval.report.matrix_measures import Measure

if TYPE_CHECKING:
    from pytest_autoeval.features.horizon.fit import Horizon
    from pytest_autoeval.report.suite_summary import SuiteSummary


class HorizonMeasure(Measure):
    """The horizon at 50 %."""

    column = Column(f"horizon {100 * LEVELS[0]:g} %", "size", optional=True)

    def of(self, items: Mapping[Item, Sequence[Sample]]) -> Figure | None:
        """The first horizon; None if there are too few formulas for a curve."""
        horizon = _first_horizon(items)
        if horizon is None:
            return None
        samples = [*chain.from_iterable(items.values())]
        return horizon_figure(horizon, size_name(samples))

    def legend(self, summaries: Sequence[SuiteSummary]) -> Iterator[Note]:
        """Notes: what it means that a horizon is not known, and what a horizon is if answers can be guessed."""
        by_suite = {summary.suite: _first_horizon(summary.items) for summary in summaries}
        horizons = {suite: horizon for suite, horizon in by_suite.items() if horizon is not None}
        if not all(horizon.known for horizon in horizons.values()):
            unknown = [suite for suite, horizon in horizons.items() if not horizon.known]
            first = missing_answers(sample for suite in unknown for sample in suite.counted)
            advice = Sentence("more samples are needed")
            if first is not None:
                in_order = "first {missing_answers}, then run more samples"
                advice = sentence(in_order, missing_answers=first)
            text = "a horizon that is not known may lie at any size; {advice}"
            remark = sentence(text, advice=advice)
            yield Note(remark.text, remark.values, column=self.column.name, level="default")
        guessed = [suite for suite, horizon in horizons.items() if horizon.rate is not None]
        if any(horizons[suite].known for suite in guessed):
            text = "the horizon is half-way between guessing and always right where answers can be guessed: {names}"
            meaning = sentence(text, names=listed([suite.name for suite in guessed]))
            yield Note(meaning.text, meaning.values, column=self.column.name, level="verbose")


def _first_horizon(items: Mapping[Item, Sequence[Sample]]) -> Horizon | None:
    return PassedBySize.of(items).horizon(LEVELS[0])


def horizon_name(horizon: Horizon) -> str:
    """``horizon 50 %``, or ``horizon 50 % above guessing`` if answers can be guessed."""
    name = f"horizon {100.0 * horizon.level:.10g} %"
    return name if horizon.rate is None else f"{name} above guessing"


def horizon_figure(horizon: Horizon, measure: str, formulas: int | None = None) -> Figure:
    """A horizon with its 95 % interval, or the side on which it lies, or that it is not known.

    ``measure`` names the unit of the sizes, such as ``operators``. ``formulas`` is the number of fitted formulas.
    """
    name = horizon_name(horizon)
    if not horizon.known:
        return Figure(name, None, "size", n=formulas, measure=measure, bound="not known")
    value = horizon.value
    # A horizon outside the drawn sizes is shown as "above" the largest or "below" the smallest of them.
    if value is None:
        value = horizon.largest if horizon.bound == "above" else horizon.least
    return Figure(
        name,
        value,
        "size",
        low=horizon.low,
        high=horizon.high,
        n=formulas,
        measure=measure,
        bound=horizon.bound if horizon.value is None else "",
    )
